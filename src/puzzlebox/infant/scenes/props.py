"""Things of a scene, described: shapes, mass, joints, looks and material. A `Stage` makes them real.

Lengths are metres, masses kilograms, angles degrees, colours bytes of sRGB. The axes are MuJoCo's: x forwards (as a
child at the origin looks), y to the left, z up.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import cos, radians, sin

from puzzlebox.infant.body.shapes import Vector
from puzzlebox.infant.sound.impacts import material_named
from puzzlebox.scene.scene import Pattern

RGB = tuple[int, int, int]
# A rotation: w, x, y, z.
Quaternion = tuple[float, float, float, float]
NOWHERE: Vector = (0.0, 0.0, 0.0)
UPRIGHT: Quaternion = (1.0, 0.0, 0.0, 0.0)


def turned(degrees: float, axis: Vector = (0.0, 0.0, 1.0)) -> Quaternion:
    """Return the rotation about an axis of unit length, by the right-hand rule; about z: to the left."""
    half = radians(degrees) / 2
    return (cos(half), axis[0] * sin(half), axis[1] * sin(half), axis[2] * sin(half))


class Kind(Enum):
    """The kind of a shape; `Form.size` has another meaning for each."""

    BOX = "box"  # half its size along x, y, z
    BALL = "ball"  # its radius
    CAPSULE = "capsule"  # its radius and half the length of its straight piece, along z
    CYLINDER = "cylinder"  # its radius and half its height, along z
    ELLIPSOID = "ellipsoid"  # its radii along x, y, z


_NUMBERS = {Kind.BOX: 3, Kind.BALL: 1, Kind.CAPSULE: 2, Kind.CYLINDER: 2, Kind.ELLIPSOID: 3}


@dataclass(frozen=True)
class Form:
    """One shape of a thing.

    Attributes:
        kind: what it is.
        size: its measures, see `Kind`.
        at: its middle in the frame of the thing.
        turn: its rotation there.
        colour: its colour. Default: that of the thing.
        solid: whether anything can collide with it.
        pattern: how it is painted. Default: as the thing.
    """

    kind: Kind
    size: tuple[float, ...]
    at: Vector = NOWHERE
    turn: Quaternion = UPRIGHT
    colour: RGB | None = None
    solid: bool = True
    pattern: Pattern | None = None

    def __post_init__(self) -> None:
        """Raise a ValueError if a measure is missing or not positive."""
        if len(self.size) != _NUMBERS[self.kind] or not all(each > 0 for each in self.size):
            raise ValueError(
                f"a {self.kind.value} has the size {self.size}; it must be {_NUMBERS[self.kind]} positive numbers"
            )

    @property
    def reach(self) -> Vector:
        """Half the size of the box around it, before it is turned."""
        if self.kind in (Kind.BOX, Kind.ELLIPSOID):
            return (self.size[0], self.size[1], self.size[2])
        if self.kind is Kind.BALL:
            return (self.size[0],) * 3
        height = self.size[1] + (self.size[0] if self.kind is Kind.CAPSULE else 0.0)
        return (self.size[0], self.size[0], height)


def box(x: float, y: float, z: float, at: Vector = NOWHERE, **more: object) -> Form:
    """Return a box by its whole size along each axis."""
    return Form(Kind.BOX, (x / 2, y / 2, z / 2), at, **more)  # type: ignore[arg-type]


def ball(radius: float, at: Vector = NOWHERE, **more: object) -> Form:
    """Return a ball."""
    return Form(Kind.BALL, (radius,), at, **more)  # type: ignore[arg-type]


def cylinder(radius: float, height: float, at: Vector = NOWHERE, **more: object) -> Form:
    """Return an upright cylinder."""
    return Form(Kind.CYLINDER, (radius, height / 2), at, **more)  # type: ignore[arg-type]


def capsule(radius: float, length: float, at: Vector = NOWHERE, **more: object) -> Form:
    """Return an upright capsule by the length of its straight piece."""
    return Form(Kind.CAPSULE, (radius, length / 2), at, **more)  # type: ignore[arg-type]


class Freedom(Enum):
    """How a link can move."""

    HINGE = "hinge"
    SLIDE = "slide"
    BALL = "ball"


@dataclass(frozen=True)
class Link:
    """A part of a thing that moves against the rest.

    Attributes:
        name: its name within the thing.
        forms: its shapes, in its own frame.
        at: its joint in the frame of its parent, and the origin of its own.
        freedom: how it moves.
        axis: the axis of its hinge or slide.
        low: how far it can move: degrees for a hinge, metres for a slide.
        high: the upper limit; equal limits: none.
        mass: in kilograms.
        damping: torque over speed of its joint.
        stiffness: torque over angle of its joint.
        parent: the link it hangs from. Default: the base of the thing.
    """

    name: str
    forms: tuple[Form, ...]
    at: Vector = NOWHERE
    freedom: Freedom = Freedom.HINGE
    axis: Vector = (0.0, 1.0, 0.0)
    low: float = 0.0
    high: float = 0.0
    mass: float = 0.05
    damping: float = 0.002
    stiffness: float = 0.0
    parent: str = ""


@dataclass(frozen=True)
class Prop:
    """A thing of a scene.

    Attributes:
        name: by which a stage knows it.
        forms: its shapes.
        at: where its frame is at the start of an episode.
        turn: its rotation then.
        free: whether forces move it. Otherwise it stays where a script puts it, and pushes what is free.
        mass: in kilograms, if it is free.
        colour: of all its shapes without one.
        other: the second colour of its pattern. Default: a darker colour.
        pattern: how it is painted.
        scale: of the pattern, in metres.
        alpha: how opaque it is, 0 to 1.
        glows: whether light and darkness leave its colour as it is, so that it is seen in the dark.
        material: what it is made of, for the sound of blows. Default: it makes none.
        friction: of its surface.
        soft: whether it gives way by some millimetres, like a sponge.
        hidden: whether it is absent at the start of an episode.
        links: parts that move.
        cavity: the room inside it, as the middle and half the size of a box in its frame. Default: none.
    """

    name: str
    forms: tuple[Form, ...]
    at: Vector = NOWHERE
    turn: Quaternion = UPRIGHT
    free: bool = True
    mass: float = 0.1
    colour: RGB = (200, 200, 200)
    other: RGB | None = None
    pattern: Pattern = Pattern.PLAIN
    scale: float = 0.02
    alpha: float = 1.0
    glows: bool = False
    material: str | None = None
    friction: float = 0.8
    soft: bool = False
    hidden: bool = False
    links: tuple[Link, ...] = ()
    cavity: tuple[Vector, Vector] | None = None

    def __post_init__(self) -> None:
        """Raise a ValueError if the description makes no sense."""
        if not self.name or "/" in self.name:
            raise ValueError(f"a thing is named {self.name!r}; a name has letters and no slash")
        if not self.forms and not self.links:
            raise ValueError(f"thing {self.name!r} has no shapes; it needs at least one")
        if not self.mass > 0:
            raise ValueError(f"thing {self.name!r} has a mass of {self.mass!r}; it must be more than 0 kg")
        if self.material is not None:
            material_named(self.material)
        names = [link.name for link in self.links]
        for number, link in enumerate(self.links):
            if link.parent and link.parent not in names[:number]:
                raise ValueError(
                    f"link {link.name!r} of {self.name!r} hangs from {link.parent!r}, which is not before it"
                )
        if len(set(names)) < len(names):
            raise ValueError(f"two links of {self.name!r} share a name")

    @property
    def low(self) -> float:
        """How far its lowest point is below its frame while it is upright, in metres; links do not count."""
        return max((form.reach[2] - form.at[2] for form in self.forms), default=0.0)

    def on(self, x: float, y: float, height: float = 0.0) -> "Prop":
        """Return the thing standing on a surface of some height."""
        return replace(self, at=(x, y, height + self.low))

    def facing(self, degrees: float) -> "Prop":
        """Return the thing turned to the left about the upright axis."""
        return replace(self, turn=turned(degrees))

    def with_(self, **changes: object) -> "Prop":
        """Return the thing with other values of its attributes."""
        return replace(self, **changes)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Tie:
    """A knot between two things, which can be untied: two points that stay together.

    Attributes:
        one: a thing, or one of its links as `thing/link`.
        two: another one.
        at: the knot in the frame of the first.
        tied: whether it holds at the start of an episode.
    """

    one: str
    two: str
    at: Vector = NOWHERE
    tied: bool = True


def names_of(props: Sequence[Prop]) -> list[str]:
    """Return the names of things; raise a ValueError if two share one."""
    names = [prop.name for prop in props]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two things are named {name!r}; names must differ")
    return names
