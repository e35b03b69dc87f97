"""Find fixed things of an arena that certainly overlap an earlier one, from the file alone.

Only certain overlaps of boxes, ramps and balls with a position are found. As in the original
(docs/original/placement.md#things), the oriented box of the later thing is compared with the true form of the earlier
one. A random size counts as the smallest, a random rotation as the part of the footprint that every rotation covers.
"""

from collections.abc import Container, Iterator
from dataclasses import dataclass
from math import cos, hypot, inf, radians, sin, sqrt
from typing import Any

import numpy as np

from puzzlebox.arena.schema.models import Arena, Item
from puzzlebox.arena.things import CATALOGUE, SHRINK, Solid, Thing, Vector

_LIFT = 0.01
# Smaller overlaps count as touching: the engine's own result would depend on rounding.
_TOLERANCE = 1e-3
# The largest diameter a goal that changes with time can have.
_WIDEST_GOAL = 8.0


@dataclass(frozen=True, slots=True)
class Footprint:
    """A fixed thing: an upright box (x, z, half sizes, yaw) from `low` to `high`, and its true form.

    `radius` is that of a ball; its box is smaller if its yaw is not known.
    """

    index: int
    solid: Solid
    radius: float
    x: float
    z: float
    half_x: float
    half_z: float
    low: float
    high: float
    cos: float
    sin: float

    def corners(self) -> list[tuple[float, float]]:
        """Return the four corners of the footprint, in order."""
        signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
        return [self.world(i * self.half_x, j * self.half_z) for i, j in signs]

    def world(self, a: float, b: float) -> tuple[float, float]:
        """Return a point of its own frame (a along x, b along z before turning) in the arena; yaw is clockwise."""
        return self.x + a * self.cos + b * self.sin, self.z - a * self.sin + b * self.cos

    def local(self, x: float, z: float) -> tuple[float, float]:
        """Return a point of the arena in the frame of the footprint."""
        dx, dz = x - self.x, z - self.z
        return dx * self.cos - dz * self.sin, dx * self.sin + dz * self.cos


def overlaps(arena: Arena, without: Container[int] = ()) -> Iterator[tuple[int, int]]:
    """Yield pairs (later, earlier) of positions in the arena's items; the later one cannot be placed.

    Args:
        arena: the arena with the items to place.
        without: positions of items that are not placed for another reason.
    """
    items = arena.items
    # The order of placement: agents first, then the file's.
    order = sorted(range(len(items)), key=lambda index: items[index].name != "Agent")
    placed, agents, blockers = _PlacedFootprints(len(items)), _BallTable(len(items)), _BallTable(len(items))
    for index in order:
        if index in without:
            continue
        footprint = footprint_of(items[index], index, arena.size)
        if footprint is None:
            reach = _possible_reach(items[index])
            if reach is not None:
                blockers.add(index, *reach)
            continue
        if items[index].name == "Agent":  # only its centre needs room (docs/original/placement.md#the-agent)
            hit = agents.first_hit(footprint.x, footprint.low, footprint.z, 0.0)
            agents.add(index, footprint.x, footprint.low, footprint.z, footprint.radius)
        else:
            hit = placed.first_hit(footprint)
        if hit is not None:
            yield index, hit  # not placed, so it is not an obstacle
        elif _fence_reach(footprint, arena) <= _TOLERANCE:
            # If something whose shape is not modelled here may have prevented this thing from being placed, it is not a
            # certain obstacle.
            if blockers.first_hit(footprint.x, 0.0, footprint.z, hypot(footprint.half_x, footprint.half_z)) is None:
                placed.add(footprint)


def _possible_reach(item: Item) -> tuple[float, float, float, float] | None:
    """Return the position and largest radius of a thing not modelled here; None if it is not an obstacle."""
    thing = CATALOGUE[item.name]
    if thing.passable or item.at is None or item.at[0] is None or item.at[2] is None:
        return None
    if thing.fixed_size is not None:
        widest = max(thing.fixed_size)
    elif thing.size is None:
        widest = _WIDEST_GOAL
    else:
        scale = max(thing.unit or (1.0,))
        widest = scale * max(each or 0.0 for each in thing.size.clamp(item.size or thing.size.largest))
        if item.size and None in item.size:
            widest = scale * max(thing.size.largest)
    # The origin of some blocks lies up to 0.6 of their length from their centre.
    return item.at[0], 0.0, item.at[2], 1.2 * widest


def through_fence(arena: Arena) -> Iterator[tuple[int, float]]:
    """Yield the positions of items inside that reach through the fence, and by how many metres.

    Agents are moved instead.
    """
    for index, item in enumerate(arena.items):
        footprint = footprint_of(item, index, arena.size) if item.name != "Agent" else None
        inside = item.at is not None and (item.at[0] or 0) <= arena.size[0] and (item.at[2] or 0) <= arena.size[1]
        if footprint is not None and inside:
            reach = _fence_reach(footprint, arena)
            if reach > _TOLERANCE:
                yield index, reach


def _fence_reach(footprint: Footprint, arena: Arena) -> float:
    """Return how far a footprint reaches through the fence; negative inside. An agent needs only its centre."""
    if arena.items[footprint.index].name == "Agent":
        return -inf
    low_x, _, low_z, high_x, _, high_z = _bounds(footprint)
    return max(-low_x, -low_z, high_x - arena.size[0], high_z - arena.size[1])


class _BallTable:
    """Balls as columns of numbers, to find the first one that another ball overlaps."""

    def __init__(self, capacity: int):
        self._columns = np.empty((4, capacity))
        self._indices: list[int] = []

    def add(self, index: int, x: float, y: float, z: float, radius: float) -> None:
        self._columns[:, len(self._indices)] = x, y, z, radius
        self._indices.append(index)

    def first_hit(self, x: float, y: float, z: float, radius: float) -> int | None:
        if not self._indices:
            return None
        xs, ys, zs, radii = self._columns[:, : len(self._indices)]
        near = (xs - x) ** 2 + (ys - y) ** 2 + (zs - z) ** 2 < (radii + radius) ** 2
        first = int(near.argmax())
        return self._indices[first] if near[first] else None


class _PlacedFootprints:
    """The footprints placed so far as columns of numbers, so that ten thousand of them are compared in one pass."""

    def __init__(self, capacity: int):
        self._footprints: list[Footprint] = []
        self._bounds = np.empty((6, capacity))
        self._shapes = np.empty((6, capacity))

    def add(self, footprint: Footprint) -> None:
        count = len(self._footprints)
        self._bounds[:, count] = _bounds(footprint)
        self._shapes[:, count] = (
            footprint.x,
            footprint.z,
            footprint.half_x,
            footprint.half_z,
            footprint.cos,
            footprint.sin,
        )
        self._footprints.append(footprint)

    def first_hit(self, footprint: Footprint) -> int | None:
        """Return the item of the earliest placed footprint that the box of `footprint` certainly overlaps, or None."""
        mine = _bounds(footprint)
        near: Any = slice(len(self._footprints))
        for axis in range(3):  # each axis leaves fewer candidates for the next
            low, high = self._bounds[axis, near], self._bounds[axis + 3, near]
            inside = np.flatnonzero((high > mine[axis] + _TOLERANCE) & (low < mine[axis + 3] - _TOLERANCE))
            near = inside if axis == 0 else near[inside]
            if not len(near):
                return None
        near = near[_gaps(footprint, self._shapes[:, near]) < -_TOLERANCE]
        return next((self._footprints[i].index for i in near if _cuts(footprint, self._footprints[i])), None)


def _bounds(footprint: Footprint) -> tuple[float, ...]:
    """Return the box around a footprint along the arena's axes: lowest corner, highest corner."""
    c, s = abs(footprint.cos), abs(footprint.sin)
    reach_x = footprint.half_x * c + footprint.half_z * s
    reach_z = footprint.half_x * s + footprint.half_z * c
    return (
        footprint.x - reach_x,
        footprint.low,
        footprint.z - reach_z,
        footprint.x + reach_x,
        footprint.high,
        footprint.z + reach_z,
    )


def _gaps(one: Footprint, shapes: Any) -> Any:
    """Return the widest gap between one footprint and each of many; negative for an overlap."""
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


def footprint_of(item: Item, index: int, arena_size: tuple[float, float]) -> Footprint | None:
    """Return the smallest footprint that an item certainly has, or None if nothing is certain."""
    thing = CATALOGUE[item.name]
    if thing.solid is Solid.OTHER or item.at is None:
        return None
    x, y, z = item.at
    if item.name == "Agent" and (x in (0.0, arena_size[0]) or z in (0.0, arena_size[1])):
        x, y, z = 1.0, 0.0, 1.0  # where an agent on the border starts instead
    size = _certain_size(item, thing)
    if x is None or z is None or size is None:
        return None
    width, height, depth = size
    if thing.solid is Solid.BALL:
        height = depth = width
    rotation = item.rotation if item.rotation is not None or thing.turns else 0.0
    if rotation is None:
        if thing.solid is Solid.WEDGE:
            return None
        width = depth = min(width, depth) / sqrt(2)  # the square inside the circle inside the footprint
        rotation = 0.0
    low = y + _LIFT
    turn = radians(rotation)
    x, z = min(x, arena_size[0]), min(z, arena_size[1])
    return Footprint(
        index, thing.solid, size[0] / 2, x, z, width / 2, depth / 2, low, low + height, cos(turn), sin(turn)
    )


def _certain_size(item: Item, thing: type[Thing]) -> Vector | None:
    """Return the given size as it will be clamped, or the smallest where none is given."""
    if thing.fixed_size is not None:
        return thing.fixed_size
    if thing.size is None:
        return None
    size = item.size or (None, None, None)
    if None in size and thing.solid is Solid.WEDGE:
        return None  # a larger ramp does not contain a smaller one
    if None in size and thing.solid is Solid.BALL:
        size = (None, None, None)  # one random number makes the whole ball random
    clamped = thing.size.clamp(size)
    x, y, z = (
        least if axis is None else axis * SHRINK for axis, least in zip(clamped, thing.size.smallest, strict=True)
    )
    return x, y, z


def _cuts(footprint: Footprint, placed: Footprint) -> bool:
    """Return whether a box that overlaps the box of `placed` also overlaps its true form."""
    if placed.solid is Solid.BALL:
        return _box_meets_ball(footprint, placed)
    return placed.solid is Solid.BOX or _box_meets_ramp(footprint, placed)


def _box_meets_ball(box: Footprint, ball: Footprint) -> bool:
    a, b = box.local(ball.x, ball.z)
    radius = ball.radius
    centre = ball.low + radius
    da = max(0.0, abs(a) - box.half_x)
    db = max(0.0, abs(b) - box.half_z)
    dy = max(0.0, box.low - centre, centre - box.high)
    return hypot(da, db, dy) < radius - _TOLERANCE


def _box_meets_ramp(box: Footprint, ramp: Footprint) -> bool:
    """Return whether a box overlaps a ramp.

    A ramp is its box below a slope, so the lowest point of the common prism decides; its tall face is at -z.
    """
    low = max(box.low, ramp.low)
    height = ramp.high - ramp.low
    nearest = min(ramp.local(x, z)[1] for x, z in box.corners())
    if low >= ramp.low + height * (ramp.half_z - max(nearest, -ramp.half_z)) / (2 * ramp.half_z):
        return False  # above the slope even where that is highest
    for x, z in _clip(box.corners(), ramp):
        _, b = ramp.local(x, z)
        surface = ramp.low + height * (ramp.half_z - b) / (2 * ramp.half_z)
        if low < surface - _TOLERANCE:
            return True
    return False


def _clip(polygon: list[tuple[float, float]], footprint: Footprint) -> list[tuple[float, float]]:
    """Return the part of a convex polygon inside a footprint."""
    for axis, half in ((0, footprint.half_x), (1, footprint.half_z)):
        for side in (1.0, -1.0):
            clipped: list[tuple[float, float]] = []
            for (x0, z0), (x1, z1) in zip(polygon, polygon[1:] + polygon[:1], strict=True):
                inside0 = half - side * footprint.local(x0, z0)[axis]
                inside1 = half - side * footprint.local(x1, z1)[axis]
                if inside0 >= 0:
                    clipped.append((x0, z0))
                if inside0 * inside1 < 0:
                    t = inside0 / (inside0 - inside1)
                    clipped.append((x0 + t * (x1 - x0), z0 + t * (z1 - z0)))
            polygon = clipped
    return polygon
