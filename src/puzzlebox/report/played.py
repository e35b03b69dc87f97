"""An episode as a report sees it, and all of them together."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.record.episode import Episode

# Who comes first in tables and figures, so that reports look alike; others follow as they come, and people are last.
_FIRST = ("random", "heuristic", "heuristic-paper")
_PEOPLE = ("children",)  # as published tables call them, without ids


@dataclass(frozen=True)
class Played(Episode):
    """An episode as a report sees it; texts that nobody knows are empty.

    Attributes:
        person: whether a person played it, whatever people are called in this report.
        time_limit: of the task, where the table says it.
        last_arena: the position of the last arena that merges into the same episode; None where nobody knows.
        whole_time: whether `latency` is the whole time of the episode, because the table does not have it.
    """

    # In a report they are never None.
    agent: str = ""
    participant: str = ""
    ended_by: str = ""
    trajectory: str = ""
    error: str = ""
    person: bool = False
    time_limit: float | None = None
    last_arena: int | None = None
    whole_time: bool = False

    @classmethod
    def of(cls, episode: Episode, place: Path) -> "Played":
        """An episode of a run or of recordings, whose trajectory lies beside `place`."""
        values = {each.name: getattr(episode, each.name) for each in fields(Episode)}
        texts = {name: values[name] or "" for name in ("agent", "participant", "ended_by", "error")}
        where = f"{place}|{episode.trajectory}" if episode.trajectory else ""
        return cls(**values | texts | {"trajectory": where, "person": episode.by_person})


class Remark(str):
    """A sentence about what was read and what was left out.

    Args:
        text: the sentence, with files and hints, for the page and the terminal.
        methods: the same for a paper, without them; "" where readers of a paper need not know.
    """

    methods: str

    def __new__(cls, text: str, methods: str | None = None) -> "Remark":
        """A sentence; left out, `methods` is the same one."""
        made = super().__new__(cls, text)
        made.methods = text if methods is None else methods
        return made


@dataclass(frozen=True)
class Source:
    """Where episodes came from.

    Attributes:
        name: as the rows call it.
        path: the folder or file.
        settings: what `run.json` says; empty for anything else.
        kind: "run", "recordings" or "table".
        scheduled: how many episodes a run was to have; 0 where nobody knows.
        missing: how many of those were not played, or are lost.
        damaged: what of it is damaged or missing, and what was read instead, in sentences.
    """

    name: str
    path: Path
    kind: str
    settings: dict[str, Any] = field(default_factory=dict)
    scheduled: int = 0
    missing: int = 0
    damaged: tuple[str, ...] = ()


@dataclass(frozen=True)
class Results:
    """Everything a report is made of.

    Attributes:
        rows: the episodes that count.
        broken: those that failed for a technical reason, which count nowhere.
        sources: where they came from.
        remarks: what was left out, in sentences; a `Remark` has another one for the methods.
    """

    rows: list[Played]
    broken: list[Played]
    sources: list[Source]
    remarks: list[str]

    @property
    def agents(self) -> list[str]:
        """Who played, in the order of the report."""
        return agents_of(self.rows)

    @property
    def tasks(self) -> list[str]:
        """The tasks, by level and then by name."""
        order = {level: place for place, level in enumerate(levels_of(self.rows))}
        return [
            task
            for task, _ in sorted(
                dict.fromkeys((row.task, row.level) for row in self.rows),
                key=lambda each: (order.get(each[1], -1), each[0]),
            )
        ]

    @property
    def levels(self) -> list[str]:
        """The levels, lowest first; none where no task has one."""
        return levels_of(self.rows)


def agents_of(rows: Iterable[Played]) -> list[str]:
    """Who played, in the order of a report."""
    names = {row.agent: row.person or row.agent in _PEOPLE for row in rows}
    first = [name for name in _FIRST if name in names]
    return [*first, *sorted((name for name in names if name not in first), key=lambda name: names[name])]


def participants_of(rows: Iterable[Played]) -> list[str]:
    """The people whose ids are known, as in the alphabet."""
    return sorted({row.participant for row in rows} - {""})


def levels_of(rows: Iterable[Played]) -> list[str]:
    """Levels in their order: numbers by size, words as in the alphabet."""
    levels = {row.level for row in rows} - {""}
    return sorted(levels, key=lambda level: (not level.isdecimal(), int(level) if level.isdecimal() else 0, level))


def grouped(rows: Iterable[Played], key: Callable[[Played], Any]) -> dict[Any, list[Played]]:
    """Rows that have something in common, in the order they come."""
    groups: dict[Any, list[Played]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def returns(rows: Iterable[Played]) -> NDArray[np.float64]:
    """The returns of some episodes."""
    return np.array([row.total for row in rows], float)


def passes(rows: Iterable[Played]) -> tuple[int, int]:
    """How many passed, of how many of which that is known."""
    known = [row.passed for row in rows if row.passed is not None]
    return sum(known), len(known)
