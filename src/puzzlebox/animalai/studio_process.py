"""The studio's play page, in a process of its own: this room may not import the studio."""

import atexit
import subprocess
import sys
from os import PathLike


def open_page(task: "str | PathLike[str]", rules: str) -> "subprocess.Popen[bytes]":
    """Let a person play a file or a bundled task in the browser, until the process is ended; it ends with this one."""
    process = subprocess.Popen([sys.executable, "-m", "puzzlebox.cli", "play", "--rules", rules, "--", task])
    atexit.register(process.terminate)
    return process
