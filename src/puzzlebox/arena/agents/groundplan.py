"""A map an animal draws while it looks around: where it can go, where it must not, and what it has not seen yet.

Rays are cast with balls as wide as the animal, so what a ray passes is a place the animal's middle can pass: the map is
of places for its middle, not of things.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

# Metres of a cell, and cells of the largest arena there can be.
CELL = 0.5
_SIDE = 210
# Metres between two points of a ray that are looked up.
_SPACING = 0.3
_REACH = 60.0
# From here on a place counts as blocked.
BLOCKED = 0.5
_UNREACHED = np.float32(1e9)
# To each neighbour, and how long the way is, in cells.
_STEPS = [(i, k, 1.0 if 0 in (i, k) else 1.42) for i in (1, 0, -1) for k in (1, 0, -1) if (i, k) != (0, 0)]

Floats = npt.NDArray[np.float32]
Cells = npt.NDArray[np.intp]


def cell_of(x: float, z: float) -> tuple[int, int]:
    """The cell a place is in."""
    return (
        min(max(int(x / CELL), 1), _SIDE - 2),
        min(max(int(z / CELL), 1), _SIDE - 2),
    )


def place_of(cell: tuple[int, int]) -> tuple[float, float]:
    """The middle of a cell."""
    return (cell[0] + 0.5) * CELL, (cell[1] + 0.5) * CELL


class GroundPlan:
    """What is known of the ground.

    Attributes:
        solid: how certainly the animal cannot be there, 0 to 1.
        toll: what it costs to be there beside the way: zones, ramps, things to push, places it got stuck at.
        seen: whether it was looked at.
    """

    def __init__(self) -> None:
        shape = (_SIDE, _SIDE)
        self.solid: Floats = np.zeros(shape, np.float32)
        self.toll: Floats = np.zeros(shape, np.float32)
        self.seen: npt.NDArray[np.bool_] = np.zeros(shape, np.bool_)
        self._far = [2, 2]
        self._points = np.arange(0.0, _REACH, _SPACING, dtype=np.float32)

    def pass_along(self, x: float, z: float, sines: Floats, cosines: Floats, lengths: Floats) -> None:
        """Rays from a place met nothing as far as they go."""
        rays, points = np.nonzero(self._points[None, :] < (lengths - 0.05)[:, None])
        far = self._points[points]
        cells = self._cells(x + sines[rays] * far, z + cosines[rays] * far)
        self.seen[cells] = True
        self.solid[cells] *= 0.8
        self._far[0] = max(self._far[0], int(cells[0].max(initial=0)) + 2)
        self._far[1] = max(self._far[1], int(cells[1].max(initial=0)) + 2)

    def meet(self, xs: Floats, zs: Floats) -> None:
        """Something solid is at some places."""
        cells = self._cells(xs, zs)
        self.solid[cells] += (1.0 - self.solid[cells]) * 0.6
        self.seen[cells] = True

    def charge(self, xs: Floats, zs: Floats, toll: float, around: int) -> None:
        """It costs something to be at some places, and in the cells around them."""
        centre_x, centre_z = self._cells(xs, zs)
        for dx in range(-around, around + 1):
            for dz in range(-around, around + 1):
                cells = (np.clip(centre_x + dx, 0, _SIDE - 1), np.clip(centre_z + dz, 0, _SIDE - 1))
                share = toll if abs(dx) + abs(dz) <= 1 else toll / 2
                self.toll[cells] = np.maximum(self.toll[cells], share)
        self.seen[centre_x, centre_z] = True

    def give_up(self, x: float, z: float, around: int) -> None:
        """Nothing more is to be seen around a place."""
        i, k = cell_of(x, z)
        self.seen[max(i - around, 0) : i + around + 1, max(k - around, 0) : k + around + 1] = True

    def _cells(self, xs: Any, zs: Any) -> tuple[Cells, Cells]:
        i = np.clip((xs / CELL).astype(np.intp), 0, _SIDE - 1)
        k = np.clip((zs / CELL).astype(np.intp), 0, _SIDE - 1)
        return i, k

    # --- ways

    def frontier(self) -> list[tuple[int, int]]:
        """Places nobody has looked at, beside open ones."""
        width, depth = self._far
        open_ = (self.seen & (self.solid < BLOCKED) & (self.toll < 8))[:width, :depth]
        unknown = ~self.seen[:width, :depth]
        beside = np.zeros_like(unknown)
        beside[1:-1, 1:-1] = open_[2:, 1:-1] | open_[:-2, 1:-1] | open_[1:-1, 2:] | open_[1:-1, :-2]
        company = np.zeros(unknown.shape, np.int8)
        company[1:-1, 1:-1] = sum(unknown[1 + i : width - 1 + i, 1 + k : depth - 1 + k] for i, k, _ in _STEPS)
        return list(zip(*(each.tolist() for each in np.nonzero(unknown & beside & (company >= 3))), strict=True))

    def ways_to(self, targets: list[tuple[int, int]], start: tuple[int, int]) -> Floats:
        """How far each cell is from the nearest of some cells, by the cheapest way; very far where there is none."""
        width = max(self._far[0], start[0] + 2, *(cell[0] + 2 for cell in targets))
        depth = max(self._far[1], start[1] + 2, *(cell[1] + 2 for cell in targets))
        price = 1.0 + self.toll[:width, :depth] + 4.0 * self.solid[:width, :depth]
        price[~self.seen[:width, :depth]] += 0.5
        # No way goes through what is solid, but one may begin in it: the animal is where it is.
        price[self.solid[:width, :depth] >= BLOCKED] = 400.0
        ways = np.full((width + 2, depth + 2), _UNREACHED, np.float32)
        inner = ways[1:-1, 1:-1]
        for i, k in targets:
            inner[i, k] = 0.0
        for _ in range(4 * (width + depth)):
            before = inner.copy()
            for di, dk, length in _STEPS:
                near = ways[1 + di : width + 1 + di, 1 + dk : depth + 1 + dk]
                np.minimum(inner, near + price * length, out=inner)
            if inner[start] < _UNREACHED and np.array_equal(before, inner):
                break
        return inner

    def descend(self, ways: Floats, start: tuple[int, int], most: int = 14) -> list[tuple[int, int]]:
        """The next cells of the way from a cell."""
        path = [start]
        for _ in range(most):
            i, k = path[-1]
            near = [
                (float(ways[i + di, k + dk]) + 0.01 * length, (i + di, k + dk))
                for di, dk, length in _STEPS
                if 0 <= i + di < ways.shape[0] and 0 <= k + dk < ways.shape[1]
            ]
            best, cell = min(near)
            if best >= ways[i, k] or cell in path:
                break
            path.append(cell)
        return path[1:]

    def is_open(self, x: float, z: float, to_x: float, to_z: float, toll: float = 1.0) -> bool:
        """Whether the straight way from one place to another is free, as far as is known."""
        count = max(2, int(np.hypot(to_x - x, to_z - z) / 0.25))
        part = np.linspace(0.0, 1.0, count, dtype=np.float32)[1:]
        cells = self._cells(x + (to_x - x) * part, z + (to_z - z) * part)
        return bool((self.solid[cells] < BLOCKED).all() and (self.toll[cells] < toll).all())
