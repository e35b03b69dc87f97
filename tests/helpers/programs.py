"""Programs that a test starts and never leaves behind."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


@contextmanager
def program(command: Sequence[str], **how: Any) -> Iterator[subprocess.Popen[str]]:
    """Start a program, and kill it in the end: one that runs on where a test fails would keep that waiting for ever."""
    with subprocess.Popen(command, text=True, **how) as process:
        try:
            yield process
        finally:
            process.kill()
