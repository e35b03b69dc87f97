"""Locks that let only one program record an episode: each is on one byte of a file beside the recordings.

The operating system releases such a lock when its process ends, for whatever reason. An episode of a server that was
killed can therefore be resumed at once, without a timeout.
"""

import errno
import hashlib
import os
import struct
import threading
from pathlib import Path

try:
    import fcntl
except ImportError:  # on Windows, two servers may record the same episode
    fcntl = None  # type: ignore[assignment]

from puzzlebox.record.database import StoreError

_ENDING = ".lock"
_TAKEN = (errno.EACCES, errno.EAGAIN)


class Owners:
    """The locks on the episodes that one store records.

    Args:
        path: the file of recordings; the locks are on the file with `.lock` appended to its name.
    """

    def __init__(self, path: Path) -> None:
        real = path.resolve()  # all symbolic links to a file must lead to the same lock
        self._path = real.with_name(real.name + _ENDING)
        self._lock = threading.Lock()
        self._file: int | None = None
        self._ids: set[str] = set()

    def claim(self, id: str) -> bool:
        """Lock an episode; return False if another program has locked it."""
        with self._lock:
            if id in self._ids or fcntl is None:
                return True
            try:
                if self._file is None:
                    self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
                _set(self._file, fcntl.F_WRLCK, _place(id))
            except OSError as problem:
                if problem.errno in _TAKEN and self._file is not None:
                    return False
                raise StoreError(f"episodes cannot be locked in {self._path}: {problem.strerror}") from None
            self._ids.add(id)
            return True

    def release(self, id: str) -> None:
        """Unlock an episode, so that another program can record it."""
        with self._lock:
            if id in self._ids and self._file is not None:
                self._ids.discard(id)
                _set(self._file, fcntl.F_UNLCK, _place(id))

    def close(self) -> None:
        """Unlock all episodes."""
        with self._lock:
            self._ids.clear()
            if self._file is not None:
                os.close(self._file)
                self._file = None


def _place(id: str) -> int:
    """Return the offset of the byte that is locked for an episode; the file need not be that long."""
    return int.from_bytes(hashlib.sha256(id.encode()).digest()[:8]) >> 2


def _set(file: int, kind: int, place: int) -> None:
    """Lock or unlock one byte, without waiting."""
    try:
        # Owned by the open file and not by the process, so that two stores of one process exclude each other, too.
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", kind, os.SEEK_SET, place, 1, 0))
    except (AttributeError, OSError) as problem:
        if isinstance(problem, OSError) and problem.errno != errno.EINVAL:
            raise
        # The system has no locks owned by open files.
        command = fcntl.LOCK_UN if kind == fcntl.F_UNLCK else fcntl.LOCK_EX | fcntl.LOCK_NB
        fcntl.lockf(file, command, 1, place, os.SEEK_SET)
