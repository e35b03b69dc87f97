"""The studio's play page in a separate process: the layers of imports keep this package from importing the studio."""

import atexit
import subprocess
import sys
from os import PathLike


def open_page(task: "str | PathLike[str]", rules: str) -> "subprocess.Popen[bytes]":
    """Start the play page for a file or a bundled task, in a process that ends with this one at the latest."""
    process = subprocess.Popen([sys.executable, "-m", "puzzlebox.cli", "play", "--rules", rules, "--", task])
    atexit.register(process.terminate)
    return process
