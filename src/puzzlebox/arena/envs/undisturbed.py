"""Ctrl-C, a moment later: what must not be left half done is done first."""

import signal
from threading import current_thread, main_thread
from types import FrameType
from typing import Any


class Undisturbed:
    """Within it an interruption from the keyboard is noted, and happens at its end."""

    def __init__(self) -> None:
        self._before: Any = None
        self._noted: tuple[int, FrameType | None] | None = None

    def __enter__(self) -> None:
        # Only the main thread is interrupted, and only where somebody wrote in Python what happens then.
        if current_thread() is main_thread() and callable(signal.getsignal(signal.SIGINT)):
            self._before = signal.signal(signal.SIGINT, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._noted = number, frame

    def __exit__(self, *_: object) -> None:
        if self._before is None:
            return
        signal.signal(signal.SIGINT, self._before)
        if self._noted is not None:
            self._before(*self._noted)
