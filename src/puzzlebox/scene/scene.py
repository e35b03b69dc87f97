"""The Scene: everything a painter needs to draw an arena, as flat tables.

A world fills these tables, painters read them. Lengths are metres, colours are linear (not sRGB), and
the axes are Animal-AI's: x to the right, y up, z forwards (left-handed).
"""

from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Kind(IntEnum):
    """The shape of a part; `half` gives its size."""

    BOX = 0
    BALL = 1
    WEDGE = 2  # full height at -z, a sharp edge at +z
    TUBE = 3  # the upper half of an open tube along z, standing on its axis
    CYLINDER = 4  # upright
    CAPSULE = 5  # upright; `half[1]` is half the height of its straight piece
    ELLIPSOID = 6
    HULL = 7  # the points inside all its `planes`
    SKIN = 8  # triangles whose vertices follow several bones; `half`, `at` and `turn` have no meaning


class Pattern(IntEnum):
    """How a surface is painted.

    A pattern mixes `other` into `color` along its lines, and less the smaller a line is in the picture: from afar a
    surface has its plain `color`. Lines are counted from the lower corner of a part, in metres: on a face with normal
    x, u runs along z and v along y; with normal y, u along x and v along z; with normal z, u along x and v along y.
    `scale` is the fourth number of `other`.
    """

    PLAIN = 0
    BRICKS = 1  # rows `scale` high, bricks twice as long, every other row shifted by half a brick; joints are `other`
    STRIPES = 2  # across the slope (v), each `scale` wide, every second one `other`
    TILES = 3  # stones `scale` wide (z) and 1.5 times as long (x), every other row shifted by half; joints are `other`
    PICKETS = 4  # upright boards each `scale` apart with a gap in `other`, two rails
    PLANKS = 5  # boards `scale` high, joints in `other`
    GRASS = 6  # blades and tufts: noise of `scale` between the two colours
    GRADIENT = 7  # the sky: `color` overhead, `other` at the horizon
    STONE = 8  # a few veins and stains in `other`
    CARDBOARD = 9  # fine upright lines and a strip of tape in `other`
    SYMBOL = 10  # a mask of `pixels` on the -x face: `color` where it is set, `other` elsewhere
    RING = 11  # on six sides a black square with a ring that is filled up to `value` in `other`, for goals that change
    FUR = 12  # short hair: fine noise of `scale`
    SPINES = 13  # of a hedgehog: bright tips in `other`, `scale` apart


class Flag(IntFlag):
    """Flags of a part."""

    GLOWS = 1  # light and shadow leave its colour unchanged
    SEE_THROUGH = 2  # blended over what is behind it by the alpha of `color`
    SHADOW_ONLY = 4  # not painted, but casts a shadow in large pictures: a simple shape inside a skin


class State(IntFlag):
    """Flags of a thing (a row of `poses`)."""

    HIDDEN = 1


# One row for each visible part.
PART = np.dtype(
    [
        ("thing", "<i4"),  # row of `poses`
        ("kind", "u1"),  # Kind
        ("pattern", "u1"),  # Pattern
        ("flags", "u1"),  # Flag
        ("mark", "u1"),  # RING: 0 for a goal that decays, 1 for one that ripens
        ("at", "<f4", 3),  # its centre in the frame of its thing
        ("turn", "<f4", 4),  # its rotation there: w, x, y, z
        # Half sizes; ball and ellipsoid: radii; cylinder and capsule: radius, half height along y, radius;
        # tube: half width, height and half length.
        ("half", "<f4", 3),
        ("color", "<f4", 4),  # red, green, blue, alpha
        ("other", "<f4", 4),  # the second colour of its pattern, and the pattern's scale in metres
        ("first", "<i4"),  # HULL: first row of `planes`; SYMBOL: of `pixels`; SKIN: of `triangles`
        ("count", "<i4"),  # how many rows
    ]
)
# One row for each thing: position, rotation, how far it has changed (0..1), whether it is hidden.
POSE = np.dtype([("at", "<f4", 3), ("turn", "<f4", 4), ("value", "<f4"), ("flags", "<u4")])
POSE_WIDTH = POSE.itemsize // 4

# The paint of a surface of the surroundings; all floats, so that the whole row can be read as float32.
SURFACE = np.dtype([("color", "<f4", 3), ("other", "<f4", 3), ("pattern", "<f4"), ("scale", "<f4")])
SURROUNDINGS = np.dtype(
    [
        ("size", "<f4", 2),  # width (x) and depth (z) of the arena
        ("floor_top", "<f4"),
        ("fence_top", "<f4"),  # of the boards
        ("post_top", "<f4"),  # of the posts at the corners of a picket fence and between its panels
        ("post_width", "<f4"),  # 0: no posts
        ("panels", "<f4", 2),  # of the fence, on the sides along x and along z
        ("ceiling", "<f4"),  # its height; 0: open sky
        ("light", "<f4"),  # 1: daylight, 0: dark; multiplies everything but parts that glow
        ("sun", "<f4", 3),  # the direction towards the sun
        ("sunlight", "<f4", 3),  # light of the sun on a face with its normal towards it
        ("above", "<f4", 3),  # ambient light on a face with its normal upwards,
        ("beside", "<f4", 3),  # sideways
        ("below", "<f4", 3),  # or downwards; in between, interpolated by the normal's y
        ("halo", "<f4", 3),  # light added to the sky around the sun, times the fourth power of the cosine
        ("floor", SURFACE),
        ("fence", SURFACE),  # painted without sun or shade, as in the original
        ("sky", SURFACE),
        ("lid", SURFACE),  # the ceiling, if there is one
    ]
)

# A vertex of a skin in the posture in which the skin was made. It follows up to four bones, rows of `bones`, by weights
# that add up to 1. Colours are linear.
VERTEX = np.dtype(
    [("at", "<f4", 3), ("normal", "<f4", 3), ("color", "<f4", 3), ("bones", "<u2", 4), ("weights", "<f4", 4)]
)
# A bone of a skin: the row of `poses` that moves it, and its pose when the skin was made.
BONE = np.dtype([("thing", "<i4"), ("at", "<f4", 3), ("turn", "<f4", 4)])

# Symbols are masks of this many rows and columns, one below the other in `pixels`; 255 where set.
MASK = 128

Table = NDArray[Any]


@dataclass
class Scene:
    """The tables of one arena; `poses` change in place, the others only when a thing appears, vanishes or grows.

    Attributes:
        parts: all visible parts (`PART`).
        poses: the pose of each thing (`POSE`).
        planes: the planes of hulls, in the frame of their part: normal and offset; inside is where n . x <= offset.
        pixels: masks of symbols, `MASK` rows each.
        surroundings: floor, fence, sky and light (`SURROUNDINGS`, one row).
        owners: for each row of `poses`, the id of the thing it belongs to.
        animals: the row of each animal, in file order.
        version: increased by each change of anything but poses.
        vertices: the vertices of skins (`VERTEX`).
        triangles: three rows of `vertices` each, clockwise as seen from outside.
        bones: the bones that vertices follow (`BONE`).
    """

    parts: Table = field(default_factory=lambda: np.zeros(0, PART))
    poses: Table = field(default_factory=lambda: np.zeros(0, POSE))
    planes: Table = field(default_factory=lambda: np.zeros((0, 4), np.float32))
    pixels: Table = field(default_factory=lambda: np.zeros((0, MASK), np.uint8))
    surroundings: Table = field(default_factory=lambda: np.zeros(1, SURROUNDINGS))
    owners: Table = field(default_factory=lambda: np.zeros(0, np.int32))
    animals: tuple[int, ...] = ()
    version: int = 0
    vertices: Table = field(default_factory=lambda: np.zeros(0, VERTEX))
    triangles: Table = field(default_factory=lambda: np.zeros((0, 3), np.int32))
    bones: Table = field(default_factory=lambda: np.zeros(0, BONE))


def no_such_animal(animal: object, count: int) -> ValueError:
    """Return the error for an animal that does not exist, given how many there are."""
    animals = "is 1 animal" if count == 1 else f"are {count} animals"
    return ValueError(f"there is no animal {animal!r}; there {animals}, numbered from 0")
