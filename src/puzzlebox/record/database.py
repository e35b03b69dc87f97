"""The file recordings are kept in: SQLite, with a journal that readers and a second program can live beside."""

import os
import sqlite3
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

FORMAT = 4
# From this format on an episode says which participant played it.
WITH_PARTICIPANTS = 2
# From this format on an episode says how long its page was hidden and its menu open.
WITH_BREAKS = 3
# From this format on an episode says which wing it was played in and how long its steps last, and a step may have
# measures that are no columns of the table.
WITH_WINGS = 4
# How SQLite files say whose they are: "PuzB".
_OURS = 0x50757A42
# How every SQLite file begins, and the place of that number in it.
_SQLITE, _ID_AT = b"SQLite format 3\0", 68
# So long one program waits for another that writes, in seconds.
PATIENCE = 30.0
_FILE = "recordings.sqlite"
# Rights of the file: its owner may read and write it, and nobody else.
_PRIVATE = 0o600

# The seed has no type, so that it may be a text: Python's whole numbers have no largest one.
_TABLES = """
CREATE TABLE tasks (hash TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE episodes (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, task_hash TEXT NOT NULL REFERENCES tasks (hash),
  task TEXT NOT NULL, title TEXT NOT NULL, arena INTEGER NOT NULL, seed NOT NULL, rules TEXT NOT NULL,
  player TEXT NOT NULL, agent TEXT, started TEXT NOT NULL, decision_period INTEGER NOT NULL,
  end_step INTEGER, total REAL, passed INTEGER, ended_by TEXT, participant TEXT, hidden_ms REAL, paused_ms REAL,
  wing TEXT NOT NULL DEFAULT 'arena', step_seconds REAL NOT NULL DEFAULT 0.02);
CREATE TABLE steps (
  episode INTEGER NOT NULL, step INTEGER NOT NULL, actions TEXT NOT NULL, time_ms REAL NOT NULL,
  x REAL, y REAL, z REAL, vx REAL, vy REAL, vz REAL, heading REAL, reward REAL, total REAL, health REAL,
  view TEXT NOT NULL, flags INTEGER NOT NULL, more TEXT, PRIMARY KEY (episode, step)) WITHOUT ROWID;
CREATE TABLE events (
  number INTEGER PRIMARY KEY, episode INTEGER NOT NULL, step INTEGER NOT NULL, kind TEXT NOT NULL, thing INTEGER,
  name TEXT, animal INTEGER, details TEXT NOT NULL);
CREATE INDEX events_of_episode ON events (episode, number);
"""
# What makes a file of one format one of the next.
_CHANGES = {
    1: "ALTER TABLE episodes ADD COLUMN participant TEXT",
    2: "ALTER TABLE episodes ADD COLUMN hidden_ms REAL; ALTER TABLE episodes ADD COLUMN paused_ms REAL",
    3: "ALTER TABLE episodes ADD COLUMN wing TEXT NOT NULL DEFAULT 'arena'; "
    "ALTER TABLE episodes ADD COLUMN step_seconds REAL NOT NULL DEFAULT 0.02; ALTER TABLE steps ADD COLUMN more TEXT",
}


# What reading a damaged file may raise: Python decodes SQLite's messages, which quote the file.
FAULTS = (sqlite3.Error, UnicodeDecodeError, MemoryError)


class StoreError(Exception):
    """Recordings cannot be kept or read; one sentence says why."""


def default_store_path() -> Path:
    """Where recordings are kept when nobody says otherwise; PUZZLEBOX_DATA names another folder."""
    chosen = os.environ.get("PUZZLEBOX_DATA")
    if chosen:
        return Path(chosen).expanduser() / _FILE
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "Puzzlebox" / _FILE
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "Puzzlebox" / _FILE
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "puzzlebox" / _FILE


def prepare(path: Path) -> int:
    """Make the file if there is none, bring one of an older format up to date, refuse what is not ours.

    Returns:
        Its format: this version's, or an older one where the file cannot be written; it can be read all the same.
    """
    if path.exists() and not path.is_file() and not path.is_dir():  # a device or a pipe
        raise StoreError(f"{path} is not a file of recordings")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise StoreError(f"recordings cannot be kept in {path}: {problem.strerror}") from None
    doing = f"the recordings in {path} cannot be read" if path.is_file() else f"recordings cannot be kept in {path}"
    try:
        if path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
            with closing(connect_to_read(path)) as connection:
                _check(connection, path)
                if _made(connection):
                    return _number(connection, "user_version")
        keep_private(path)
        with closing(connect(path)) as connection:
            _check(connection, path)
            if not _made(connection) or _number(connection, "user_version") < FORMAT:
                doing = f"recordings cannot be kept in {path}"
                _make(connection, path)
            return FORMAT
    except OSError as problem:
        raise StoreError(f"{doing}: {problem.strerror}") from None
    except FAULTS as problem:
        if "not a database" in str(problem):
            raise StoreError(
                f"{path} is not a file of recordings, or its first bytes are damaged; if it is one, restore a backup"
            ) from None
        faulty = "malformed" in str(problem) or not isinstance(problem, sqlite3.Error)
        damaged = " (the file is damaged; restore a backup)" if faulty else ""
        why = " ".join(str(problem).split())
        raise StoreError(f"{doing}: {why}{damaged}") from None


def keep_private(path: Path) -> None:
    """Make the file if there is none, and let nobody but its owner read or write it; SQLite's own files follow it.

    A file that others could open, of an earlier version or copied, is closed to them, and so are those beside it. Where
    that is not allowed, because it is somebody else's, it stays as it is; so does a file of something else.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _PRIVATE))
    # A folder given by mistake keeps its rights, too: without them nobody could enter it any more.
    if not path.is_file() or (path.stat().st_size and not is_of_recordings(path)):
        return
    for each in (path, *(path.with_name(path.name + ending) for ending in ("-wal", "-shm", ".key"))):
        with suppress(OSError):
            if os.name == "posix" and each.stat().st_mode & 0o077:
                each.chmod(_PRIVATE)


def is_of_recordings(path: Path) -> bool:
    """Whether there is a file that says of itself that it holds recordings, whatever else is wrong with it."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        start = file.read(_ID_AT + 4)
    return start.startswith(_SQLITE) and start[_ID_AT:] == _OURS.to_bytes(4, "big")


def aside_of(path: Path) -> Path:
    """The file that keeps, a line each, what could not be stored of episodes that were given up."""
    return path.with_name(path.name + ".aside.jsonl")


def refuse_empty(path: Path) -> None:
    """Refuse a file without a byte to whoever only reads: `prepare` would make a file of recordings of it."""
    if path.is_file() and not path.stat().st_size:
        raise StoreError(f"{path} is not a file of recordings: it is empty")


def connect(path: Path) -> sqlite3.Connection:
    """A connection of one's own; transactions are begun by hand."""
    connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection:
    """A connection that can change nothing; also where one may not write beside the file."""
    # Without these beside it, a file in a folder one cannot write to is at rest: nobody can be writing.
    if not os.access(path.parent, os.W_OK) and not path.with_name(path.name + "-wal").exists():
        return sqlite3.connect(f"{path.resolve().as_uri()}?immutable=1", uri=True, isolation_level=None)
    connection = connect(path)
    connection.execute("PRAGMA query_only = ON")
    return connection


def check_whole(connection: sqlite3.Connection, *, quick: bool = False) -> None:
    """Have SQLite look at every page of the file.

    Args:
        connection: a connection to the file.
        quick: leave out whether indexes agree with their tables, which takes longer than all the rest.

    Raises:
        sqlite3.Error, UnicodeDecodeError, MemoryError: the file is damaged.
    """
    found = str(connection.execute(f"PRAGMA {'quick_check' if quick else 'integrity_check'}(1)").fetchone()[0])
    if found != "ok":
        raise sqlite3.DatabaseError(f"malformed: {found.splitlines()[-1]}")


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def _made(connection: sqlite3.Connection) -> bool:
    return _number(connection, "application_id") == _OURS


def _check(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse what is not ours before anything is changed."""
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables and not _made(connection):
        raise StoreError(f"{path} is a database, but not one of Puzzlebox recordings")
    version = _number(connection, "user_version")
    if tables and version < 1:
        raise StoreError(f"{path} is damaged: it says that its format is {version}; restore a backup")
    if tables and version > FORMAT:
        raise StoreError(
            f"{path} was written by a newer Puzzlebox (format {version}; this one knows {FORMAT}); "
            "update Puzzlebox, or name another file"
        )


def _make(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables, or change those of an older format: everything in one transaction, or nothing."""
    if not _made(connection):
        _use_journal(connection)
    connection.execute("BEGIN IMMEDIATE")
    try:
        _check(connection, path)  # another program may have been quicker
        if _made(connection):
            for older in range(_number(connection, "user_version"), FORMAT):
                for statement in _CHANGES[older].split(";"):
                    connection.execute(statement)
        else:
            for statement in _TABLES.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {_OURS}")
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _use_journal(connection: sqlite3.Connection) -> None:
    """Change to the write-ahead journal; SQLite does not wait for others here by itself."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as problem:
            if "locked" not in str(problem) or time.monotonic() > until:
                raise
            time.sleep(0.01)
