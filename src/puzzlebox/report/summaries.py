"""Means, standard deviations and quantiles of a few finite numbers of any size.

Tables have ten thousand cells with a handful of episodes each, for which numpy is slow, and squares and sums of the
largest numbers are infinite.
"""

from collections.abc import Iterable, Sequence
from math import fsum, isfinite, sqrt

# Numbers of this size or more are divided before they are squared or added.
_LARGE = 1e150


def mean(values: Sequence[float]) -> float:
    """Return the mean of some numbers."""
    scale = _scale(values)
    return scale * (fsum(value / scale for value in values) / len(values))


def standard_deviation(values: Sequence[float]) -> float | None:
    """Return the standard deviation of at least two numbers, with n - 1; None if it is larger than any number."""
    scale = _scale(values)
    middle = mean(values) / scale
    relative = sqrt(fsum((value / scale - middle) ** 2 for value in values) / (len(values) - 1))
    return scale * relative if isfinite(scale * relative) else None


def quantiles(values: Iterable[float], shares: Sequence[float]) -> list[float]:
    """Return quantiles of some numbers, linear between neighbours as R's and numpy's default.

    Args:
        values: the numbers, in any order.
        shares: the share of the numbers below each quantile, 0 to 1.
    """
    ordered = sorted(values)
    found = []
    for share in shares:
        place = share * (len(ordered) - 1)
        below = int(place)
        above = min(below + 1, len(ordered) - 1)
        weight = place - below
        # Not the difference of the two, which may be infinite.
        found.append(ordered[below] * (1 - weight) + ordered[above] * weight if weight else ordered[below])
    return found


def interquartile_mean(values: Iterable[float]) -> float:
    """Return the mean of the middle half: exactly a quarter is omitted at each end, of single values a part."""
    ordered = sorted(values)
    cut, part = divmod(len(ordered) / 4, 1)
    inner = ordered[int(cut) : len(ordered) - int(cut)]
    scale = _scale(inner)
    total = fsum(value / scale for value in inner) - part * (inner[0] / scale + inner[-1] / scale)
    return scale * (total / (len(ordered) / 2))


def _scale(values: Iterable[float]) -> float:
    largest = max(map(abs, values))
    return largest if largest >= _LARGE else 1.0
