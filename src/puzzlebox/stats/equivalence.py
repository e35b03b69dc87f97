"""Equivalence of two agents or groups: two one-sided tests (TOST; Schuirmann 1987) over units.

A test that finds no difference shows nothing: there may be too few units. Equivalence is shown if the difference is
significantly above the lower bound and significantly below the upper one, which is the case if its 90 % interval lies
between them.
"""

from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from puzzlebox.stats.extras import import_extra
from puzzlebox.stats.intervals import CannotCompute, Interval

# Fewest units, or fewest in each of two groups.
FEWEST = 5


class Equivalence(NamedTuple):
    """The result of the two one-sided tests.

    Attributes:
        difference: the mean difference with its 90 % interval.
        bound: the largest difference that counts as none.
        p: the larger p value of the two tests.
        df: the degrees of freedom.
    """

    difference: Interval
    bound: float
    p: float
    df: float

    @property
    def shown(self) -> bool:
        """Whether equivalence is shown at the 5 % level."""
        return self.p < 0.05


def paired_equivalence(differences: ArrayLike, bound: float, least_variance: float = 0.0) -> Equivalence:
    """Test the mean of paired differences, one for each unit, such as a task that both agents have played.

    Args:
        differences: the difference of each unit.
        bound: the largest difference that counts as none, above 0.
        least_variance: the variance of a difference that is assumed at least, for units that all have the same one.

    Raises:
        CannotCompute: there are fewer than five units, or nothing varies.
    """
    values = np.asarray(differences, float).ravel()
    if len(values) < FEWEST:
        raise CannotCompute(f"there are only {len(values)}; it takes {FEWEST}")
    variance = max(float(values.var(ddof=1)), least_variance) / len(values)
    return _tost(float(values.mean()), variance, len(values) - 1, bound)


def group_equivalence(first: ArrayLike, second: ArrayLike, bound: float, least_variance: float = 0.0) -> Equivalence:
    """Test the difference of the means of two groups of units, such as participants, with unequal variances (Welch).

    Args:
        first: the value of each unit of the first group.
        second: those of the second group.
        bound: the largest difference that counts as none, above 0.
        least_variance: the variance of a value that is assumed at least, for units that all have the same one.

    Raises:
        CannotCompute: a group has fewer than five units, or nothing varies.
    """
    groups = [np.asarray(values, float).ravel() for values in (first, second)]
    fewest = min(map(len, groups))
    if fewest < FEWEST:
        raise CannotCompute(f"one group has only {fewest}; it takes {FEWEST}")
    parts = [max(float(values.var(ddof=1)), least_variance) / len(values) for values in groups]
    total = sum(parts)
    squares = sum(part**2 / (len(values) - 1) for part, values in zip(parts, groups, strict=True))
    df = total**2 / squares if squares > 0 else inf
    return _tost(float(groups[0].mean() - groups[1].mean()), total, df, bound)


def _tost(difference: float, variance: float, df: float, bound: float) -> Equivalence:
    if not bound > 0:
        raise ValueError(f"the bound is {bound}; it must be above 0")
    if variance <= 0:
        raise CannotCompute("all units have the same difference")
    distributions = import_extra("scipy.stats")
    error = sqrt(variance)
    half_width = float(distributions.t.ppf(0.95, df)) * error
    p = float(distributions.t.sf((bound - abs(difference)) / error, df))
    return Equivalence(Interval(difference, difference - half_width, difference + half_width), bound, p, df)
