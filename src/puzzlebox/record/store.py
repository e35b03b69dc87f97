"""Every episode, human or agent, stored as it happens: nothing that was acknowledged is ever lost."""

import json
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from puzzlebox.record.damage import (
    Damaged,
    StepCheck,
    Survey,
    actions_of,
    damaged_episode,
    episode_of,
    event_of,
    unreadable,
    unreadable_part,
)
from puzzlebox.record.database import (
    FAULTS,
    FORMAT,
    WITH_BREAKS,
    WITH_PARTICIPANTS,
    WITH_WINGS,
    StoreError,
    check_whole,
    connect_to_read,
    default_store_path,
    prepare,
)
from puzzlebox.record.entries import Breaks, End, Start, Step, hash_of
from puzzlebox.record.episode import Episode
from puzzlebox.record.owners import Owners
from puzzlebox.record.writer import MEASURES, CannotWrite, EpisodeFault, Listener, Writer
from puzzlebox.wings import Task, Wing, wing_named

__all__ = [
    "FORMAT",
    "STEP_COLUMNS",
    "Breaks",
    "CannotWrite",
    "End",
    "Episode",
    "EpisodeFault",
    "PlayedElsewhere",
    "Start",
    "Step",
    "Store",
    "StoreError",
    "default_store_path",
    "hash_of",
]

# The columns of the steps of an episode, in order.
STEP_COLUMNS = ("step", "actions", "view", "flags", "time_ms", "reward", "total", *MEASURES, "more")
# The fields of an Episode, in order; one that is still open is as far as its last step.
_EPISODE = """SELECT e.id, e.task_hash, e.task, e.title, e.arena, e.seed, e.rules, e.player, e.agent, e.started,
  e.decision_period, coalesce(e.end_step, l.step, 0), coalesce(e.total, l.total, 0.0), e.passed, e.ended_by,
  {participant}, {hidden_ms}, {paused_ms}, {wing}, {step_seconds}
FROM episodes e LEFT JOIN steps l ON l.episode = e.number AND e.ended_by IS NULL
  AND l.step = (SELECT max(step) FROM steps WHERE episode = e.number)"""
# The format from which on a file has each of these, and what stands for it in an older one.
_SINCE = {
    "participant": (WITH_PARTICIPANTS, "NULL"),
    "hidden_ms": (WITH_BREAKS, "NULL"),
    "paused_ms": (WITH_BREAKS, "NULL"),
    "wing": (WITH_WINGS, "'arena'"),
    "step_seconds": (WITH_WINGS, "0.02"),
}
_OF_EPISODE = "SELECT {} FROM steps WHERE episode = (SELECT number FROM episodes WHERE id = ?) ORDER BY step"
_BATCH = 4096
_NOT_IN_INDEX = "it cannot be found by its id"
# Ids that are asked for in one question.
_SOME = 500
# Seconds writing may fail before `flush` and `close` say so.
PATIENCE = 60.0


class PlayedElsewhere(StoreError):
    """Another program records this episode."""

    def __init__(self) -> None:
        super().__init__(
            "this episode is being played at another Puzzlebox server; continue there, or stop that server first"
        )


class Store:
    """Recordings in one file.

    `begin`, `step` and `end` may be called from any thread and return at once; one thread writes. Readers see what is
    in the file, which is what listeners were told of. Another program may have the same file open, but each episode is
    recorded by one program at a time. Where writing fails, it is tried again until it succeeds.

    Args:
        path: the file; it is made if there is none. Default: `default_store_path()`.
        patience: seconds for which writing may fail before `flush` and `close` raise what is wrong.
    """

    def __init__(self, path: str | Path | None = None, *, patience: float = PATIENCE) -> None:
        self.path = default_store_path() if path is None else Path(path)
        self._patience = patience
        self._owners = Owners(self.path)
        # A file that cannot be written may be of a format that lacks the newer columns.
        known = prepare(self.path)
        self._episode_rows = _EPISODE.format(
            **{name: f"e.{name}" if known >= first else instead for name, (first, instead) in _SINCE.items()}
        )
        columns = [name if known >= WITH_WINGS or name != "more" else "NULL" for name in STEP_COLUMNS]
        self._step_rows = _OF_EPISODE.format(", ".join(columns))
        self._listeners: list[Listener] = []
        self._writer: Writer | None = None
        self._lock = threading.Lock()
        # How far each episode is that was recorded here; None: it is over.
        self._reached: dict[str, int | None] = {}
        self._tasks: dict[str, Task | None] = {}
        # Episodes that are over, and of which every row was read.
        self._whole: set[str] = set()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- writing

    @property
    def error(self) -> CannotWrite | None:
        """Why nothing can be written at the moment; None while all is well, and again once it is cured."""
        return None if self._writer is None else self._writer.error

    def try_out(self) -> None:
        """Write to the file without changing it.

        Raises:
            StoreError: nothing can be written at the moment; when that changes, listeners are called.
        """
        with self._lock:
            writer = self._writing()
        writer.try_out()

    def claim(self, id: str) -> None:
        """Become the one program that records an episode, until it is over, `release` or `close`.

        Raises:
            PlayedElsewhere: another program records it.
        """
        if not self._owners.claim(id):
            raise PlayedElsewhere

    def release(self, id: str) -> None:
        """Let another program go on with an episode; one of which something is still to be written is kept."""
        with self._lock:
            if not self.waiting(id):
                self._reached.pop(id, None)
                self._owners.release(id)

    def fault(self, id: str) -> EpisodeFault | None:
        """Why an episode cannot be recorded any further by this store; None where it can."""
        return None if self._writer is None else self._writer.fault(id)

    def waiting(self, id: str) -> int:
        """How many entries of an episode were given, and are not in the file yet."""
        return 0 if self._writer is None else self._writer.waiting(id)

    def begin(self, start: Start) -> None:
        """An episode begins."""
        with self._lock:
            if start.id in self._reached or self.knows(start.id):
                raise ValueError(f"there is already an episode {start.id}")
            self.claim(start.id)
            self._write(start.id, start)
            self._reached[start.id] = -1

    def step(self, id: str, step: Step) -> None:
        """A step was taken; one whose recording broke off may be gone on with."""
        with self._lock:
            reached = self._reach(id)
            if step.step <= reached:
                raise ValueError(f"episode {id} is already recorded up to step {reached}; {step.step} is not after it")
            self._write(id, step)
            self._reached[id] = step.step

    def breaks(self, id: str, breaks: Breaks) -> None:
        """Set how long an episode that is not over has stood still so far."""
        with self._lock:
            self._reach(id)
            self._write(id, breaks)

    def end(self, id: str, end: End) -> None:
        """An episode is over."""
        with self._lock:
            self._reach(id)
            self._write(id, end)
            self._reached[id] = None

    def listen(self, callback: Listener) -> Callable[[], None]:
        """Have a function told, by the writing thread, which episodes are in the file up to which step.

        It is also called, with no episodes, when writing begins to fail, and when it succeeds again.

        Returns:
            A function that ends it.
        """
        self._listeners.append(callback)
        return lambda: self._listeners.remove(callback)

    def flush(self, patience: float | None = None) -> None:
        """Wait until everything given so far is in the file.

        Args:
            patience: seconds for which writing may fail; 0 raises at once what is wrong. Default: the store's.
        """
        if self._writer is not None:
            self._writer.flush(self._patience if patience is None else patience)

    def close(self, patience: float | None = None) -> None:
        """Write what is left; nothing can be recorded after it.

        Args:
            patience: seconds after which it is given up where writing fails. Default: the store's.
        """
        with self._lock:
            writer = self._writer
        try:
            if writer is not None:
                writer.close(self._patience if patience is None else patience)
        finally:
            self._owners.close()

    def _writing(self) -> Writer:
        if self._writer is None:
            self._writer = Writer(self.path, self._listeners, self._let_go)
        return self._writer

    def _write(self, id: str, row: Start | Step | Breaks | End) -> None:
        self._writing().put(id, row)

    def _let_go(self, over: Iterable[str]) -> None:
        for id in over:
            self._owners.release(id)

    def _reach(self, id: str) -> int:
        """How far an episode is recorded; only those that are not over can go on."""
        if id not in self._reached:
            episode = self.episode(id)
            if not episode.finished:
                self.claim(id)
                episode = self.episode(id)  # its owner may have gone on with it until now
            # Step 0 may be there or not; nothing is lost by not having it twice.
            self._reached[id] = None if episode.finished else episode.steps
        reached = self._reached[id]
        if reached is None:
            raise ValueError(f"episode {id} is over; nothing more can be recorded of it")
        return reached

    # --- reading

    def _rows(self, question: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._asked(question, values)
        except FAULTS as problem:
            raise unreadable(self.path, problem) from None

    def _rows_of(self, id: str, part: str, question: str) -> list[tuple[Any, ...]]:
        """The rows of the steps or events of an episode; damage is said to be its own."""
        try:
            return self._asked(question, (id,))
        except FAULTS as problem:
            raise unreadable_part(self.path, id, part, problem) from None

    def _asked(self, question: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        with closing(connect_to_read(self.path)) as connection:
            return connection.execute(question, values).fetchall()

    def check(self) -> None:
        """Have SQLite look at the whole file.

        Raises:
            StoreError: it is damaged, or cannot be read.
        """
        try:
            with closing(connect_to_read(self.path)) as connection:
                check_whole(connection, quick=True)
        except FAULTS as problem:
            raise unreadable(self.path, problem) from None

    def knows(self, id: str) -> bool:
        """Whether the file holds an episode of this id."""
        return bool(self._rows("SELECT 1 FROM episodes WHERE id = ?", (id,)))

    def count(self) -> int:
        """How many episodes there are."""
        return int(self._rows("SELECT count(*) FROM episodes")[0][0])

    def count_steps(self) -> int:
        """How many steps there are, of all episodes together."""
        return int(self._rows("SELECT count(*) FROM steps")[0][0])

    def episodes(self, limit: int | None = None, offset: int = 0) -> list[Episode]:
        """The episodes, newest first.

        Raises:
            StoreError: one of them is damaged; `survey` has the others.
        """
        return [episode_of(row, self.path) for row in self._listed(limit, offset)]

    def survey(self, limit: int | None = None, offset: int = 0, *, closely: bool = False) -> Survey:
        """The episodes that can be read, newest first, and what is damaged, in sentences.

        Args:
            limit: how many at most. Default: all.
            offset: how many to pass over.
            closely: also read the steps and events of each. Those of an episode that is over are read once.
        """
        found: list[Episode] = []
        damaged: list[str] = []
        try:
            rows = self._listed(limit, offset)
        except Damaged as problem:
            rows, damaged = self._rescued(problem)
            rows = rows[offset:] if limit is None else rows[offset : offset + limit]
        for row in rows:
            try:
                found.append(episode_of(row, self.path))
            except Damaged as problem:
                damaged.append(str(problem))
        lost = self._without_index([each.id for each in found])
        damaged += [str(damaged_episode(self.path, id, _NOT_IN_INDEX)) for id in lost]
        found = [each for each in found if each.id not in lost]
        return self._looked_at(found, damaged) if closely else Survey(found, damaged)

    def _looked_at(self, episodes: list[Episode], damaged: list[str]) -> Survey:
        whole = []
        for each in episodes:
            try:
                if each.id not in self._whole:
                    self.require_whole(each)
            except Damaged as problem:
                damaged.append(str(problem))
                continue
            whole.append(each)
            if each.finished:
                self._whole.add(each.id)
        return Survey(whole, damaged)

    def require_whole(self, episode: Episode) -> None:
        """Read the task, all steps and all events of an episode.

        Raises:
            StoreError: something of it is damaged or missing.
        """
        self.task_text(episode.id)
        self.events(episode.id)
        last = 0
        for batch in self.step_batches(episode.id):
            last = batch[-1][0]
        # One that is being played may have gone on since.
        steps = episode.steps or 0
        if last < steps or (episode.finished and last > steps):
            raise damaged_episode(self.path, episode.id, f"its steps after step {last} are missing")

    def require_all_whole(self) -> None:
        """Read all of the file, each episode with its task, steps and events.

        Raises:
            StoreError: something is damaged or missing; the sentence is about the first that was found.
        """
        damaged = self.survey(closely=True).damaged
        if damaged:
            raise Damaged(damaged[0])

    def _without_index(self, ids: list[str]) -> list[str]:
        """Those episodes that the index of ids has lost, so that neither their steps nor their events can be found."""
        known: set[Any] = set()
        for start in range(0, len(ids), _SOME):
            some = ids[start : start + _SOME]
            marks = ", ".join("?" * len(some))
            known |= {id for (id,) in self._rows(f"SELECT id FROM episodes WHERE id IN ({marks})", tuple(some))}
        return [id for id in ids if id not in known]

    def _listed(self, limit: int | None, offset: int) -> list[tuple[Any, ...]]:
        return self._rows(
            f"{self._episode_rows} ORDER BY e.number DESC LIMIT ? OFFSET ?", (-1 if limit is None else limit, offset)
        )

    def _rescued(self, problem: Damaged) -> tuple[list[tuple[Any, ...]], list[str]]:
        """The rows of episodes, newest first, that a file still gives which cannot be read as a whole."""
        numbers: set[int] = set()
        rows, damaged = [], []
        known = True
        with closing(connect_to_read(self.path)) as connection:
            # From both ends, each as far as it goes.
            for order in ("ASC", "DESC"):
                try:
                    for row in connection.execute(f"SELECT number FROM episodes ORDER BY number {order}"):
                        numbers.add(row[0])
                except FAULTS:
                    known = False
            for number in sorted(numbers, reverse=True):
                try:
                    rows += connection.execute(f"{self._episode_rows} WHERE e.number = ?", (number,)).fetchall()
                except FAULTS as wrong:
                    damaged.append(str(self._fault_of("number", number, wrong)))
        # Where each episode that cannot be read is named, nothing is left to say of the file.
        return rows, damaged if known and damaged else [str(problem), *damaged]

    def _fault_of(self, key: str, value: str | int, problem: Exception) -> StoreError:
        """The sentence for an episode whose row, or last step, cannot be read; it is found by its number or its id."""
        with suppress(*FAULTS), closing(connect_to_read(self.path)) as connection:
            for (id,) in connection.execute(f"SELECT id FROM episodes WHERE {key} = ?", (value,)):
                return unreadable_part(self.path, id, _unreadable_part(connection, key, value), problem)
        fault = unreadable(self.path, problem)
        return Damaged(f"episode {key} {value} in {self.path}: {fault}") if isinstance(fault, Damaged) else fault

    def episode(self, id: str) -> Episode:
        """The episode of an id.

        Raises:
            KeyError: there is none.
        """
        try:
            rows = self._asked(f"{self._episode_rows} WHERE e.id = ?", (id,))
        except FAULTS as problem:
            raise self._fault_of("id", id, problem) from None
        if not rows:
            raise KeyError(f"there is no episode {id}")
        return episode_of(rows[0], self.path)

    def episodes_of(self, participant: str, task_hash: str) -> list[Episode]:
        """The episodes of a participant in one task, oldest first."""
        where = "WHERE e.participant = ? AND e.task_hash = ? ORDER BY e.number"
        rows = self._rows(f"{self._episode_rows} {where}", (participant, task_hash))
        return [episode_of(row, self.path) for row in rows]

    def find(self, beginning: str) -> Episode:
        """The episode whose name begins so, or the newest one for `last`; a sentence where that is none or several."""
        if beginning == "last":
            newest = self.episodes(1)
            if not newest:
                raise KeyError("there are no episodes yet")
            if self._without_index([newest[0].id]):
                raise damaged_episode(self.path, newest[0].id, _NOT_IN_INDEX)
            return newest[0]
        # substr instead of LIKE: no letter has a second meaning.
        found = self._rows("SELECT id FROM episodes WHERE substr(id, 1, ?) = ? LIMIT 4", (len(beginning), beginning))
        if not found or not beginning:
            raise KeyError(f"there is no episode {beginning!r}")
        names = [str(row[0]) for row in found]
        if beginning in names:
            return self.episode(beginning)
        if len(names) > 1:
            raise KeyError(f"several episodes begin with {beginning!r}: {', '.join(names)}")
        return self.episode(names[0])

    def task_text(self, id: str) -> str:
        """The task of an episode, as YAML."""
        question = "SELECT task_hash, text FROM episodes LEFT JOIN tasks ON hash = task_hash WHERE id = ?"
        rows = self._rows(question, (id,))
        if not rows:
            raise KeyError(f"there is no episode {id}")
        task_hash, text = rows[0]
        if text is None:
            raise damaged_episode(self.path, id, "its task is missing")
        if not isinstance(text, str) or hash_of(text) != task_hash:
            raise damaged_episode(self.path, id, "its task is not the one that was recorded")
        return text

    def task(self, episode: Episode) -> Task | None:
        """The task of an episode; None where this version of Puzzlebox cannot read it."""
        if episode.task_hash not in self._tasks:
            rows = self._rows("SELECT text FROM tasks WHERE hash = ?", (episode.task_hash,))
            wing = _wing_of(episode)
            self._tasks[episode.task_hash] = wing.read(str(rows[0][0])) if rows and wing else None
        return self._tasks[episode.task_hash]

    def record(self, id: str) -> Any:
        """All that is needed to play an episode again, as its wing has it."""
        episode = self.episode(id)
        text = self.task_text(id)
        try:
            wing = wing_named(episode.wing)
        except ValueError as problem:
            raise StoreError(f"episode {id} cannot be played again: {problem}") from None
        if self.task(episode) is None:
            raise StoreError(f"the task of episode {id} cannot be read by this version of Puzzlebox")
        rows = self._rows_of(id, "steps", _OF_EPISODE.format("step, actions"))
        try:
            fields = episode.rules_fields
            period = wing.rules(fields).decision_period
            actions = actions_of(rows, period, episode.steps if episode.finished else None)
            return wing.record(text, episode.arena, episode.seed or 0, fields, actions)
        except (ValueError, TypeError) as problem:
            raise damaged_episode(self.path, id, str(problem)) from None

    def steps(self, id: str) -> dict[str, list[Any]]:
        """The steps of an episode as columns: what every wing has, and the measures of its own."""
        rows = [row for batch in self.step_batches(id) for row in batch]
        columns = {name: [row[place] for row in rows] for place, name in enumerate(STEP_COLUMNS[:-1])}
        others = [json.loads(row[-1]) if row[-1] else {} for row in rows]
        for name in dict.fromkeys(name for each in others for name in each):
            columns[name] = [each.get(name) for each in others]
        return columns

    def step_batches(self, id: str) -> Iterator[list[tuple[Any, ...]]]:
        """The steps of an episode, some thousand rows at a time."""
        episode = self.episode(id)
        check = StepCheck(_wing_of(episode), episode.decision_period or 1)
        try:
            with closing(connect_to_read(self.path)) as connection:
                cursor = connection.execute(self._step_rows, (id,))
                while rows := cursor.fetchmany(_BATCH):
                    check.see(rows)
                    yield rows
        except FAULTS as problem:
            raise unreadable_part(self.path, id, "steps", problem) from None
        except ValueError as problem:
            raise damaged_episode(self.path, id, str(problem)) from None

    def events(self, id: str) -> list[dict[str, Any]]:
        """What happened in an episode."""
        names = ("kind", "step", "thing", "name", "animal", "details")
        rows = self._rows_of(
            id,
            "events",
            f"SELECT {', '.join(names)} FROM events WHERE episode = (SELECT number FROM episodes WHERE id = ?) "
            "ORDER BY number",
        )
        try:
            return [event_of(dict(zip(names, row, strict=True))) for row in rows]
        except ValueError as problem:
            raise damaged_episode(self.path, id, str(problem)) from None


def _unreadable_part(connection: sqlite3.Connection, key: str, value: str | int) -> str:
    """What of an episode cannot be read: a column of its row, or its steps."""
    for name in [row[1] for row in connection.execute("PRAGMA table_info(episodes)")]:
        try:
            connection.execute(f"SELECT {name} FROM episodes WHERE {key} = ?", (value,)).fetchall()
        except FAULTS:
            return f"`{name}`"
    return "steps"


def _wing_of(episode: Episode) -> Wing | None:
    """The wing an episode was played in; None where it is not installed."""
    try:
        return wing_named(episode.wing)
    except ValueError:
        return None
