"""How long `puzzlebox --help` takes, from a shell, beside Python doing nothing."""

import subprocess
import sys
from pathlib import Path

from benchmarks.measure import Result, best_seconds


def run() -> list[Result]:
    """One result."""
    command = [str(Path(sys.executable).with_name("puzzlebox")), "--help"]
    nothing = [sys.executable, "-c", "pass"]
    helped = best_seconds(lambda: subprocess.run(command, capture_output=True, check=True), repeats=10)
    started = best_seconds(lambda: subprocess.run(nothing, capture_output=True, check=True), repeats=10)
    return [Result("puzzlebox --help", helped * 1e3, "ms", "< 200", started * 1e3, "python -c pass")]
