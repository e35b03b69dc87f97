"""Confidence intervals of rank-based effect sizes: Cliff's delta, epsilon squared, Kendall's W."""

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from puzzlebox.stats.brunner_munzel import BrunnerMunzel, placements
from puzzlebox.stats.effects import epsilon_squared
from puzzlebox.stats.extras import import_extra
from puzzlebox.stats.friedman import Friedman
from puzzlebox.stats.intervals import CannotCompute, Interval
from puzzlebox.stats.ranks import KruskalWallis

LEVEL = 0.95


def delta_interval(test: BrunnerMunzel, level: float = LEVEL) -> Interval:
    """Return Cliff's delta of two independent groups with an interval from the variance of Brunner and Munzel."""
    return _bounded(2 * test.effect - 1, 2 * test.error, test.df, min(test.n), level)


def paired_delta_interval(first: ArrayLike, second: ArrayLike, level: float = LEVEL) -> Interval:
    """Return Cliff's delta of two groups whose values come in pairs.

    It is the same delta as that of independent groups: P(first > second) - P(first < second) for values of any two
    pairs. Only its variance uses the pairs (Munzel and Brunner 2002): what raises both values of a pair cancels out.
    """
    a, b = np.asarray(first, float).ravel(), np.asarray(second, float).ravel()
    if len(a) != len(b):
        raise ValueError(f"pairs need lists of the same length, and these have {len(a)} and {len(b)} values")
    if len(a) < 2:
        raise CannotCompute("there is only one pair")
    above, below = placements(a, b)
    delta = float(2 * above.mean() - 1)
    error = float(2 * (above + below).std(ddof=1) / sqrt(len(a)))
    return _bounded(delta, error, len(a) - 1, len(a), level)


def _bounded(delta: float, error: float, df: float, n: int, level: float) -> Interval:
    """Return an interval of delta that stays between -1 and 1 (Feng and Cliff 2004), with a quantile of t.

    A delta of 1 or -1 has no standard error; the limit towards 0 is then Wilson's for n of n values on one side, where
    n is the size of the smaller group: (n - z²) / (n + z²).
    """
    t = float(import_extra("scipy.special").stdtrit(df, (1 + level) / 2))
    if error <= 1e-12 and abs(delta) < 1 - 1e-12:
        return Interval(delta, delta, delta)
    if abs(delta) >= 1 - 1e-12:
        z = float(import_extra("scipy.special").ndtri((1 + level) / 2))
        limit = (n - z * z) / (n + z * z)
        return Interval(delta, limit, 1.0) if delta > 0 else Interval(delta, -1.0, -limit)
    squared = (t * error) ** 2
    spread = t * error * sqrt((1 - delta**2) ** 2 + squared)
    low, high = ((delta - delta**3 + side * spread) / (1 - delta**2 + squared) for side in (-1, 1))
    return Interval(delta, max(-1.0, low), min(1.0, high))


def epsilon_squared_interval(test: KruskalWallis, level: float = LEVEL) -> Interval:
    """Return epsilon squared of a Kruskal-Wallis test with an interval.

    H is taken for a noncentral chi-squared value, and the limits are those noncentralities, divided by n - 1, with
    which an H at least as large, or as small, has a probability of 2.5 %. The interval is too wide for large effects,
    because ranks vary less if groups are far apart.
    """
    low, high = _noncentralities(test.h, test.df, level)
    return _around(epsilon_squared(test), low / (test.n - 1), high / (test.n - 1))


def concordance_interval(test: Friedman, level: float = LEVEL) -> Interval:
    """Return Kendall's W of a Friedman test, with an interval as that of epsilon squared."""
    low, high = _noncentralities(test.chi_squared, test.df[0], level)
    most = test.blocks * test.df[0]
    return _around(test.w, low / most, high / most)


def _around(value: float, low: float, high: float) -> Interval:
    """Return limits of a share. A statistic smaller than chance gives limits of 0, below the share itself."""
    return Interval(value, min(low, value), min(1.0, max(high, value)))


def _noncentralities(statistic: float, df: int, level: float) -> tuple[float, float]:
    special, optimize = import_extra("scipy.special"), import_extra("scipy.optimize")

    def noncentrality(probability: float) -> float:
        """Return the noncentrality with which the statistic is this quantile; 0 if none is that small."""

        def excess(value: float) -> float:
            return float(special.chndtr(statistic, df, value)) - probability

        if excess(0.0) <= 0:
            return 0.0
        highest = statistic + 20 + 10 * sqrt(statistic + df)
        return float(optimize.brentq(excess, 0.0, highest))

    return noncentrality((1 + level) / 2), noncentrality((1 - level) / 2)
