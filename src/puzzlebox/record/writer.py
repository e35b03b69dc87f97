"""The thread that writes the entries of all episodes: one transaction for all, at most every tenth of a second.

A transaction that fails as a whole (the disk is full, another program keeps the file locked) is retried until it
succeeds. If entries of one episode cannot be stored, only that episode is given up: they are set aside in a file.
"""

import json
import logging
import os
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from puzzlebox.record.database import FAULTS, StoreError, aside_of, connect
from puzzlebox.record.digest import Checksum, is_undecodable
from puzzlebox.record.entries import Breaks, End, Start, Step, plain_event
from puzzlebox.wings.actions import actions_text

# Seconds from one transaction to the next.
INTERVAL_SECONDS = 0.1
# Seconds until a failed transaction is retried, at first and at most.
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0
# Seconds a transaction waits for another program that writes before it fails and is retried.
LOCK_TIMEOUT_SECONDS = 2.0
# Entries of all episodes together that may wait: enough for a hundred paused participants
# (arena.studio.play.MAX_UNSAVED each).
MOST_WAITING = 250_000
# Steps of an episode that are hashed after one transaction: an episode that is resumed after a restart of the studio is
# hashed from its start, and that must not delay the others.
MOST_HASHED = 2_000
# Seconds since the last commit for which `check_writable` assumes that the next one succeeds.
RECENT_SECONDS = 2.0

Listener = Callable[[dict[str, int]], object]


@dataclass(frozen=True)
class Trial:
    """An entry that changes nothing: writing it shows whether the file can be written."""


Row = Start | Step | Breaks | End | Trial
Entry = tuple[str, Row]

_BEGIN = """INSERT INTO episodes
  (id, task_hash, task, title, arena, seed, rules, player, agent, started, decision_period, participant, wing,
   step_seconds)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
# Measures that have their own column; others are stored in `more`, as JSON.
MEASURES = ("x", "y", "z", "vx", "vy", "vz", "heading", "health")
_STEP = f"""INSERT INTO steps (episode, step, actions, time_ms, reward, total, view, flags, more, {", ".join(MEASURES)})
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_EVENT = "INSERT INTO events (episode, step, kind, thing, name, animal, details) VALUES (?, ?, ?, ?, ?, ?, ?)"
_END = (
    "UPDATE episodes SET end_step = ?, total = ?, passed = ?, ended_by = ?, error = ? "
    "WHERE number = ? AND ended_by IS NULL"
)
_CHECKSUM = "UPDATE episodes SET checksum = ? WHERE number = ? AND checksum IS NULL"
_BREAKS = "UPDATE episodes SET hidden_ms = ?, paused_ms = ? WHERE number = ? AND ended_by IS NULL"
# The largest integer of SQLite.
_LARGEST = 2**63 - 1
_MOVED = "the file is not where it was"
# A part of SQLite's message, the reason in plain words, and the remedy.
_REASONS = (
    ("disk is full", "the disk is full", "make room on it"),
    ("locked", "another program keeps the recordings locked", "end that program"),
    ("readonly", "the recordings may not be changed", "change the permissions of their file and folder"),
    ("unable to open", "the file of the recordings cannot be opened", "see whether its folder is still there"),
    (_MOVED, "the file of the recordings was moved or deleted", "put it back, or restart the studio"),
    ("no such table", "the file of the recordings was replaced", "put it back, or restart the studio"),
    ("malformed", "the file of the recordings is damaged", "restart the studio with another file (--store)"),
    ("not a database", "the file of the recordings is damaged", "restart the studio with another file (--store)"),
)


class CannotWrite(StoreError):
    """Nothing can be written at the moment; the writer keeps retrying.

    Attributes:
        reason: what is wrong, in a few words.
        remedy: what the user can do about it.
    """

    def __init__(self, path: Path, problem: Exception, waiting: int) -> None:
        message = str(problem) or type(problem).__name__
        matches = (each[1:] for each in _REASONS if each[0] in message)
        self.reason, self.remedy = next(matches, (f"the disk reports {message!r}", "check the disk"))
        super().__init__(f"recording to {path} fails: {self.reason}; entries not written yet: {waiting}")


class EpisodeFault(StoreError):
    """One episode cannot be recorded any further; the others can."""


class _Fault(Exception):
    """An entry of one episode cannot be stored."""

    def __init__(self, id: str, problem: Exception) -> None:
        super().__init__(str(problem) or type(problem).__name__)
        self.id = id


def _text(details: Any) -> str:
    return json.dumps(details, separators=(",", ":"), default=str)


def _find(connection: sqlite3.Connection, id: str) -> int | None:
    """Return the number of an episode in the file; None if it is not there."""
    row = connection.execute("SELECT number FROM episodes WHERE id = ?", (id,)).fetchone()
    return None if row is None else int(row[0])


def _identity(path: Path) -> tuple[int, int] | None:
    """Return device and inode of the file at a path; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _concerns_file(problem: Exception) -> bool:
    """Return whether an error concerns the whole file, so that a retry may succeed, and not one episode."""
    return isinstance(problem, sqlite3.OperationalError | sqlite3.InternalError | OSError | MemoryError) or (
        type(problem) is sqlite3.DatabaseError
    )


def _close(connection: sqlite3.Connection) -> None:
    """Close a connection after copying its commits into the file, even if the journal beside it was deleted."""
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA wal_checkpoint(FULL)")
    connection.close()


class Writer:
    """Accepts entries from any thread without blocking; its own thread writes them in that order.

    Args:
        path: the file.
        listeners: functions called after each transaction with the last step of each episode in it, and with an empty
            dictionary when writing begins to fail or an episode is given up.
        over: a function called with the ids of the episodes that have ended or were given up, once that is committed.

    Attributes:
        error: why nothing can be written at the moment; None while writing succeeds.
    """

    def __init__(
        self, path: Path, listeners: Sequence[Listener], over: Callable[[Iterable[str]], object] = lambda ids: None
    ) -> None:
        self._path, self._listeners, self._over = path, listeners, over
        self._waiting: list[Entry] = []
        self._counts: Counter[str] = Counter()
        self._faults: dict[str, EpisodeFault] = {}
        self._taken = self._written = 0
        # Set by `close`: the time until which a failed transaction is retried.
        self._closing: float | None = None
        self._next_time = self._last_commit = 0.0
        self._failing_since = 0.0
        self._change = threading.Condition()
        # The numbers of open episodes; None: deleted meanwhile (`puzzlebox forget`), further entries are dropped.
        self._numbers: dict[str, int | None] = {}
        self._version = -1
        # Of open episodes, by their numbers: as far as entries were committed.
        self._checksums: dict[int, Checksum] = {}
        # Compared before each commit: entries written into a file that was moved or deleted would be lost.
        self._file = _identity(path)
        self._wal: tuple[int, int] | None = None
        self._log = logging.getLogger(__name__)
        self.error: CannotWrite | None = None
        self._thread = threading.Thread(target=self._run, name="puzzlebox-recordings", daemon=True)
        self._thread.start()

    def put(self, id: str, row: Row) -> None:
        """Add an entry to those that wait to be written.

        Raises:
            EpisodeFault: this episode was given up.
            CannotWrite: writing fails, and `MOST_WAITING` entries wait already.
        """
        with self._change:
            if self._closing is not None:
                raise StoreError("the recordings are closed; nothing more can be recorded")
            if id in self._faults:
                raise self._faults[id]
            self._wait(lambda: self._taken - self._written < MOST_WAITING, 0.0)
            self._waiting.append((id, row))
            self._counts[id] += 1
            self._taken += 1
            if len(self._waiting) == 1:
                self._change.notify_all()

    def waiting(self, id: str) -> int:
        """Return the number of entries of an episode that are not in the file yet."""
        with self._change:
            return self._counts[id]

    def fault(self, id: str) -> EpisodeFault | None:
        """Return why an episode was given up; None if it was not."""
        with self._change:
            return self._faults.get(id)

    def flush(self, retry_seconds: float) -> None:
        """Wait until all earlier entries are in the file; raise `error` if writing has failed for `retry_seconds`."""
        with self._change:
            goal = self._taken
            self._wait(lambda: self._written >= goal, retry_seconds)

    def check_writable(self) -> None:
        """Raise `error` if nothing can be written now; without a commit in the last seconds, a trial is written."""
        if self.error is not None:
            raise self.error
        if time.monotonic() - self._last_commit > RECENT_SECONDS:
            self.put("", Trial())
            self.flush(0.0)

    def close(self, retry_seconds: float) -> None:
        """Write all waiting entries and end the thread; give up if writing still fails after `retry_seconds`.

        Raises:
            CannotWrite: some entries were not written.
            EpisodeFault: an episode was given up.
        """
        with self._change:
            deadline = time.monotonic() + retry_seconds
            self._closing = deadline if self._closing is None else min(self._closing, deadline)
            self._change.notify_all()
        self._thread.join()
        problem = self.error or next(iter(self._faults.values()), None)
        if problem is not None:
            raise problem

    def _wait(self, done: Callable[[], bool], retry_seconds: float) -> None:
        while not done():
            left = None
            if self.error is not None:
                left = self._failing_since + retry_seconds - time.monotonic()
                if left <= 0 or not self._thread.is_alive():
                    raise self.error
            self._change.wait(left)

    # --- the thread

    def _run(self) -> None:
        connection: sqlite3.Connection | None = None
        pause = FIRST_PAUSE
        while entries := self._next():
            try:
                if connection is None:
                    if _identity(self._path) != self._file:  # SQLite would create a new, empty file
                        raise OSError(_MOVED)
                    connection, self._version, self._wal = connect(self._path), -1, None
                    connection.execute(f"PRAGMA busy_timeout = {1000 * LOCK_TIMEOUT_SECONDS:.0f}")
                done, over = self._write(connection, entries)
            except _Fault as fault:
                self._give_up(fault, entries)
            except Exception as problem:
                # The connection itself may be broken.
                if connection is not None:
                    _close(connection)
                    connection = None
                if not self._prepare_retry(problem, entries, pause):
                    return
                pause = min(2 * pause, LONGEST_PAUSE)
            else:
                pause = FIRST_PAUSE
                self._over(over)
                self._count_written(entries)
                self._notify_listeners(done)
                self._advance_checksums(connection, done)
        if connection is not None:
            connection.close()

    def _next(self) -> list[Entry]:
        """Wait until the next transaction is due and return its entries; an empty list means that the thread ends."""
        with self._change:
            self._change.wait_for(lambda: self._waiting or self._closing is not None)
            if self.error is None:
                self._change.wait_for(lambda: self._closing is not None, max(0.0, self._next_time - time.monotonic()))
            self._next_time = time.monotonic() + INTERVAL_SECONDS
            entries, self._waiting = self._waiting, []
        return entries

    def _count_written(self, entries: list[Entry]) -> None:
        with self._change:
            self._written += len(entries)
            self._counts -= Counter(id for id, _ in entries)
            self._last_commit = time.monotonic()
            if self.error is not None:
                self._log.warning("recording to %s succeeds again", self._path)
            self.error = None
            self._change.notify_all()

    def _prepare_retry(self, problem: Exception, entries: list[Entry], pause: float) -> bool:
        """Put the entries back and wait `pause` seconds; return False when the deadline of `close` has passed."""
        with self._change:
            self._waiting = entries + self._waiting
            first = self.error is None
            if first:
                self._failing_since = time.monotonic()
            self.error = CannotWrite(self._path, problem, self._taken - self._written)
            self._change.notify_all()
        if first:
            self._log.warning("%s (%s); it is retried until it succeeds", self.error, problem)
            self._notify_listeners({})
        with self._change:
            if self._closing is None:
                self._change.wait_for(lambda: self._closing is not None, pause)
            else:
                self._change.wait(min(pause, FIRST_PAUSE))
            return self._closing is None or time.monotonic() < self._closing

    def _give_up(self, fault: _Fault, entries: list[Entry]) -> None:
        """Set aside the waiting entries of one episode, so that those of the others can be written."""
        with self._change:
            everything = entries + self._waiting
            self._faults[fault.id] = EpisodeFault(f"episode {fault.id} cannot be recorded any further: {fault}")
            self._waiting = [entry for entry in everything if entry[0] != fault.id]
            lost = [row for id, row in everything if id == fault.id]
        where = self._set_aside(fault.id, lost)
        sentence = f"episode {fault.id} cannot be recorded any further ({fault}); entries {where}: {len(lost)}"
        with self._change:
            self._faults[fault.id] = EpisodeFault(sentence)
            self._written += len(lost)
            self._counts.pop(fault.id, None)
            self._next_time = 0.0
            self._change.notify_all()
        self._log.error("%s", sentence)
        self._checksums.pop(self._numbers.pop(fault.id, None) or 0, None)
        self._over([fault.id])
        self._notify_listeners({})

    def _set_aside(self, id: str, rows: Sequence[Row]) -> str:
        """Append entries to a file beside the recordings, without the participant, whose records may be deleted.

        Returns:
            A clause for messages that says where the entries are.
        """
        path = aside_of(self._path)
        try:
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "a") as file:
                for row in rows:
                    kept = asdict(row) | (
                        {"events": list(map(plain_event, row.events))} if isinstance(row, Step) else {}
                    )
                    kept.pop("participant", None)
                    file.write(_text({"episode": id, "kind": type(row).__name__.lower(), **kept}) + "\n")
        except Exception as problem:
            self._log.exception("entries of episode %s cannot be set aside", id)
            return f"that are lost, for {path} cannot be written ({problem})"
        return f"set aside in {path}"

    def _write(self, connection: sqlite3.Connection, entries: list[Entry]) -> tuple[dict[str, int], list[str]]:
        """Write entries in one transaction; return the last step of each episode in it, and the ids of ended ones."""
        done: dict[str, int] = {}
        over: list[str] = []
        connection.execute("BEGIN IMMEDIATE")
        numbers = dict(self._numbers)
        try:
            self._update_numbers(connection)
            for id, row in entries:
                try:
                    reached = self._write_row(connection, id, row)
                except Exception as problem:
                    raise problem if _concerns_file(problem) else _Fault(id, problem) from problem
                if reached is not None:
                    done[id] = reached
                if isinstance(row, End):
                    over.append(id)
            self._refuse_another_file()
            connection.execute("COMMIT")
        except BaseException:
            # The version read in this transaction may be newer than these numbers: they are looked up again.
            self._numbers, self._version = numbers, -1
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        for id in over:
            self._checksums.pop(self._numbers.pop(id, None) or 0, None)
        return done, over

    def _write_row(self, connection: sqlite3.Connection, id: str, row: Row) -> int | None:
        """Write one entry; return its step, if it has one."""
        if isinstance(row, Trial):
            # Sets a field of the file's header to the value it has: SQLite writes the page, and nothing changes.
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            connection.execute(f"PRAGMA user_version = {version}")
            return None
        if isinstance(row, Start):
            self._write_start(connection, row)
            return 0
        number = self._number(connection, id)
        if number is None:
            return None
        if isinstance(row, Breaks):
            connection.execute(_BREAKS, (row.hidden_ms, row.paused_ms, number))
            return None
        if isinstance(row, Step):
            self._write_step(connection, number, row)
        else:
            connection.execute(_END, (row.step, row.total, row.passed, row.ended_by, row.error, number))
            self._store_checksum(connection, number)
        return row.step

    def _refuse_another_file(self) -> None:
        """Raise if the file, or SQLite's journal beside it, is not the one that was opened."""
        wal = _identity(self._path.with_name(self._path.name + "-wal"))
        if _identity(self._path) != self._file or self._wal not in (None, wal):
            raise OSError(_MOVED)
        self._wal = wal

    def _update_numbers(self, connection: sqlite3.Connection) -> None:
        """Look up the numbers again if another program has changed the file: deleted numbers may be reused."""
        version = connection.execute("PRAGMA data_version").fetchone()[0]
        if version != self._version:
            self._version = version
            self._numbers = {id: _find(connection, id) for id in self._numbers}
            open_numbers = set(self._numbers.values())
            self._checksums = {number: each for number, each in self._checksums.items() if number in open_numbers}

    def _number(self, connection: sqlite3.Connection, id: str) -> int | None:
        """Return the number of an episode in the file; None if it was deleted."""
        if id not in self._numbers:
            self._numbers[id] = _find(connection, id)
        return self._numbers[id]

    def _write_start(self, connection: sqlite3.Connection, start: Start) -> None:
        connection.execute("INSERT OR IGNORE INTO tasks VALUES (?, ?)", (start.task_hash, start.task_text))
        seed = start.seed if start.seed <= _LARGEST else str(start.seed)
        what = (start.id, start.task_hash, start.task, start.title, start.arena, seed, start.rules)
        who = (start.player, start.agent, start.started, start.decision_period, start.participant)
        how = (start.wing, start.step_seconds)
        self._numbers[start.id] = connection.execute(_BEGIN, what + who + how).lastrowid or 0

    @staticmethod
    def _write_step(connection: sqlite3.Connection, number: int, row: Step) -> None:
        actions = actions_text(row.actions) if row.actions else ""
        # NaN is stored as empty: SQLite does that for columns, and JSON has none.
        others = {
            name: value if value == value else None for name, value in row.measures.items() if name not in MEASURES
        }
        values = (row.reward, row.total, row.view, row.flags, _text(others) if others else None)
        measured = (row.measures.get(name) for name in MEASURES)
        connection.execute(_STEP, (number, row.step, actions, row.time_ms, *values, *measured))
        for event in map(plain_event, row.events):
            subject = (event.get("thing"), event.get("name"), event.get("animal"))
            connection.execute(_EVENT, (number, event["step"], event["kind"], *subject, _text(event["details"])))

    def _advance_checksums(self, connection: sqlite3.Connection, ids: Iterable[str]) -> None:
        """Read what was just committed into the checksums of episodes that go on, while the file is not locked.

        A checksum that cannot be continued is dropped. It is then computed anew, at the latest when the episode ends.
        """
        for number in filter(None, map(self._numbers.get, ids)):
            checksum = self._checksums.pop(number, None) or Checksum(number)
            with suppress(*FAULTS):
                checksum.read_on(connection, MOST_HASHED)
                self._checksums[number] = checksum

    def _store_checksum(self, connection: sqlite3.Connection, number: int) -> None:
        """Store the checksum of an episode that has just ended; an earlier one stays."""
        # A copy: if the transaction fails, the steps in it are written, and read, once more.
        checksum = self._checksums[number].copy() if number in self._checksums else Checksum(number)
        try:
            checksum.read_on(connection)
            connection.execute(_CHECKSUM, (checksum.value(connection), number))
        except (sqlite3.OperationalError, UnicodeDecodeError) as problem:
            if not is_undecodable(problem):
                raise

    def _notify_listeners(self, done: dict[str, int]) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(dict(done))
            except Exception:  # an error in a listener must not stop the recording
                self._log.exception("a listener of the recordings failed")
