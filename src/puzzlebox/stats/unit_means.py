"""Means over units of evidence with their intervals: of proportions, of any values, and of differences."""

from math import inf, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from puzzlebox.stats.extras import import_extra
from puzzlebox.stats.intervals import CannotCompute, Interval
from puzzlebox.stats.proportions import most_effective

Array = NDArray[np.float64]
LEVEL = 0.95


def mean_interval(values: ArrayLike, level: float = LEVEL) -> Interval:
    """Return the mean of some units with an interval of Student's t."""
    array = _checked(values)
    centre = float(array.mean())
    half = t_quantile(len(array) - 1, level) * float(array.std(ddof=1)) / sqrt(len(array))
    return Interval(centre, centre - half, centre + half)


def share_interval(shares: ArrayLike, level: float = LEVEL) -> Interval:
    """Return the mean of proportions, one for each unit, with an interval between 0 and 1.

    It is Wilson's interval for the effective number of trials (Korn and Graubard 1998): as many as would give the
    variance between the units, but no more than these units can show (`most_effective`), with the quantile of t.
    """
    array = _checked(shares)
    centre, n = float(np.clip(array.mean(), 0, 1)), len(array)
    spread, variance = centre * (1 - centre), float(array.var(ddof=1)) / n
    # Units with nearly the same proportion show little about the next one.
    trials = min(spread / variance if variance > 1e-15 else inf, most_effective(spread, n))
    t = t_quantile(n - 1, level)
    shrink = 1 + t * t / trials
    middle = (centre + t * t / (2 * trials)) / shrink
    half = t / shrink * sqrt(spread / trials + t * t / (4 * trials * trials))
    low = 0.0 if centre == 0 else max(0.0, middle - half)
    high = 1.0 if centre == 1 else min(1.0, middle + half)
    return Interval(centre, low, high)


def difference_interval(first: ArrayLike, second: ArrayLike, level: float = LEVEL) -> Interval:
    """Return the difference of the means of two independent sets of units, with Welch's interval (1947)."""
    a, b = _checked(first), _checked(second)
    parts = [float(each.var(ddof=1)) / len(each) for each in (a, b)]
    centre, variance = float(a.mean() - b.mean()), sum(parts)
    if variance < 1e-15:
        raise CannotCompute("all units of each kind have the same value")
    df = variance**2 / sum(part**2 / (len(each) - 1) for part, each in zip(parts, (a, b), strict=True))
    half = t_quantile(df, level) * sqrt(variance)
    return Interval(centre, centre - half, centre + half)


def t_quantile(df: float, level: float = LEVEL) -> float:
    """Return the two-sided quantile of Student's t distribution."""
    return float(import_extra("scipy.special").stdtrit(df, (1 + level) / 2))


def _checked(values: ArrayLike) -> Array:
    array = np.asarray(values, float).ravel()
    if len(array) < 2:
        raise CannotCompute("there is only one unit" if len(array) else "there are no units")
    if not np.isfinite(array).all():
        raise CannotCompute("some values are not numbers")
    return array
