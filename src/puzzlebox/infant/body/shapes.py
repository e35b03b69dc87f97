"""Simple shapes in the frame of a bone: the collision shapes of the body, and the flesh over them.

Lengths are metres. In the frame of a bone of a child that stands upright, x points forwards, y to the child's left and
z upwards.
"""

from math import pi, sqrt
from typing import NamedTuple

Vector = tuple[float, float, float]


def scaled(vector: Vector, scale: Vector) -> Vector:
    """Return a vector with each coordinate multiplied by its own factor."""
    return (vector[0] * scale[0], vector[1] * scale[1], vector[2] * scale[2])


def mirrored(vector: Vector) -> Vector:
    """Return a vector on the other side of the body."""
    return (vector[0], -vector[1], vector[2])


class Ball(NamedTuple):
    """A ball around a point."""

    at: Vector
    radius: float

    @property
    def volume(self) -> float:
        """The volume in cubic metres."""
        return 4 / 3 * pi * self.radius**3

    def grown(self, scale: Vector) -> "Ball":
        """Return the ball in a bone of another size; a ball stays round."""
        return Ball(scaled(self.at, scale), self.radius * (scale[0] * scale[1] * scale[2]) ** (1 / 3))

    def mirror(self) -> "Ball":
        """Return the ball on the other side of the body."""
        return Ball(mirrored(self.at), self.radius)


class Rod(NamedTuple):
    """A capsule: all points within a radius of a line between two points."""

    start: Vector
    end: Vector
    radius: float

    @property
    def volume(self) -> float:
        """The volume in cubic metres."""
        length = sqrt(sum((b - a) ** 2 for a, b in zip(self.start, self.end, strict=True)))
        return pi * self.radius**2 * (length + 4 / 3 * self.radius)

    def grown(self, scale: Vector) -> "Rod":
        """Return the rod in a bone of another size; its radius follows the girth of the bone."""
        return Rod(scaled(self.start, scale), scaled(self.end, scale), self.radius * sqrt(scale[0] * scale[1]))

    def mirror(self) -> "Rod":
        """Return the rod on the other side of the body."""
        return Rod(mirrored(self.start), mirrored(self.end), self.radius)


class Egg(NamedTuple):
    """An ellipsoid with its axes along those of the bone."""

    at: Vector
    radii: Vector

    @property
    def volume(self) -> float:
        """The volume in cubic metres."""
        return 4 / 3 * pi * self.radii[0] * self.radii[1] * self.radii[2]

    def grown(self, scale: Vector) -> "Egg":
        """Return the ellipsoid in a bone of another size."""
        return Egg(scaled(self.at, scale), scaled(self.radii, scale))

    def mirror(self) -> "Egg":
        """Return the ellipsoid on the other side of the body."""
        return Egg(mirrored(self.at), self.radii)


Shape = Ball | Rod | Egg
