"""Processes that a test starts and that are killed at its end."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


@contextmanager
def program(command: Sequence[str], **how: Any) -> Iterator[subprocess.Popen[str]]:
    """Start a program and kill it at the end, also if the test fails: otherwise pytest would wait for it."""
    with subprocess.Popen(command, text=True, **how) as process:
        try:
            yield process
        finally:
            process.kill()
