"""The episodes of a report, their sources, and functions that group them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.record.episode import Episode

# Agents that come first in tables and figures of all reports; others follow in order of appearance, participants last.
_FIRST = ("random", "heuristic", "heuristic-paper")
# Digits of a level at most that is a number.
_MOST_DIGITS = 9
# The index of the arena of an episode whose table does not say which of several it was.
UNKNOWN_ARENA = -1
_PEOPLE = ("children",)  # the name of participants in published tables, which have no ids


@dataclass(frozen=True)
class ReportEpisode(Episode):
    """An episode of a report; unknown texts are empty instead of None.

    Attributes:
        person: whether a participant played it, whatever participants are called in this report.
        time_limit: the time limit of the task, if the table has it.
        last_arena: the index of the last arena that merges into the same episode; None if unknown.
        whole_time: whether `latency` is the length of the episode, because the table has no latencies.
        named_only: whether its task is known by its name alone, and the hash is that of another source's task.
    """

    agent: str = ""
    participant: str = ""
    ended_by: str = ""
    trajectory: str = ""
    error: str = ""
    person: bool = False
    time_limit: float | None = None
    last_arena: int | None = None
    whole_time: bool = False
    named_only: bool = False

    @property
    def arena_known(self) -> bool:
        """Whether it is known in which arena of its task it was played."""
        return self.arena != UNKNOWN_ARENA

    @classmethod
    def of(cls, episode: Episode, origin: Path) -> "ReportEpisode":
        """Convert an episode; `origin` is the run or file of recordings that holds its trajectory."""
        values = {each.name: getattr(episode, each.name) for each in fields(Episode)}
        texts = {name: values[name] or "" for name in ("agent", "participant", "ended_by", "error")}
        trajectory = f"{origin}|{episode.trajectory}" if episode.trajectory else ""
        return cls(**values | texts | {"trajectory": trajectory, "person": episode.by_person})


class Remark(str):
    """A sentence about episodes that were excluded, or about how they were read.

    Args:
        text: the sentence, with files and hints, for the page and the terminal.
        methods: the sentence for the methods section, without them; "" to leave it out there. Default: `text`.
    """

    methods: str

    def __new__(cls, text: str, methods: str | None = None) -> "Remark":
        """Create a remark."""
        remark = super().__new__(cls, text)
        remark.methods = text if methods is None else methods
        return remark


class LeftOut(Remark):
    """A sentence about episodes that are left out because they are damaged."""


@dataclass(frozen=True)
class Source:
    """A source of episodes: a run, a file of recordings or a table.

    Attributes:
        name: its name in the column `run`.
        path: the folder or file.
        settings: the contents of `run.json`; empty for other sources.
        kind: "run", "recordings" or "table".
        scheduled: the number of episodes in the schedule of a run; 0 if unknown.
        missing: the number of these episodes that are not there.
        damaged: sentences about damaged or missing files, and about what was read instead.
        lacks_episodes: whether episodes are left out because of that.
        columns: the columns of a table; empty for other sources.
    """

    name: str
    path: Path
    kind: str
    settings: dict[str, Any] = field(default_factory=dict)
    scheduled: int = 0
    missing: int = 0
    damaged: tuple[str, ...] = ()
    lacks_episodes: bool = False
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Results:
    """The data of a report.

    Attributes:
        rows: the episodes that are analysed.
        broken: the episodes that failed for a technical reason, which are excluded.
        sources: the sources of all episodes.
        remarks: sentences about exclusions; a `Remark` has a second version for the methods section.
    """

    rows: list[ReportEpisode]
    broken: list[ReportEpisode]
    sources: list[Source]
    remarks: list[str]

    @property
    def lacks_episodes(self) -> bool:
        """Whether episodes are left out because they are damaged."""
        return any(isinstance(each, LeftOut) for each in self.remarks) or any(
            each.lacks_episodes for each in self.sources
        )

    @property
    def agents(self) -> list[str]:
        """The agents and groups of participants, in the order of the report."""
        return agents_of(self.rows)

    @property
    def names(self) -> set[str]:
        """The names of all agents, tasks and levels."""
        return {name for row in self.rows for name in (row.agent, row.task, row.level)}

    @property
    def tasks(self) -> list[str]:
        """The tasks, by level and then by name."""
        order = {level: index for index, level in enumerate(levels_of(self.rows))}
        places: dict[str, int] = {}
        for row in self.rows:
            places[row.task] = max(places.get(row.task, -1), order.get(row.level, -1))
        return sorted(places, key=lambda task: (places[task], task))

    @property
    def levels(self) -> list[str]:
        """The levels, lowest first; empty if no task has one."""
        return levels_of(self.rows)


def agents_of(rows: Iterable[ReportEpisode]) -> list[str]:
    """Return the agents and groups of participants of some episodes, in the order of a report."""
    names = {row.agent: row.person or row.agent in _PEOPLE for row in rows}
    first = [name for name in _FIRST if name in names]
    return [*first, *sorted((name for name in names if name not in first), key=lambda name: names[name])]


def participants_of(rows: Iterable[ReportEpisode]) -> list[str]:
    """Return the ids of the participants of some episodes, sorted."""
    return sorted({row.participant for row in rows} - {""})


def levels_of(rows: Iterable[ReportEpisode]) -> list[str]:
    """Return the levels of some episodes: numbers by size, then words in alphabetical order."""
    levels = {row.level for row in rows} - {""}

    def order(level: str) -> tuple[bool, int, str]:
        is_number = level.isdecimal() and len(level) <= _MOST_DIGITS
        return not is_number, int(level) if is_number else 0, level

    return sorted(levels, key=order)


def grouped(rows: Iterable[ReportEpisode], key: Callable[[ReportEpisode], Any]) -> dict[Any, list[ReportEpisode]]:
    """Group episodes by a key, in order of appearance."""
    groups: dict[Any, list[ReportEpisode]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def returns(rows: Iterable[ReportEpisode]) -> NDArray[np.float64]:
    """Return the returns of some episodes as an array."""
    return np.array([row.total for row in rows], float)


def passes(rows: Iterable[ReportEpisode]) -> tuple[int, int]:
    """Return the number of episodes that passed, and of those that passed or failed."""
    decided = [row.passed for row in rows if row.passed is not None]
    return sum(decided), len(decided)
