"""McNemar's test of pairs with two outcomes: passed by one of two agents only."""

from math import lgamma, log
from typing import NamedTuple

import numpy as np

from puzzlebox.stats.intervals import CannotCompute


class McNemar(NamedTuple):
    """The result of McNemar's test.

    Attributes:
        first_only: the number of pairs in which only the first passed.
        second_only: the number of pairs in which only the second passed.
        p: the exact two-sided p value, which is conservative with few such pairs.
        mid_p: the mid-p value: p less half the probability of the observed numbers, whose error is nearer to 5 %.
    """

    first_only: int
    second_only: int
    p: float
    mid_p: float


def mcnemar(first_only: int, second_only: int) -> McNemar:
    """Test whether two agents pass equally often, given the numbers of pairs in which only one of them passed.

    Both p values come from the binomial distribution of `first_only` among all pairs with different outcomes (McNemar
    1947; mid-p after Fagerland, Lydersen and Laake 2013). Pairs with equal outcomes say nothing about a difference.
    """
    if min(first_only, second_only) < 0:
        raise ValueError(f"{first_only} and {second_only} are not numbers of pairs")
    n, fewer = first_only + second_only, min(first_only, second_only)
    if not n:
        raise CannotCompute("no pair has different outcomes")
    counts = range(fewer + 1)
    logarithms = [lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) - n * log(2) for k in counts]
    probabilities = np.exp(logarithms)
    p = min(1.0, 2 * float(probabilities.sum()))
    mid_p = 1.0 if first_only == second_only else p - float(probabilities[-1])
    return McNemar(first_only, second_only, p, mid_p)
