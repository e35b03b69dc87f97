"""The values that agents are compared by on a task, and whether they come in pairs.

A value belongs to a unit: an episode with its arena and seed; a participant, or one of several runs of an agent, with
the mean of their episodes; or, in a test across tasks, a task. Two agents that played the same units are compared in
pairs, which removes what all agents have in common there: an easy seed is easy for both.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from puzzlebox.report.episodes import ReportEpisode, grouped
from puzzlebox.report.units import FEWEST_UNITS, Units, rounded

Array = NDArray[np.float64]
# The proportion of the units of both agents that must be shared for a test of pairs, which drops the others.
_LEAST_SHARED = 0.5
# The mark of a unit whose seed is unknown, in place of its arena.
_UNKNOWN = "unknown"


@dataclass(frozen=True)
class UnitValues:
    """The values of one agent, by unit.

    Attributes:
        unit: what a unit is: "episode", "participant", "run", "task" or "variant".
        returns: the return of each unit, or its mean return.
        passed: whether a unit was passed; only of units that are one episode.
        again: units that are left out because they are identical to one of `returns`.
    """

    unit: str
    returns: dict[Hashable, float]
    passed: dict[Hashable, bool] = field(default_factory=dict)
    again: frozenset[Hashable] = frozenset()

    @property
    def array(self) -> Array:
        """The returns as an array, rounded."""
        return rounded(list(self.returns.values()))


def of_task(units: Units, rows: Sequence[ReportEpisode], word: str, again: Sequence[ReportEpisode] = ()) -> UnitValues:
    """Return the values of an agent on one task.

    Args:
        units: the units of all episodes.
        rows: the episodes of the agent on the task, each set of identical ones once.
        word: what the subjects of the agent are called; "" if it has none (`Units.subject_word`).
        again: further episodes of the agent on the task, which are identical to one of `rows`.
    """
    if word:
        by_subject = grouped(rows, units.subject)
        return UnitValues(word, {subject: mean_return(own) for subject, own in by_subject.items()})
    by_seed: dict[Hashable, list[ReportEpisode]] = {}
    for index, row in enumerate(rows):
        # An episode whose seed is unknown is a unit of its own.
        key = (_UNKNOWN, index) if row.seed is None else (row.arena, row.seed)
        by_seed.setdefault(key, []).append(row)
    returns = {key: mean([row.total for row in own]) for key, own in by_seed.items()}
    passed = {key: own[0].passed for key, own in by_seed.items() if len(own) == 1 and own[0].passed is not None}
    left_out = frozenset((row.arena, row.seed) for row in again if row.seed is not None)
    return UnitValues("episode", returns, passed, left_out)


def of_tasks(units: Units, rows: Sequence[ReportEpisode], agent: str) -> UnitValues:
    """Return the mean returns of an agent on each unit of tasks."""
    own = grouped((row for row in rows if row.agent == agent), units.task)
    return UnitValues(units.word, {task: unit_return(units, each) for task, each in own.items()})


def unit_return(units: Units, rows: Sequence[ReportEpisode]) -> float:
    """Return the mean return of a unit of tasks: places weigh equally, and so do the subjects of each place."""
    places = grouped(rows, lambda row: (row.task, row.arena)).values()
    return mean([mean([mean_return(own) for own in grouped(place, units.subject).values()]) for place in places])


def mean_return(rows: Sequence[ReportEpisode]) -> float:
    """Return the mean return of some episodes; arenas weigh equally, whatever the number of their episodes."""
    arenas = grouped(rows, lambda row: (row.task, row.arena)).values()
    return mean([mean([row.total for row in own]) for own in arenas])


def mean(values: Sequence[float]) -> float:
    """Return the mean of some returns; their sum may be larger than the largest double."""
    array = np.asarray(values, float)
    with np.errstate(over="ignore"):
        total = array.sum()
    # Dividing first would make the mean of equal values another one: of seven ones, 0.9999999999999998.
    return float(total / len(array) if np.isfinite(total) else np.sum(array / len(array)))


def shared_units(values: Sequence[UnitValues]) -> list[Hashable]:
    """Return the units that all agents share, in order; empty if they are too few for a test of pairs."""
    first, *others = values
    if any(each.unit != first.unit for each in others):
        return []
    shared = [key for key in first.returns if not _is_unknown(key) and all(key in each.returns for each in others)]
    # A unit that another agent played, too, but that counts once with identical ones, is not missing.
    again = frozenset[Hashable]().union(*(each.again for each in values))
    largest = max(len(each.returns.keys() - again) + len(set(shared) & again) for each in values)
    return shared if len(shared) >= max(FEWEST_UNITS, _LEAST_SHARED * largest) else []


def _is_unknown(key: Hashable) -> bool:
    return isinstance(key, tuple) and key[0] == _UNKNOWN
