"""A consistent copy of a file of recordings, made while people play."""

import os
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from puzzlebox.record.damage import unreadable
from puzzlebox.record.database import FAULTS, StoreError, check_whole, connect_to_read, is_of_recordings
from puzzlebox.record.store import Store

# Rights of a copy: its owner may read and write it, and nobody else.
_PRIVATE = 0o600
# What SQLite keeps beside a file that is open.
_BESIDE = ("-wal", "-shm")
_KEY = ".key"
# How the names end of what lies beside a file of recordings; a copy of such a name could be taken for that.
_RESERVED = (*_BESIDE, "-journal", ".lock", _KEY, ".aside.jsonl")
# What SQLite says where a disk is full or broken; the recordings themselves are only read.
_CANNOT_WRITE = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_IOERR_TRUNCATE,
}


@dataclass(frozen=True)
class Copied:
    """What a copy holds.

    Attributes:
        episodes: the number of episodes.
        steps: the number of steps of all episodes together.
        files: the files that were written.
    """

    episodes: int
    steps: int
    files: list[Path]


def back_up(store: Path, target: Path, *, key: bool = False, force: bool = False) -> Copied:
    """Copy a file of recordings as it is at one moment; whoever plays is not held up, and nothing is half in it.

    Every episode is read first, so that a damaged file does not replace a good copy of it. The copy is written under
    another name, checked (`PRAGMA integrity_check`) and then renamed: there is a whole copy under its name or none.

    Args:
        store: the file of recordings; a studio may have it open.
        target: the file to write; only its owner may read it.
        key: whether the secret of the participants' links, which lies beside the store, is copied as well.
        force: replace an earlier copy, or another file of recordings; nothing else is ever replaced.

    Raises:
        StoreError: there is no copy, and why; what was there before is untouched.
    """
    draft = target.with_name(f".{target.name}.part")
    try:
        _refuse(store, target, key, force)
        Store(store).require_all_whole()
        counts = _copied(store, draft, target)
        _release(target)
        draft.replace(target)
        files = [target]
        if key:
            secret = store.with_name(store.name + _KEY)
            _write(target.with_name(target.name + _KEY), secret.read_bytes())
            files.append(target.with_name(target.name + _KEY))
        return Copied(*counts, files)
    except OSError as problem:
        raise StoreError(f"{target} cannot be written: {problem.strerror}") from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _refuse(store: Path, target: Path, key: bool, force: bool) -> None:
    for ending in _RESERVED:
        if target.name.lower().endswith(ending):
            raise StoreError(
                f"{target} ends in {target.name[-len(ending) :]}, as what lies beside a file of recordings does; "
                "name the copy something else, such as copy.sqlite"
            )
    if target.is_dir():
        raise StoreError(f"{target} is a folder; name a file in it")
    if not target.parent.is_dir():
        raise StoreError(
            f"{target} cannot be written: there is no folder {target.parent}; make it, or name another one"
        )
    if target.exists() and store.samefile(target):
        raise StoreError(f"{target} is the file of recordings itself; name another one")
    secret, copied = (path.with_name(path.name + _KEY) for path in (store, target))
    if key and not secret.exists():
        raise StoreError(
            f"{secret} is not there: this is a copy made without --with-key, or no links for participants were ever "
            "made; leave out --with-key"
        )
    if target.exists() and not is_of_recordings(target):
        raise StoreError(f"{target} is already there and is not a file of recordings; name another file")
    if key and copied.exists() and not (copied.is_file() and copied.stat().st_size == secret.stat().st_size):
        raise StoreError(f"{copied} is already there and is not a secret of links; name another file")
    there = [path for path in ((target, copied) if key else (target,)) if path.exists()]
    if there and not force:
        raise StoreError(f"{there[0]} is already there; name another file, or add --force to replace it")
    left = target.with_name(target.name + "-wal")
    if left.exists() and not target.exists():
        raise StoreError(f"{left} belongs to a file that was moved away; move it there as well")


def _copied(store: Path, draft: Path, target: Path) -> tuple[int, int]:
    """Write the copy and check it; how many episodes and steps it holds."""
    draft.unlink(missing_ok=True)
    _write(draft, b"")
    try:
        with closing(connect_to_read(store)) as source, closing(sqlite3.connect(draft)) as copy:
            source.backup(copy)
    except FAULTS as problem:
        raise _fault(store, target, problem) from None
    try:
        with closing(sqlite3.connect(draft)) as copy:
            # The copy is one file: nothing of it is in a journal beside it.
            copy.execute("PRAGMA journal_mode = DELETE")
            check_whole(copy)
            counts = [int(copy.execute(f"SELECT count(*) FROM {name}").fetchone()[0]) for name in ("episodes", "steps")]
    except FAULTS as problem:
        raise _fault(store, target, problem) from None
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    return counts[0], counts[1]


def _fault(store: Path, target: Path, problem: Exception) -> StoreError:
    """The sentence for what SQLite says, which may be about either file."""
    if getattr(problem, "sqlite_errorcode", None) in _CANNOT_WRITE:
        return StoreError(f"{target} cannot be written: {problem}; make room, or name a file on another disk")
    return unreadable(store, problem)


def _release(target: Path) -> None:
    """Make sure that nobody has the file open that is replaced, and that nothing beside it outlives it."""
    if not any(target.with_name(target.name + ending).exists() for ending in _BESIDE):
        return
    try:
        with closing(sqlite3.connect(target, timeout=0.5, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
    except FAULTS as problem:
        raise StoreError(
            f"{target} cannot be replaced ({problem}); stop the studio that has it open, or move it and what lies "
            "beside it away"
        ) from None


def _write(path: Path, data: bytes) -> None:
    """A file for its owner alone."""
    with suppress(FileNotFoundError):
        path.unlink()
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
