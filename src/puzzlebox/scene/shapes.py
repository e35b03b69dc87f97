"""The forms things are made of, in the frame of their thing (y is up): physics, placing and painters read them."""

from dataclasses import dataclass
from math import cos, pi, radians, sin

Vector = tuple[float, float, float]
ORIGIN: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Box:
    """A box along the axes of its thing."""

    half: Vector
    at: Vector = ORIGIN

    @property
    def volume(self) -> float:
        """Cubic metres."""
        return 8 * self.half[0] * self.half[1] * self.half[2]


@dataclass(frozen=True)
class Ball:
    """A ball."""

    radius: float
    at: Vector = ORIGIN

    @property
    def volume(self) -> float:
        """Cubic metres."""
        return 4 / 3 * pi * self.radius**3


@dataclass(frozen=True)
class Wedge:
    """A box cut along its diagonal: full height at -z, a sharp edge at +z."""

    half: Vector

    @property
    def volume(self) -> float:
        """Cubic metres."""
        return 4 * self.half[0] * self.half[1] * self.half[2]

    @property
    def points(self) -> tuple[Vector, ...]:
        """Its six corners."""
        x, y, z = self.half
        return ((x, -y, -z), (-x, -y, -z), (x, y, -z), (-x, y, -z), (x, -y, z), (-x, -y, z))


@dataclass(frozen=True)
class Hull:
    """The convex form around some points; for things that never move."""

    points: tuple[Vector, ...]


@dataclass(frozen=True)
class Tube:
    """The upper half of an open tube along z, standing on its axis; half width, height and half length."""

    half: Vector


Shape = Box | Ball | Wedge | Hull | Tube
# Inner to outer diameter of a tube (docs/original/things.md#shapes), and the sides of its half circle.
TUBE_RATIO = 0.7865
TUBE_SIDES = 50


def turned_quarter(box: Box) -> Box:
    """A box after its thing was turned by 90 degrees: what lay along z lies along x."""
    (half_x, half_y, half_z), (x, y, z) = box.half, box.at
    return Box((half_z, half_y, half_x), (z, y, -x))


def turned(vector: Vector, degrees: float) -> Vector:
    """A vector after a turn about the vertical, clockwise seen from above."""
    x, y, z = vector
    c, s = cos(radians(degrees)), sin(radians(degrees))
    return (x * c + z * s, y, z * c - x * s)


def thinnest(shape: Shape) -> float:
    """How thick a form is where it is thinnest, roughly."""
    match shape:
        case Box() | Wedge():
            return 2 * min(shape.half)
        case Ball():
            return 2 * shape.radius
        case Tube():
            return (1 - TUBE_RATIO) * min(shape.half[0], shape.half[1])
        case Hull():
            return float(min(max(axis) - min(axis) for axis in zip(*shape.points, strict=True)))
