"""The units of evidence: what counts as one observation when a report makes a statement about tasks or people.

Episodes are never the unit. Twenty episodes of one task say much about that task and little about tasks like it, and
forty episodes of one child are those of one child. A statement is therefore about the tasks (variants of a task are
part of it), the participants, or the training runs, and episodes only make the value of each of them more precise.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from puzzlebox.report.episodes import ReportEpisode, grouped
from puzzlebox.report.repeats import conditions_of, doubled_episodes, repeated_episodes
from puzzlebox.report.time_outs import timed_out
from puzzlebox.stats.proportions import FEWEST_UNITS as FEWEST_UNITS

# What plays several times and counts as one: `auto` is a participant, or a run of an agent that has several; `run`
# makes each run of an agent a training run; `none` tells neither participants nor runs apart.
Subject = Literal["auto", "participant", "run", "none"]
# Decimals to which returns are rounded: beyond, sums of thousands of rewards differ although outcomes are equal.
DECIMALS = 9
# Arenas that an agent must have played repeatedly, always with the same return, to be taken for deterministic.
_FEWEST_ALIKE = 3


def family_of(row: ReportEpisode) -> str:
    """Return the name of an episode's task without its variant: `03-12` for `03-12-01`, `maze` for `maze@17`."""
    return _family(row.task, row.variant)


@cache
def _family(task: str, variant: str) -> str:
    place = max(task.rfind("@"), task.rfind("-"))
    if not variant or place <= 0:
        return task
    name, end = task[:place], task[place + 1 :]
    # A table may have the variant as a number: 1 for `03-12-01`.
    same = end == variant or (end.isdecimal() and variant.isdecimal() and int(end) == int(variant))
    return name if same else task


@dataclass(frozen=True)
class Units:
    """The units of some episodes.

    Attributes:
        rows: the episodes, one of each set of identical ones.
        repeated: how many further episodes of each agent are identical to one of `rows`, with other seeds.
        doubled: how many further episodes of each agent were read more than once.
        kind: what counts as one participant or run.
        left_out: the ids (of Python) of the episodes that are identical to one of `rows`.
        alike: the ids (of Python) of those of `rows` that others are identical to.
        repetitions: the episodes that are identical to one of `rows`, with other seeds.
    """

    rows: Sequence[ReportEpisode]
    repeated: dict[str, int]
    doubled: dict[str, int] = field(default_factory=dict)
    kind: Subject = "auto"
    left_out: frozenset[int] = frozenset()
    alike: frozenset[int] = frozenset()
    repetitions: Sequence[ReportEpisode] = ()

    @classmethod
    def of(cls, rows: Sequence[ReportEpisode], kind: Subject = "auto") -> "Units":
        """Find the units of some episodes; identical episodes of an agent count once."""
        copies = doubled_episodes(rows)
        doubled = {id(row) for own in copies for row in own[1:]}
        rows = [row for row in rows if id(row) not in doubled] if doubled else rows
        alike = repeated_episodes(rows)
        found = {id(row) for own in alike for row in own}
        alike += _of_deterministic_agents([row for row in rows if id(row) not in found])
        surplus = {id(row) for own in alike for row in own[1:]}
        kept = [row for row in rows if id(row) not in surplus]
        left_out, firsts = frozenset(surplus | doubled), frozenset(id(own[0]) for own in alike)
        repetitions = [row for own in alike for row in own[1:]]
        return cls(kept, _surplus(alike), _surplus(copies), kind, left_out, firsts, repetitions)

    def counted(self, rows: Iterable[ReportEpisode]) -> list[ReportEpisode]:
        """Return those of some episodes that count: one of each set of identical ones."""
        return [row for row in rows if id(row) not in self.left_out]

    @cached_property
    def weighed(self) -> list[ReportEpisode]:
        """The episodes that models of passing count.

        An agent that is deterministic everywhere counts once in each place. One that is deterministic in some places
        only counts with all its episodes: otherwise these places would weigh less in a model than others.
        """
        varied = {row.agent for row in self.rows if id(row) not in self.alike}
        again = [row for row in self.repetitions if row.agent in varied]
        return [*self.rows, *again]

    def certain(self, row: ReportEpisode) -> bool:
        """Return whether all episodes of its agent in its place were identical to an episode."""
        return id(row) in self.alike

    @cached_property
    def word(self) -> str:
        """What the units are called: "task"; "variant" if a few tasks have enough variants between them."""
        families = {family_of(row) for row in self.rows}
        tasks = {row.task for row in self.rows}
        return "variant" if len(families) < FEWEST_UNITS <= len(tasks) else "task"

    def task(self, row: ReportEpisode) -> str:
        """Return the unit that an episode's task belongs to."""
        return row.task if self.word == "variant" else family_of(row)

    @cached_property
    def tasks(self) -> list[str]:
        """All units of tasks, in order of appearance."""
        return list(dict.fromkeys(map(self.task, self.rows)))

    @cached_property
    def _runs(self) -> dict[str, set[str]]:
        runs: dict[str, set[str]] = {}
        for row in self.rows:
            runs.setdefault(row.agent, set()).add(row.run)
        return runs

    def subject(self, row: ReportEpisode) -> str:
        """Return who played: a participant, or one run of an agent that has several; "" if there is only one."""
        if row.participant and self.kind in ("auto", "participant"):
            return f"participant {row.participant}"
        if row.person or self.kind in ("participant", "none"):
            return ""
        return f"run {row.run}" if self.kind == "run" or len(self._runs[row.agent]) > 1 else ""

    def subjects(self, agent: str) -> list[str]:
        """Return the participants or runs of an agent, in order of appearance; empty if it has only one."""
        own = (row for row in self.rows if row.agent == agent)
        return [each for each in dict.fromkeys(map(self.subject, own)) if each]

    def subject_word(self, agent: str) -> str:
        """Return what the subjects of an agent are called: "participant", "run", or "" without any."""
        return next((each.partition(" ")[0] for each in self.subjects(agent)), "")


def without_ids(units: Units) -> list[str]:
    """Return the sentence about episodes of people whose participant is not known; empty if there are none."""
    if units.kind not in ("auto", "participant"):
        return []
    lines = []
    for agent, own in grouped((row for row in units.rows if row.person), lambda row: row.agent).items():
        nameless = sum(not row.participant for row in own)
        if nameless > 1:
            others = ", beside the participants with ids" if nameless < len(own) else ""
            lines.append(
                f"{nameless:,} episodes of {agent} have no participant id: the people who played them cannot be told "
                f"apart and count as one{others}."
            )
    return lines


def _surplus(alike: Iterable[Sequence[ReportEpisode]]) -> dict[str, int]:
    """Return how many episodes of each agent there are beyond the first of each set."""
    counts: dict[str, int] = {}
    for own in alike:
        counts[own[0].agent] = counts.get(own[0].agent, 0) + len(own) - 1
    return counts


def _of_deterministic_agents(rows: Iterable[ReportEpisode]) -> list[list[ReportEpisode]]:
    """Return sets of equal episodes of agents that never had two returns in the same arena.

    Without steps or actions a single arena proves nothing, and no time-out does: all of them have the same return. An
    agent whose returns never vary, in several arenas in which it did not run out of time, is deterministic, or as good
    as deterministic, in these tasks.
    """
    sets = []
    for own in grouped((row for row in rows if not row.person and not row.participant), lambda row: row.agent).values():
        places = grouped(own, lambda row: (row.task, row.arena, row.rules, row.run, conditions_of(row)))
        several = [place for place in places.values() if len(place) > 1]
        varied = any(
            len({(round(row.total, DECIMALS), row.steps, row.passed) for row in place}) > 1 for place in several
        )
        # An agent that fails in many ways has equal time-outs, too.
        telling = sum(not all(map(timed_out, place)) for place in several)
        if telling >= _FEWEST_ALIKE and not varied:
            sets += several
    return sets


def rounded(values: ArrayLike) -> NDArray[np.float64]:
    """Return values rounded to `DECIMALS`; large ones as they are, since they have fewer decimals than that."""
    array = np.asarray(values, float)
    small = np.abs(array) < 10.0 ** (15 - DECIMALS)
    return np.where(small, np.round(np.where(small, array, 0.0), DECIMALS), array)
