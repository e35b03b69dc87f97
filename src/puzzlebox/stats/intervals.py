"""How sure a share is: Wilson's interval, which stays between 0 and 1 and works for none and all."""

from math import sqrt
from typing import NamedTuple

# Two-sided 95 % of the normal distribution.
Z_95 = 1.959963984540054


class CannotCompute(ValueError):
    """There is no such number for these data; the message says why, in words fit for a report."""


class Interval(NamedTuple):
    """A number and the limits it lies between, with 95 % unless said otherwise."""

    value: float
    low: float
    high: float


def wilson(passes: int, trials: int, z: float = Z_95) -> Interval:
    """The share of passes with Wilson's score interval (1927), without continuity correction."""
    if not 0 <= passes <= trials:
        raise ValueError(f"{passes} of {trials} is no share")
    if trials == 0:
        raise CannotCompute("there are no episodes")
    share = passes / trials
    shrink = 1 + z * z / trials
    middle = (share + z * z / (2 * trials)) / shrink
    reach = z / shrink * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    # Exact at the ends, where rounding would leave 1e-17.
    low = 0.0 if passes == 0 else max(0.0, middle - reach)
    high = 1.0 if passes == trials else min(1.0, middle + reach)
    return Interval(share, low, high)
