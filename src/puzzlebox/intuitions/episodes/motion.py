"""The motion of an agent along a path: two pixels a frame along the faster axis, until it touches its goal."""

from collections.abc import Sequence
from itertools import pairwise
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.intuitions.grid import SPEED, TOUCH, Point

Places = list[Point]


def walk(path: Sequence[Point], touch: Point | None = None) -> Places:
    """Return the centre of an agent in each frame after its start.

    Rounding to whole pixels never brings the agent nearer to a wall than the path, because all corners of paths and
    walls have whole coordinates.

    Args:
        path: corners of the path, the start first.
        touch: the centre of what the agent goes to; it stops at the first frame that is near enough to touch it.
    """
    places: Places = []
    for (x, y), (to_x, to_y) in pairwise(path):
        dx, dy = to_x - x, to_y - y
        longer = max(abs(dx), abs(dy))
        for moved in [*range(SPEED, longer, SPEED), longer] if longer else []:
            place = (x + round(dx * moved / longer), y + round(dy * moved / longer))
            places.append(place)
            if touch is not None and (place[0] - touch[0]) ** 2 + (place[1] - touch[1]) ** 2 <= TOUCH**2:
                return places
    return places


def distance_to_path(point: Point, path: Sequence[Point]) -> float:
    """Return the least distance of a point from a path of straight segments, in pixels."""
    least = float((point[0] - path[0][0]) ** 2 + (point[1] - path[0][1]) ** 2)
    for (x, y), (to_x, to_y) in pairwise(path):
        dx, dy = to_x - x, to_y - y
        squared = dx * dx + dy * dy
        along = 0.0 if not squared else min(1.0, max(0.0, ((point[0] - x) * dx + (point[1] - y) * dy) / squared))
        least = min(least, (point[0] - x - along * dx) ** 2 + (point[1] - y - along * dy) ** 2)
    return sqrt(least)


def path_length(places: NDArray[Any]) -> float:
    """Return the length of a path through some places (n x 2), in pixels."""
    return float(np.hypot(*np.diff(places, axis=0).T).sum())
