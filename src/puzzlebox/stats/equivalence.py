"""Equivalence of two agents or groups: two one-sided tests (TOST; Schuirmann 1987) over units.

A test that finds no difference shows nothing: there may be too few units. Equivalence is shown if the difference is
significantly above the lower bound and significantly below the upper one, which is the case if its 90 % interval lies
between them.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from puzzlebox.stats.extras import import_extra
from puzzlebox.stats.intervals import CannotCompute, Interval

Array = NDArray[np.float64]
# Fewest units, or fewest in each of two groups.
FEWEST = 5
# Rounding errors of equal proportions have smaller variances.
_NO_VARIANCE = 1e-12


class Equivalence(NamedTuple):
    """The result of the two one-sided tests.

    Attributes:
        difference: the mean difference with its 90 % interval.
        bound: the largest difference that counts as none.
        p: the larger p value of the two tests.
        df: the degrees of freedom.
        p_difference: the p value of the two-sided t test of the same difference.
    """

    difference: Interval
    bound: float
    p: float
    df: float
    p_difference: float

    @property
    def shown(self) -> bool:
        """Whether equivalence is shown at the 5 % level."""
        return self.p < 0.05


def paired_equivalence(differences: ArrayLike, bound: float) -> Equivalence:
    """Test the mean of paired differences of proportions, one for each unit, such as a task that both agents played.

    Args:
        differences: the difference of each unit, from -1 to 1.
        bound: the largest difference that counts as none, above 0.

    Raises:
        CannotCompute: there are fewer than five units.
    """
    values = np.asarray(differences, float).ravel()
    if len(values) < FEWEST:
        raise CannotCompute(f"there are only {len(values)}; it takes {FEWEST}")
    return _tost(float(values.mean()), _variance(values) / len(values), len(values) - 1, bound)


def group_equivalence(first: ArrayLike, second: ArrayLike, bound: float) -> Equivalence:
    """Test the difference of two groups of units, such as participants, with unequal variances (Welch).

    Args:
        first: the proportion of each unit of the first group.
        second: those of the second group.
        bound: the largest difference that counts as none, above 0.

    Raises:
        CannotCompute: a group has fewer than five units.
    """
    groups = [np.asarray(values, float).ravel() for values in (first, second)]
    fewest = min(map(len, groups))
    if fewest < FEWEST:
        raise CannotCompute(f"one group has only {fewest}; it takes {FEWEST}")
    parts = [_variance(values) / len(values) for values in groups]
    total = sum(parts)
    squares = sum(part**2 / (len(values) - 1) for part, values in zip(parts, groups, strict=True))
    return _tost(float(groups[0].mean() - groups[1].mean()), total, total**2 / squares, bound)


def _variance(values: Array) -> float:
    """Return the variance of some values.

    If all are equal, such as those of two agents that passed every task, it is that of one different unit among two
    more: another task may still tell the agents apart.
    """
    own = float(values.var(ddof=1))
    return own if own > _NO_VARIANCE else 1 / (len(values) + 2)


def _tost(difference: float, variance: float, df: float, bound: float) -> Equivalence:
    if not bound > 0:
        raise ValueError(f"the bound is {bound}; it must be above 0")
    distributions = import_extra("scipy.stats")
    error = sqrt(variance)
    half_width = float(distributions.t.ppf(0.95, df)) * error
    p = float(distributions.t.sf((bound - abs(difference)) / error, df))
    differ = 2 * float(distributions.t.sf(abs(difference) / error, df))
    return Equivalence(Interval(difference, difference - half_width, difference + half_width), bound, p, df, differ)
