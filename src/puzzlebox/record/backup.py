"""Consistent copies of a file of recordings, made while participants play."""

import os
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from puzzlebox.record.damage import unreadable
from puzzlebox.record.database import FAULTS, StoreError, check_whole, connect_to_read, is_of_recordings
from puzzlebox.record.store import Store

# File mode of a copy: only its owner may read and write it.
_PRIVATE = 0o600
# Suffixes of the files that SQLite keeps beside an open database.
_SQLITE_SUFFIXES = ("-wal", "-shm")
_KEY = ".key"
# Suffixes of all files that may lie beside a file of recordings; a copy must not be mistaken for one of them.
_RESERVED_SUFFIXES = (*_SQLITE_SUFFIXES, "-journal", ".lock", _KEY, ".aside.jsonl")
# SQLite's error codes for a full or broken disk. The store is only read, so they concern the copy.
_CANNOT_WRITE = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_IOERR_TRUNCATE,
}


@dataclass(frozen=True)
class BackupSummary:
    """The contents of a backup.

    Attributes:
        episodes: the number of episodes.
        steps: the number of steps of all episodes together.
        files: the paths of the files that were written.
    """

    episodes: int
    steps: int
    files: list[Path]


def back_up(store: Path, target: Path, *, key: bool = False, force: bool = False) -> BackupSummary:
    """Copy a file of recordings as it is at one moment, without delaying a studio that writes to it.

    Every episode is read first, so that a damaged file does not replace a good copy of it. The copy is written under
    a temporary name, checked (`PRAGMA integrity_check`) and then renamed, so `target` is never an incomplete copy.

    Args:
        store: the file of recordings; a studio may have it open.
        target: the file to write; only its owner may read it.
        key: copy the secret key of the participants' links, which lies beside the store, as well.
        force: replace an earlier copy or another file of recordings. Files of any other kind are never replaced.

    Raises:
        StoreError: no copy was made; the message says why. An existing `target` is unchanged.
    """
    draft = target.with_name(f".{target.name}.part")
    try:
        _check_target(store, target, key, force)
        Store(store).require_all_whole()
        counts = _write_copy(store, draft, target)
        _merge_sqlite_files(target)
        draft.replace(target)
        files = [target]
        if key:
            secret = store.with_name(store.name + _KEY)
            _write_private(target.with_name(target.name + _KEY), secret.read_bytes())
            files.append(target.with_name(target.name + _KEY))
        return BackupSummary(*counts, files)
    except OSError as problem:
        raise StoreError(f"{target} cannot be written: {problem.strerror}") from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _check_target(store: Path, target: Path, key: bool, force: bool) -> None:
    for ending in _RESERVED_SUFFIXES:
        if target.name.lower().endswith(ending):
            raise StoreError(
                f"{target} ends in {target.name[-len(ending) :]}, like the files that Puzzlebox keeps beside a file of "
                "recordings; name the copy something else, such as copy.sqlite"
            )
    if target.is_dir():
        raise StoreError(f"{target} is a folder; name a file in it")
    if not target.parent.is_dir():
        raise StoreError(
            f"{target} cannot be written: there is no folder {target.parent}; make it, or name another one"
        )
    if target.exists() and store.samefile(target):
        raise StoreError(f"{target} is the file of recordings itself; name another one")
    secret, secret_copy = (path.with_name(path.name + _KEY) for path in (store, target))
    if key and not secret.exists():
        raise StoreError(
            f"{secret} does not exist: this is a copy made without --with-key, or no links for participants were ever "
            "made; leave out --with-key"
        )
    if target.exists() and not is_of_recordings(target):
        raise StoreError(f"{target} already exists and is not a file of recordings; name another file")
    if (
        key
        and secret_copy.exists()
        and not (secret_copy.is_file() and secret_copy.stat().st_size == secret.stat().st_size)
    ):
        raise StoreError(f"{secret_copy} already exists and is not a secret of links; name another file")
    existing = [path for path in ((target, secret_copy) if key else (target,)) if path.exists()]
    if existing and not force:
        raise StoreError(f"{existing[0]} already exists; name another file, or add --force to replace it")
    orphan = target.with_name(target.name + "-wal")
    if orphan.exists() and not target.exists():
        raise StoreError(f"{orphan} belongs to a file that was moved away; move it there as well")


def _write_copy(store: Path, draft: Path, target: Path) -> tuple[int, int]:
    """Write the copy, check it, and return its numbers of episodes and steps."""
    draft.unlink(missing_ok=True)
    _write_private(draft, b"")
    try:
        with closing(connect_to_read(store)) as source, closing(sqlite3.connect(draft)) as copy:
            source.backup(copy)
    except FAULTS as problem:
        raise _fault(store, target, problem) from None
    try:
        with closing(sqlite3.connect(draft)) as copy:
            # Makes the copy one file, without a journal beside it.
            copy.execute("PRAGMA journal_mode = DELETE")
            check_whole(copy)
            counts = [int(copy.execute(f"SELECT count(*) FROM {name}").fetchone()[0]) for name in ("episodes", "steps")]
    except FAULTS as problem:
        raise _fault(store, target, problem) from None
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    return counts[0], counts[1]


def _fault(store: Path, target: Path, problem: Exception) -> StoreError:
    """Turn an error of SQLite, which may concern either file, into one sentence."""
    if getattr(problem, "sqlite_errorcode", None) in _CANNOT_WRITE:
        return StoreError(f"{target} cannot be written: {problem}; make room, or name a file on another disk")
    return unreadable(store, problem)


def _merge_sqlite_files(target: Path) -> None:
    """Have SQLite delete the files beside `target`, which is about to be replaced; refuse if a program has it open."""
    if not any(target.with_name(target.name + suffix).exists() for suffix in _SQLITE_SUFFIXES):
        return
    try:
        with closing(sqlite3.connect(target, timeout=0.5, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
    except FAULTS as problem:
        raise StoreError(
            f"{target} cannot be replaced ({problem}); stop the studio that has it open, or move it away together "
            "with the files beside it"
        ) from None


def _write_private(path: Path, data: bytes) -> None:
    """Write a file that only its owner can read."""
    with suppress(FileNotFoundError):
        path.unlink()
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
