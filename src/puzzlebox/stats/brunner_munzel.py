"""The Brunner-Munzel test of two groups: does one tend to larger values, whatever the two variances are?"""

from math import comb, inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from puzzlebox.stats.extras import import_extra
from puzzlebox.stats.intervals import CannotCompute
from puzzlebox.stats.ranks import midranks

Array = NDArray[np.float64]


class BrunnerMunzel(NamedTuple):
    """The result of a Brunner-Munzel test.

    Attributes:
        t: the statistic; positive if the first group tends to larger values, infinite if the groups do not overlap.
        df: Satterthwaite's degrees of freedom.
        p: the two-sided p value.
        n: the number of values of each group.
        effect: the probability that a value of the first group is larger than one of the second, ties counted half.
        error: the standard error of `effect`; 0 if the groups do not overlap.
    """

    t: float
    df: float
    p: float
    n: tuple[int, int]
    effect: float
    error: float


def brunner_munzel(first: ArrayLike, second: ArrayLike) -> BrunnerMunzel:
    """Test whether values of one group tend to be larger than those of another (Brunner and Munzel 2000).

    Unlike the rank-sum and Kruskal-Wallis tests it does not assume that both groups have the same variance if neither
    tends to larger values. If no value of one group lies between those of the other, the variance is 0 and the
    statistic infinite; then p is that of the exact permutation test: the two most extreme of all ways to divide the
    values into groups of these sizes.
    """
    a, b = np.asarray(first, float).ravel(), np.asarray(second, float).ravel()
    if min(len(a), len(b)) < 2:
        raise CannotCompute("each group needs two values or more")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise CannotCompute("some values are not numbers")
    above, below = placements(a, b)
    effect = float(above.mean())
    parts = above.var(ddof=1) / len(a), below.var(ddof=1) / len(b)
    variance = float(sum(parts))
    if variance <= 1e-15:
        if effect == 0.5:
            raise CannotCompute("all values are equal, so there are no ranks to compare")
        p = min(1.0, 2 / comb(len(a) + len(b), len(a)))
        return BrunnerMunzel(inf if effect > 0.5 else -inf, _fewest(a, b), p, (len(a), len(b)), effect, 0.0)
    df = float(variance**2 / sum(part**2 / (n - 1) for part, n in zip(parts, (len(a), len(b)), strict=True)))
    t = (effect - 0.5) / sqrt(variance)
    p = min(1.0, 2 * float(import_extra("scipy.special").stdtr(df, -abs(t))))
    return BrunnerMunzel(t, df, p, (len(a), len(b)), effect, sqrt(variance))


def placements(first: Array, second: Array) -> tuple[Array, Array]:
    """Return, for each value, the proportion of the other group below it (first) or above it (second), ties half."""
    ranks = midranks(np.concatenate((first, second)))
    above = (ranks[: len(first)] - midranks(first)) / len(second)
    below = 1 - (ranks[len(first) :] - midranks(second)) / len(first)
    return np.asarray(above, float), np.asarray(below, float)


def _fewest(first: Array, second: Array) -> float:
    return float(min(len(first), len(second)) - 1)
