"""The shortest path of an agent among walls, at any angle and with clearance for its square.

The agent is a square of 12 pixels that never turns, so its centre may be anywhere outside the walls grown by 6 pixels.
The shortest path among such boxes leads from corner to corner; the planner links the corners that see each other.
"""

from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.intuitions.grid import AGENT_HALF, CELL, SIZE, Cell, Point

Numbers = NDArray[Any]
# The least and largest coordinate of the agent's centre inside the border.
LOWEST, HIGHEST = CELL + AGENT_HALF, SIZE - CELL - AGENT_HALF
# Boxes are this much smaller on each side, so that a path along a wall does not enter it. All coordinates are whole
# numbers below 200, so a path that does enter a box is inside it for much longer.
_MARGIN = 1e-6
# In the place of a step of zero along an axis, so that no division fails.
_NO_STEP = 1e-12
# The least difference of two lengths that are different.
_SAME = 1e-9


@lru_cache(maxsize=512)
def planner_for(blocked: frozenset[Cell]) -> "Planner":
    """Return the planner for some blocked inner cells; the most recently used planners are kept."""
    return Planner(blocked)


def _runs(blocked: frozenset[Cell]) -> list[tuple[int, int, int, int]]:
    """Return lines of cells that cover the blocked cells: column and row of the first and the last cell of each."""
    runs, left = [], set(blocked)
    while left:
        longest: list[Cell] = []
        for cell in sorted(left):
            for right, up in ((1, 0), (0, 1)):
                if (cell[0] - right, cell[1] - up) not in left:
                    run = [cell]
                    while (run[-1][0] + right, run[-1][1] + up) in left:
                        run.append((run[-1][0] + right, run[-1][1] + up))
                    longest = max(longest, run, key=len)
        runs.append((*longest[0], *longest[-1]))
        left.difference_update(longest)
    return runs


class Planner:
    """Shortest paths among blocked cells; the border is blocked in any case."""

    def __init__(self, blocked: frozenset[Cell]) -> None:
        runs = np.array(_runs(blocked), np.float64).reshape(-1, 4)
        self._low, self._high = runs[:, :2] * CELL - AGENT_HALF, (runs[:, 2:] + 1) * CELL + AGENT_HALF

    @cached_property
    def _corners(self) -> Numbers:
        low, high = self._low, self._high
        sides = ((low, low), (low, high), (high, low), (high, high))
        corners = np.concatenate([np.column_stack((x[:, 0], y[:, 1])) for x, y in sides]).reshape(-1, 2)
        # A corner on the side of another box is no place to turn; each corner lies on its own box.
        each = corners[:, None]
        covers = ((each >= low) & (each <= high)).all(axis=2).sum(axis=1)
        within = ((corners >= LOWEST) & (corners <= HIGHEST)).all(axis=1)
        return np.asarray(corners[within & (covers == 1)])

    @cached_property
    def _links(self) -> Numbers:
        """Return the distance of each two corners; infinite where one does not see the other."""
        return self._distances(self._corners, self._corners)

    def free(self, points: Numbers) -> Numbers:
        """Return for each point (n x 2) whether the agent's centre may be there."""
        within = ((points >= LOWEST) & (points <= HIGHEST)).all(axis=1)
        each = points[:, None]
        covered = np.asarray(((each > self._low) & (each < self._high)).all(axis=2))
        return np.asarray(within & ~covered.any(axis=1))

    def _distances(self, one: Numbers, two: Numbers) -> Numbers:
        """Return the distance of each point from each other point; infinite where a box is between."""
        step = two[None] - one[:, None]
        # Sums of squares of whole numbers are exact and roots correctly rounded, on every machine; `hypot` is not.
        lengths: Numbers = np.sqrt(step[..., 0] ** 2 + step[..., 1] ** 2)
        enter: Any = 0.0
        leave: Any = 1.0
        for axis in (0, 1):
            per_pixel = 1.0 / np.where(step[..., axis] == 0, _NO_STEP, step[..., axis])[..., None]
            start = one[:, axis, None]
            near = (self._low[:, axis] + _MARGIN - start)[:, None] * per_pixel
            far = (self._high[:, axis] - _MARGIN - start)[:, None] * per_pixel
            enter = np.maximum(np.minimum(near, far), enter)
            leave = np.minimum(np.maximum(near, far), leave)
        lengths[(leave > enter).any(axis=2)] = np.inf
        return lengths

    def field(self, start: Point) -> "Field":
        """Return the shortest paths from a point to all others."""
        return Field(self, start)


class Field:
    """The shortest paths from one point."""

    def __init__(self, planner: Planner, start: Point) -> None:
        self.start = start
        self._planner = planner
        self._origin = np.array([start], np.float64)
        corners, links = planner._corners, planner._links
        best = planner._distances(self._origin, corners)[0]
        before = np.full(len(corners), -1)
        left = np.ones(len(corners), bool)
        # Dijkstra's algorithm; with some forty corners, a search through the array is as quick as a heap.
        for _ in range(len(corners)):
            nearest = int(np.argmin(np.where(left, best, np.inf)))
            if not left[nearest] or best[nearest] == np.inf:
                break
            left[nearest] = False
            through = best[nearest] + links[nearest]
            better = left & (through < best - _SAME)
            best[better], before[better] = through[better], nearest
        self._best, self._before = best, before

    def lengths(self, points: Numbers) -> Numbers:
        """Return the length of the shortest path to each point (n x 2) in pixels; infinite where there is none."""
        return self._last_legs(points)[0]

    def _last_legs(self, points: Numbers) -> tuple[Numbers, Numbers]:
        """Return for each point the length of its path, and its last corner; -1 for a straight path."""
        points = np.asarray(points, np.float64)
        legs = self._planner._distances(points, np.concatenate((self._origin, self._planner._corners)))
        legs[:, 1:] += self._best
        last = legs.argmin(axis=1)
        lengths = legs[np.arange(len(points)), last]
        return np.where(self._planner.free(points), lengths, np.inf), last - 1

    def path(self, goal: Point) -> tuple[float, list[Point]]:
        """Return the length and the corners of the shortest path to a point, start and goal included.

        Without a path the length is infinite and the list is empty.
        """
        lengths, lasts = self._last_legs(np.array([goal]))
        if lengths[0] == np.inf:
            return np.inf, []
        corners, last = [goal], int(lasts[0])
        while last >= 0:
            x, y = self._planner._corners[last].tolist()
            corners.append((int(x), int(y)))
            last = int(self._before[last])
        if corners[-1] != self.start:
            corners.append(self.start)
        return float(lengths[0]), corners[::-1]
