"""One thread that writes what all players do: one transaction for all of them, at most every tenth of a second."""

import json
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from puzzlebox.lab.database import StoreError, connect
from puzzlebox.lab.rows import Breaks, End, Start, Step, plain_event

# Seconds from one transaction to the next.
BREATH = 0.1

Listener = Callable[[dict[str, int]], object]
Entry = tuple[str, Start | Step | Breaks | End]

_BEGIN = """INSERT INTO episodes
  (id, task_hash, task, title, arena, seed, rules, player, agent, started, decision_period, participant)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_STEP = "INSERT INTO steps VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_EVENT = "INSERT INTO events (episode, step, kind, thing, name, animal, details) VALUES (?, ?, ?, ?, ?, ?, ?)"
_END = "UPDATE episodes SET end_step = ?, total = ?, passed = ?, ended_by = ? WHERE number = ? AND ended_by IS NULL"
_BREAKS = "UPDATE episodes SET hidden_ms = ?, paused_ms = ? WHERE number = ? AND ended_by IS NULL"
# What fits into a whole number of SQLite.
_LARGEST = 2**63 - 1


def _text(details: Any) -> str:
    return json.dumps(details, separators=(",", ":"), default=str)


def _find(connection: sqlite3.Connection, id: str) -> int | None:
    """The number of an episode in the file."""
    found = connection.execute("SELECT number FROM episodes WHERE id = ?", (id,)).fetchone()
    return None if found is None else int(found[0])


class Writer:
    """Takes entries from any thread, in the order given, and returns at once; a thread of its own writes them.

    Attributes:
        error: what went wrong; from then on nothing more is taken, for what follows would have a gap before it.
    """

    def __init__(self, path: Path, listeners: Sequence[Listener]) -> None:
        self._path, self._listeners = path, listeners
        self._waiting: list[Entry] = []
        self._taken = self._written = 0
        self._closing = False
        self._next_time = 0.0
        self._change = threading.Condition()
        # Of open episodes; None: deleted meanwhile (`puzzlebox forget`), and what follows is not kept.
        self._numbers: dict[str, int | None] = {}
        self._version = 0
        self.error: StoreError | None = None
        self._thread = threading.Thread(target=self._run, name="puzzlebox-recordings", daemon=True)
        self._thread.start()

    def put(self, id: str, row: Start | Step | Breaks | End) -> None:
        """Have something written."""
        with self._change:
            if self.error is not None:
                raise self.error
            if self._closing:
                raise StoreError("the recordings are closed; nothing more can be recorded")
            self._waiting.append((id, row))
            self._taken += 1
            if len(self._waiting) == 1:
                self._change.notify_all()

    def flush(self) -> None:
        """Wait until all that was put before is in the file."""
        with self._change:
            goal = self._taken
            self._change.wait_for(lambda: self._written >= goal or self.error is not None)
            if self.error is not None:
                raise self.error

    def close(self) -> None:
        """Write what is left and end the thread."""
        with self._change:
            self._closing = True
            self._change.notify_all()
        self._thread.join()
        if self.error is not None:
            raise self.error

    def _run(self) -> None:
        try:
            connection = connect(self._path)
        except sqlite3.Error as problem:
            self._give_up(problem)
            return
        try:
            while True:
                entries = self._next()
                if not entries:
                    return
                done = self._write(connection, entries)
                with self._change:
                    self._written += len(entries)
                    self._change.notify_all()
                self._tell(done)
        except Exception as problem:
            self._give_up(problem)
        finally:
            connection.close()

    def _next(self) -> list[Entry]:
        """What has come since the last transaction, not too soon after it; nothing when it is time to stop."""
        with self._change:
            self._change.wait_for(lambda: self._waiting or self._closing)
            self._change.wait_for(lambda: self._closing, max(0.0, self._next_time - time.monotonic()))
            self._next_time = time.monotonic() + BREATH
            entries, self._waiting = self._waiting, []
        return entries

    def _write(self, connection: sqlite3.Connection, entries: list[Entry]) -> dict[str, int]:
        """One transaction; how far each episode in it has come."""
        done: dict[str, int] = {}
        over: list[str] = []
        connection.execute("BEGIN IMMEDIATE")
        try:
            self._look_again(connection)
            for id, row in entries:
                if isinstance(row, Start):
                    self._write_start(connection, row)
                    done[id] = 0
                    continue
                number = self._number(connection, id)
                if isinstance(row, End):
                    over.append(id)
                if number is None:
                    continue
                if isinstance(row, Breaks):
                    connection.execute(_BREAKS, (row.hidden_ms, row.paused_ms, number))
                    continue
                if isinstance(row, Step):
                    self._write_step(connection, number, row)
                else:
                    values = (row.step, row.total, row.passed, row.ended_by)
                    connection.execute(_END, (*values, number))
                done[id] = row.step
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        for id in over:
            self._numbers.pop(id, None)
        return done

    def _look_again(self, connection: sqlite3.Connection) -> None:
        """Find out which episodes another program has deleted; their numbers may be given to new ones."""
        version = connection.execute("PRAGMA data_version").fetchone()[0]
        if version != self._version:
            self._version = version
            self._numbers = {id: _find(connection, id) for id in self._numbers}

    def _number(self, connection: sqlite3.Connection, id: str) -> int | None:
        """The number of an episode in the file; None where it was deleted."""
        if id not in self._numbers:
            self._numbers[id] = _find(connection, id)
        return self._numbers[id]

    def _write_start(self, connection: sqlite3.Connection, start: Start) -> None:
        connection.execute("INSERT OR IGNORE INTO tasks VALUES (?, ?)", (start.task_hash, start.task_text))
        seed = start.seed if start.seed <= _LARGEST else str(start.seed)
        what = (start.id, start.task_hash, start.task, start.title, start.arena, seed, start.rules)
        who = (start.player, start.agent, start.started, start.decision_period, start.participant)
        self._numbers[start.id] = connection.execute(_BEGIN, what + who).lastrowid or 0

    @staticmethod
    def _write_step(connection: sqlite3.Connection, number: int, row: Step) -> None:
        actions = "".join(map(str, row.actions))
        state = (*row.position, *row.velocity, row.heading, row.reward, row.total, row.health)
        connection.execute(_STEP, (number, row.step, actions, row.time_ms, *state, row.view, row.flags))
        for event in map(plain_event, row.events):
            subject = (event["thing"], event["name"], event["animal"])
            connection.execute(_EVENT, (number, event["step"], event["kind"], *subject, _text(event["details"])))

    def _tell(self, done: dict[str, int]) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(dict(done))
            except Exception:  # a listener's mistake is no reason to stop recording
                logging.getLogger(__name__).exception("a listener of the recordings failed")

    def _give_up(self, problem: Exception) -> None:
        with self._change:
            lost = self._taken - self._written
            why = str(problem) or type(problem).__name__
            self.error = StoreError(f"recording to {self._path} failed ({why}); {lost} entries were not written")
            self._change.notify_all()
