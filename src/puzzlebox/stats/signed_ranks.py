"""Wilcoxon's signed-rank test of pairs: do the differences within pairs tend to one side?"""

from functools import lru_cache
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from puzzlebox.stats.intervals import CannotCompute
from puzzlebox.stats.ranks import midranks, two_sided

Array = NDArray[np.float64]
# Up to this number of pairs the p value is exact, with ties and zeros as well.
MOST_EXACT = 50


class SignedRanks(NamedTuple):
    """The result of a signed-rank test.

    Attributes:
        statistic: the sum of the ranks of the positive differences.
        z: the statistic minus its mean, in standard deviations; positive if the first values tend to be larger.
        p: the two-sided p value.
        n: the number of pairs, those without a difference included.
        zeros: the number of pairs without a difference.
        exact: whether p comes from all changes of sign instead of the normal distribution.
        size: the probability of p <= .05 if there is no difference; less than .05 with few pairs, because there are
            only so many sums of ranks. With fewer than six pairs that differ it is 0.
    """

    statistic: float
    z: float
    p: float
    n: int
    zeros: int
    exact: bool
    size: float


def signed_ranks(differences: ArrayLike) -> SignedRanks:
    """Test whether the differences within pairs are symmetric around 0 (Wilcoxon 1945).

    Pairs without a difference are ranked with the others and then left out of the sum (Pratt 1959): a pair that shows
    no difference is evidence against a difference, and dropping it before ranking would ignore that. Equal differences
    have the mean of their ranks. With at most 50 pairs p is exact: the proportion of all changes of sign whose sum of
    ranks is at least as far from its mean. With more, p comes from the normal distribution, whose variance is that of
    these very ranks, so that ties and zeros are accounted for, without a correction for continuity.

    Args:
        differences: first minus second value of each pair; round them, because 0.3 - 0.1 and 0.2 differ as doubles.
    """
    array = np.asarray(differences, float).ravel()
    if not len(array):
        raise CannotCompute("there are no pairs")
    if not np.isfinite(array).all():
        raise CannotCompute("some values are not numbers")
    if not array.any():
        raise CannotCompute("no pair differs")
    ranks = np.where(array == 0, 0.0, midranks(np.abs(array)))
    statistic = float(ranks[array > 0].sum())
    mean, deviation = float(ranks.sum()) / 2, sqrt(float((ranks**2).sum())) / 2
    z = (statistic - mean) / deviation
    exact = len(array) <= MOST_EXACT
    p, size = _exact_p(ranks, statistic) if exact else (two_sided(z), 0.05)
    return SignedRanks(statistic, z, p, len(array), int(np.sum(array == 0)), exact, size)


def _exact_p(ranks: Array, statistic: float) -> tuple[float, float]:
    """Return the two-sided p value over all changes of sign, and the largest of all possible p values up to .05."""
    # Mean ranks are multiples of a half, so twice the ranks are whole numbers.
    doubled = tuple(sorted(round(2 * rank) for rank in ranks if rank > 0))
    tails, size = _exact_tails(doubled)
    nearest_end = round(min(2 * statistic, sum(doubled) - 2 * statistic))
    return float(tails[nearest_end]), size


@lru_cache(maxsize=256)
def _exact_tails(doubled: tuple[int, ...]) -> tuple[Array, float]:
    """Return p for each sum of (doubled) ranks up to the middle one, and the largest p up to .05."""
    probabilities = np.zeros(sum(doubled) + 1)
    probabilities[0] = 1.0
    for rank in doubled:
        probabilities[rank:] = (probabilities[rank:] + probabilities[: len(probabilities) - rank]) / 2
        probabilities[:rank] /= 2
    # Half of the distribution, from its far end to its middle: twice the sums of it are all possible p values.
    tails = np.minimum(1.0, 2 * np.cumsum(probabilities[: len(probabilities) // 2 + 1]))
    possible = tails[probabilities[: len(tails)] > 0]
    return tails, float(max(possible[possible <= 0.05], default=0.0))
