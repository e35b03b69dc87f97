"""Wilson's interval of a proportion whose variance was estimated from units, by the effective number of observations.

After Korn and Graubard (1998) and Dean and Pagano (2015): a proportion with a variance V is as precise as one of
p (1 - p) / V independent observations.
"""

from math import sqrt

from puzzlebox.stats.extras import import_extra
from puzzlebox.stats.intervals import Z_95, Interval


def score_interval(share: float, variance: float, df: float, units: int, level: float = 0.95) -> Interval:
    """Return a proportion with its interval, which stays between 0 and 1.

    Args:
        share: the proportion.
        variance: its estimated variance; if it is 0, each unit counts as one observation.
        df: the degrees of freedom of the variance.
        units: the number of units.
        level: the confidence level.
    """
    distributions = import_extra("scipy.stats")
    z = Z_95 if level == 0.95 else float(distributions.norm.ppf((1 + level) / 2))
    many = units if variance <= 1e-12 else share * (1 - share) / variance
    many *= (z / float(distributions.t.ppf((1 + level) / 2, df))) ** 2
    if many <= 0:
        return Interval(share, 0.0, 1.0)
    shrink = 1 + z * z / many
    centre = (share + z * z / (2 * many)) / shrink
    half_width = z / shrink * sqrt(share * (1 - share) / many + z * z / (4 * many * many))
    low = 0.0 if share <= 0 else max(0.0, centre - half_width)
    high = 1.0 if share >= 1 else min(1.0, centre + half_width)
    return Interval(share, low, high)
