"""Measure `puzzlebox --help` from a shell, beside Python doing nothing."""

import subprocess
import sys
from pathlib import Path

from benchmarks.measure import Result, best_seconds


def run() -> list[Result]:
    """Return one result."""
    command = [str(Path(sys.executable).with_name("puzzlebox")), "--help"]
    nothing = [sys.executable, "-c", "pass"]
    help_seconds = best_seconds(lambda: subprocess.run(command, capture_output=True, check=True), repeats=10)
    python_seconds = best_seconds(lambda: subprocess.run(nothing, capture_output=True, check=True), repeats=10)
    return [Result("puzzlebox --help", help_seconds * 1e3, "ms", "< 200", python_seconds * 1e3, "python -c pass")]
