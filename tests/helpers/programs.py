"""Runs programs that are killed at the end of a test."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


@contextmanager
def program(command: Sequence[str], **settings: Any) -> Iterator[subprocess.Popen[str]]:
    """Run a program, and kill it at the end; otherwise a failed test would wait for it forever."""
    with subprocess.Popen(command, text=True, **settings) as process:
        try:
            yield process
        finally:
            process.kill()
