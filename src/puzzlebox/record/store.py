"""The store: episodes of participants and agents in one file, written while they are played."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
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
    orphans,
    unreadable,
    unreadable_part,
)
from puzzlebox.record.database import (
    FAULTS,
    WITH_BREAKS,
    WITH_CHECKSUMS,
    WITH_ERRORS,
    WITH_PARTICIPANTS,
    WITH_WINGS,
    StoreError,
    check_whole,
    connect_to_read,
    default_store_path,
    prepare,
)
from puzzlebox.record.digest import difference
from puzzlebox.record.entries import Breaks, End, Start, Step, hash_of
from puzzlebox.record.episode import Episode
from puzzlebox.record.owners import Owners
from puzzlebox.record.rescue import fault_of, is_deleted, readable_rows
from puzzlebox.record.writer import MEASURES, CannotWrite, EpisodeFault, Listener, Writer
from puzzlebox.wings import Task, Wing, find_wing, wing_named

# The columns of the steps of an episode, in order.
STEP_COLUMNS = ("step", "actions", "view", "flags", "time_ms", "reward", "total", *MEASURES, "more")
# The columns `EPISODE_ROW`, in order; the length and return of an episode in progress are those of its last step.
_EPISODE = """SELECT e.id, e.task_hash, e.task, e.title, e.arena, e.seed, e.rules, e.player, e.agent, e.started,
  e.decision_period, coalesce(e.end_step, l.step, 0), coalesce(e.total, l.total, 0.0), e.passed, e.ended_by,
  {participant}, {hidden_ms}, {paused_ms}, {wing}, {step_seconds}, {error}
FROM episodes e LEFT JOIN steps l ON l.episode = e.number AND e.ended_by IS NULL
  AND l.step = (SELECT max(step) FROM steps WHERE episode = e.number)"""
# The first format that has each column, and the value used for it in older ones.
_ADDED_COLUMNS = {
    "participant": (WITH_PARTICIPANTS, "NULL"),
    "hidden_ms": (WITH_BREAKS, "NULL"),
    "paused_ms": (WITH_BREAKS, "NULL"),
    "wing": (WITH_WINGS, "'arena'"),
    "step_seconds": (WITH_WINGS, "0.02"),
    "error": (WITH_ERRORS, "NULL"),
}
_STEPS_OF_EPISODE = "SELECT {} FROM steps WHERE episode = (SELECT number FROM episodes WHERE id = ?) ORDER BY step"
# Rows of steps that are read at a time.
_BATCH = 4096
_NOT_IN_INDEX = "it cannot be found by its id"
# Ids in one query.
_IDS_PER_QUERY = 500
# Seconds for which a failing write is retried before `flush` and `close` raise.
RETRY_SECONDS = 60.0


class PlayedElsewhere(StoreError):
    """Another program is recording this episode."""

    def __init__(self) -> None:
        super().__init__(
            "this episode is being played at another Puzzlebox server; continue there, or stop that server first"
        )


class NoEpisode(KeyError):
    """The file holds no episode with an id, perhaps because it was deleted a moment ago."""

    def __init__(self, id: str) -> None:
        super().__init__(f"there is no episode {id}")


class Store:
    """Recordings of episodes in one file.

    `begin`, `step` and `end` may be called from any thread and return at once; a thread of the store writes. Readers
    see only committed entries, which are also those that listeners are notified of. Other programs may have the same
    file open, but each episode is recorded by one program at a time. Writes that fail are retried until they succeed.

    Args:
        path: the file; it is created if it does not exist. Default: `default_store_path()`.
        retry_seconds: how long a failing write is retried before `flush` and `close` raise its error.
    """

    def __init__(self, path: str | Path | None = None, *, retry_seconds: float = RETRY_SECONDS) -> None:
        self.path = default_store_path() if path is None else Path(path)
        self._retry_seconds = retry_seconds
        self._owners = Owners(self.path)
        # A read-only file may have an older format, without the newer columns.
        file_format = prepare(self.path)
        self._episode_query = _EPISODE.format(
            **{
                name: f"e.{name}" if file_format >= first else default
                for name, (first, default) in _ADDED_COLUMNS.items()
            }
        )
        columns = [name if file_format >= WITH_WINGS or name != "more" else "NULL" for name in STEP_COLUMNS]
        self._step_query = _STEPS_OF_EPISODE.format(", ".join(columns))
        self._has_checksums = file_format >= WITH_CHECKSUMS
        self._listeners: list[Listener] = []
        self._writer: Writer | None = None
        self._lock = threading.Lock()
        # The last step of each episode that was recorded here; None: the episode is over.
        self._last_steps: dict[str, int | None] = {}
        self._tasks: dict[str, Task | None] = {}
        # Finished episodes whose every row was read and checked.
        self._checked: set[str] = set()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- writing

    @property
    def error(self) -> CannotWrite | None:
        """Why nothing can be written at the moment; None while writing succeeds."""
        return None if self._writer is None else self._writer.error

    def check_writable(self) -> None:
        """Check that the file can be written, by a write that changes nothing.

        Raises:
            StoreError: nothing can be written at the moment; when that changes, listeners are called.
        """
        with self._lock:
            writer = self._open_writer()
        writer.check_writable()

    def claim(self, id: str) -> None:
        """Lock an episode, so that no other program records it, until it ends or `release` or `close` is called.

        Raises:
            PlayedElsewhere: another program is recording it.
        """
        if not self._owners.claim(id):
            raise PlayedElsewhere

    def release(self, id: str) -> None:
        """Unlock an episode, so that another program can resume it, unless entries of it are still to be written."""
        with self._lock:
            if not self.waiting(id):
                self._last_steps.pop(id, None)
                self._owners.release(id)

    def fault(self, id: str) -> EpisodeFault | None:
        """Return why this store cannot record an episode any further; None if it can."""
        return None if self._writer is None else self._writer.fault(id)

    def waiting(self, id: str) -> int:
        """Return the number of entries of an episode that are not in the file yet."""
        return 0 if self._writer is None else self._writer.waiting(id)

    def begin(self, start: Start) -> None:
        """Record the start of an episode."""
        with self._lock:
            if start.id in self._last_steps or self.knows(start.id):
                raise ValueError(f"there is already an episode {start.id}")
            self.claim(start.id)
            self._write(start.id, start)
            self._last_steps[start.id] = -1

    def step(self, id: str, step: Step) -> None:
        """Record a step; an episode whose recording was interrupted can be resumed after its last step."""
        with self._lock:
            last = self._last_step(id)
            if step.step <= last:
                raise ValueError(f"episode {id} is already recorded up to step {last}; {step.step} is not after it")
            self._write(id, step)
            self._last_steps[id] = step.step

    def breaks(self, id: str, breaks: Breaks) -> None:
        """Record for how long an episode in progress has been stopped so far."""
        with self._lock:
            self._last_step(id)
            self._write(id, breaks)

    def end(self, id: str, end: End) -> None:
        """Record the end of an episode."""
        with self._lock:
            self._last_step(id)
            self._write(id, end)
            self._last_steps[id] = None

    def listen(self, callback: Listener) -> Callable[[], None]:
        """Have a function called after each transaction with the last step in the file of each episode it changed.

        The writing thread calls it. It is also called, with no episodes, when writing begins to fail, and when it
        succeeds again.

        Returns:
            A function that removes the listener.
        """
        self._listeners.append(callback)
        return lambda: self._listeners.remove(callback)

    def flush(self, retry_seconds: float | None = None) -> None:
        """Wait until all entries so far are in the file.

        Args:
            retry_seconds: how long a failing write is retried before its error is raised; 0 raises at once. Default:
                that of the store.
        """
        if self._writer is not None:
            self._writer.flush(self._retry_seconds if retry_seconds is None else retry_seconds)

    def close(self, retry_seconds: float | None = None) -> None:
        """Write all remaining entries and close the store for recording.

        Args:
            retry_seconds: how long a failing write is retried before its error is raised. Default: that of the store.
        """
        with self._lock:
            writer = self._writer
        try:
            if writer is not None:
                writer.close(self._retry_seconds if retry_seconds is None else retry_seconds)
        finally:
            self._owners.close()

    def _open_writer(self) -> Writer:
        if self._writer is None:
            self._writer = Writer(self.path, self._listeners, self._release_all)
        return self._writer

    def _write(self, id: str, row: Start | Step | Breaks | End) -> None:
        self._open_writer().put(id, row)

    def _release_all(self, ids: Iterable[str]) -> None:
        for id in ids:
            self._owners.release(id)

    def _last_step(self, id: str) -> int:
        """Return the last recorded step of an episode, and lock it; refuse one that is over."""
        if id not in self._last_steps:
            episode = self.episode(id)
            if not episode.finished:
                self.claim(id)
                episode = self.episode(id)  # read again: its last owner may have recorded more steps before the lock
            # Whether step 0 was recorded is unknown; it is not recorded a second time.
            self._last_steps[id] = None if episode.finished else episode.steps
        last = self._last_steps[id]
        if last is None:
            raise ValueError(f"episode {id} is over; nothing more can be recorded of it")
        return last

    # --- reading

    def _rows(self, query: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._select(query, values)
        except FAULTS as problem:
            raise unreadable(self.path, problem) from None

    def _rows_of(self, id: str, part: str, query: str) -> list[tuple[Any, ...]]:
        """Return rows of the steps or events of an episode; errors name the episode."""
        try:
            return self._select(query, (id,))
        except FAULTS as problem:
            raise unreadable_part(self.path, id, part, problem) from None

    def _select(self, query: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        with closing(connect_to_read(self.path)) as connection:
            return connection.execute(query, values).fetchall()

    def check(self) -> None:
        """Have SQLite check every page of the file.

        Raises:
            StoreError: it is damaged, or cannot be read.
        """
        try:
            with closing(connect_to_read(self.path)) as connection:
                check_whole(connection, quick=True)
        except FAULTS as problem:
            raise unreadable(self.path, problem) from None

    def knows(self, id: str) -> bool:
        """Return whether the file holds an episode with this id."""
        return bool(self._rows("SELECT 1 FROM episodes WHERE id = ?", (id,)))

    def count(self) -> int:
        """Return the number of episodes."""
        return int(self._rows("SELECT count(*) FROM episodes")[0][0])

    def count_steps(self) -> int:
        """Return the number of steps of all episodes together."""
        return int(self._rows("SELECT count(*) FROM steps")[0][0])

    def episodes(self, limit: int | None = None, offset: int = 0) -> list[Episode]:
        """Return the episodes, newest first.

        Raises:
            StoreError: one of them is damaged; `survey` returns the others.
        """
        return [episode_of(row, self.path) for row in self._newest(limit, offset)]

    def survey(self, limit: int | None = None, offset: int = 0, *, closely: bool = False) -> Survey:
        """Return the episodes that can be read, newest first, and a sentence about each damaged one.

        Args:
            limit: the number of episodes at most. Default: all.
            offset: the number of episodes to skip.
            closely: also check the steps and events of each episode. Those of a finished one are checked only once.
        """
        readable: list[Episode] = []
        damaged: list[str] = []
        try:
            rows = self._newest(limit, offset)
        except Damaged as problem:
            rows, damaged = readable_rows(self.path, self._episode_query, problem)
            rows = rows[offset:] if limit is None else rows[offset : offset + limit]
        for row in rows:
            try:
                readable.append(episode_of(row, self.path))
            except Damaged as problem:
                damaged.append(str(problem))
        if limit is None:
            damaged += self._orphans()
        lost = self._without_index([each.id for each in readable])
        # Those that were deleted since the rows were read are simply left out.
        in_table = [id for id in lost if not is_deleted(self.path, id)]
        damaged += [str(damaged_episode(self.path, id, _NOT_IN_INDEX)) for id in in_table]
        readable = [each for each in readable if each.id not in lost]
        return self._check_closely(readable, damaged) if closely else Survey(readable, damaged)

    def _orphans(self) -> list[str]:
        """Return a sentence if there are steps or events of episodes whose own row is missing."""
        try:
            with closing(connect_to_read(self.path)) as connection:
                return orphans(connection, self.path)
        except FAULTS as problem:
            return [str(unreadable(self.path, problem))]

    def _check_closely(self, episodes: list[Episode], damaged: list[str]) -> Survey:
        whole = []
        for each in episodes:
            try:
                if each.id not in self._checked:
                    self.require_whole(each)
            except NoEpisode:
                continue
            except Damaged as problem:
                damaged.append(str(problem))
                continue
            whole.append(each)
            if each.finished:
                self._checked.add(each.id)
        return Survey(whole, damaged)

    def require_whole(self, episode: Episode) -> None:
        """Check the task, all steps and all events of an episode by reading them.

        Raises:
            NoEpisode: it was deleted meanwhile.
            StoreError: a part of it is damaged or missing.
        """
        with self._unless_deleted(episode.id):
            self._read_whole(episode)

    @contextmanager
    def _unless_deleted(self, id: str) -> Iterator[None]:
        """Raise `NoEpisode` instead of another error if an episode was deleted between two queries."""
        try:
            yield
        except (StoreError, NoEpisode) as problem:
            if is_deleted(self.path, id):
                raise NoEpisode(id) from None
            if isinstance(problem, NoEpisode):
                raise damaged_episode(self.path, id, _NOT_IN_INDEX) from None
            raise

    def _read_whole(self, episode: Episode) -> None:
        self.task_text(episode.id)
        self.events(episode.id)
        last = 0
        for batch in self.step_batches(episode.id):
            last = batch[-1][0]
        # An episode in progress may have more steps by now.
        steps = episode.steps or 0
        if last < steps:
            raise damaged_episode(self.path, episode.id, f"its steps after step {last} are missing")
        if episode.finished and last > steps:
            raise damaged_episode(self.path, episode.id, f"it has steps after its end at step {steps}")
        self._require_unchanged(episode.id)

    def _require_unchanged(self, id: str) -> None:
        """Compare an ended episode with its checksum."""
        try:
            with closing(connect_to_read(self.path)) as connection:
                fault = difference(connection, id) if self._has_checksums else ""
        except FAULTS as problem:
            raise unreadable_part(self.path, id, "row", problem) from None
        if fault:
            raise damaged_episode(self.path, id, fault)

    def require_all_whole(self) -> None:
        """Check all episodes of the file, each with its task, steps and events, by reading them.

        Raises:
            StoreError: a part is damaged or missing; the message is about the first one.
        """
        damaged = self.survey(closely=True).damaged
        if damaged:
            raise Damaged(damaged[0])

    def _without_index(self, ids: list[str]) -> list[str]:
        """Return those ids that are missing in the index of ids, so that steps and events cannot be found by them."""
        indexed: set[Any] = set()
        for start in range(0, len(ids), _IDS_PER_QUERY):
            batch = ids[start : start + _IDS_PER_QUERY]
            marks = ", ".join("?" * len(batch))
            indexed |= {id for (id,) in self._rows(f"SELECT id FROM episodes WHERE id IN ({marks})", tuple(batch))}
        return [id for id in ids if id not in indexed]

    def _newest(self, limit: int | None, offset: int) -> list[tuple[Any, ...]]:
        return self._rows(
            f"{self._episode_query} ORDER BY e.number DESC LIMIT ? OFFSET ?", (-1 if limit is None else limit, offset)
        )

    def episode(self, id: str) -> Episode:
        """Return the episode with an id.

        Raises:
            NoEpisode: there is none.
        """
        try:
            rows = self._select(f"{self._episode_query} WHERE e.id = ?", (id,))
        except FAULTS as problem:
            raise fault_of(self.path, "id", id, problem) from None
        if not rows:
            raise NoEpisode(id)
        return episode_of(rows[0], self.path)

    def episodes_of(self, participant: str, task_hash: str) -> list[Episode]:
        """Return the episodes of a participant in one task, oldest first."""
        where = "WHERE e.participant = ? AND e.task_hash = ? ORDER BY e.number"
        rows = self._rows(f"{self._episode_query} {where}", (participant, task_hash))
        return [episode_of(row, self.path) for row in rows]

    def find(self, beginning: str) -> Episode:
        """Return the episode whose id begins with some characters, or the newest one for `last`.

        Raises:
            KeyError: no episode, or more than one, matches; the message says which.
        """
        if beginning == "last":
            newest = self.episodes(1)
            if not newest:
                raise KeyError("there are no episodes yet")
            with self._unless_deleted(newest[0].id):
                return self.episode(newest[0].id)
        # `substr` and not `LIKE`, in which _ and % match other characters.
        rows = self._rows("SELECT id FROM episodes WHERE substr(id, 1, ?) = ? LIMIT 4", (len(beginning), beginning))
        if not rows or not beginning:
            raise KeyError(f"there is no episode {beginning!r}")
        ids = [str(row[0]) for row in rows]
        if beginning in ids:
            return self.episode(beginning)
        if len(ids) > 1:
            raise KeyError(f"several episodes begin with {beginning!r}: {', '.join(ids)}")
        return self.episode(ids[0])

    def task_text(self, id: str) -> str:
        """Return the text of the task of an episode; in the arena, YAML."""
        query = "SELECT task_hash, text FROM episodes LEFT JOIN tasks ON hash = task_hash WHERE id = ?"
        rows = self._rows(query, (id,))
        if not rows:
            raise NoEpisode(id)
        task_hash, text = rows[0]
        if text is None:
            raise damaged_episode(self.path, id, "its task is missing")
        if not isinstance(text, str) or hash_of(text) != task_hash:
            raise damaged_episode(self.path, id, "its task is not the one that was recorded")
        return text

    def task(self, episode: Episode) -> Task | None:
        """Return the task of an episode; None if this version of Puzzlebox cannot read it."""
        if episode.task_hash not in self._tasks:
            rows = self._rows("SELECT text FROM tasks WHERE hash = ?", (episode.task_hash,))
            if not rows:  # deleted with the last episode of it; it may be recorded again
                return None
            wing = find_wing(episode.wing)
            self._tasks[episode.task_hash] = wing.read(str(rows[0][0])) if wing else None
        return self._tasks[episode.task_hash]

    def wing_of(self, episode: Episode) -> Wing:
        """Return the wing that an episode was played in.

        Raises:
            StoreError: the wing is not installed.
        """
        try:
            return wing_named(episode.wing)
        except ValueError as problem:
            raise StoreError(
                f"the episode {episode.id} in {self.path} cannot be used here: {problem}; install the package with it"
            ) from None

    def record(self, id: str) -> Any:
        """Return the record of an episode, from which its wing plays it again.

        Raises:
            NoEpisode: there is no such episode.
            StoreError: the episode is damaged, or its wing or its task is unknown to this version.
        """
        episode = self.episode(id)
        with self._unless_deleted(id):
            return self._record(episode, self.task_text(id))

    def _record(self, episode: Episode, text: str) -> Any:
        id, wing = episode.id, self.wing_of(episode)
        if self.task(episode) is None:
            raise StoreError(f"the task of episode {id} cannot be read by this version of Puzzlebox")
        rows = self._rows_of(id, "steps", _STEPS_OF_EPISODE.format("step, actions"))
        try:
            fields = episode.rules_fields
            period = wing.rules(fields).decision_period
            actions = actions_of(rows, period, episode.steps if episode.finished else None)
            record = wing.record(text, episode.arena, episode.seed or 0, fields, actions)
        except (ValueError, TypeError) as problem:
            raise damaged_episode(self.path, id, str(problem)) from None
        self._require_unchanged(id)
        return record

    def steps(self, id: str) -> dict[str, list[Any]]:
        """Return the steps of an episode as columns: those of all wings, and further measures of its own wing."""
        rows = [row for batch in self.step_batches(id) for row in batch]
        columns = {name: [row[index] for row in rows] for index, name in enumerate(STEP_COLUMNS[:-1])}
        others = [json.loads(row[-1]) if row[-1] else {} for row in rows]
        for name in dict.fromkeys(name for each in others for name in each):
            columns[name] = [each.get(name) for each in others]
        return columns

    def step_batches(self, id: str) -> Iterator[list[tuple[Any, ...]]]:
        """Yield the steps of an episode, 4096 rows at a time."""
        episode = self.episode(id)
        check = StepCheck(find_wing(episode.wing), episode.decision_period or 1)
        try:
            with closing(connect_to_read(self.path)) as connection:
                cursor = connection.execute(self._step_query, (id,))
                rows = cursor.fetchmany(_BATCH)
                if not rows:
                    self.episode(id)  # it may have been deleted since the first query
                while rows:
                    check.check(rows)
                    yield rows
                    rows = cursor.fetchmany(_BATCH)
        except FAULTS as problem:
            raise unreadable_part(self.path, id, "steps", problem) from None
        except ValueError as problem:
            raise damaged_episode(self.path, id, str(problem)) from None

    def events(self, id: str) -> list[dict[str, Any]]:
        """Return the events of an episode."""
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
