"""Rank tests: the Kruskal-Wallis test of several groups, and Dunn's test of each pair of them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import erfc, sqrt
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from puzzlebox.stats.extras import import_extra
from puzzlebox.stats.intervals import CannotCompute

Array = NDArray[np.float64]
# `exact`: ties are equal doubles. `r`: doubles are ranked, and ties are equal to 15 digits, as in R's kruskal.test.
TieRule = Literal["exact", "r"]


class KruskalWallis(NamedTuple):
    """The result of a Kruskal-Wallis test.

    Attributes:
        h: the statistic, corrected for ties.
        df: the degrees of freedom, one less than the number of groups.
        p: the probability of an h at least as large if all groups have the same distribution.
        n: the number of values.
    """

    h: float
    df: int
    p: float
    n: int


class Comparison(NamedTuple):
    """The result of Dunn's test for one pair of groups.

    Attributes:
        first: the name of the first group.
        second: the name of the second group.
        z: the difference of mean ranks, first minus second, in standard errors.
        p: the two-sided p value, not adjusted.
        p_bonferroni: the p value adjusted by Bonferroni for the number of pairs.
        p_holm: the p value adjusted by Holm, never larger than Bonferroni's.
    """

    first: str
    second: str
    z: float
    p: float
    p_bonferroni: float
    p_holm: float


def midranks(values: ArrayLike) -> Array:
    """Return ranks from 1; equal values get the mean of their ranks."""
    _, inverse, counts = np.unique(np.asarray(values, float), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[inverse.reshape(-1)], float)


def tie_sum(values: ArrayLike, rule: TieRule = "exact") -> float:
    """Return the sum of t^3 - t over the sizes t of all sets of equal values."""
    array = np.asarray(values, float)
    if rule == "exact":
        sizes = np.unique(array, return_counts=True)[1].astype(float)
    elif rule == "r":
        sizes = np.array(list(Counter(f"{value:.15g}" for value in array).values()), float)
    else:
        raise ValueError(f"the tie rule is {rule!r}; it must be 'exact' or 'r'")
    return float(np.sum(sizes**3 - sizes))


def kruskal_wallis(groups: Mapping[str, ArrayLike], ties: TieRule = "exact") -> KruskalWallis:
    """Test whether at least one of some groups tends to larger values than another.

    Args:
        groups: the values of each group, by name.
        ties: which values count as equal in the correction for ties: "exact", or "r" for the rule of R.
    """
    arrays = _checked(groups)
    pooled = np.concatenate(list(arrays.values()))
    n = len(pooled)
    correction = 1 - tie_sum(pooled, ties) / (n**3 - n)
    if correction <= 1e-12:
        raise CannotCompute("all values are equal, so there are no ranks to compare")
    sums = sum(ranks.sum() ** 2 / len(ranks) for ranks in _ranks(arrays).values())
    h = (12 / (n * (n + 1)) * sums - 3 * (n + 1)) / correction
    df = len(arrays) - 1
    return KruskalWallis(float(h), df, float(import_extra("scipy.special").chdtrc(df, h)), n)


def dunn(groups: Mapping[str, ArrayLike]) -> list[Comparison]:
    """Compare each pair of groups by their mean ranks among all values (Dunn 1964); pairs in the order of groups."""
    arrays = _checked(groups)
    pooled = np.concatenate(list(arrays.values()))
    n = len(pooled)
    variance = n * (n + 1) / 12 - tie_sum(pooled) / (12 * (n - 1))
    if variance <= 1e-9:
        raise CannotCompute("all values are equal, so there are no ranks to compare")
    means = {name: float(ranks.mean()) for name, ranks in _ranks(arrays).items()}
    pairs = list(combinations(arrays, 2))
    zs = [
        (means[first] - means[second]) / sqrt(variance * (1 / len(arrays[first]) + 1 / len(arrays[second])))
        for first, second in pairs
    ]
    ps = [two_sided(z) for z in zs]
    adjusted = zip(pairs, zs, ps, bonferroni(ps), holm(ps), strict=True)
    return [Comparison(first, second, z, p, b, h) for (first, second), z, p, b, h in adjusted]


def two_sided(z: float) -> float:
    """Return the two-sided p value of a standard normal z; accurate for very small values."""
    return erfc(abs(z) / sqrt(2))


def bonferroni(ps: Sequence[float]) -> list[float]:
    """Adjust p values by Bonferroni: each times their number, at most 1."""
    return [min(1.0, p * len(ps)) for p in ps]


def holm(ps: Sequence[float]) -> list[float]:
    """Adjust p values by Holm's step-down method (1979)."""
    adjusted = [0.0] * len(ps)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
        largest = max(largest, min(1.0, ps[index] * (len(ps) - rank)))
        adjusted[index] = largest
    return adjusted


def _checked(groups: Mapping[str, ArrayLike]) -> dict[str, Array]:
    arrays = {name: np.asarray(values, float).ravel() for name, values in groups.items()}
    empty = [name for name, values in arrays.items() if not len(values)]
    if empty:
        raise CannotCompute(f"{empty[0]} has no values")
    if len(arrays) < 2:
        raise CannotCompute("there is only one group, and a comparison needs two" if arrays else "there are no values")
    if any(not np.isfinite(values).all() for values in arrays.values()):
        raise CannotCompute("some values are not numbers")
    if sum(len(values) for values in arrays.values()) < len(arrays) + 1:
        raise CannotCompute("each group has a single value, so there is no variance within groups")
    return arrays


def _ranks(arrays: Mapping[str, Array]) -> dict[str, Array]:
    ranks = midranks(np.concatenate(list(arrays.values())))
    ends = np.cumsum([len(values) for values in arrays.values()])[:-1]
    return dict(zip(arrays, np.split(ranks, ends), strict=True))
