"""Permutation tests of paired differences: under the null hypothesis each difference is as likely with either sign."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from puzzlebox.stats.intervals import CannotCompute

# Most differences for which all combinations of signs are counted; with more, signs are drawn.
_MOST_EXACT = 12
_DRAWS = 10_000
# Sums that differ by less are equal.
_ROUNDING = 1e-12


class SignFlip(NamedTuple):
    """A sign-flip test: the mean difference, the two-sided p value, and the smallest p value that is possible."""

    mean: float
    p: float
    smallest: float
    exact: bool


def sign_flip(differences: Sequence[float], seed: int = 0) -> SignFlip:
    """Test whether the mean of differences is 0, by giving them all combinations of signs, or 10,000 random ones."""
    values = np.asarray(differences, float)
    if not len(values):
        raise CannotCompute("there are no differences")
    observed = abs(float(values.sum()))
    exact = len(values) <= _MOST_EXACT
    if exact:
        signs = 1 - 2 * ((np.arange(2 ** len(values))[:, None] >> np.arange(len(values))) & 1)
    else:
        signs = np.random.default_rng(seed).choice((-1, 1), (_DRAWS, len(values)))
    reached = int(np.sum(np.abs(signs @ values) >= observed - _ROUNDING))
    # The observed signs are one of the draws, so that the p value is never 0.
    p = reached / len(signs) if exact else (reached + 1) / (len(signs) + 1)
    smallest = 2 / len(signs) if exact else 1 / (len(signs) + 1)
    return SignFlip(float(values.mean()), p, smallest, exact)
