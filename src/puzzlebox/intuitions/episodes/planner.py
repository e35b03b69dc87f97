"""The shortest path of an agent among walls, at any angle and with clearance for its square.

The agent is a square of 12 pixels that never turns, so its centre may be anywhere outside the walls grown by 6 pixels.
The shortest path among such boxes leads from corner to corner; the planner links the corners that see each other.
"""

from functools import cached_property, lru_cache
from math import inf
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


@lru_cache(maxsize=128)
def _pairs(count: int) -> tuple[Numbers, Numbers]:
    """Return the first and the second of each two of some numbers."""
    return np.triu_indices(count, 1)


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
    def _links(self) -> list[list[tuple[int, float]]]:
        """Return for each corner the corners that it sees, with their distances."""
        corners = self._corners
        first, second = _pairs(len(corners))
        lengths = self._lengths(corners[first], corners[second])
        seen = np.flatnonzero(lengths < np.inf)
        links: list[list[tuple[int, float]]] = [[] for _ in corners]
        for one, two, length in zip(first[seen].tolist(), second[seen].tolist(), lengths[seen].tolist(), strict=True):
            links[one].append((two, length))
            links[two].append((one, length))
        return links

    def free(self, points: Numbers) -> Numbers:
        """Return for each point (n x 2) whether the agent's centre may be there."""
        within = ((points >= LOWEST) & (points <= HIGHEST)).all(axis=1)
        each = points[:, None]
        covered = np.asarray(((each > self._low) & (each < self._high)).all(axis=2))
        return np.asarray(within & ~covered.any(axis=1))

    def _distances(self, one: Numbers, two: Numbers) -> Numbers:
        """Return the distance of each point from each other point; infinite where a box is between."""
        lengths = self._lengths(one.repeat(len(two), axis=0), np.tile(two, (len(one), 1)))
        return lengths.reshape(len(one), len(two))

    def _lengths(self, one: Numbers, two: Numbers) -> Numbers:
        """Return the distance of each point from the other of its row; infinite where a box is between."""
        step = two - one
        # Sums of squares of whole numbers are exact and roots correctly rounded, on every machine; `hypot` is not.
        lengths: Numbers = np.sqrt(step[:, 0] ** 2 + step[:, 1] ** 2)
        enter: Any = 0.0
        leave: Any = 1.0
        for axis in (0, 1):
            per_pixel = 1.0 / np.where(step[:, axis] == 0, _NO_STEP, step[:, axis])
            start = one[:, axis]
            # Boxes by pairs of points: long rows are quick.
            near = ((self._low[:, axis] + _MARGIN)[:, None] - start) * per_pixel
            far = ((self._high[:, axis] - _MARGIN)[:, None] - start) * per_pixel
            enter = np.maximum(np.minimum(near, far), enter)
            leave = np.minimum(np.maximum(near, far), leave)
        lengths[(leave > enter).any(axis=0)] = np.inf
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
        best: list[float] = planner._distances(self._origin, corners)[0].tolist()
        before = [-1] * len(corners)
        settled = [False] * len(corners)
        # Dijkstra's algorithm; with some thirty corners, a search through a list is as quick as a heap.
        while True:
            nearest, shortest = -1, inf
            for number, length in enumerate(best):
                if length < shortest and not settled[number]:
                    nearest, shortest = number, length
            if nearest < 0:
                break
            settled[nearest] = True
            for number, length in links[nearest]:
                if not settled[number] and shortest + length < best[number] - _SAME:
                    best[number], before[number] = shortest + length, nearest
        self._best, self._before = np.array(best), before

    def lengths(self, points: Numbers) -> Numbers:
        """Return the length of the shortest path to each point (n x 2) in pixels; infinite where there is none."""
        return self.last_legs(points)[0]

    def last_legs(self, points: Numbers) -> tuple[Numbers, Numbers]:
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
        lengths, lasts = self.last_legs(np.array([goal]))
        if lengths[0] == np.inf:
            return np.inf, []
        return float(lengths[0]), self.corners(goal, int(lasts[0]))

    def corners(self, goal: Point, last: int) -> list[Point]:
        """Return the corners of the shortest path to a point, start and goal included, from its last corner."""
        corners = [goal]
        while last >= 0:
            x, y = self._planner._corners[last].tolist()
            corners.append((int(x), int(y)))
            last = self._before[last]
        if corners[-1] != self.start:
            corners.append(self.start)
        return corners[::-1]
