"""The file of recordings: an SQLite database in WAL mode, so that programs can read it while another one writes."""

import os
import sqlite3
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

FORMAT = 6
# The first format with `participant` in the table of episodes.
WITH_PARTICIPANTS = 2
# The first format with `hidden_ms` and `paused_ms` in the table of episodes.
WITH_BREAKS = 3
# The first format with `wing` and `step_seconds` in the table of episodes, and `more` (further measures as JSON) in
# that of steps.
WITH_WINGS = 4
# The first format with `checksum` in the table of episodes.
WITH_CHECKSUMS = 6
# The checksum of episodes that ended before there was one; without a mark, a checksum that was lost would go unnoticed.
NO_CHECKSUM = "none"
# The first format with `error` in the table of episodes.
WITH_ERRORS = 6
# The `application_id` of our SQLite files: "PuzB".
_APPLICATION_ID = 0x50757A42
# The first bytes of every SQLite file, and the offset of `application_id` in it.
_SQLITE, _ID_AT = b"SQLite format 3\0", 68
# Seconds a connection waits for another one that holds the lock.
LOCK_TIMEOUT_SECONDS = 30.0
_FILE = "recordings.sqlite"
# File mode: only its owner may read and write it.
_PRIVATE = 0o600

# The seed has no type, so that it may be text: Python's integers are unbounded, SQLite's have 64 bits.
_TABLES = """
CREATE TABLE tasks (hash TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE episodes (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, task_hash TEXT NOT NULL REFERENCES tasks (hash),
  task TEXT NOT NULL, title TEXT NOT NULL, arena INTEGER NOT NULL, seed NOT NULL, rules TEXT NOT NULL,
  player TEXT NOT NULL, agent TEXT, started TEXT NOT NULL, decision_period INTEGER NOT NULL,
  end_step INTEGER, total REAL, passed INTEGER, ended_by TEXT, participant TEXT, hidden_ms REAL, paused_ms REAL,
  wing TEXT NOT NULL DEFAULT 'arena', step_seconds REAL NOT NULL DEFAULT 0.02, checksum TEXT, error TEXT);
CREATE TABLE steps (
  episode INTEGER NOT NULL, step INTEGER NOT NULL, actions TEXT NOT NULL, time_ms REAL NOT NULL,
  x REAL, y REAL, z REAL, vx REAL, vy REAL, vz REAL, heading REAL, reward REAL, total REAL, health REAL,
  view TEXT NOT NULL, flags INTEGER NOT NULL, more TEXT, PRIMARY KEY (episode, step)) WITHOUT ROWID;
CREATE TABLE events (
  number INTEGER PRIMARY KEY, episode INTEGER NOT NULL, step INTEGER NOT NULL, kind TEXT NOT NULL, thing INTEGER,
  name TEXT, animal INTEGER, details TEXT NOT NULL);
CREATE INDEX events_of_episode ON events (episode, number);
"""
# The statements that upgrade a file of each format to the next.
_UPGRADES = {
    1: "ALTER TABLE episodes ADD COLUMN participant TEXT",
    2: "ALTER TABLE episodes ADD COLUMN hidden_ms REAL; ALTER TABLE episodes ADD COLUMN paused_ms REAL",
    3: "ALTER TABLE episodes ADD COLUMN wing TEXT NOT NULL DEFAULT 'arena'; "
    "ALTER TABLE episodes ADD COLUMN step_seconds REAL NOT NULL DEFAULT 0.02; ALTER TABLE steps ADD COLUMN more TEXT",
    4: "ALTER TABLE episodes ADD COLUMN digest TEXT",
    # The new name lets the upgrade of a file fail that states an older format than it has; it would drop checksums.
    5: "ALTER TABLE episodes RENAME COLUMN digest TO checksum; ALTER TABLE episodes ADD COLUMN error TEXT; "
    f"UPDATE episodes SET checksum = CASE WHEN ended_by IS NULL THEN NULL ELSE '{NO_CHECKSUM}' END",
}


# Exceptions that reading a damaged file may raise. UnicodeDecodeError: SQLite's messages quote bytes of the file.
FAULTS = (sqlite3.Error, UnicodeDecodeError, MemoryError)


class StoreError(Exception):
    """Recordings cannot be written or read; the message is one sentence that says why."""


def default_store_path() -> Path:
    """Return the default file of recordings of this user; the variable PUZZLEBOX_DATA names another folder."""
    chosen = os.environ.get("PUZZLEBOX_DATA")
    if chosen:
        return Path(chosen).expanduser() / _FILE
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "Puzzlebox" / _FILE
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "Puzzlebox" / _FILE
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "puzzlebox" / _FILE


def prepare(path: Path) -> int:
    """Create the file if it does not exist, upgrade one of an older format, and refuse any other kind of file.

    Returns:
        The format of the file: `FORMAT`, or an older one if the file is read-only, which can be read all the same.
    """
    if path.exists() and not path.is_file() and not path.is_dir():  # a device or a pipe
        raise StoreError(f"{path} is not a file of recordings")
    if path.is_dir():
        run = (path / "run.json").is_file()
        raise StoreError(f"{path} is a folder{' of a run' if run else ''}, not a file of recordings")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise StoreError(f"recordings cannot be kept in {path}: {problem.strerror}") from None
    failure = f"the recordings in {path} cannot be read" if path.is_file() else f"recordings cannot be kept in {path}"
    try:
        if path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
            with closing(connect_to_read(path)) as connection:
                _check(connection, path)
                if _is_ours(connection):
                    return _number(connection, "user_version")
        keep_private(path)
        with closing(connect(path)) as connection:
            _check(connection, path)
            if not _is_ours(connection) or _number(connection, "user_version") < FORMAT:
                failure = f"recordings cannot be kept in {path}"
                _create_or_upgrade(connection, path)
            return FORMAT
    except OSError as problem:
        raise StoreError(f"{failure}: {problem.strerror}") from None
    except FAULTS as problem:
        if "not a database" in str(problem):
            raise StoreError(
                f"{path} is not a file of recordings, or its first bytes are damaged; if it is one, restore a backup"
            ) from None
        # A duplicate or missing column: the file states an older format than it has.
        signs = ("malformed", "duplicate column", "no such column", "no such table")
        is_damaged = any(sign in str(problem) for sign in signs) or not isinstance(problem, sqlite3.Error)
        hint = " (the file is damaged; restore a backup)" if is_damaged else ""
        why = " ".join(str(problem).split())
        raise StoreError(f"{failure}: {why}{hint}") from None


def keep_private(path: Path) -> None:
    """Create the file if it does not exist, and let only its owner read and write it.

    The permissions of an existing file of recordings, and of the files beside it, are restricted as well. They stay as
    they are if another user owns the file, and for files of any other kind. SQLite gives its own files the same mode.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _PRIVATE))
    # A folder named by mistake keeps its mode: without the x bit it could not be entered.
    if not path.is_file() or (path.stat().st_size and not is_of_recordings(path)):
        return
    for each in (path, *(path.with_name(path.name + ending) for ending in ("-wal", "-shm", ".key"))):
        with suppress(OSError):
            if os.name == "posix" and each.stat().st_mode & 0o077:
                each.chmod(_PRIVATE)


def is_of_recordings(path: Path) -> bool:
    """Return whether a file exists that has our `application_id`; the rest of it may be damaged."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        start = file.read(_ID_AT + 4)
    return start.startswith(_SQLITE) and start[_ID_AT:] == _APPLICATION_ID.to_bytes(4, "big")


def aside_of(path: Path) -> Path:
    """Return the path of the file that keeps entries which could not be stored, one JSON object a line."""
    return path.with_name(path.name + ".aside.jsonl")


def refuse_empty(path: Path) -> None:
    """Refuse an empty file, for commands that only read: `prepare` would turn it into a file of recordings."""
    if path.is_file() and not path.stat().st_size:
        raise StoreError(f"{path} is not a file of recordings: it is empty; name another file, or restore a backup")


def connect(path: Path) -> sqlite3.Connection:
    """Open a connection without automatic transactions; what it commits is on the disk."""
    connection = sqlite3.connect(path, timeout=LOCK_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Open a read-only connection, which also works in a folder without write permission."""
    # SQLite cannot create its -wal file in such a folder. If there is none, nothing is writing, and none is needed.
    if not os.access(path.parent, os.W_OK) and not path.with_name(path.name + "-wal").exists():
        return sqlite3.connect(f"{path.resolve().as_uri()}?immutable=1", uri=True, isolation_level=None)
    connection = connect(path)
    connection.execute("PRAGMA query_only = ON")
    return connection


def check_whole(connection: sqlite3.Connection, *, quick: bool = False) -> None:
    """Have SQLite check every page of the file.

    Args:
        connection: a connection to the file.
        quick: do not check that indexes agree with their tables, which takes longer than the rest.

    Raises:
        sqlite3.Error, UnicodeDecodeError, MemoryError: the file is damaged.
    """
    result = str(connection.execute(f"PRAGMA {'quick_check' if quick else 'integrity_check'}(1)").fetchone()[0])
    if result != "ok":
        raise sqlite3.DatabaseError(f"malformed: {result.splitlines()[-1]}")


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def _is_ours(connection: sqlite3.Connection) -> bool:
    return _number(connection, "application_id") == _APPLICATION_ID


def _check(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a database of another program or of a newer format, before anything is changed."""
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables and not _is_ours(connection):
        raise StoreError(f"{path} is a database, but not one of Puzzlebox recordings")
    version = _number(connection, "user_version")
    if tables and version < 1:
        raise StoreError(f"{path} is damaged: it says that its format is {version}; restore a backup")
    if tables and version > FORMAT:
        raise StoreError(
            f"{path} was written by a newer Puzzlebox (format {version}; this one knows {FORMAT}); "
            "update Puzzlebox, or name another file"
        )


def _create_or_upgrade(connection: sqlite3.Connection, path: Path) -> None:
    """Create the tables, or upgrade those of an older format, in one transaction."""
    if not _is_ours(connection):
        _use_wal(connection)
    connection.execute("BEGIN IMMEDIATE")
    try:
        _check(connection, path)  # another program may have created or upgraded the file meanwhile
        if _is_ours(connection):
            for older in range(_number(connection, "user_version"), FORMAT):
                for statement in _UPGRADES[older].split(";"):
                    connection.execute(statement)
        else:
            for statement in _TABLES.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to WAL mode; SQLite's own lock timeout does not cover this statement."""
    deadline = time.monotonic() + LOCK_TIMEOUT_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as problem:
            if "locked" not in str(problem) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
