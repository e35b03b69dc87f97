"""Deleting a participant's records, from the tables and from the bytes of the file."""

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from puzzlebox.record.damage import RESCUE, Damaged, unreadable
from puzzlebox.record.database import FAULTS, StoreError, aside_of, check_whole, connect, connect_to_read
from puzzlebox.record.database import PATIENCE as _PATIENCE
from puzzlebox.record.store import Store

# Seconds to wait for programs that read or write the file.
PATIENCE = _PATIENCE
# What to do where the file is damaged.
_INSTEAD = (
    "restore a backup and forget the participant there, or write what can be read with `puzzlebox export` and delete "
    "the file"
)
_IDS = "SELECT id FROM episodes WHERE participant = ?"
_THEIRS = "(SELECT number FROM episodes WHERE participant = ?)"


@dataclass(frozen=True)
class Forgotten:
    """The records of a participant.

    Attributes:
        episodes: the number of episodes.
        tasks: for each task the number of episodes.
        first, last: the dates (UTC, `2026-05-04`) of the first and the last episode; empty where there is none.
        unfinished: the number of episodes that are not over.
    """

    episodes: int
    tasks: Mapping[str, int]
    first: str
    last: str
    unfinished: int


class BytesRemain(StoreError):
    """The records are deleted, but another program holds the file, so that their bytes are still in it."""


def participants_in(path: Path) -> list[str]:
    """The ids of all participants with episodes in a file of recordings, sorted."""
    with _reading(path) as connection:
        rows = connection.execute("SELECT DISTINCT participant FROM episodes WHERE participant IS NOT NULL")
        return sorted(str(row[0]) for row in rows)


def records_of(path: Path, participant: str) -> Forgotten:
    """What a file of recordings holds of a participant."""
    with _reading(path) as connection:
        return _records(connection, participant)


def forget(path: Path, participant: str) -> Forgotten:
    """Delete all episodes of a participant with their steps and events, and tasks nobody else has played.

    What was set aside of these episodes, because it could not be stored, is deleted as well.

    The file is then written anew (`VACUUM`), so that nothing of them is left in its unused parts, and the journal
    beside it is emptied. A studio may have the file open: of an episode that is being played the rest is not kept.

    Returns:
        What was deleted.

    Raises:
        BytesRemain: the records are deleted, but their bytes are still in the file.
        StoreError: the file is damaged or cannot be changed; nothing is deleted.
    """
    _refuse_read_only(path)
    with closing(_opened(path)) as connection:
        _refuse_damaged(connection, path)
        try:
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("BEGIN IMMEDIATE")
            found = _records(connection, participant)
            _forget_aside(path, [id for (id,) in connection.execute(_IDS, (participant,))])
            for table in ("events", "steps"):
                connection.execute(f"DELETE FROM {table} WHERE episode IN {_THEIRS}", (participant,))
            connection.execute("DELETE FROM episodes WHERE participant = ?", (participant,))
            connection.execute("DELETE FROM tasks WHERE hash NOT IN (SELECT task_hash FROM episodes)")
            connection.execute("COMMIT")
        except (*FAULTS, OSError) as problem:
            raise StoreError(f"nothing was deleted from {path}: {problem}") from None
        _scrub(connection, path)
        return found


def _forget_aside(path: Path, ids: Collection[str]) -> None:
    """Delete what was set aside of some episodes; every line begins with the episode it is of."""
    aside = aside_of(path)
    if not aside.exists():
        return
    begins = tuple(f'{{"episode":{json.dumps(id)},' for id in ids)
    lines = aside.read_text().splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(begins)]
    if len(kept) < len(lines):
        fresh = aside.with_name(aside.name + ".new")
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write("".join(kept))
        fresh.replace(aside)


def scrub(path: Path) -> None:
    """Remove the bytes of everything that was deleted earlier from a file of recordings.

    Raises:
        BytesRemain: another program holds the file.
        StoreError: the file cannot be changed.
    """
    _refuse_read_only(path)
    with closing(_opened(path)) as connection:
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
    """SQLite writes beside the file, too, so that the folder counts as well."""
    for place in (path, path.parent):
        if not os.access(place, os.W_OK):
            raise StoreError(f"nothing was deleted from {path}: {place} cannot be written to")


def _refuse_damaged(connection: sqlite3.Connection, path: Path) -> None:
    """A damaged file cannot be written anew, so that bytes of what is deleted would stay in it."""
    try:
        check_whole(connection)
        Store(path).require_all_whole()
    except Damaged as problem:
        raise StoreError(f"nothing was deleted from {path}: {str(problem).replace(RESCUE, _INSTEAD)}") from None
    except FAULTS as problem:
        if not isinstance(unreadable(path, problem), Damaged):  # locked by another program, perhaps
            raise StoreError(f"nothing was deleted from {path}: {problem}") from None
        raise StoreError(
            f"nothing was deleted from {path}: it is damaged ({' '.join(str(problem).split())}); {_INSTEAD}"
        ) from None


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        with closing(connect_to_read(path)) as connection:
            yield connection
    except FAULTS as problem:
        raise unreadable(path, problem) from None


def _opened(path: Path) -> sqlite3.Connection:
    try:
        connection = connect(path)
    except FAULTS as problem:
        raise StoreError(f"nothing was deleted from {path}: {problem}") from None
    connection.execute(f"PRAGMA busy_timeout = {int(1000 * PATIENCE)}")
    return connection


def _records(connection: sqlite3.Connection, participant: str) -> Forgotten:
    rows = connection.execute(
        "SELECT task, started, ended_by FROM episodes WHERE participant = ? ORDER BY number", (participant,)
    ).fetchall()
    days = sorted(str(started)[:10] for _, started, _ in rows)
    tasks = Counter(str(task) for task, _, _ in rows)
    first, last = (days[0], days[-1]) if days else ("", "")
    return Forgotten(len(rows), tasks, first, last, sum(ended_by is None for _, _, ended_by in rows))
