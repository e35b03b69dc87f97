"""Effect sizes that do not assume normal distributions."""

import numpy as np
from numpy.typing import ArrayLike

from puzzlebox.stats.intervals import CannotCompute
from puzzlebox.stats.ranks import KruskalWallis, midranks


def epsilon_squared(test: KruskalWallis) -> float:
    """Return the proportion of the variance of ranks between groups: H / (n - 1) (Kelley; Tomczak 2014)."""
    return test.h / (test.n - 1)


def cliffs_delta(first: ArrayLike, second: ArrayLike) -> float:
    """Return Cliff's delta (1993), from -1 to 1: P(first > second) - P(first < second)."""
    a, b = np.asarray(first, float).ravel(), np.asarray(second, float).ravel()
    if not len(a) or not len(b):
        raise CannotCompute("one of the groups has no values")
    # Computed from rank sums, which takes n log n steps instead of the number of pairs.
    ranks = midranks(np.concatenate((a, b)))[: len(a)].sum()
    larger = ranks - len(a) * (len(a) + 1) / 2
    return float(2 * larger / (len(a) * len(b)) - 1)


def size_in_words(delta: float) -> str:
    """Return "negligible", "small", "medium" or "large", by the limits of Romano et al. (2006)."""
    limits = ((0.147, "negligible"), (0.33, "small"), (0.474, "medium"))
    return next((word for limit, word in limits if abs(delta) < limit), "large")
