"""Proportions passed, and differences of them, with intervals that count tasks and people instead of episodes.

Two questions have different answers. *These tasks*: the tasks are fixed, and only episodes, participants and training
runs would be others in a repetition. *Tasks like these*: the tasks are a sample as well. In both, tasks weigh equally,
however many arenas, participants and episodes they have.

The interval of a proportion is Wilson's with the effective sample size: the number of independent episodes that would
have the variance that is found between tasks, between people, or both (Korn and Graubard 1998; Dean and Pagano 2015).
The variance over tasks and people at once is that of two-way clusters (Cameron, Gelbach and Miller 2011).
"""

from collections.abc import Sequence
from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlebox.stats.crossed import t_quantile
from puzzlebox.stats.intervals import Z_95, CannotCompute, Interval, wilson_of

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
# With fewer units, the variance between them cannot be estimated well enough for a statement about others like them.
FEWEST_UNITS = 5
# Variances below this are rounding errors.
_NO_VARIANCE = 1e-14


class Proportion(NamedTuple):
    """A proportion with its interval.

    Attributes:
        value: the proportion: the mean of the units.
        low: the lower 95 % limit.
        high: the upper 95 % limit.
        effective: the effective sample size.
        df: the degrees of freedom of the variance.
        exact: whether the proportion is known exactly, because agents are deterministic and tasks are fixed.
    """

    value: float
    low: float
    high: float
    effective: float
    df: float
    exact: bool = False

    @property
    def interval(self) -> Interval:
        """The proportion and its limits."""
        return Interval(self.value, self.low, self.high)


class Outcomes:
    """The outcomes of the episodes of one agent, with the weight of each in the proportion passed."""

    def __init__(
        self,
        passed: Sequence[bool] | Array,
        tasks: Sequence[str],
        places: Sequence[str] | None = None,
        subjects: Sequence[str] | None = None,
        exact: Sequence[bool] | None = None,
        strata: Sequence[str] | None = None,
    ) -> None:
        """Weigh episodes.

        Args:
            passed: whether each episode passed.
            tasks: the task of each episode; tasks weigh equally.
            places: the arena or variant of each episode, which weigh equally within their task. Default: the tasks.
            subjects: the participant or training run of each episode, which weigh equally in each place; "" for an
                agent that has only one.
            exact: whether the outcome of an episode is that of all episodes in its place. Default: none is.
            strata: the level of each episode, if levels weigh equally, whatever their number of tasks.
        """
        self.passed = np.asarray(passed, float)
        if not len(self.passed):
            raise CannotCompute("there are no episodes")
        self.task, self.tasks = _codes(tasks)
        self.place, place_count = _codes(list(zip(tasks, places or tasks, strict=True)))
        who = [""] * len(self.passed) if subjects is None else list(subjects)
        self.subject, _ = _codes(who)
        self.names = sorted(set(who))
        # Episodes of participants without an id vary like one participant, but are no participant that was counted.
        self.subjects = 0 if self.names == [""] else len(self.names)
        self.named = len([name for name in self.names if name])
        self.exact = np.zeros(len(self.passed), bool) if exact is None else np.asarray(exact, bool)
        cell, cell_count = _codes(list(zip(self.place.tolist(), self.subject.tolist(), strict=True)))
        level, levels = _codes([""] * len(self.passed) if strata is None else strata)
        # Each mean is over the parts of the next smaller kind: places of a task, subjects of a place, episodes.
        self.weight = (
            1
            / levels
            / _parts(level, self.task)[level]
            / _parts(self.task, self.place)[self.task]
            / _parts(self.place, cell)[self.place]
            / np.bincount(cell, minlength=cell_count)[cell]
        )
        self._place_count = place_count
        # Exactly 0 and 1 at the ends, where the weights would leave rounding errors.
        ends = {0.0: 0.0, float(len(self.passed)): 1.0}
        self.value = ends.get(float(self.passed.sum()), float(self.weight @ self.passed))

    def these_tasks(self) -> Proportion:
        """Return the proportion passed with its interval for these tasks, and participants or runs like these."""
        if self.subjects:
            if self.named < FEWEST_UNITS:
                raise CannotCompute(f"needs {FEWEST_UNITS} participants or runs")
            by_place = np.bincount(self.place, self.weight * self.passed) / np.bincount(self.place, self.weight)
            variance = _clustered(self.subject, self.weight * (self.passed - by_place[self.place]), self.subjects)
            return self._proportion(variance, self.subjects - 1, self.subjects)
        if self.exact.all():
            return Proportion(self.value, self.value, self.value, inf, inf, exact=True)
        variance, trials = self._within(), len(self.passed)
        if variance < _NO_VARIANCE:
            # No variance was estimated whose uncertainty t would allow for: the episodes are independent trials.
            return Proportion(*wilson_of(self.value, trials), trials, self._within_df())
        # Tasks of different difficulty make a proportion more precise than one of as many independent trials.
        return self._wilson(self.value * (1 - self.value) / variance, self._within_df())

    def tasks_like_these(self) -> Proportion:
        """Return the proportion passed with its interval for tasks, and participants or runs, like these."""
        if self.tasks < FEWEST_UNITS:
            raise CannotCompute(f"needs {FEWEST_UNITS} tasks")
        if self.subjects and self.named < FEWEST_UNITS:
            raise CannotCompute(f"needs {FEWEST_UNITS} participants or runs")
        residual = self.weight * (self.passed - self.value)
        units = min(self.tasks, self.subjects or self.tasks)
        # What varies if tasks are fixed varies as well if they are not.
        variance = max(_two_way([(self, residual)]), 0.0 if self.subjects else self._within())
        return self._proportion(variance, units - 1, units)

    def _within(self) -> float:
        """Return the variance of the proportion within the places: what is left if tasks are fixed.

        A few episodes that all passed, or all failed, do not show that the next one will: the variance of a place is at
        least that with one more episode, passed as often as all episodes together.
        """
        count = np.bincount(self.place)
        passes = np.bincount(self.place, self.passed)
        share, careful = passes / count, (passes + self.value) / (count + 1)
        weight = np.bincount(self.place, self.weight)
        spread = np.maximum(share * (1 - share) * count / np.maximum(count - 1, 1), careful * (1 - careful))
        # A single episode shows no variance of its own; that over all tasks is the largest it can be on average.
        spread[count == 1] = self.value * (1 - self.value)
        spread[np.bincount(self.place, self.exact) > 0] = 0
        return float(np.sum(weight**2 * spread / count))

    def _within_df(self) -> float:
        return max(1, len(self.passed) - (self._place_count if self._place_count < len(self.passed) else 1))

    def _proportion(self, variance: float, df: float, units: int) -> Proportion:
        spread = self.value * (1 - self.value)
        effective = float(units) if min(variance, spread) < _NO_VARIANCE else spread / variance
        if variance < _NO_VARIANCE < spread:
            effective = float(len(self.passed))
        if units < len(self.passed):
            effective = min(effective, most_effective(spread, units))
        return self._wilson(min(effective, float(len(self.passed))), df)

    def _wilson(self, effective: float, df: float) -> Proportion:
        adjusted = effective * (Z_95 / t_quantile(df)) ** 2
        limits = wilson_of(self.value, adjusted)
        return Proportion(self.value, limits.low, limits.high, effective, df)


def most_effective(spread: float, units: int) -> float:
    """Return the largest effective sample size that a number of units can show.

    Units whose proportions are nearly equal show little about the next one. Their standard deviation is taken to be at
    least half of one part in as many, as if one of them had been wrong by half; next to 0 and 1, where this is more
    than a proportion can vary, the effective size is the number of units.

    Args:
        spread: the variance of a single episode, p (1 - p).
        units: the number of tasks, participants or runs.
    """
    return max(float(units), spread * 4 * units**3)


def difference_on_these_tasks(first: Outcomes, second: Outcomes) -> Interval:
    """Return the difference of two proportions, first minus second, with its interval for these tasks.

    Given the tasks, the agents are independent: the interval combines theirs (Newcombe 1998, method 10). Participants
    that both have are compared with themselves, by a t interval over participants.
    """
    if _shared_names(first, second):
        parts = []
        for each, sign in ((first, 1), (second, -1)):
            each.these_tasks()  # refuses too few participants
            by_place = np.bincount(each.place, each.weight * each.passed) / np.bincount(each.place, each.weight)
            parts.append((each, sign * each.weight * (each.passed - by_place[each.place])))
        variance, count = _by_subject(parts)
        return _t_interval(first.value - second.value, variance, count - 1)
    return combined(first.these_tasks().interval, second.these_tasks().interval)


def difference_on_tasks_like_these(first: Outcomes, second: Outcomes) -> tuple[Interval, float]:
    """Return the difference of two proportions, first minus second, with its t interval over tasks, and its df.

    Both must have the same tasks, in the same order of codes (`common_tasks`). With participants or runs, these are a
    sample as well as the tasks.
    """
    if first.tasks < FEWEST_UNITS:
        raise CannotCompute(f"needs {FEWEST_UNITS} tasks that both played")
    with_people = [each for each in (first, second) if each.subjects]
    if any(each.named < FEWEST_UNITS for each in with_people):
        raise CannotCompute(f"needs {FEWEST_UNITS} participants or runs")
    parts = [(each, sign * each.weight * (each.passed - each.value)) for each, sign in ((first, 1), (second, -1))]
    variance = _two_way(parts)
    value = first.value - second.value
    df: float = first.tasks - 1
    if with_people:
        apart = sum(each.subjects for each in with_people) - len(with_people)
        together = len(set(first.names) | set(second.names)) - 1
        df = min(df, together if _shared_names(first, second) else apart)
    if variance < _NO_VARIANCE:
        # All tasks show the same difference: the limits of both agents say what else is possible.
        return combined(first.tasks_like_these().interval, second.tasks_like_these().interval), df
    # Differences that are nearly equal show little about the next task, as in `most_effective`.
    return _t_interval(value, max(variance, 1 / (4 * first.tasks**3)), df), df


def _t_interval(value: float, variance: float, df: float) -> Interval:
    half = t_quantile(df) * sqrt(variance)
    return Interval(value, max(-1.0, value - half), min(1.0, value + half))


def _shared_names(first: Outcomes, second: Outcomes) -> set[str]:
    """Return the participants or runs that both have."""
    return set(first.names) & set(second.names) - {""}


def combined(first: Interval, second: Interval) -> Interval:
    """Return the difference of two independent estimates, from their intervals (Newcombe 1998)."""
    difference = first.value - second.value
    low = difference - sqrt((first.value - first.low) ** 2 + (second.high - second.value) ** 2)
    high = difference + sqrt((first.high - first.value) ** 2 + (second.value - second.low) ** 2)
    return Interval(difference, max(-1.0, low), min(1.0, high))


def _two_way(parts: Sequence[tuple[Outcomes, Array]]) -> float:
    """Return the variance of a sum of residuals over tasks, and over participants or runs where there are any."""
    tasks = parts[0][0].tasks
    sums = sum((np.bincount(own.task, residual, tasks) for own, residual in parts), np.zeros(tasks))
    by_task = float(sums @ sums) * tasks / (tasks - 1)
    by_subject, _ = _by_subject(parts)
    by_cell = 0.0
    for own, residual in parts:
        if own.subjects:
            cell = np.bincount(own.task * own.subjects + own.subject, residual)
            by_cell += float(cell @ cell)
    return max(by_task + by_subject - by_cell, by_task, by_subject)


def _by_subject(parts: Sequence[tuple[Outcomes, Array]]) -> tuple[float, int]:
    """Return the variance of a sum of residuals over participants or runs, and their number.

    What a participant did in both parts is summed first; groups of different participants are independent.
    """
    groups = [(own, residual) for own, residual in parts if own.subjects]
    if len(groups) < 2 or not _shared_names(groups[0][0], groups[1][0]):
        found = [_clustered(own.subject, residual, own.subjects) for own, residual in groups]
        return sum(found), sum(own.subjects for own, _ in groups)
    names = sorted({name for own, _ in groups for name in own.names})
    sums = np.zeros(len(names))
    for own, residual in groups:
        place = np.array([names.index(name) for name in own.names])
        np.add.at(sums, place, np.bincount(own.subject, residual, own.subjects))
    return float(sums @ sums) * len(names) / (len(names) - 1), len(names)


def _clustered(cluster: Codes, residual: Array, count: int) -> float:
    sums = np.bincount(cluster, residual, count)
    return float(sums @ sums) * count / (count - 1)


def _codes(names: Sequence[object]) -> tuple[Codes, int]:
    """Return the number of each name, in sorted order if they are texts, and how many names there are."""
    index = {name: number for number, name in enumerate(sorted(set(names)))}  # type: ignore[type-var]
    return np.array([index[name] for name in names], int), len(index)


def _parts(whole: Codes, part: Codes) -> Codes:
    """Return the number of distinct parts of each whole."""
    pairs = np.unique(np.stack([whole, part], axis=1), axis=0)
    return np.bincount(pairs[:, 0])
