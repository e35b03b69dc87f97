"""The Scene: everything a painter needs to know of an arena, as flat tables.

One direction: a world fills these tables, painters read them. Lengths are metres, colours are linear (not sRGB), and
the axes are Animal-AI's: x to the right, y up, z forwards (left-handed).
"""

from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Kind(IntEnum):
    """What a part is; `half` says how large."""

    BOX = 0
    BALL = 1
    WEDGE = 2  # full height at -z, a sharp edge at +z
    TUBE = 3  # the upper half of an open tube along z, standing on its axis
    CYLINDER = 4  # upright
    CAPSULE = 5  # upright; `half[1]` is half the height of its straight piece
    ELLIPSOID = 6
    HULL = 7  # where all its `planes` agree


class Pattern(IntEnum):
    """How a surface is painted.

    A pattern mixes `other` into `color`, more where its lines are, and less the smaller a line is on the picture: from
    afar a surface has its plain `color`. Lines are counted from the lower corner of a part, in metres: on a face that
    looks along x, u runs along z and v along y; along y, u along x and v along z; along z, u along x and v along y.
    `scale` is the fourth number of `other`.
    """

    PLAIN = 0
    BRICKS = 1  # rows `scale` high, bricks twice as long, every other row moved by half a brick; joints are `other`
    STRIPES = 2  # across the slope (v), each `scale` wide, every second one `other`
    TILES = 3  # stones `scale` wide (z) and 1.5 times as long (x), every other row moved by half; joints are `other`
    PICKETS = 4  # upright boards each `scale` apart with a gap in `other`, two rails
    PLANKS = 5  # boards `scale` high, joints in `other`
    GRASS = 6  # blades and tufts: noise of `scale` between the two colours
    GRADIENT = 7  # the sky: `color` overhead, `other` at the horizon
    STONE = 8  # a few veins and stains in `other`
    CARDBOARD = 9  # fine upright lines and a strip of tape in `other`
    SYMBOL = 10  # a mask of `pixels` on the -x face: `color` where it is set, `other` elsewhere
    RING = 11  # of goals that change: on six sides a black square with a ring that `value` fills in `other`
    FUR = 12  # short hair: fine noise of `scale`
    SPINES = 13  # of a hedgehog: bright tips in `other`, `scale` apart


class Flag(IntFlag):
    """Of a part."""

    GLOWS = 1  # shines by itself: neither sun nor shadow changes its colour
    SEE_THROUGH = 2  # blended over what is behind it by the alpha of `color`


class State(IntFlag):
    """Of a thing (a row of `poses`)."""

    HIDDEN = 1


# One visible primitive, one row a part.
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
        ("color", "<f4", 4),  # and alpha
        ("other", "<f4", 4),  # the second colour of its pattern, and the pattern's scale in metres
        ("first", "<i4"),  # HULL: first row of `planes`; SYMBOL: first row of `pixels`
        ("count", "<i4"),  # how many rows
    ]
)
# One row a thing: where it is, how it is turned, how far it has changed (0..1), whether it can be seen.
POSE = np.dtype([("at", "<f4", 3), ("turn", "<f4", 4), ("value", "<f4"), ("flags", "<u4")])
POSE_WIDTH = POSE.itemsize // 4

# How something around all things is painted; all numbers, so that the whole row can be read as float32.
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
        ("light", "<f4"),  # 1: daylight, 0: dark; multiplies everything but what glows
        ("sun", "<f4", 3),  # the direction towards it
        ("sunlight", "<f4", 3),  # what it adds to a face that looks at it
        ("above", "<f4", 3),  # light from everywhere, on a face that looks up,
        ("beside", "<f4", 3),  # sideways
        ("below", "<f4", 3),  # or down; in between, a mixture by the y of its normal
        ("halo", "<f4", 3),  # what the sky gains around the sun, by the fourth power of the cosine
        ("floor", SURFACE),
        ("fence", SURFACE),  # painted without sun or shade, as in the original
        ("sky", SURFACE),
        ("lid", SURFACE),  # the ceiling, where there is one
    ]
)

# Symbols are masks of this many rows and columns, one below the other in `pixels`; 255 where set.
MASK = 128

Table = NDArray[Any]


@dataclass
class Scene:
    """The tables of one arena; `poses` change in place, the others only when something appears, vanishes or grows.

    Attributes:
        parts: every visible primitive (`PART`).
        poses: where each thing is (`POSE`).
        planes: of hulls, in the frame of their part: normal and offset; inside is where n . x <= offset.
        pixels: masks of symbols, `MASK` rows each.
        surroundings: floor, fence, sky and light (`SURROUNDINGS`, one row).
        owners: for each row of `poses`, the number of the thing it belongs to.
        animals: the row of each animal, in file order.
        version: counts the changes of everything but poses.
    """

    parts: Table = field(default_factory=lambda: np.zeros(0, PART))
    poses: Table = field(default_factory=lambda: np.zeros(0, POSE))
    planes: Table = field(default_factory=lambda: np.zeros((0, 4), np.float32))
    pixels: Table = field(default_factory=lambda: np.zeros((0, MASK), np.uint8))
    surroundings: Table = field(default_factory=lambda: np.zeros(1, SURROUNDINGS))
    owners: Table = field(default_factory=lambda: np.zeros(0, np.int32))
    animals: tuple[int, ...] = ()
    version: int = 0


def no_such_animal(animal: object, count: int) -> ValueError:
    """What to say about an animal that is not among so many."""
    those = "is 1 animal" if count == 1 else f"are {count} animals"
    return ValueError(f"there is no animal {animal!r}; there {those}, numbered from 0")
