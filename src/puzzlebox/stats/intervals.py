"""Wilson's interval of a proportion, which stays between 0 and 1 and is defined for no and for all passes."""

from math import sqrt
from typing import NamedTuple

# The two-sided 95 % quantile of the normal distribution.
Z_95 = 1.959963984540054


class CannotCompute(ValueError):
    """A statistic is not defined for these data; the message gives the reason, for a report."""


class Interval(NamedTuple):
    """An estimate and the limits of its confidence interval, at 95 % unless stated otherwise."""

    value: float
    low: float
    high: float


def wilson(passes: float, trials: float, z: float = Z_95) -> Interval:
    """Return the proportion of passes with Wilson's score interval (1927), without continuity correction.

    A tie may count as half a pass, and dependent trials as fewer than there were, so both numbers may be fractions.
    """
    if not 0 <= passes <= trials:
        raise ValueError(f"{passes} of {trials} is not a proportion")
    if trials == 0:
        raise CannotCompute("there are no episodes")
    return wilson_of(passes / trials, trials, z)


def wilson_of(share: float, trials: float, z: float = Z_95) -> Interval:
    """Return a proportion with Wilson's score interval for a number of trials that need not be whole."""
    shrink = 1 + z * z / trials
    centre = (share + z * z / (2 * trials)) / shrink
    half_width = z / shrink * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    # Exactly 0 and 1 at the ends, where rounding errors would give 1e-17.
    low = 0.0 if share <= 0 else max(0.0, centre - half_width)
    high = 1.0 if share >= 1 else min(1.0, centre + half_width)
    return Interval(share, low, high)
