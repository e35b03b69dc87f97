"""Equivalence of two agents or groups: two one-sided tests (TOST; Schuirmann 1987) over units.

A test that finds no difference shows nothing: there may be too few units. Equivalence is shown if the difference is
significantly above the lower bound and significantly below the upper one, which is the case if its 90 % interval lies
between them.
"""

from typing import NamedTuple

from puzzlebox.stats.extras import import_extra
from puzzlebox.stats.intervals import Interval


class Equivalence(NamedTuple):
    """The result of the two one-sided tests.

    Attributes:
        difference: the difference with its 90 % interval, which ends at -1 and 1.
        bound: the largest difference that counts as none.
        p: the larger p value of the two tests.
        df: the degrees of freedom.
        p_difference: the p value of the two-sided t test of the same difference.
    """

    difference: Interval
    bound: float
    p: float
    df: float
    p_difference: float

    @property
    def shown(self) -> bool:
        """Whether equivalence is shown at the 5 % level."""
        return self.p < 0.05


def equivalence(difference: Interval, df: float, bound: float) -> Equivalence:
    """Test whether a difference of two proportions is smaller than a bound, from its 95 % interval of Student's t.

    Args:
        difference: the difference with its 95 % interval. If a limit was cut off at an end of the scale, the other one
            counts.
        df: the degrees of freedom of the interval.
        bound: the largest difference that counts as none, above 0.
    """
    if not bound > 0:
        raise ValueError(f"the bound is {bound}; it must be above 0")
    student = import_extra("scipy.stats").t
    half_width = max(difference.high - difference.value, difference.value - difference.low)
    if half_width <= 0:
        p, differ = float(abs(difference.value) >= bound), float(difference.value == 0)
        return Equivalence(difference, bound, p, df, differ)
    error = half_width / float(student.ppf(0.975, df))
    reach = float(student.ppf(0.95, df)) * error
    p = float(student.sf((bound - abs(difference.value)) / error, df))
    differ = 2 * float(student.sf(abs(difference.value) / error, df))
    limits = Interval(difference.value, max(-1.0, difference.value - reach), min(1.0, difference.value + reach))
    return Equivalence(limits, bound, p, df, differ)
