"""Keyboard interrupts that wait until a piece of work is complete."""

import signal
from threading import current_thread, main_thread
from types import FrameType
from typing import Any


class DelayedInterrupt:
    """A context manager that delays a keyboard interrupt until its block has ended."""

    def __init__(self) -> None:
        self._handler: Any = None
        self._interrupt: tuple[int, FrameType | None] | None = None

    def __enter__(self) -> None:
        # Only the main thread is interrupted, and only by a handler that is a Python function.
        if current_thread() is main_thread() and callable(signal.getsignal(signal.SIGINT)):
            self._handler = signal.signal(signal.SIGINT, self._store)

    def _store(self, number: int, frame: FrameType | None) -> None:
        self._interrupt = number, frame

    def __exit__(self, *_: object) -> None:
        if self._handler is None:
            return
        signal.signal(signal.SIGINT, self._handler)
        if self._interrupt is not None:
            self._handler(*self._interrupt)
