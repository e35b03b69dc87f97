"""The Brunner-Munzel test of two groups: does one tend to larger values, whatever the two variances are?"""

from functools import lru_cache
from itertools import combinations
from math import comb, inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from puzzlebox.stats.extras import import_extra
from puzzlebox.stats.intervals import CannotCompute
from puzzlebox.stats.ranks import midranks

Array = NDArray[np.float64]
# If a group has fewer values than this, p comes from permutations: with 5 values in each group, the t distribution
# gives p <= .05 in 8 % and p <= .00625 (one of eight tasks) in 2 % of cases without a difference.
_FEWEST_FOR_T = 20
# All divisions into groups are looked through up to this number; of more, as many are drawn.
_DIVISIONS = 10_000
# Values beyond which permutations would take long; the other group is then large, and t is near enough.
_MOST_VALUES = 300


class BrunnerMunzel(NamedTuple):
    """The result of a Brunner-Munzel test.

    Attributes:
        t: the statistic; positive if the first group tends to larger values, infinite if the groups do not overlap.
        df: Satterthwaite's degrees of freedom.
        p: the two-sided p value.
        n: the number of values of each group.
        effect: the probability that a value of the first group is larger than one of the second, ties counted half.
        error: the standard error of `effect`; 0 if the groups do not overlap.
        permuted: whether p comes from permutations instead of the t distribution.
    """

    t: float
    df: float
    p: float
    n: tuple[int, int]
    effect: float
    error: float
    permuted: bool = False


def brunner_munzel(first: ArrayLike, second: ArrayLike, *, permute: bool | None = None, seed: int = 0) -> BrunnerMunzel:
    """Test whether values of one group tend to be larger than those of another (Brunner and Munzel 2000).

    Unlike the rank-sum and Kruskal-Wallis tests it does not assume that both groups have the same variance if neither
    tends to larger values. With fewer than 20 values in a group, t is compared with its own distribution over
    permutations of the values (Neubert and Brunner 2007): all of them, or 10,000 drawn ones. If none of the drawn ones
    reaches t, p is that of the t distribution, but at most 1 / 10,001. Groups that do not overlap have an infinite t.

    Args:
        first: the values of the first group.
        second: the values of the second group.
        permute: whether p comes from permutations. Default: if a group has fewer than 20 values.
        seed: the seed of drawn permutations.
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
    n = (len(a), len(b))
    if permute is None:
        permute = min(n) < _FEWEST_FOR_T and sum(n) <= _MOST_VALUES
    if variance <= 1e-15:
        if abs(effect - 0.5) < 1e-12:
            raise CannotCompute("all values are equal, so there are no ranks to compare")
        t, df, p = (inf if effect > 0.5 else -inf), float(min(n) - 1), 0.0
    else:
        df = float(variance**2 / sum(part**2 / (each - 1) for part, each in zip(parts, n, strict=True)))
        t = (effect - 0.5) / sqrt(variance)
        p = min(1.0, 2 * float(import_extra("scipy.special").stdtr(df, -abs(t))))
    # No p can be less than that of the two most extreme divisions into groups of these sizes.
    p = min(1.0, max(p, 2 / comb(sum(n), n[0])))
    if permute:
        p = _permuted_p(np.concatenate((a, b)), len(a), abs(t), p, seed)
    return BrunnerMunzel(t, df, p, n, effect, sqrt(variance) if variance > 1e-15 else 0.0, permute)


def placements(first: Array, second: Array) -> tuple[Array, Array]:
    """Return, for each value, the proportion of the other group below it (first) or above it (second), ties half."""
    ranks = midranks(np.concatenate((first, second)))
    above = (ranks[: len(first)] - midranks(first)) / len(second)
    below = 1 - (ranks[len(first) :] - midranks(second)) / len(first)
    return np.asarray(above, float), np.asarray(below, float)


def _permuted_p(pooled: Array, size: int, t: float, tail: float, seed: int) -> float:
    """Return the proportion of divisions of the values into two groups whose statistic is at least as large."""
    ties = tuple(np.unique(pooled, return_counts=True)[1].tolist())
    null = _null_distribution(ties, size, seed)
    reached = len(null) - int(np.searchsorted(null, t - 1e-9))
    if comb(len(pooled), size) <= _DIVISIONS:
        return reached / len(null)
    return min(tail, 1 / (1 + len(null))) if not reached else (1 + reached) / (1 + len(null))


@lru_cache(maxsize=256)
def _null_distribution(ties: tuple[int, ...], size: int, seed: int) -> Array:
    """Return the sorted absolute statistics of divisions; they depend only on how often each distinct value occurs."""
    codes = np.repeat(np.arange(len(ties)), ties)
    if comb(len(codes), size) <= _DIVISIONS:
        chosen = np.array(list(combinations(range(len(codes)), size)))
    else:
        chosen = np.argsort(np.random.default_rng(seed).random((_DIVISIONS, len(codes))), axis=1)[:, :size]
    # How often each distinct value occurs in the first group of each division, and in the second.
    first = np.zeros((len(chosen), len(ties)))
    np.add.at(first, (np.arange(len(chosen))[:, None], codes[chosen]), 1.0)
    return np.sort(_statistics(first, np.array(ties) - first))


def _statistics(first: Array, second: Array) -> Array:
    """Return the absolute statistic of each pair of groups, given as counts of the distinct values in order."""
    sizes = first[0].sum(), second[0].sum()
    # The placement of each distinct value: the proportion of the other group below it, ties counted half.
    in_second = (np.cumsum(second, axis=1) - second / 2) / sizes[1]
    in_first = (np.cumsum(first, axis=1) - first / 2) / sizes[0]
    effect, other = (first * in_second).sum(axis=1) / sizes[0], (second * in_first).sum(axis=1) / sizes[1]
    spread = (first * (in_second - effect[:, None]) ** 2).sum(axis=1) / (sizes[0] - 1) / sizes[0]
    spread += (second * (in_first - other[:, None]) ** 2).sum(axis=1) / (sizes[1] - 1) / sizes[1]
    distance = np.abs(effect - 0.5)
    apart = np.where(distance > 1e-12, inf, 0.0)
    return np.where(spread > 1e-15, distance / np.sqrt(np.maximum(spread, 1e-15)), apart)
