"""Layouts: walls at random, a start, and the cells that the agent can go to from there."""

from collections.abc import Collection, Iterable
from functools import cached_property
from math import sqrt
from random import Random

import numpy as np

from puzzlebox.intuitions.episodes.motion import Places, distance_to_path, walk
from puzzlebox.intuitions.episodes.planner import Field, planner_for
from puzzlebox.intuitions.grid import FEWEST_WALLS, INNER, MOST_WALLS, Cell, Point, centre, connected, inside

# Attempts to draw an episode before it counts as impossible; most need fewer than ten.
ATTEMPTS = 20_000
_DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1))
# The least distance between a path and the centre of a thing that it is not to touch, in pixels.
CLEAR_OF_OTHERS = 24.0


class NoLayout(Exception):
    """The draws of this attempt do not fit together; the next attempt draws anew."""


def draw_walls(
    rng: Random, fewest: int = FEWEST_WALLS, most: int = MOST_WALLS, keep_free: Collection[Cell] = ()
) -> frozenset[Cell]:
    """Draw wall cells in short lines, so that the free space stays connected.

    Raises:
        NoLayout: the lines did not fit; draw again.
    """
    count = rng.randint(fewest, most)
    walls: set[Cell] = set()
    for _ in range(60):
        column, row = rng.choice(INNER)
        right, up = rng.choice(_DIRECTIONS)
        for step in range(rng.randint(1, 4)):
            cell = (column + right * step, row + up * step)
            if inside(cell) and cell not in keep_free and len(walls) < count:
                walls.add(cell)
        if len(walls) == count:
            break
    if len(walls) < count or not connected(walls):
        raise NoLayout
    return frozenset(walls)


class Ground:
    """A layout with a start: paths from there to the centres of all cells.

    Args:
        blocked: blocked inner cells: walls, and a barrier if there is one.
        start: the cell of the start.
        places: the point of the start in pixels. Default: the centre of its cell.
    """

    def __init__(self, blocked: Iterable[Cell], start: Cell, place: Point | None = None) -> None:
        self.blocked, self.start = frozenset(blocked), start
        self.place = centre(start) if place is None else place
        self._paths: dict[Cell, list[Point]] = {}
        self._walks: dict[Cell, Places] = {}
        self._last_corners: dict[Cell, int] = {}

    @cached_property
    def field(self) -> Field:
        """Return the shortest paths from the start."""
        return planner_for(self.blocked).field(self.place)

    @cached_property
    def lengths(self) -> dict[Cell, float]:
        """Return the length of the shortest path to each free cell that can be reached, in pixels."""
        free = [cell for cell in INNER if cell not in self.blocked and cell != self.start]
        lengths, lasts = self.field.last_legs(np.array([centre(cell) for cell in free]))
        found = {cell: length for cell, length in zip(free, lengths.tolist(), strict=True) if length != np.inf}
        self._last_corners = {cell: last for cell, last in zip(free, lasts.tolist(), strict=True) if cell in found}
        return found

    def straight(self, cell: Cell) -> float:
        """Return the distance of a cell's centre as the crow flies, in pixels."""
        x, y = centre(cell)
        return sqrt((x - self.place[0]) ** 2 + (y - self.place[1]) ** 2)

    def path(self, cell: Cell) -> list[Point]:
        """Return the corners of the shortest path to the centre of a cell."""
        if cell not in self._paths:
            # Once the lengths to all cells are known, so are the last corners of the paths.
            last, goal = self._last_corners.get(cell), centre(cell)
            self._paths[cell] = self.field.path(goal)[1] if last is None else self.field.corners(goal, last)
        return self._paths[cell]

    def walk(self, cell: Cell) -> Places:
        """Return the places of the agent in each frame on its way to what is in a cell."""
        if cell not in self._walks:
            self._walks[cell] = walk(self.path(cell), centre(cell))
        return self._walks[cell].copy()

    def avoids(self, cell: Cell, other: Cell, least: float = CLEAR_OF_OTHERS) -> bool:
        """Return whether the path to a cell stays clear of what is in another cell."""
        return distance_to_path(centre(other), self.path(cell)) >= least


def free_of(places: Iterable[Point], blocked: frozenset[Cell]) -> bool:
    """Return whether an agent can be at all these places."""
    return bool(planner_for(blocked).free(np.array(list(places))).all())
