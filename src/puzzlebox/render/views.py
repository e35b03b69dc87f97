"""From where one looks at a Scene: an animal's own eye, from behind it, from above, or any fixed place."""

from dataclasses import dataclass
from itertools import product
from math import atan2, cos, degrees, hypot, isfinite, radians, sin, tan
from numbers import Real
from typing import Any

import numpy as np

from puzzlebox.render.painter import FOV_DEGREES, Painter, checked_kind
from puzzlebox.scene.scene import Scene, no_such_animal
from puzzlebox.scene.shapes import Vector

# The field of view of pictures for people, and where the game's camera hangs (docs/original/playing.md#views): metres
# behind and above the animal, and by how many degrees it looks down. That is less than it is raised, so that more is
# seen before the animal than behind. The studio's page has these numbers from `web/src/scene/layout.ts`, which is
# written from them.
PICTURE_FOV_DEGREES = 60.0
BEHIND, ABOVE, PITCH_DEGREES = 2.79, 1.12, -10.0
_ARM, _RISE = hypot(BEHIND, ABOVE), degrees(atan2(ABOVE, BEHIND))
# Where else it may hang when it would come too near: ever higher, and at last beside or before the animal.
HIGHER_DEGREES = (35.0, 50.0, 65.0, 80.0)
_RISES = (_RISE, *HIGHER_DEGREES)
_TURNS = (0.0, 60.0, -60.0, 120.0, -120.0, 180.0)
# How near the animal an eye may come, in metres; with its ears the animal has a radius of some 0.7 m.
NEAREST = 1.2
# How far from what is opaque an eye stays, and how many rays a side, as wide as the eye's own room, ask whether the way
# is free.
_CLEAR, _RAYS = 0.2, 5
# Where a photographer of the whole arena stands, and aims before its middle, for each metre of its longer side.
_HIGH, _BACK, _AIM = 0.6, 0.68, 0.05
# How much of the ground around an arena a picture from above shows, in metres.
MARGIN = 1.0


@dataclass(frozen=True)
class View:
    """Where an eye is and where it looks.

    Attributes:
        eye: its place in metres.
        heading: degrees to the right of +z: 90 looks along +x.
        pitch: degrees upwards.
        fov_degrees: the field of view across the shorter side of the picture. So the middle square of any picture shows
            what a square one does; a wide one shows more to the sides, a tall one more above and below.
        skip_thing: the row of `poses` that is not painted, and throws no shadow: whose eye it is.
    """

    eye: Vector
    heading: float = 0.0
    pitch: float = 0.0
    fov_degrees: float = FOV_DEGREES
    skip_thing: int = -1

    def __post_init__(self) -> None:
        """Refuse what no painter understands."""
        object.__setattr__(self, "eye", _checked_place("eye", self.eye))
        for name in ("heading", "pitch", "fov_degrees"):
            if not isinstance(getattr(self, name), Real):
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be a number of degrees")

    @classmethod
    def first(cls, scene: Scene, animal: int = 0) -> "View":
        """With the eye of an animal, as its camera sees."""
        row = _row(scene, animal)
        return cls(_place(scene, row), _heading(scene, row), skip_thing=row)

    @classmethod
    def third(cls, scene: Scene, animal: int = 0) -> "View":
        """From behind an animal, a little above it.

        Where something opaque would be between, the eye comes nearer; where that is too near, it rises, and at last
        goes around the animal; only one walled in on all sides, a metre away, it cannot show. It depends on this
        moment alone, so from one to the next it may leap.
        """
        row = _row(scene, animal)
        middle, heading = _place(scene, row), _heading(scene, row)
        best, turn, rise = 0.0, 0.0, _RISE
        for other_turn, other_rise in product(_TURNS, _RISES):
            free = _free(scene, row, middle, heading + other_turn + 180, other_rise)
            if free > best:
                best, turn, rise = free, other_turn, other_rise
            if free >= NEAREST:
                break
        looks, flat = radians(heading + turn), best * cos(radians(rise))
        eye = (middle[0] - flat * sin(looks), middle[1] + best * sin(radians(rise)), middle[2] - flat * cos(looks))
        return cls(eye, (heading + turn) % 360, PITCH_DEGREES + _RISE - rise, PICTURE_FOV_DEGREES)

    @classmethod
    def top(cls, scene: Scene, aspect: float = 1.0) -> "View":
        """From above, +z upwards, so high that a picture `aspect` times as wide as high holds the whole arena."""
        if not isinstance(aspect, Real) or not aspect > 0:
            raise ValueError(f"aspect is {aspect!r}; it must be a positive number, width over height")
        width, depth = _size(scene)
        across, along = width / 2 + MARGIN, depth / 2 + MARGIN
        high = max(across * min(1.0, 1 / aspect), along * min(1.0, aspect)) / tan(radians(PICTURE_FOV_DEGREES / 2))
        return cls((width / 2, high, depth / 2), 0.0, -90.0, PICTURE_FOV_DEGREES)

    @classmethod
    def whole(cls, scene: Scene) -> "View":
        """The whole arena, from above and from the side of low z."""
        width, depth = _size(scene)
        longer = max(width, depth)
        eye = (width / 2, _HIGH * longer, depth / 2 - _BACK * longer)
        return cls.fixed(eye, (width / 2, 0.0, depth / 2 - _AIM * longer))

    @classmethod
    def fixed(cls, eye: Vector, at: Vector) -> "View":
        """From one place, looking at another."""
        eye, at = _checked_place("eye", eye), _checked_place("at", at)
        x, y, z = (there - here for here, there in zip(eye, at, strict=True))
        if not hypot(x, y, z) > 0 or not isfinite(hypot(x, y, z)):
            raise ValueError(f"an eye at {eye} cannot look at {at}; it needs another place to look at")
        return cls(eye, degrees(atan2(x, z)) % 360, degrees(atan2(y, hypot(x, z))), PICTURE_FOV_DEGREES)


def _checked_place(name: str, place: Any) -> Vector:
    try:
        x, y, z = place
        hypot(x, y, z)  # which wants numbers
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} is {place!r}; it must be three numbers, x, y and z in metres") from None
    return (float(x), float(y), float(z))


def _row(scene: Scene, animal: int) -> int:
    checked_kind("scene", scene, Scene, "world.scene()")
    try:
        return scene.animals[animal]
    except (IndexError, TypeError):
        raise no_such_animal(animal, len(scene.animals)) from None


def _size(scene: Scene) -> tuple[float, float]:
    """Width and depth of the arena."""
    checked_kind("scene", scene, Scene, "world.scene()")
    width, depth = scene.surroundings["size"][0].tolist()
    return width, depth


def _place(scene: Scene, row: int) -> Vector:
    x, y, z = scene.poses["at"][row].tolist()
    return (x, y, z)


def _heading(scene: Scene, row: int) -> float:
    """Which way an animal looks; rounded, for its pose has only single precision."""
    w, _, y, _ = scene.poses["turn"][row].tolist()
    return round(2 * degrees(atan2(y, w)), 4) % 360


def _free(scene: Scene, row: int, middle: Vector, heading: float, pitch: float) -> float:
    """How far an eye can be from the middle of an animal in some direction, without anything opaque between."""
    image, metres = np.empty((_RAYS, _RAYS, 1), np.uint8), np.empty((_RAYS, _RAYS), np.float32)
    cone = 2 * degrees(atan2(_CLEAR, _ARM))
    Painter(scene).paint(image, middle, heading, pitch, cone, distance=metres, skip_thing=row, through=True)
    return max(0.0, min(_ARM, float(metres.min()) - _CLEAR))
