"""A checksum of an ended episode, stored with it: any change of its row, its steps or its events is noticed later.

The steps and events are hashed a few at a time, while the episode is being recorded: hashing a long episode at its end
would keep everybody else's entries waiting.
"""

import json
import sqlite3
from hashlib import sha256

from puzzlebox.record.database import NO_CHECKSUM

# The checksum covers these columns, by their names, so that columns of later formats do not change it.
_EPISODE = (
    "SELECT id, task_hash, task, title, arena, seed, rules, player, agent, started, decision_period, end_step, total, "
    "passed, ended_by, participant, hidden_ms, paused_ms, wing, step_seconds, error FROM episodes WHERE number = ?"
)
_STEPS = (
    "SELECT step, actions, time_ms, x, y, z, vx, vy, vz, heading, reward, total, health, view, flags, more "
    "FROM steps WHERE episode = ? AND step > ? ORDER BY step LIMIT ?"
)
# The number of an event in the file is not part of the checksum: a copy of the file may number them anew.
_EVENTS = (
    "SELECT step, kind, thing, name, animal, details, number FROM events WHERE episode = ? AND number > ? "
    "ORDER BY number LIMIT ?"
)
# Values that JSON does not know (bytes) occur in damaged files only; there the digest just has to differ.
_encode = json.JSONEncoder(default=repr, separators=(",", ":")).encode


def _as_line(row: tuple[object, ...]) -> bytes:
    return _encode(row).encode() + b"\n"


class Checksum:
    """The checksum of one episode, computed from the file as the episode grows.

    Args:
        number: the number of the episode in the file.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._steps, self._events = sha256(), sha256()
        # What was read last. Minus infinity is less than any step or number, also than those a damaged file may have.
        self._last_step: object = -float("inf")
        self._last_event: object = -float("inf")

    def copy(self) -> "Checksum":
        """Return an independent checksum of the same episode that has read as much."""
        other = Checksum(self._number)
        other._steps, other._events = self._steps.copy(), self._events.copy()
        other._last_step, other._last_event = self._last_step, self._last_event
        return other

    def read_on(self, connection: sqlite3.Connection, most: int = -1) -> None:
        """Read the steps and events that were stored since the last call.

        Args:
            connection: a connection to the file.
            most: how many steps, and how many events, are read at most; -1: all.

        Raises:
            sqlite3.Error: they cannot be read; the checksum is of no more use.
        """
        for row in connection.execute(_STEPS, (self._number, self._last_step, most)):
            self._steps.update(_as_line(row))
            self._last_step = row[0]
        for *row, number in connection.execute(_EVENTS, (self._number, self._last_event, most)):
            self._events.update(_as_line(tuple(row)))
            self._last_event = number

    def value(self, connection: sqlite3.Connection) -> str:
        """Return the SHA-256, in hexadecimal digits, of the episode's row and of everything that was read.

        Raises:
            sqlite3.Error: the row cannot be read.
        """
        whole = sha256()
        for row in connection.execute(_EPISODE, (self._number,)):
            whole.update(_as_line(row))
        whole.update(self._steps.digest() + self._events.digest())
        return whole.hexdigest()


def is_undecodable(problem: Exception) -> bool:
    """Return whether reading failed because a text is not UTF-8.

    Readers of the episode report that by themselves; it must not keep others from recording.
    """
    return isinstance(problem, sqlite3.OperationalError | UnicodeDecodeError) and "decode" in str(problem)


def difference(connection: sqlite3.Connection, id: str) -> str:
    """Compare an episode with its checksum; return a clause that says what is wrong, "" if nothing is.

    Episodes in progress have no checksum. Those that ended before there were any have a mark in its place.

    Raises:
        sqlite3.Error: the episode cannot be read.
    """
    query = "SELECT number, checksum, ended_by FROM episodes WHERE id = ?"
    for number, stored, ended_by in connection.execute(query, (id,)).fetchall():
        if stored == NO_CHECKSUM or (stored is None and ended_by is None):
            continue
        if stored is None:
            return "its checksum is missing"
        checksum = Checksum(number)
        checksum.read_on(connection)
        if checksum.value(connection) != stored:
            return "it was changed after it was recorded"
    return ""
