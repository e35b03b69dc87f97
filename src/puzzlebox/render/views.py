"""Views of a Scene: from an animal's own eye, from behind it, from above, or from any fixed place."""

from dataclasses import dataclass
from itertools import product
from math import atan, atan2, cos, degrees, hypot, isfinite, radians, sin, tan
from numbers import Real
from typing import Any

import numpy as np

from puzzlebox.render.painter import FOV_DEGREES, Painter, check_type
from puzzlebox.scene.scene import Scene, no_such_animal
from puzzlebox.scene.shapes import Vector

# The field of view of pictures for people, and the place of the original's camera (docs/original/playing.md#views):
# metres behind and above the animal, and its pitch in degrees. It looks down less steeply than towards the animal, so
# that more is visible ahead of the animal than behind it. `web/src/scene/layout.ts` is generated from these numbers.
PICTURE_FOV_DEGREES = 60.0
BEHIND, ABOVE, PITCH_DEGREES = 2.79, 1.12, -10.0
_ARM, _RISE = hypot(BEHIND, ABOVE), degrees(atan2(ABOVE, BEHIND))
# Other places of the camera, when it would be too near: higher and higher, then beside or in front of the animal.
HIGHER_DEGREES = (35.0, 50.0, 65.0, 80.0)
_RISES = (_RISE, *HIGHER_DEGREES)
_TURNS = (0.0, 60.0, -60.0, 120.0, -120.0, 180.0)
# The least distance of the camera from the animal in metres; with its ears the animal has a radius of about 0.7 m.
NEAREST = 1.2
# The least distance of the camera from opaque surfaces in metres, and the rays a side of the bundle, as wide as that,
# that tests whether the line of sight is free.
_CLEAR, _RAYS = 0.2, 5
# The place of a camera that shows the whole arena, and the point before the centre that it aims at, for each metre of
# the arena's longer side.
_HIGH, _BACK, _AIM = 0.6, 0.68, 0.05
# The width of the ground around an arena that a picture from above shows, in metres.
MARGIN = 1.0


@dataclass(frozen=True)
class View:
    """The position and direction of a camera.

    Attributes:
        eye: the position in metres.
        heading: degrees to the right of +z: 90 looks along +x.
        pitch: degrees upwards.
        fov_degrees: the field of view across the shorter side of the picture. The central square of any picture shows
            what a square picture does; a wide one shows more to the sides, a tall one more above and below.
        skip_thing: the row of `poses` that is not painted and casts no shadow, because the camera is inside it;
            -1: none.
        roll: degrees by which the camera leans to its right.
    """

    eye: Vector
    heading: float = 0.0
    pitch: float = 0.0
    fov_degrees: float = FOV_DEGREES
    skip_thing: int = -1
    roll: float = 0.0

    def __post_init__(self) -> None:
        """Raise a ValueError if a value is not a number."""
        object.__setattr__(self, "eye", _check_place("eye", self.eye))
        for name in ("heading", "pitch", "fov_degrees", "roll"):
            if not isinstance(getattr(self, name), Real):
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be a number of degrees")

    @classmethod
    def first(cls, scene: Scene, animal: int = 0) -> "View":
        """Return the view of an animal's own camera."""
        row = _row(scene, animal)
        return cls(_place(scene, row), _heading(scene, row), skip_thing=row)

    @classmethod
    def third(cls, scene: Scene, animal: int = 0) -> "View":
        """Return the view from behind an animal, a little above it.

        If an opaque thing would be between, the camera comes nearer; if that is too near, it rises, and finally
        moves around the animal. It cannot show an animal that is walled in on all sides within a metre. The view
        depends on the current scene alone, so it may jump from one moment to the next.
        """
        row = _row(scene, animal)
        middle, heading = _place(scene, row), _heading(scene, row)
        best, turn, rise = 0.0, 0.0, _RISE
        for other_turn, other_rise in product(_TURNS, _RISES):
            free = _free_distance(scene, row, middle, heading + other_turn + 180, other_rise)
            if free > best:
                best, turn, rise = free, other_turn, other_rise
            if free >= NEAREST:
                break
        looks, flat = radians(heading + turn), best * cos(radians(rise))
        eye = (middle[0] - flat * sin(looks), middle[1] + best * sin(radians(rise)), middle[2] - flat * cos(looks))
        return cls(eye, (heading + turn) % 360, PITCH_DEGREES + _RISE - rise, PICTURE_FOV_DEGREES)

    @classmethod
    def top(cls, scene: Scene, aspect: float = 1.0, *, higher: float = 1.0) -> "View":
        """Return the view from above, +z upwards; a picture `aspect` times as wide as high holds the whole arena.

        Args:
            scene: the scene.
            aspect: the width of the picture over its height.
            higher: how many times as high the camera is, with a lens so much longer that the ground keeps its size:
                the higher, the closer a thing in the air is drawn to what is below it.
        """
        if not isinstance(aspect, Real) or not aspect > 0:
            raise ValueError(f"aspect is {aspect!r}; it must be a positive number, width over height")
        width, depth = _size(scene)
        across, along = width / 2 + MARGIN, depth / 2 + MARGIN
        high = max(across * min(1.0, 1 / aspect), along * min(1.0, aspect)) / tan(radians(PICTURE_FOV_DEGREES / 2))
        fov_degrees = 2 * degrees(atan(tan(radians(PICTURE_FOV_DEGREES / 2)) / higher))
        return cls((width / 2, high * higher, depth / 2), 0.0, -90.0, fov_degrees)

    @classmethod
    def whole(cls, scene: Scene) -> "View":
        """Return a view of the whole arena, from above and from the side of low z."""
        width, depth = _size(scene)
        longer = max(width, depth)
        eye = (width / 2, _HIGH * longer, depth / 2 - _BACK * longer)
        return cls.fixed(eye, (width / 2, 0.0, depth / 2 - _AIM * longer))

    @classmethod
    def fixed(cls, eye: Vector, at: Vector) -> "View":
        """Return the view from one position, looking at another."""
        eye, at = _check_place("eye", eye), _check_place("at", at)
        x, y, z = (end - start for start, end in zip(eye, at, strict=True))
        if not hypot(x, y, z) > 0 or not isfinite(hypot(x, y, z)):
            raise ValueError(f"an eye at {eye} cannot look at {at}; it needs another place to look at")
        return cls(eye, degrees(atan2(x, z)) % 360, degrees(atan2(y, hypot(x, z))), PICTURE_FOV_DEGREES)


def _check_place(name: str, place: Any) -> Vector:
    try:
        x, y, z = place
        hypot(x, y, z)  # raises an error unless all are numbers
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} is {place!r}; it must be three numbers, x, y and z in metres") from None
    return (float(x), float(y), float(z))


def _row(scene: Scene, animal: int) -> int:
    check_type("scene", scene, Scene, "world.scene()")
    try:
        return scene.animals[animal]
    except (IndexError, TypeError):
        raise no_such_animal(animal, len(scene.animals)) from None


def _size(scene: Scene) -> tuple[float, float]:
    """Return width and depth of the arena in metres."""
    check_type("scene", scene, Scene, "world.scene()")
    width, depth = scene.surroundings["size"][0].tolist()
    return width, depth


def _place(scene: Scene, row: int) -> Vector:
    x, y, z = scene.poses["at"][row].tolist()
    return (x, y, z)


def _heading(scene: Scene, row: int) -> float:
    """Return the heading of an animal in degrees, rounded because its pose has single precision."""
    w, _, y, _ = scene.poses["turn"][row].tolist()
    return round(2 * degrees(atan2(y, w)), 4) % 360


def _free_distance(scene: Scene, row: int, middle: Vector, heading: float, pitch: float) -> float:
    """Return how far a camera can be from an animal's centre in a direction, with nothing opaque between."""
    image, metres = np.empty((_RAYS, _RAYS, 1), np.uint8), np.empty((_RAYS, _RAYS), np.float32)
    cone = 2 * degrees(atan2(_CLEAR, _ARM))
    Painter(scene).paint(image, middle, heading, pitch, cone, distance=metres, skip_thing=row, through=True)
    return max(0.0, min(_ARM, float(metres.min()) - _CLEAR))
