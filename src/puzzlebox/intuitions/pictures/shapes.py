"""The shapes of objects, agents, keys and locks, each a union of convex pieces.

Both painters use the same pieces: the flat one fills them, the one in three dimensions makes prisms of them.
Coordinates go from -1 to 1 in the square of the entity, y upwards.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import cos, hypot, pi, radians, sin
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlebox.intuitions.episodes.casting import AGENT_SHAPES, OBJECT_SHAPES, ORIENTATIONS

Corner = tuple[float, float]


class Polygon(NamedTuple):
    """A convex polygon, its corners counterclockwise."""

    corners: tuple[Corner, ...]


class Ellipse(NamedTuple):
    """An ellipse along the axes: its centre and its radii."""

    x: float
    y: float
    across: float
    up: float


Piece = Polygon | Ellipse
Pieces = tuple[Piece, ...]


def _polygon(*corners: Corner) -> Polygon:
    return Polygon(corners)


def _box(left: float, bottom: float, right: float, top: float) -> Polygon:
    return _polygon((left, bottom), (right, bottom), (right, top), (left, top))


def _disc(x: float, y: float, radius: float) -> Ellipse:
    return Ellipse(x, y, radius, radius)


def _regular(corners: int, radius: float = 1.0, turn: float = 90.0) -> Polygon:
    angles = [radians(turn + 360 * i / corners) for i in range(corners)]
    return Polygon(tuple((radius * cos(angle), radius * sin(angle)) for angle in angles))


def _line(start: Corner, end: Corner, pen: float) -> Polygon:
    """Return a straight line with square ends."""
    length = hypot(end[0] - start[0], end[1] - start[1])
    x, y = -(end[1] - start[1]) / length * pen, (end[0] - start[0]) / length * pen
    return _polygon(
        (start[0] - x, start[1] - y), (end[0] - x, end[1] - y), (end[0] + x, end[1] + y), (start[0] + x, start[1] + y)
    )


def _heart() -> Pieces:
    lobes = (_disc(-0.47, 0.4, 0.5), _disc(0.47, 0.4, 0.5))
    return (*lobes, _polygon((0.0, -0.95), (0.86, 0.1), (0.0, 0.6), (-0.86, 0.1)))


def _clove_tree() -> Pieces:
    leaves = (_disc(0.0, 0.55, 0.43), _disc(-0.52, 0.0, 0.43), _disc(0.52, 0.0, 0.43))
    return (*leaves, _box(-0.2, -0.2, 0.2, 0.3), _polygon((-0.45, -0.98), (0.45, -0.98), (0.12, -0.1), (-0.12, -0.1)))


def _moon() -> Pieces:
    """Return a crescent: strips between an outer and an inner circle."""
    angles = [radians(55 + 250 * i / 10) for i in range(11)]
    outer = [(0.25 + 0.95 * cos(angle), 0.97 * sin(angle)) for angle in angles]
    inner = [
        (0.25 + (0.95 - 0.62 * sin(pi * i / 10)) * cos(angle), (0.97 - 0.5 * sin(pi * i / 10)) * sin(angle))
        for i, angle in enumerate(angles)
    ]
    return tuple(_polygon(outer[i], outer[i + 1], inner[i + 1], inner[i]) for i in range(10))


def _wine() -> Pieces:
    cup = _polygon((-0.12, -0.1), (0.12, -0.1), (0.55, 0.35), (0.65, 0.98), (-0.65, 0.98), (-0.55, 0.35))
    return (cup, _box(-0.1, -0.85, 0.1, 0.0), _box(-0.55, -0.98, 0.55, -0.76))


def _double_dia() -> Pieces:
    def diamond(y: float) -> Polygon:
        return _polygon((0.0, y - 0.52), (0.62, y), (0.0, y + 0.52), (-0.62, y))

    return (diamond(0.46), diamond(-0.46))


def _flag() -> Pieces:
    return (_box(-0.8, -0.98, -0.58, 0.98), _polygon((-0.6, 0.98), (-0.6, -0.1), (0.9, 0.44)))


def _capsule() -> Pieces:
    return (_disc(-0.5, 0.0, 0.48), _disc(0.5, 0.0, 0.48), _box(-0.5, -0.48, 0.5, 0.48))


def _vase() -> Pieces:
    return (
        _box(-0.5, 0.78, 0.5, 0.98),
        _polygon((-0.22, 0.4), (0.22, 0.4), (0.4, 0.8), (-0.4, 0.8)),
        Ellipse(0.0, -0.25, 0.72, 0.72),
        _polygon((-0.45, -0.98), (0.45, -0.98), (0.55, -0.5), (-0.55, -0.5)),
    )


def _curved_triangle() -> Pieces:
    """Return a triangle with sides that bulge: the points in three discs around its corners."""
    tips = [radians(90 + 120 * i) for i in range(3)]
    side = 3**0.5
    points = []
    for tip in tips:
        for step in range(8):
            angle = tip + pi - radians(30) + radians(60) * step / 8
            points.append((cos(tip) + side * cos(angle), sin(tip) + side * sin(angle)))
    return (Polygon(tuple((0.92 * x, 0.92 * y - 0.05) for x, y in points)),)


def _spoon() -> Pieces:
    return (Ellipse(0.0, 0.5, 0.42, 0.48), _box(-0.12, -0.98, 0.12, 0.2))


def _medal() -> Pieces:
    ribbons = (_line((-0.55, 0.85), (0.1, 0.0), 0.19), _line((0.55, 0.85), (-0.1, 0.0), 0.19))
    return (_disc(0.0, -0.4, 0.58), *ribbons)


def _star() -> Pieces:
    tips = [_regular(5, 1.0).corners[i] for i in range(5)]
    dents = [_regular(5, 0.42, 126.0).corners[i] for i in range(5)]
    rays = [_polygon(dents[i - 1], tips[i], dents[i]) for i in range(5)]
    return (Polygon(tuple(dents)), *rays)


def _mushroom() -> Pieces:
    angles = [radians(180 * i / 10) for i in range(11)]
    cap = Polygon(tuple((0.95 * cos(angle), 0.95 * sin(angle)) for angle in angles))
    return (cap, _box(-0.3, -0.95, 0.3, 0.1))


def _drop() -> Pieces:
    return (_disc(0.0, -0.35, 0.6), _polygon((-0.56, -0.14), (0.56, -0.14), (0.0, 0.98)))


def _arrow() -> Pieces:
    return (_polygon((0.95, 0.0), (0.0, 0.9), (0.0, -0.9)), _box(-0.95, -0.32, 0.1, 0.32))


def _cross() -> Pieces:
    return (_box(-0.95, -0.32, 0.95, 0.32), _box(-0.32, -0.95, 0.32, 0.95))


def _hourglass() -> Pieces:
    return (_polygon((-0.8, -0.95), (0.8, -0.95), (0.0, 0.15)), _polygon((0.0, -0.15), (0.8, 0.95), (-0.8, 0.95)))


def _fish() -> Pieces:
    return (Ellipse(-0.2, 0.0, 0.75, 0.5), _polygon((0.35, 0.0), (0.95, -0.65), (0.95, 0.65)))


def _house() -> Pieces:
    return (_box(-0.7, -0.95, 0.7, 0.15), _polygon((-0.98, 0.1), (0.98, 0.1), (0.0, 0.98)))


def _clove() -> Pieces:
    leaves = [_disc(0.52 * cos(radians(a)), 0.52 * sin(radians(a)), 0.47) for a in (0, 90, 180, 270)]
    return (*leaves, _box(-0.3, -0.3, 0.3, 0.3))


def _kite() -> Pieces:
    return (_polygon((0.0, -1.0), (0.7, 0.25), (0.0, 1.0), (-0.7, 0.25)),)


def _shield() -> Pieces:
    return (_polygon((0.0, -1.0), (0.6, -0.5), (0.85, 0.1), (0.85, 0.9), (-0.85, 0.9), (-0.85, 0.1), (-0.6, -0.5)),)


def _gear() -> Pieces:
    teeth = [_line((-cos(a), -sin(a)), (cos(a), sin(a)), 0.24) for a in (pi * i / 4 for i in range(4))]
    return (_disc(0.0, 0.0, 0.72), *teeth)


def _bean() -> Pieces:
    return (_disc(-0.45, -0.25, 0.53), _disc(0.45, -0.25, 0.53), Ellipse(0.0, 0.15, 0.62, 0.62))


def _crown() -> Pieces:
    spikes = [_polygon((x - 0.35, -0.3), (x + 0.35, -0.3), (1.4 * x, 0.95)) for x in (-0.62, 0.0, 0.62)]
    return (_box(-0.95, -0.9, 0.95, -0.2), *spikes)


_TRIANGLE = ((-0.75, -0.65), (0.75, -0.65), (0.0, 0.8))


def _slot() -> Pieces:
    """Return a square plate with a hole that the triangle fits."""
    (left, bottom), (right, _), (_, top) = _TRIANGLE
    return (
        _box(-1.0, -1.0, 1.0, bottom),
        _box(-1.0, top, 1.0, 1.0),
        _polygon((-1.0, bottom), (left, bottom), (0.0, top), (-1.0, top)),
        _polygon((right, bottom), (1.0, bottom), (1.0, top), (0.0, top)),
    )


def _turned(pieces: Pieces, degrees: float) -> Pieces:
    c, s = round(cos(radians(degrees))), round(sin(radians(degrees)))
    corners = (piece.corners for piece in pieces if isinstance(piece, Polygon))
    return tuple(Polygon(tuple((c * x - s * y, s * x + c * y) for x, y in each)) for each in corners)


_SHAPES: dict[str, Callable[[], Pieces]] = {
    "heart": _heart,
    "clove_tree": _clove_tree,
    "moon": _moon,
    "wine": _wine,
    "double_dia": _double_dia,
    "flag": _flag,
    "capsule": _capsule,
    "vase": _vase,
    "curved_triangle": _curved_triangle,
    "spoon": _spoon,
    "medal": _medal,
    "star": _star,
    "mushroom": _mushroom,
    "drop": _drop,
    "arrow": _arrow,
    "cross": _cross,
    "hourglass": _hourglass,
    "fish": _fish,
    "house": _house,
    "pentagon": lambda: (_regular(5),),
    "clove": _clove,
    "kite": _kite,
    "shield": _shield,
    "gear": _gear,
    "bean": _bean,
    "hexagon": lambda: (_regular(6, turn=0.0),),
    "crown": _crown,
    "square": lambda: (_box(-1.0, -1.0, 1.0, 1.0),),
    # An icon that we have no drawing of.
    "unknown": lambda: (_disc(0.0, 0.0, 0.95),),
}
for _degrees in ORIENTATIONS:
    _SHAPES[f"triangle{_degrees}"] = lambda turn=_degrees: _turned((Polygon(_TRIANGLE),), turn)  # type: ignore[misc]
    _SHAPES[f"triangle_slot{_degrees}"] = lambda turn=_degrees: _turned(_slot(), turn)  # type: ignore[misc]

OBJECTS: Sequence[str] = (*OBJECT_SHAPES["familiar"], *OBJECT_SHAPES["new"])
AGENTS: Sequence[str] = (*AGENT_SHAPES["familiar"], *AGENT_SHAPES["new"])


@lru_cache(maxsize=256)
def pieces_of(shape: str) -> Pieces:
    """Return the convex pieces of a shape; those of an unknown shape are a disc."""
    return _SHAPES.get(shape, _SHAPES["unknown"])()


def is_drawn(shape: str) -> bool:
    """Return whether there is a drawing of a shape."""
    return shape in _SHAPES and shape != "unknown"


def mask_of(shape: str, samples: int) -> NDArray[Any]:
    """Return where a shape is, in a grid of `samples` x `samples` points, the top row first."""
    axis = (np.arange(samples) + 0.5) / samples * 2 - 1
    x, y = axis[None, :], -axis[:, None]
    filled = np.zeros((samples, samples), bool)
    for piece in pieces_of(shape):
        if isinstance(piece, Ellipse):
            filled |= ((x - piece.x) / piece.across) ** 2 + ((y - piece.y) / piece.up) ** 2 <= 1
            continue
        inside = np.ones((samples, samples), bool)
        for (x1, y1), (x2, y2) in zip(piece.corners, (*piece.corners[1:], piece.corners[0]), strict=True):
            inside &= (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1) >= 0
        filled |= inside
    return filled
