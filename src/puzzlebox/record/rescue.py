"""Reading of the rows of episodes from a damaged file, one by one."""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from puzzlebox.record.damage import Damaged, unreadable, unreadable_part
from puzzlebox.record.database import FAULTS, StoreError, connect_to_read


def readable_rows(path: Path, query: str, problem: Damaged) -> tuple[list[tuple[Any, ...]], list[str]]:
    """Return the readable rows of episodes of a damaged file, newest first, and sentences about the damage.

    Args:
        path: the file.
        query: the query for an episode, without its condition.
        problem: the error that reading all of them at once raised.
    """
    numbers: set[int] = set()
    rows, damaged = [], []
    all_listed = True
    with closing(connect_to_read(path)) as connection:
        # Reads from both ends, each time up to the damage.
        for order in ("ASC", "DESC"):
            try:
                for row in connection.execute(f"SELECT number FROM episodes ORDER BY number {order}"):
                    numbers.add(row[0])
            except FAULTS:
                all_listed = False
        for number in sorted(numbers, reverse=True):
            try:
                rows += connection.execute(f"{query} WHERE e.number = ?", (number,)).fetchall()
            except FAULTS as fault:
                damaged.append(str(fault_of(path, "number", number, fault)))
    # If every unreadable episode is named, a sentence about the whole file adds nothing.
    return rows, damaged if all_listed and damaged else [str(problem), *damaged]


def fault_of(path: Path, key: str, value: str | int, problem: Exception) -> StoreError:
    """Return the error for an episode, found by "number" or "id", whose row or last step cannot be read."""
    with suppress(*FAULTS), closing(connect_to_read(path)) as connection:
        for (id,) in connection.execute(f"SELECT id FROM episodes WHERE {key} = ?", (value,)):
            return unreadable_part(path, id, _unreadable_part(connection, key, value), problem)
    fault = unreadable(path, problem)
    return Damaged(f"episode {key} {value} in {path}: {fault}") if isinstance(fault, Damaged) else fault


def _unreadable_part(connection: sqlite3.Connection, key: str, value: str | int) -> str:
    """Return the name of the part of an episode that cannot be read: a column of its row, or "steps"."""
    for name in [row[1] for row in connection.execute("PRAGMA table_info(episodes)")]:
        try:
            connection.execute(f"SELECT {name} FROM episodes WHERE {key} = ?", (value,)).fetchall()
        except FAULTS:
            return f"`{name}`"
    return "steps"


def is_deleted(path: Path, id: str) -> bool:
    """Return whether a file no longer holds an episode; False if only the index of ids lacks it, which is damage."""
    try:
        with closing(connect_to_read(path)) as connection:
            return not connection.execute("SELECT 1 FROM episodes NOT INDEXED WHERE id = ?", (id,)).fetchall()
    except FAULTS:
        return False
