"""Whether groups differ, by ranks alone: Kruskal and Wallis' test, and Dunn's for each pair of groups after it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import erfc, sqrt
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from puzzlebox.stats.intervals import CannotCompute
from puzzlebox.stats.needed import needed

Array = NDArray[np.float64]
# `exact`: equal doubles are ties. `r`: ranks as doubles, ties counted as 15-digit text, as R's kruskal.test does.
TieRule = Literal["exact", "r"]


class KruskalWallis(NamedTuple):
    """The result of the test.

    Attributes:
        h: the statistic, corrected for ties.
        df: degrees of freedom, one less than there are groups.
        p: the chance of such an h, or a larger one, if all groups were alike.
        n: how many values there were.
    """

    h: float
    df: int
    p: float
    n: int


class Comparison(NamedTuple):
    """One pair of groups in Dunn's test.

    Attributes:
        first: the name of one group.
        second: the name of the other.
        z: difference of mean ranks, first minus second, in standard errors.
        p: two-sided, not adjusted.
        p_bonferroni: adjusted for the number of pairs.
        p_holm: adjusted step by step, never larger than Bonferroni's.
    """

    first: str
    second: str
    z: float
    p: float
    p_bonferroni: float
    p_holm: float


def midranks(values: ArrayLike) -> Array:
    """Ranks from 1; equal values share the mean of theirs."""
    _, places, counts = np.unique(np.asarray(values, float), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[places.reshape(-1)], float)


def tie_sum(values: ArrayLike, rule: TieRule = "exact") -> float:
    """The sum of t^3 - t over the sizes of all sets of equal values."""
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
        ties: which values count as equal in the correction; R's own rule differs where values agree to 15 digits only.
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
    return KruskalWallis(float(h), df, float(needed("scipy.special").chdtrc(df, h)), n)


def dunn(groups: Mapping[str, ArrayLike]) -> list[Comparison]:
    """Compare each pair of groups by the mean ranks among all of them (Dunn 1964), pairs in the order of the groups."""
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
    """The chance of a normal number at least so far from 0; accurate however small."""
    return erfc(abs(z) / sqrt(2))


def bonferroni(ps: Sequence[float]) -> list[float]:
    """Each p times the number of tests, at most 1."""
    return [min(1.0, p * len(ps)) for p in ps]


def holm(ps: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment (1979)."""
    adjusted = [0.0] * len(ps)
    largest = 0.0
    for place, index in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
        largest = max(largest, min(1.0, ps[index] * (len(ps) - place)))
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
        raise CannotCompute("each group has a single value, which says nothing of its spread")
    return arrays


def _ranks(arrays: Mapping[str, Array]) -> dict[str, Array]:
    ranks = midranks(np.concatenate(list(arrays.values())))
    ends = np.cumsum([len(values) for values in arrays.values()])[:-1]
    return dict(zip(arrays, np.split(ranks, ends), strict=True))
