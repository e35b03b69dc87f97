"""The shapes of things, in the frame of their thing (y is up), for physics, placement and painters."""

from dataclasses import dataclass
from math import cos, pi, radians, sin

Vector = tuple[float, float, float]
ORIGIN: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Box:
    """A box along the axes of its thing; `half` holds half its sizes in metres."""

    half: Vector
    at: Vector = ORIGIN

    @property
    def volume(self) -> float:
        """Return the volume in cubic metres."""
        return 8 * self.half[0] * self.half[1] * self.half[2]


@dataclass(frozen=True)
class Ball:
    """A ball with a radius in metres."""

    radius: float
    at: Vector = ORIGIN

    @property
    def volume(self) -> float:
        """Return the volume in cubic metres."""
        return 4 / 3 * pi * self.radius**3


@dataclass(frozen=True)
class Wedge:
    """A box cut along its diagonal: full height at -z, a sharp edge at +z."""

    half: Vector

    @property
    def volume(self) -> float:
        """Return the volume in cubic metres."""
        return 4 * self.half[0] * self.half[1] * self.half[2]

    @property
    def points(self) -> tuple[Vector, ...]:
        """Return the six corners."""
        x, y, z = self.half
        return ((x, -y, -z), (-x, -y, -z), (x, y, -z), (-x, y, -z), (x, -y, z), (-x, -y, z))


@dataclass(frozen=True)
class Hull:
    """The convex hull of some points, for things that never move."""

    points: tuple[Vector, ...]


@dataclass(frozen=True)
class Tube:
    """The upper half of an open tube along z, standing on its axis; half width, height and half length."""

    half: Vector


Shape = Box | Ball | Wedge | Hull | Tube
# Inner to outer diameter of a tube (docs/original/things.md#shapes), and the number of sides of its half circle.
TUBE_RATIO = 0.7865
TUBE_SIDES = 50


def turned_quarter(box: Box) -> Box:
    """Return a box after its thing was rotated by 90 degrees: the z axis becomes the x axis."""
    (half_x, half_y, half_z), (x, y, z) = box.half, box.at
    return Box((half_z, half_y, half_x), (z, y, -x))


def turned(vector: Vector, degrees: float) -> Vector:
    """Return a vector after a rotation about the vertical, clockwise seen from above."""
    x, y, z = vector
    c, s = cos(radians(degrees)), sin(radians(degrees))
    return (x * c + z * s, y, z * c - x * s)


def thinnest(shape: Shape) -> float:
    """Return the approximate thickness of a shape where it is thinnest, in metres."""
    match shape:
        case Box() | Wedge():
            return 2 * min(shape.half)
        case Ball():
            return 2 * shape.radius
        case Tube():
            return (1 - TUBE_RATIO) * min(shape.half[0], shape.half[1])
        case Hull():
            return float(min(max(axis) - min(axis) for axis in zip(*shape.points, strict=True)))
