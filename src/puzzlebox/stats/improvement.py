"""The probability of improvement of Agarwal et al. (2021): how often one agent scores higher than another.

It is the probability that a run of the first agent scores higher than one of the second on the same task, averaged
over tasks; ties count half. It is 0.5 for equal agents. Each task contributes the statistic of Mann and Whitney; the
variance comes from the placements of the scores (DeLong et al. 1988), summed over the tasks that a run has played.
"""

from collections import Counter
from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import NDArray

from puzzlebox.stats.effective import score_interval
from puzzlebox.stats.intervals import CannotCompute, Interval
from puzzlebox.stats.learners import FEWEST, Scores
from puzzlebox.stats.ranks import midranks

Array = NDArray[np.float64]


def probability_of_improvement(first: Scores, second: Scores) -> Interval:
    """Return the probability that the first agent scores higher than the second, with its interval.

    Only tasks that both have played count.

    Raises:
        CannotCompute: there is no such task, or one of the agents has too few units.
    """
    known = set(second.place_names)
    shared = [place for place in first.place_names if place in known]
    if not shared:
        raise CannotCompute("they have played no task in common")
    parts_of_task = Counter(task for task, _ in shared)
    mine, theirs = _Sums(first), _Sums(second)
    share = 0.0
    for place in shared:
        weight = 1 / (len(parts_of_task) * parts_of_task[place[0]])
        own, other = mine.of_place(place), theirs.of_place(place)
        higher, lower = _placements(first.values[own], second.values[other])
        share += weight * float(higher.mean())
        mine.add(own, weight * higher / len(own))
        theirs.add(other, weight * lower / len(other))
    for sums in (mine, theirs):
        if sums.varies and sums.units < FEWEST:
            raise CannotCompute(f"one of them has only {sums.units}; it takes {FEWEST}")
        if sums.varies and sums.df < 1:
            raise CannotCompute("one of them played every task only once")
    variances = [(sums.variance(), sums.df) for sums in (mine, theirs) if sums.varies]
    if not variances:
        raise CannotCompute("both always do the same")
    total = sum(variance for variance, _ in variances)
    # The degrees of freedom of Welch and Satterthwaite.
    df = total**2 / sum(variance**2 / df for variance, df in variances) if total > 0 else min(d for _, d in variances)
    return score_interval(share, total, df, min(sums.units for sums in (mine, theirs) if sums.varies))


class _Sums:
    """The contribution of each unit of an agent to the mean over tasks."""

    def __init__(self, scores: Scores) -> None:
        self._scores = scores
        self._parts = np.zeros(int(scores.unit_codes.max()) + 1)
        self._played: set[int] = set()

    def of_place(self, place: tuple[str, Hashable]) -> NDArray[np.int64]:
        """Return the indices of the scores in a place."""
        return np.flatnonzero(self._scores.place_codes == self._scores.place_names.index(place))

    def add(self, indices: NDArray[np.int64], parts: Array) -> None:
        """Add the contributions of some scores to those of their units."""
        units = self._scores.unit_codes[indices]
        np.add.at(self._parts, units, parts)
        self._played.update(units.tolist())

    def _strata(self) -> Iterable[NDArray[np.int64]]:
        for units in self._scores.strata:
            played = np.array([unit for unit in units.tolist() if unit in self._played], int)
            if len(played):
                yield played

    @property
    def units(self) -> int:
        """The number of units that played."""
        return len(self._played)

    @property
    def varies(self) -> bool:
        """Whether any of its units would differ if played again."""
        return bool(self._scores.varying)

    @property
    def df(self) -> int:
        """The degrees of freedom of the variance."""
        return sum(len(units) - 1 for units in self._strata())

    def variance(self) -> float:
        """Return the variance of the sum of all contributions."""
        return float(
            sum(
                len(units) / (len(units) - 1) * np.sum((self._parts[units] - self._parts[units].mean()) ** 2)
                for units in self._strata()
                if len(units) > 1
            )
        )


def _placements(first: Array, second: Array) -> tuple[Array, Array]:
    """Return, for each value, the proportion of the other group that is lower (first) or higher (second)."""
    both = midranks(np.concatenate((first, second)))
    higher = (both[: len(first)] - midranks(first)) / len(second)
    lower = 1 - (both[len(first) :] - midranks(second)) / len(first)
    return higher, lower
