"""Friedman's test: do several agents differ, if all of them played the same blocks (seeds, participants, tasks)?"""

from collections.abc import Mapping
from math import factorial, inf
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from puzzlebox.stats.extras import import_extra
from puzzlebox.stats.intervals import CannotCompute
from puzzlebox.stats.ranks import midranks, tie_sum


class Friedman(NamedTuple):
    """The result of a Friedman test.

    Attributes:
        chi_squared: Friedman's statistic, corrected for ties.
        f: the statistic of Iman and Davenport; infinite if all blocks have the same order.
        df: the degrees of freedom of f: agents - 1, and (agents - 1)(blocks - 1).
        p: the p value of f.
        blocks: the number of blocks.
        w: Kendall's coefficient of concordance, from 0 (no order) to 1 (the same order in all blocks).
    """

    chi_squared: float
    f: float
    df: tuple[int, int]
    p: float
    blocks: int
    w: float


def friedman(groups: Mapping[str, ArrayLike]) -> Friedman:
    """Test whether at least one of several groups tends to larger values within blocks.

    The statistic of Iman and Davenport (1980) is compared with the F distribution, which is nearer to the true
    distribution than the chi-squared approximation of Friedman's own statistic. If all blocks have the same order of
    groups without ties, that statistic is infinite, and p is the exact probability of this: (1 / k!) ^ (blocks - 1).

    Args:
        groups: the values of each group by name; all lists have the same blocks in the same order.
    """
    table = np.array([np.asarray(values, float).ravel() for values in groups.values()]).T
    if table.ndim != 2:
        raise ValueError("all groups need a value for each block")
    n, k = table.shape
    if k < 3:
        raise CannotCompute("two groups are compared by the signed-rank test")
    if n < 2:
        raise CannotCompute("there is only one block")
    if not np.isfinite(table).all():
        raise CannotCompute("some values are not numbers")
    ranks = np.array([midranks(row) for row in table])
    correction = 1 - sum(tie_sum(row) for row in table) / (n * (k**3 - k))
    if correction <= 1e-12:
        raise CannotCompute("all values within each block are equal, so there are no ranks to compare")
    sums = ranks.sum(axis=0)
    chi_squared = float((12 / (n * k * (k + 1)) * (sums**2).sum() - 3 * n * (k + 1)) / correction)
    df = (k - 1, (k - 1) * (n - 1))
    w = min(1.0, chi_squared / (n * (k - 1)))
    if w >= 1 - 1e-12:
        return Friedman(chi_squared, inf, df, float(factorial(k)) ** (1 - n), n, 1.0)
    f = (n - 1) * chi_squared / (n * (k - 1) - chi_squared)
    return Friedman(chi_squared, f, df, float(import_extra("scipy.special").fdtrc(*df, max(f, 0.0))), n, w)
