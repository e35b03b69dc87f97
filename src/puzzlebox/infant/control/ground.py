"""Where an animated body may walk: the floor of a room, without the things that stand in the way."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Block:
    """An upright box that nobody walks through.

    Attributes:
        x: the middle, in metres.
        y: the middle, in metres.
        half_x: half its length along x, in metres.
        half_y: half its length along y, in metres.
    """

    x: float
    y: float
    half_x: float
    half_y: float


class Ground:
    """The floor of a room.

    Attributes:
        half_x: half the length of the room along x, in metres.
        half_y: half its length along y, in metres.
    """

    def __init__(self, half_x: float, half_y: float, blocks: tuple[Block, ...] = ()) -> None:
        self.half_x, self.half_y = half_x, half_y
        self.blocks = blocks

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The boxes that stand in the way."""
        return self._blocks

    @blocks.setter
    def blocks(self, blocks: tuple[Block, ...]) -> None:
        self._blocks = tuple(blocks)
        rows = [(each.x, each.y, each.half_x, each.half_y) for each in self._blocks]
        self._table = np.array(rows).reshape(-1, 4)

    def clamped(self, x: float, y: float, margin: float) -> tuple[float, float]:
        """Return the nearest place inside the room that is at least `margin` from its walls."""
        far_x, far_y = max(0.0, self.half_x - margin), max(0.0, self.half_y - margin)
        return max(-far_x, min(far_x, x)), max(-far_y, min(far_y, y))

    def is_free(self, x: float, y: float, radius: float) -> bool:
        """Return whether a disc lies inside the room and touches no box."""
        if abs(x) > self.half_x - radius or abs(y) > self.half_y - radius:
            return False
        return not self._overlaps(x, y, radius).any()

    def moved(self, x: float, y: float, radius: float) -> tuple[float, float]:
        """Return a place near another one where a disc fits: it is pushed out of walls and boxes, and so slides along.

        Args:
            x: where the disc would go, in metres.
            y: where the disc would go, in metres.
            radius: of the disc, in metres.
        """
        # Two boxes may push one after the other, as in a corner.
        for _ in range(3):
            x, y = self.clamped(x, y, radius)
            hit = np.flatnonzero(self._overlaps(x, y, radius))
            if not len(hit):
                break
            for row in hit.tolist():
                x, y = self._pushed(x, y, radius, self._table[row])
        return self.clamped(x, y, radius)

    def _overlaps(self, x: float, y: float, radius: float) -> NDArray[np.bool_]:
        table = self._table
        dx = np.maximum(np.abs(x - table[:, 0]) - table[:, 2], 0.0)
        dy = np.maximum(np.abs(y - table[:, 1]) - table[:, 3], 0.0)
        return np.asarray(dx * dx + dy * dy < (radius - 1e-9) ** 2)

    @staticmethod
    def _pushed(x: float, y: float, radius: float, row: NDArray[np.float64]) -> tuple[float, float]:
        middle_x, middle_y, half_x, half_y = row.tolist()
        near_x = max(middle_x - half_x, min(middle_x + half_x, x))
        near_y = max(middle_y - half_y, min(middle_y + half_y, y))
        away_x, away_y = x - near_x, y - near_y
        distance = (away_x**2 + away_y**2) ** 0.5
        if distance >= radius:
            return x, y
        if distance > 1e-9:
            return near_x + away_x / distance * radius, near_y + away_y / distance * radius
        # The middle of the disc is inside: out by the shortest way.
        depth_x, depth_y = half_x - abs(x - middle_x), half_y - abs(y - middle_y)
        if depth_x < depth_y:
            return middle_x + (half_x + radius) * (1 if x >= middle_x else -1), y
        return x, middle_y + (half_y + radius) * (1 if y >= middle_y else -1)
