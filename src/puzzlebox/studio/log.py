"""The server's log: warnings and errors to stderr, at a limited rate."""

import logging
import sys
import time
from collections.abc import Callable

# Entries in a minute: of the same message, and of all together; characters of one entry.
_MAX_SAME, _MAX_ALL, _MAX_CHARACTERS = 5, 60, 8_000
_MINUTE_SECONDS = 60.0


class RateLimit(logging.Filter):
    """Logs the same message a few times a minute, and counts the entries that are left out.

    Args:
        clock: returns the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock, self._began = clock, clock()
        self._passed: dict[tuple[str, str], int] = {}
        self._left_out = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to log an entry."""
        now = self._clock()
        note = ""
        if now - self._began >= _MINUTE_SECONDS:
            if self._left_out:
                note = f" ({self._left_out} more entries were left out before this one)"
            self._began, self._left_out = now, 0
            self._passed.clear()
        # Entries with the same template are the same message, whatever their arguments.
        kind = (record.name, str(record.msg)[:200])
        count = self._passed.get(kind, 0) + 1
        if count > _MAX_SAME or sum(self._passed.values()) >= _MAX_ALL:
            self._left_out += 1
            return False
        self._passed[kind] = count
        if count == _MAX_SAME:
            note += " (left out for the rest of this minute, should it come again)"
        if note:
            record.msg, record.args = f"{record.getMessage()}{note}", ()
        return True


class _TruncatingFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        return (
            text
            if len(text) <= _MAX_CHARACTERS
            else f"{text[: _MAX_CHARACTERS // 2]}\n[...]\n{text[-_MAX_CHARACTERS // 2 :]}"
        )


def log_to_stderr() -> None:
    """Log warnings and errors of the studio and its libraries to stderr, at a limited rate."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_TruncatingFormatter("%(levelname)s: %(message)s"))
    handler.addFilter(RateLimit())
    for name in ("uvicorn", "asyncio", "puzzlebox", "websockets"):
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.propagate = False
