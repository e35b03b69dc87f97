"""The command line as a process of its own."""

import subprocess
import sys
from pathlib import Path


def puzzlebox(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run `puzzlebox` and return its exit code, stdout and stderr."""
    command = [sys.executable, "-m", "puzzlebox.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)
