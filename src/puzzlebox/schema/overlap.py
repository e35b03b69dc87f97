"""Which fixed things of an arena must overlap an earlier one, told from the file alone.

Only what is certain: both have a given position, size and rotation and are a box, a ramp or a ball. The test is the
original's (animal-ai.md 3.4): the later thing asks with its oriented box against the true form of the earlier one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import cos, hypot, radians, sin
from typing import Any

import numpy as np

from puzzlebox.schema.models import Arena, Item
from puzzlebox.things import CATALOGUE, Solid

_SHRINK = 0.999
_LIFT = 0.01
# Nearer than this is touching: the engine's own answer would depend on rounding.
_TOLERANCE = 1e-3


@dataclass(frozen=True, slots=True)
class Body:
    """A fixed thing: an upright box (x, z, half sizes, yaw) from `low` to `high`, and its true form."""

    index: int
    solid: Solid
    x: float
    z: float
    half_x: float
    half_z: float
    low: float
    high: float
    cos: float
    sin: float

    def corners(self) -> list[tuple[float, float]]:
        """The four corners of the footprint, in order."""
        signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
        return [self.world(i * self.half_x, j * self.half_z) for i, j in signs]

    def world(self, a: float, b: float) -> tuple[float, float]:
        """A point of its own frame (a along x, b along z before turning) in the arena; yaw is clockwise."""
        return self.x + a * self.cos + b * self.sin, self.z - a * self.sin + b * self.cos

    def local(self, x: float, z: float) -> tuple[float, float]:
        """A point of the arena in its own frame."""
        dx, dz = x - self.x, z - self.z
        return dx * self.cos - dz * self.sin, dx * self.sin + dz * self.cos


def overlaps(arena: Arena) -> Iterator[tuple[int, int]]:
    """Pairs (later, earlier) of positions in the arena's items; the later one cannot be placed."""
    # The order of placement: agents first, then the file's.
    order = sorted(range(len(arena.items)), key=lambda index: arena.items[index].name != "Agent")
    bodies = [body for index in order if (body := body_of(arena.items[index], index, arena.size))]
    placed = _Placed(len(bodies))
    for body in bodies:
        hit = placed.first_hit(body) if arena.items[body.index].name != "Agent" else None
        if hit is None:
            placed.add(body)
        else:
            yield body.index, hit.index  # left out, so it is in nobody's way


class _Placed:
    """The bodies placed so far, as columns, so that one question to ten thousand of them is one pass."""

    def __init__(self, capacity: int):
        self._bodies: list[Body] = []
        self._bounds = np.empty((6, capacity))
        self._shapes = np.empty((6, capacity))

    def add(self, body: Body) -> None:
        count = len(self._bodies)
        self._bounds[:, count] = _bounds(body)
        self._shapes[:, count] = body.x, body.z, body.half_x, body.half_z, body.cos, body.sin
        self._bodies.append(body)

    def first_hit(self, asking: Body) -> Body | None:
        """The earliest placed body the box of `asking` certainly cuts into."""
        mine = _bounds(asking)
        near: Any = slice(len(self._bodies))
        for axis in range(3):  # each axis leaves fewer for the next
            low, high = self._bounds[axis, near], self._bounds[axis + 3, near]
            inside = np.flatnonzero((high > mine[axis] + _TOLERANCE) & (low < mine[axis + 3] - _TOLERANCE))
            near = inside if axis == 0 else near[inside]
            if not len(near):
                return None
        near = near[_gaps(asking, self._shapes[:, near]) < -_TOLERANCE]
        return next((self._bodies[index] for index in near if _cuts(asking, self._bodies[index])), None)


def _bounds(body: Body) -> tuple[float, ...]:
    """The box around a body along the arena's axes: lowest corner, highest corner."""
    c, s = abs(body.cos), abs(body.sin)
    reach_x = body.half_x * c + body.half_z * s
    reach_z = body.half_x * s + body.half_z * c
    return body.x - reach_x, body.low, body.z - reach_z, body.x + reach_x, body.high, body.z + reach_z


def _gaps(one: Body, shapes: Any) -> Any:
    """The widest gap between the footprint of one body and each of many; negative where they overlap."""
    x, z, half_x, half_z, cosine, sine = shapes
    dx, dz = x - one.x, z - one.z
    c = abs(one.cos * cosine + one.sin * sine)
    s = abs(one.sin * cosine - one.cos * sine)
    return np.max(
        [
            abs(dx * one.cos - dz * one.sin) - one.half_x - half_x * c - half_z * s,
            abs(dx * one.sin + dz * one.cos) - one.half_z - half_x * s - half_z * c,
            abs(dx * cosine - dz * sine) - half_x - one.half_x * c - one.half_z * s,
            abs(dx * sine + dz * cosine) - half_z - one.half_x * s - one.half_z * c,
        ],
        axis=0,
    )


def body_of(item: Item, index: int, arena_size: tuple[float, float]) -> Body | None:
    """The body of an item where everything about it is given."""
    thing = CATALOGUE[item.name]
    if thing.solid is Solid.OTHER or item.at is None:
        return None
    x, y, z = item.at
    if x is None or z is None:
        return None
    # A ball takes as much room at every yaw but asks with a cube, so its yaw must be known too.
    rotation = item.rotation if item.rotation is not None else None if thing.turns and item.name != "Agent" else 0.0
    if rotation is None:
        return None
    if thing.fixed_size is not None:
        width, height, depth = thing.fixed_size
    elif thing.size is None or item.size is None or None in item.size:
        return None
    else:
        width, height, depth = (s * _SHRINK for s in thing.size.clamp(item.size))  # type: ignore[arg-type]
    if thing.solid is Solid.BALL:
        height = depth = width
    low = y + _LIFT
    turn = radians(rotation)
    x, z = min(x, arena_size[0]), min(z, arena_size[1])
    return Body(index, thing.solid, x, z, width / 2, depth / 2, low, low + height, cos(turn), sin(turn))


def _cuts(asking: Body, placed: Body) -> bool:
    """Whether a box that cuts into the box of `placed` also cuts into its true form."""
    if placed.solid is Solid.BALL:
        return _box_meets_ball(asking, placed)
    return placed.solid is Solid.BOX or _box_meets_ramp(asking, placed)


def _box_meets_ball(box: Body, ball: Body) -> bool:
    a, b = box.local(ball.x, ball.z)
    radius = ball.half_x
    centre = ball.low + radius
    da = max(0.0, abs(a) - box.half_x)
    db = max(0.0, abs(b) - box.half_z)
    dy = max(0.0, box.low - centre, centre - box.high)
    return hypot(da, db, dy) < radius - _TOLERANCE


def _box_meets_ramp(box: Body, ramp: Body) -> bool:
    """A ramp is its box below a slope, so the lowest point of the common prism decides; its tall face is at -z."""
    low = max(box.low, ramp.low)
    height = ramp.high - ramp.low
    for x, z in _clip(box.corners(), ramp):
        _, b = ramp.local(x, z)
        surface = ramp.low + height * (ramp.half_z - b) / (2 * ramp.half_z)
        if low < surface - _TOLERANCE:
            return True
    return False


def _clip(polygon: list[tuple[float, float]], body: Body) -> list[tuple[float, float]]:
    """The part of a convex polygon inside the footprint of a body."""
    for axis, half in ((0, body.half_x), (1, body.half_z)):
        for side in (1.0, -1.0):
            kept: list[tuple[float, float]] = []
            for (x0, z0), (x1, z1) in zip(polygon, polygon[1:] + polygon[:1], strict=True):
                inside0 = half - side * body.local(x0, z0)[axis]
                inside1 = half - side * body.local(x1, z1)[axis]
                if inside0 >= 0:
                    kept.append((x0, z0))
                if inside0 * inside1 < 0:
                    t = inside0 / (inside0 - inside1)
                    kept.append((x0 + t * (x1 - x0), z0 + t * (z1 - z0)))
            polygon = kept
    return polygon
