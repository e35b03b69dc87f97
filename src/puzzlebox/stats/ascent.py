"""Maximisation of a smooth function by the method of Broyden, Fletcher, Goldfarb and Shanno, also within a plane.

The first inverse curvature may be singular: all steps then remain in its range, so that a linear constraint that holds
at the start holds at the end as well.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlebox.stats.intervals import CannotCompute

Array = NDArray[np.float64]
Function = Callable[[Array], tuple[float, Array]]
_MOST_ITERATIONS = 300


class Maximum(NamedTuple):
    """The highest point that was found: its coordinates, its height and the slope there."""

    point: Array
    value: float
    slope: Array


def maximise(function: Function, start: Array, inverse: Array, gain: float = 1e-10, longest: float = 2.0) -> Maximum:
    """Return the maximum of a function.

    Args:
        function: returns the height and the slope at a point.
        start: the first point.
        inverse: a guess of the inverse of the curvature (of minus the function), in whose range all steps lie.
        gain: the expected gain in height of a further step at which the search ends.
        longest: the largest change of a coordinate in one step.
    """
    point, inverse = start.copy(), inverse.copy()
    value, slope = function(point)
    for _ in range(_MOST_ITERATIONS):
        direction = inverse @ slope
        expected = float(slope @ direction)
        if expected < 2 * gain:
            return Maximum(point, value, slope)
        length = float(np.abs(direction).max())
        scale = min(1.0, longest / length)
        while True:
            step = scale * direction
            try:
                higher, new_slope = function(point + step)
            except (CannotCompute, FloatingPointError):
                higher, new_slope = -np.inf, slope
            if higher >= value + 1e-4 * scale * expected:
                break
            scale /= 3
            if scale * expected < gain / 10 or scale < 1e-12:
                # Rounding errors are as large as what is left to gain.
                return Maximum(point, value, slope)
        change = slope - new_slope
        point, value, slope = point + step, higher, new_slope
        curvature = float(step @ change)
        if curvature > 1e-12 * float(step @ step):
            moved = inverse @ change
            inverse = (
                inverse
                + (1 + float(change @ moved) / curvature) * np.outer(step, step) / curvature
                - (np.outer(moved, step) + np.outer(step, moved)) / curvature
            )
    raise CannotCompute("the estimates do not converge")
