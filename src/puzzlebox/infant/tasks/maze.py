"""Mazes on a square grid: drawn at random, every cell can be reached, and ways are measured along corridors."""

from collections import deque
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

Cell = tuple[int, int]
_SIDES = ((1, 0), (0, 1), (-1, 0), (0, -1))


@dataclass(frozen=True)
class Maze:
    """A maze.

    Attributes:
        cells: how many cells it has along each side.
        size: the length of a cell in metres.
        doors: pairs of neighbouring cells that are open to each other.
    """

    cells: int
    size: float
    doors: frozenset[tuple[Cell, Cell]]

    @classmethod
    def draw(cls, cells: int, size: float, rng: np.random.Generator, loops: float = 0.15) -> "Maze":
        """Draw a maze: a tree over all cells, and some more doors.

        Args:
            cells: along each side.
            size: of a cell, in metres.
            rng: the random stream.
            loops: the share of the remaining walls that are opened, too.
        """
        start = (int(rng.integers(cells)), int(rng.integers(cells)))
        seen, stack, doors = {start}, [start], set()
        while stack:
            cell = stack[-1]
            near = [each for each in _neighbours(cell, cells) if each not in seen]
            if not near:
                stack.pop()
                continue
            following = near[int(rng.integers(len(near)))]
            doors.add(_door(cell, following))
            seen.add(following)
            stack.append(following)
        for door in _all_doors(cells):
            if door not in doors and rng.random() < loops:
                doors.add(door)
        return cls(cells, size, frozenset(doors))

    def walls(self) -> list[tuple[Cell, Cell]]:
        """Return the pairs of neighbouring cells with a wall between them."""
        return [door for door in _all_doors(self.cells) if door not in self.doors]

    def middle(self, cell: Cell) -> tuple[float, float]:
        """Return where the middle of a cell is, in metres; the middle of the maze is 0, 0."""
        half = (self.cells - 1) / 2
        return ((cell[0] - half) * self.size, (cell[1] - half) * self.size)

    def cell_at(self, x: float, y: float) -> Cell:
        """Return the cell of a place."""
        half, most = self.cells / 2, self.cells - 1
        column, row = int(x / self.size + half), int(y / self.size + half)
        return (min(most, max(0, column)), min(most, max(0, row)))

    def way(self, start: Cell, end: Cell) -> list[Cell]:
        """Return the shortest way from one cell to another, both included."""
        before: dict[Cell, Cell | None] = {start: None}
        queue = deque([start])
        while queue:
            cell = queue.popleft()
            if cell == end:
                break
            for each in _neighbours(cell, self.cells):
                if each not in before and _door(cell, each) in self.doors:
                    before[each] = cell
                    queue.append(each)
        out: list[Cell] = []
        step: Cell | None = end
        while step is not None:
            out.append(step)
            step = before[step]
        return out[::-1]

    def distance(self, place: tuple[float, float], goal: tuple[float, float]) -> float:
        """Return the length of the way between two places along the middles of cells, in metres."""
        way = self.way(self.cell_at(*place), self.cell_at(*goal))
        points = [place, *(self.middle(cell) for cell in way[1:-1]), goal]
        return float(sum(np.hypot(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(points)))


def _door(one: Cell, two: Cell) -> tuple[Cell, Cell]:
    return (one, two) if one < two else (two, one)


def _neighbours(cell: Cell, cells: int) -> list[Cell]:
    places = [(cell[0] + dx, cell[1] + dy) for dx, dy in _SIDES]
    return [each for each in places if 0 <= each[0] < cells and 0 <= each[1] < cells]


def _all_doors(cells: int) -> list[tuple[Cell, Cell]]:
    """Return all pairs of neighbouring cells, in a fixed order."""
    grid = [(x, y) for x in range(cells) for y in range(cells)]
    return [((x, y), (x + dx, y + dy)) for x, y in grid for dx, dy in ((1, 0), (0, 1)) if max(x + dx, y + dy) < cells]
