"""The symbols of signs, drawn in code: masks of `MASK` x `MASK` pixels, 255 where the symbol is."""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise

import numpy as np

from puzzlebox.scene.scene import MASK, Table

Point = tuple[float, float]
# Half the width of a line; coordinates go from -1 to 1, y upwards.
_PEN = 0.14


def _coordinates() -> tuple[Table, Table]:
    axis = (np.arange(MASK) + 0.5) / MASK * 2 - 1
    x, y = np.meshgrid(axis, -axis)
    return x, y


def _polygon(corners: Sequence[Point]) -> Table:
    """Return the area of a polygon: a point is inside if a ray from it crosses the outline an odd number of times."""
    x, y = _coordinates()
    odd = np.zeros((MASK, MASK), bool)
    for (x1, y1), (x2, y2) in zip(corners, [*corners[1:], corners[0]], strict=True):
        if y1 != y2:
            odd ^= ((y1 > y) != (y2 > y)) & (x < (x2 - x1) * (y - y1) / (y2 - y1) + x1)
    return odd


def _line(*points: Point, pen: float = _PEN) -> Table:
    """Return the area of a line with round ends through some points."""
    x, y = _coordinates()
    near = np.zeros((MASK, MASK), bool)
    for (x1, y1), (x2, y2) in pairwise(points):
        dx, dy = x2 - x1, y2 - y1
        along = np.clip(((x - x1) * dx + (y - y1) * dy) / max(dx * dx + dy * dy, 1e-9), 0.0, 1.0)
        near |= np.hypot(x - x1 - along * dx, y - y1 - along * dy) <= pen
    return near


def _arc(middle: Point, radius: float, start: float, stop: float) -> tuple[Point, ...]:
    """Return points on a circle between two angles in degrees, counterclockwise from the right."""
    angles = np.radians(np.linspace(start, stop, 24))
    return tuple((middle[0] + radius * float(np.cos(a)), middle[1] + radius * float(np.sin(a))) for a in angles)


def _right_arrow() -> Table:
    return _polygon([(-0.8, 0.22), (0.1, 0.22), (0.1, 0.62), (0.82, 0.0), (0.1, -0.62), (0.1, -0.22), (-0.8, -0.22)])


def _u_turn() -> Table:
    bend = [(0.5, -0.75), (0.5, 0.15), *_arc((0.05, 0.15), 0.45, 0, 180), (-0.4, -0.1)]
    return _line(*bend) | _polygon([(-0.85, -0.1), (0.05, -0.1), (-0.4, -0.72)])


def _letter_a() -> Table:
    return _line((-0.55, -0.7), (0.0, 0.7), (0.55, -0.7)) | _line((-0.36, -0.2), (0.36, -0.2))


def _letter_b() -> Table:
    upper = [(-0.42, 0.7), (0.05, 0.7), *_arc((0.05, 0.37), 0.33, 90, -90), (-0.42, 0.04)]
    lower = [(-0.42, 0.04), (0.1, 0.04), *_arc((0.1, -0.33), 0.37, 90, -90), (-0.42, -0.7)]
    return _line((-0.42, 0.7), (-0.42, -0.7)) | _line(*upper) | _line(*lower)


def _star() -> Table:
    return _polygon([_arc((0.0, -0.06), 0.86 if i % 2 == 0 else 0.34, 90 + 36 * i, 0)[0] for i in range(10)])


def _circle() -> Table:
    x, y = _coordinates()
    return np.hypot(x, y) <= 0.7


_SYMBOLS: dict[str, Callable[[], Table]] = {
    "right-arrow": _right_arrow,
    "left-arrow": lambda: _right_arrow()[:, ::-1],
    "up-arrow": lambda: _right_arrow().T[::-1],
    "down-arrow": lambda: _right_arrow().T,
    "u-turn-arrow": _u_turn,
    "letter-a": _letter_a,
    "letter-b": _letter_b,
    "letter-c": lambda: _line(*_arc((0.08, 0.0), 0.66, 50, 310)),
    "square": lambda: _polygon([(-0.65, -0.65), (0.65, -0.65), (0.65, 0.65), (-0.65, 0.65)]),
    "triangle": lambda: _polygon([(-0.78, -0.62), (0.78, -0.62), (0.0, 0.74)]),
    "circle": _circle,
    "star": _star,
    "tick": lambda: _line((-0.6, -0.05), (-0.18, -0.5), (0.62, 0.52), pen=0.17),
    "cross": lambda: _line((-0.55, -0.55), (0.55, 0.55), pen=0.17) | _line((-0.55, 0.55), (0.55, -0.55), pen=0.17),
}


@cache
def symbol(name: str) -> Table:
    """Return the mask of a symbol; that of an unknown symbol is blank."""
    area = _SYMBOLS[name]() if name in _SYMBOLS else np.zeros((MASK, MASK), bool)
    return np.where(area, 255, 0).astype(np.uint8)
