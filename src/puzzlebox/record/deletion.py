"""Deletion of a participant's records, from the tables and from the bytes of the file."""

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from puzzlebox.record.damage import RESCUE, Damaged, unreadable
from puzzlebox.record.database import (
    FAULTS,
    LOCK_TIMEOUT_SECONDS,
    StoreError,
    aside_of,
    check_whole,
    connect,
    connect_to_read,
)
from puzzlebox.record.store import Store

# The remedy named in messages about a damaged file.
_REMEDY = (
    "restore a backup and forget the participant there, or write what can be read with `puzzlebox export` and delete "
    "the file"
)
_EPISODE_IDS = "SELECT id FROM episodes WHERE participant = ?"
_EPISODE_NUMBERS = "(SELECT number FROM episodes WHERE participant = ?)"


@dataclass(frozen=True)
class ParticipantRecords:
    """A summary of the records of a participant.

    Attributes:
        episodes: the number of episodes.
        tasks: the number of episodes of each task.
        first, last: the dates (UTC, `2026-05-04`) of the first and the last episode; empty without episodes.
        unfinished: the number of episodes that are not over.
    """

    episodes: int
    tasks: Mapping[str, int]
    first: str
    last: str
    unfinished: int


class BytesRemain(StoreError):
    """The records are deleted, but another program has the file open, so their bytes are still in it."""


def participants_in(path: Path) -> list[str]:
    """Return the ids of all participants with episodes in a file of recordings, sorted."""
    with _reading(path) as connection:
        rows = connection.execute("SELECT DISTINCT participant FROM episodes WHERE participant IS NOT NULL")
        return sorted(str(row[0]) for row in rows)


def records_of(path: Path, participant: str) -> ParticipantRecords:
    """Summarise the records of a participant in a file of recordings."""
    with _reading(path) as connection:
        return _records(connection, participant)


def forget(path: Path, participant: str) -> ParticipantRecords:
    """Delete all episodes of a participant with their steps and events, and tasks that no other episode uses.

    Entries of these episodes that were set aside, because they could not be stored, are deleted as well.

    The file is then rewritten (`VACUUM`), so that none of their bytes stay in its free pages, and the journal beside
    it is emptied. A studio may have the file open; the rest of an episode in progress is then not recorded.

    Returns:
        A summary of the deleted records.

    Raises:
        BytesRemain: the records are deleted, but their bytes are still in the file.
        StoreError: the file is damaged or cannot be changed; nothing is deleted.
    """
    _refuse_read_only(path)
    with closing(_connect(path)) as connection:
        _refuse_damaged(connection, path)
        try:
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("BEGIN IMMEDIATE")
            records = _records(connection, participant)
            _forget_aside(path, [id for (id,) in connection.execute(_EPISODE_IDS, (participant,))])
            for table in ("events", "steps"):
                connection.execute(f"DELETE FROM {table} WHERE episode IN {_EPISODE_NUMBERS}", (participant,))
            connection.execute("DELETE FROM episodes WHERE participant = ?", (participant,))
            connection.execute("DELETE FROM tasks WHERE hash NOT IN (SELECT task_hash FROM episodes)")
            connection.execute("COMMIT")
        except (*FAULTS, OSError) as problem:
            raise StoreError(f"nothing was deleted from {path}: {problem}") from None
        _scrub(connection, path)
        return records


def _forget_aside(path: Path, ids: Collection[str]) -> None:
    """Delete the entries of some episodes that were set aside; every line begins with the id of its episode."""
    aside = aside_of(path)
    if not aside.exists():
        return
    prefixes = tuple(f'{{"episode":{json.dumps(id)},' for id in ids)
    lines = aside.read_text().splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(prefixes)]
    if len(kept) < len(lines):
        fresh = aside.with_name(aside.name + ".new")
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write("".join(kept))
        fresh.replace(aside)


def scrub(path: Path) -> None:
    """Remove the bytes of everything that was deleted earlier from a file of recordings.

    Raises:
        BytesRemain: another program has the file open.
        StoreError: the file cannot be changed.
    """
    _refuse_read_only(path)
    with closing(_connect(path)) as connection:
        _scrub(connection, path)


def _scrub(connection: sqlite3.Connection, path: Path) -> None:
    try:
        connection.execute("VACUUM")
        busy = bool(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])
    except sqlite3.OperationalError:
        busy = True
    except FAULTS as problem:
        raise StoreError(
            f"{path} is damaged ({problem}), so that bytes of deleted records may still be in it; "
            "export what can be read, then delete the file"
        ) from None
    if busy:
        raise BytesRemain(
            f"the records are deleted, but another program is reading {path}, which keeps their bytes in the file"
        )


def _refuse_read_only(path: Path) -> None:
    """Refuse a file or folder that cannot be written to; SQLite also writes beside the file."""
    for each in (path, path.parent):
        if not os.access(each, os.W_OK):
            raise StoreError(f"nothing was deleted from {path}: {each} cannot be written to")


def _refuse_damaged(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a damaged file: it cannot be rewritten, so bytes of deleted records would stay in it."""
    try:
        check_whole(connection)
        Store(path).require_all_whole()
    except Damaged as problem:
        raise StoreError(f"nothing was deleted from {path}: {str(problem).replace(RESCUE, _REMEDY)}") from None
    except FAULTS as problem:
        if not isinstance(unreadable(path, problem), Damaged):  # locked by another program, perhaps
            raise StoreError(f"nothing was deleted from {path}: {problem}") from None
        raise StoreError(
            f"nothing was deleted from {path}: it is damaged ({' '.join(str(problem).split())}); {_REMEDY}"
        ) from None


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        with closing(connect_to_read(path)) as connection:
            yield connection
    except FAULTS as problem:
        raise unreadable(path, problem) from None


def _connect(path: Path) -> sqlite3.Connection:
    try:
        connection = connect(path)
    except FAULTS as problem:
        raise StoreError(f"nothing was deleted from {path}: {problem}") from None
    connection.execute(f"PRAGMA busy_timeout = {int(1000 * LOCK_TIMEOUT_SECONDS)}")
    return connection


def _records(connection: sqlite3.Connection, participant: str) -> ParticipantRecords:
    rows = connection.execute(
        "SELECT task, started, ended_by FROM episodes WHERE participant = ? ORDER BY number", (participant,)
    ).fetchall()
    days = sorted(str(started)[:10] for _, started, _ in rows)
    tasks = Counter(str(task) for task, _, _ in rows)
    first, last = (days[0], days[-1]) if days else ("", "")
    return ParticipantRecords(len(rows), tasks, first, last, sum(ended_by is None for _, _, ended_by in rows))
