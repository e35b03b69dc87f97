"""Which program records an episode: a lock of the operating system's on one byte of a file beside the recordings.

Such a lock ends with the program that holds it, whatever ended that program, so that a server that was killed keeps
nobody out, and no clock has to say when an owner counts as dead.
"""

import errno
import hashlib
import os
import struct
import threading
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where two servers are not kept apart
    fcntl = None  # type: ignore[assignment]

from puzzlebox.record.database import StoreError

_ENDING = ".lock"
_TAKEN = (errno.EACCES, errno.EAGAIN)


class Owners:
    """The episodes one store records.

    Args:
        path: the file of recordings; the locks are on the file of that name with `.lock` after it.
    """

    def __init__(self, path: Path) -> None:
        real = path.resolve()  # one file may have several names
        self._path = real.with_name(real.name + _ENDING)
        self._lock = threading.Lock()
        self._file: int | None = None
        self._own: set[str] = set()

    def claim(self, id: str) -> bool:
        """Become the owner of an episode; False where another program is."""
        with self._lock:
            if id in self._own or fcntl is None:
                return True
            try:
                if self._file is None:
                    self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
                _set(self._file, fcntl.F_WRLCK, _place(id))
            except OSError as problem:
                if problem.errno in _TAKEN and self._file is not None:
                    return False
                raise StoreError(f"episodes cannot be locked in {self._path}: {problem.strerror}") from None
            self._own.add(id)
            return True

    def release(self, id: str) -> None:
        """Let another program become the owner of an episode."""
        with self._lock:
            if id in self._own and self._file is not None:
                self._own.discard(id)
                _set(self._file, fcntl.F_UNLCK, _place(id))

    def close(self) -> None:
        """Release all."""
        with self._lock:
            self._own.clear()
            if self._file is not None:
                os.close(self._file)
                self._file = None


def _place(id: str) -> int:
    """The byte that stands for an episode; it need not exist."""
    return int.from_bytes(hashlib.sha256(id.encode()).digest()[:8]) >> 2


def _set(file: int, kind: int, place: int) -> None:
    """Lock or unlock one byte, without waiting."""
    try:
        # Of the opened file instead of the process, so that two stores of one program are kept apart, too.
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", kind, os.SEEK_SET, place, 1, 0))
    except (AttributeError, OSError) as problem:
        if isinstance(problem, OSError) and problem.errno != errno.EINVAL:
            raise
        # A system without such locks.
        command = fcntl.LOCK_UN if kind == fcntl.F_UNLCK else fcntl.LOCK_EX | fcntl.LOCK_NB
        fcntl.lockf(file, command, 1, place, os.SEEK_SET)
