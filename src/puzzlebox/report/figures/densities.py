"""Shapes of distributions that are empty where there is no value.

A kernel density over all returns of an agent would be smooth between -1, the return of every time-out, and 0.5, the
lowest return of a success, although no episode has a return between them. So values that occur often are lines, the
others are divided at gaps, and only a part with enough values has a density, which ends at its lowest and its highest
value.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

# Fewest values for shapes, and of a part for a density; fewer are points only.
FEWEST, _FEWEST_OF_A_PART = 12, 6
# The smallest share of the values that makes a value a line.
_FREQUENT = 0.15
# The smallest gap that divides values, relative to their range, and in mean distances between neighbours, which are
# larger between few values.
_GAP, _GAP_IN_DISTANCES = 0.08, 5.0
# The length over which the values of a line are counted as spread, relative to the range, to compare it with densities.
_SPREAD = 1 / 30
_POINTS = 80
# Decimals to which values are compared: beyond, sums of thousands of rewards differ although outcomes are equal.
_DECIMALS = 9


class Shape(NamedTuple):
    """A part of a distribution: values in ascending order, and the width at each of them, at most 1."""

    values: Values
    widths: Values


def shapes_of(values: Values) -> list[Shape]:
    """Return the parts of the distribution of some finite values; none for few values, or equal ones.

    A value that occurs often has a part of its own, which is a line.
    """
    if len(values) < FEWEST:
        return []
    low, high = float(values.min()), float(values.max())
    # Halved, because the range of the largest numbers is infinite.
    range_ = 2 * (high / 2 - low / 2)
    if not np.isfinite(range_) or range_ <= 10.0**-_DECIMALS * max(1.0, abs(low), abs(high)):
        return []
    relative = np.sort((values - low) / range_)
    distinct, counts = np.unique(np.round(relative, _DECIMALS), return_counts=True)
    frequent = distinct[(counts >= _FREQUENT * len(values)) & (counts > 2)]
    parts = [(np.array([each, each]), np.full(2, counts[distinct == each][0] / _SPREAD)) for each in frequent]
    others = relative[~np.isin(np.round(relative, _DECIMALS), frequent)]
    gap = max(_GAP, _GAP_IN_DISTANCES * float(np.ptp(others)) / len(others)) if len(others) else _GAP
    for part in np.split(others, np.flatnonzero(np.diff(others) > gap) + 1):
        if len(part) >= _FEWEST_OF_A_PART and np.ptp(part) > 1e-6:
            parts.append(_density(part))
    if not parts:
        return []
    widest = max(float(widths.max()) for _, widths in parts)
    return [
        Shape(low + range_ * places, widths / widest) for places, widths in sorted(parts, key=lambda each: each[0][0])
    ]


def _density(values: Values) -> tuple[Values, Values]:
    """Return places from the lowest to the highest value, and the number of values per unit around each."""
    spread = min(float(values.std(ddof=1)), float(np.subtract(*np.quantile(values, (0.75, 0.25)))) / 1.34) or np.ptp(
        values
    )
    # Silverman's rule of thumb.
    bandwidth = max(0.9 * spread * len(values) ** -0.2, 1e-3 * np.ptp(values))
    places = np.linspace(values[0], values[-1], _POINTS)
    if len(values) > 4000:  # a histogram with a twentieth of the bandwidth is as good, and faster
        bins = int(np.ptp(values) / bandwidth * 20) + 1
        weights, edges = np.histogram(values, bins)
        values = (edges[1:] + edges[:-1]) / 2
    else:
        weights = np.ones(len(values))
    distances = (places[:, None] - values[None, :]) / bandwidth
    heights = (weights * np.exp(-0.5 * distances**2)).sum(axis=1) / (bandwidth * np.sqrt(2 * np.pi))
    return places, heights
