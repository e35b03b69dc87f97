"""The server's log: warnings and mistakes to stderr, and never more than a person can read."""

import logging
import sys
import time
from collections.abc import Callable

# What may be logged in a minute: the same message, and all together. A single entry has at most so many letters.
_SAME, _ALL, _LONGEST = 5, 60, 8_000
_MINUTE = 60.0


class Sparing(logging.Filter):
    """Lets a message pass a few times a minute, and counts what it holds back.

    Args:
        clock: the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock, self._began = clock, clock()
        self._passed: dict[tuple[str, str], int] = {}
        self._held_back = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to log an entry."""
        now = self._clock()
        note = ""
        if now - self._began >= _MINUTE:
            if self._held_back:
                note = f" ({self._held_back} more entries were left out before this one)"
            self._began, self._held_back = now, 0
            self._passed.clear()
        # The template of the message: what differs from one to the next makes no new message of it.
        kind = (record.name, str(record.msg)[:200])
        count = self._passed.get(kind, 0) + 1
        if count > _SAME or sum(self._passed.values()) >= _ALL:
            self._held_back += 1
            return False
        self._passed[kind] = count
        if count == _SAME:
            note += " (left out for the rest of this minute, should it come again)"
        if note:
            record.msg, record.args = f"{record.getMessage()}{note}", ()
        return True


class _Short(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]}\n[...]\n{text[-_LONGEST // 2 :]}"


def log_to_stderr() -> None:
    """Have everything that goes wrong in the studio logged to stderr, sparingly."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Short("%(levelname)s: %(message)s"))
    handler.addFilter(Sparing())
    for name in ("uvicorn", "asyncio", "puzzlebox", "websockets"):
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.propagate = False
