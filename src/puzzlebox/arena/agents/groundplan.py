"""A map that an agent builds from its rays: where the animal can go, where it should not, and what is unexplored.

Rays are cast with balls as wide as the animal, so the animal's centre can be wherever a ray passes. The map is about
positions of the centre, not about the extent of things.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

# Metres of a cell, and cells a side of the largest possible arena.
CELL = 0.5
_SIDE = 210
# Metres between the points of a ray that are marked, and how far along it.
_SPACING = 0.3
_REACH = 60.0
# A cell whose `solid` is at least this counts as blocked.
BLOCKED = 0.5
_UNREACHED = np.float32(1e9)
# The eight neighbours of a cell, with the distance to each in cells.
_NEIGHBOURS = [(i, k, 1.0 if 0 in (i, k) else 1.42) for i in (1, 0, -1) for k in (1, 0, -1) if (i, k) != (0, 0)]

Floats = npt.NDArray[np.float32]
Cells = npt.NDArray[np.intp]


def cell_of(x: float, z: float) -> tuple[int, int]:
    """Return the cell a position is in."""
    return (
        min(max(int(x / CELL), 1), _SIDE - 2),
        min(max(int(z / CELL), 1), _SIDE - 2),
    )


def place_of(cell: tuple[int, int]) -> tuple[float, float]:
    """Return the centre of a cell."""
    return (cell[0] + 0.5) * CELL, (cell[1] + 0.5) * CELL


class GroundPlan:
    """A map of the ground as far as it is explored.

    Attributes:
        solid: how certain it is that a cell is blocked, 0 to 1.
        toll: the cost of entering a cell besides the distance: zones, ramps, things to push, places where it got stuck.
        explored: whether a ray has reached the cell.
    """

    def __init__(self) -> None:
        shape = (_SIDE, _SIDE)
        self.solid: Floats = np.zeros(shape, np.float32)
        self.toll: Floats = np.zeros(shape, np.float32)
        self.explored: npt.NDArray[np.bool_] = np.zeros(shape, np.bool_)
        self._extent = [2, 2]
        self._points = np.arange(0.0, _REACH, _SPACING, dtype=np.float32)

    def mark_free(self, x: float, z: float, sines: Floats, cosines: Floats, lengths: Floats) -> None:
        """Mark the cells that rays from a position passed without a hit, up to their lengths in metres."""
        rays, points = np.nonzero(self._points[None, :] < (lengths - 0.05)[:, None])
        far = self._points[points]
        cells = self._cells(x + sines[rays] * far, z + cosines[rays] * far)
        self.explored[cells] = True
        self.solid[cells] *= 0.8
        self._extent[0] = max(self._extent[0], int(cells[0].max(initial=0)) + 2)
        self._extent[1] = max(self._extent[1], int(cells[1].max(initial=0)) + 2)

    def mark_solid(self, xs: Floats, zs: Floats) -> None:
        """Mark positions at which a ray hit something solid."""
        cells = self._cells(xs, zs)
        self.solid[cells] += (1.0 - self.solid[cells]) * 0.6
        self.explored[cells] = True

    def add_toll(self, xs: Floats, zs: Floats, toll: float, around: int) -> None:
        """Raise the toll of positions, and of `around` cells on each side of them."""
        centre_x, centre_z = self._cells(xs, zs)
        for dx in range(-around, around + 1):
            for dz in range(-around, around + 1):
                cells = (np.clip(centre_x + dx, 0, _SIDE - 1), np.clip(centre_z + dz, 0, _SIDE - 1))
                share = toll if abs(dx) + abs(dz) <= 1 else toll / 2
                self.toll[cells] = np.maximum(self.toll[cells], share)
        self.explored[centre_x, centre_z] = True

    def mark_explored(self, x: float, z: float, around: int) -> None:
        """Mark `around` cells on each side of a position as explored."""
        i, k = cell_of(x, z)
        self.explored[max(i - around, 0) : i + around + 1, max(k - around, 0) : k + around + 1] = True

    def _cells(self, xs: Any, zs: Any) -> tuple[Cells, Cells]:
        i = np.clip((xs / CELL).astype(np.intp), 0, _SIDE - 1)
        k = np.clip((zs / CELL).astype(np.intp), 0, _SIDE - 1)
        return i, k

    # --- paths

    def frontier(self) -> list[tuple[int, int]]:
        """Return unexplored cells beside free ones."""
        width, depth = (min(each, _SIDE) for each in self._extent)
        open_ = (self.explored & (self.solid < BLOCKED) & (self.toll < 8))[:width, :depth]
        unknown = ~self.explored[:width, :depth]
        beside = np.zeros_like(unknown)
        beside[1:-1, 1:-1] = open_[2:, 1:-1] | open_[:-2, 1:-1] | open_[1:-1, 2:] | open_[1:-1, :-2]
        neighbours = np.zeros(unknown.shape, np.int8)
        neighbours[1:-1, 1:-1] = sum(unknown[1 + i : width - 1 + i, 1 + k : depth - 1 + k] for i, k, _ in _NEIGHBOURS)
        return list(zip(*(each.tolist() for each in np.nonzero(unknown & beside & (neighbours >= 3))), strict=True))

    def distances_to(self, targets: list[tuple[int, int]], start: tuple[int, int]) -> Floats:
        """Return the cost of the cheapest path from each cell to one of some cells; huge where there is none."""
        width = min(max(self._extent[0], start[0] + 2, *(cell[0] + 2 for cell in targets)), _SIDE)
        depth = min(max(self._extent[1], start[1] + 2, *(cell[1] + 2 for cell in targets)), _SIDE)
        price = 1.0 + self.toll[:width, :depth] + 4.0 * self.solid[:width, :depth]
        price[~self.explored[:width, :depth]] += 0.5
        # Nothing solid is crossed, but a path may start in a blocked cell: the animal is where it is.
        price[self.solid[:width, :depth] >= BLOCKED] = 400.0
        distances = np.full((width + 2, depth + 2), _UNREACHED, np.float32)
        inner = distances[1:-1, 1:-1]
        for i, k in targets:
            inner[i, k] = 0.0
        for _ in range(4 * (width + depth)):
            before = inner.copy()
            for di, dk, length in _NEIGHBOURS:
                near = distances[1 + di : width + 1 + di, 1 + dk : depth + 1 + dk]
                np.minimum(inner, near + price * length, out=inner)
            if inner[start] < _UNREACHED and np.array_equal(before, inner):
                break
        return inner

    def path_from(self, distances: Floats, start: tuple[int, int], most: int = 14) -> list[tuple[int, int]]:
        """Return the next cells of the cheapest path from a cell, `most` at most."""
        path = [start]
        for _ in range(most):
            i, k = path[-1]
            near = [
                (float(distances[i + di, k + dk]) + 0.01 * length, (i + di, k + dk))
                for di, dk, length in _NEIGHBOURS
                if 0 <= i + di < distances.shape[0] and 0 <= k + dk < distances.shape[1]
            ]
            best, cell = min(near)
            if best >= distances[i, k] or cell in path:
                break
            path.append(cell)
        return path[1:]

    def is_open(self, x: float, z: float, to_x: float, to_z: float, toll: float = 1.0) -> bool:
        """Return whether the straight line between two positions is free, as far as the map shows."""
        count = max(2, int(np.hypot(to_x - x, to_z - z) / 0.25))
        part = np.linspace(0.0, 1.0, count, dtype=np.float32)[1:]
        cells = self._cells(x + (to_x - x) * part, z + (to_z - z) * part)
        return bool((self.solid[cells] < BLOCKED).all() and (self.toll[cells] < toll).all())
