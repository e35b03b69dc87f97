"""A checksum of an ended episode, stored with it: any change of its row, its steps or its events is noticed later."""

import json
import sqlite3
from hashlib import sha256

# The checksum covers these columns, by their names, so that columns of later formats do not change it.
_EPISODE = (
    "SELECT id, task_hash, task, title, arena, seed, rules, player, agent, started, decision_period, end_step, total, "
    "passed, ended_by, participant, hidden_ms, paused_ms, wing, step_seconds FROM episodes WHERE number = ?"
)
_STEPS = (
    "SELECT step, actions, time_ms, x, y, z, vx, vy, vz, heading, reward, total, health, view, flags, more "
    "FROM steps WHERE episode = ? ORDER BY step"
)
_EVENTS = "SELECT step, kind, thing, name, animal, details FROM events WHERE episode = ? ORDER BY number"
# Rows that are read at once; part of the definition, because each batch is hashed as one JSON list.
_BATCH = 1024


def episode_digest(connection: sqlite3.Connection, number: int) -> str:
    """Return the SHA-256, in hexadecimal digits, of an episode's row, steps and events.

    Args:
        connection: a connection to the file of recordings.
        number: the number of the episode in the file.

    Raises:
        sqlite3.Error: the episode cannot be read.
    """
    digest = sha256()
    for query in (_EPISODE, _STEPS, _EVENTS):
        cursor = connection.execute(query, (number,))
        while rows := cursor.fetchmany(_BATCH):
            # Values that JSON does not know (bytes) occur in damaged files only; there the digest just has to differ.
            digest.update(json.dumps(rows, default=repr, separators=(",", ":")).encode())
        digest.update(b"\n")
    return digest.hexdigest()


def store_digest(connection: sqlite3.Connection, number: int) -> None:
    """Store the checksum of an episode that has just ended; an earlier one stays."""
    try:
        digest = episode_digest(connection, number)
    except (sqlite3.OperationalError, UnicodeDecodeError) as problem:
        # A text in it is not UTF-8: readers find that by themselves, and it must not keep others from recording.
        if "decode" not in str(problem):
            raise
        return
    connection.execute("UPDATE episodes SET digest = ? WHERE number = ? AND digest IS NULL", (digest, number))


def is_unchanged(connection: sqlite3.Connection, id: str) -> bool:
    """Return whether an episode is as it was when it ended; True if it has no checksum.

    Episodes in progress have none, and neither have those that earlier versions recorded.
    """
    rows = connection.execute("SELECT number, digest FROM episodes WHERE id = ?", (id,)).fetchall()
    return all(digest is None or digest == episode_digest(connection, number) for number, digest in rows)
