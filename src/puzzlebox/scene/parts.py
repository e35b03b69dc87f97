"""The visible parts of a thing, in the frame of the thing; `Scene` holds them as rows of numbers."""

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from puzzlebox.scene.colours import Linear, linear
from puzzlebox.scene.scene import MASK, Flag, Kind, Pattern, Table
from puzzlebox.scene.shapes import ORIGIN, Box, Vector
from puzzlebox.scene.symbols import symbol

Quaternion = tuple[float, float, float, float]
UPRIGHT: Quaternion = (1.0, 0.0, 0.0, 0.0)
BLACK: Linear = (0.0, 0.0, 0.0)
# The brightness of joints and stripes relative to their surface if no second colour is given.
_SHADE = 0.62


class Part(NamedTuple):
    """One visible part of a thing. Colours are linear; `scene.PART` defines what `half` means for each kind.

    Attributes:
        other: the second colour of the pattern. Default: a darker `color`.
        scale: the scale of the pattern in metres.
        glows: whether light and shadow leave its colour unchanged.
        alpha: opacity; below 1 the part is transparent.
        points: the corners of a hull.
        mask: the symbol of a SYMBOL: its name, or rows of pixels, top first, True where set.
    """

    kind: Kind
    half: Vector
    color: Linear
    at: Vector = ORIGIN
    turn: Quaternion = UPRIGHT
    pattern: Pattern = Pattern.PLAIN
    other: Linear | None = None
    scale: float = 1.0
    glows: bool = False
    alpha: float = 1.0
    mark: int = 0
    points: tuple[Vector, ...] = ()
    mask: str | tuple[tuple[bool, ...], ...] = ""


def box(form: Box, color: Linear, pattern: Pattern = Pattern.PLAIN, scale: float = 1.0, **more: object) -> Part:
    """Return a visible box in the place of a solid one."""
    return Part(Kind.BOX, form.half, color, form.at, pattern=pattern, scale=scale, **more)  # type: ignore[arg-type]


def between(low: Vector, high: Vector) -> Box:
    """Return the box between two opposite corners."""
    half = ((high[0] - low[0]) / 2, (high[1] - low[1]) / 2, (high[2] - low[2]) / 2)
    return Box(half, (low[0] + half[0], low[1] + half[1], low[2] + half[2]))


def tilted(axis: Vector, degrees: float) -> Quaternion:
    """Return a rotation about an axis of unit length as a quaternion."""
    half = np.radians(degrees) / 2
    sine = float(np.sin(half))
    return (float(np.cos(half)), axis[0] * sine, axis[1] * sine, axis[2] * sine)


def painted(paint: Sequence[float] | None, own: Linear) -> Linear:
    """Return the colour a task gives (0-255) as linear light, or without one the thing's own colour."""
    return own if paint is None else linear(paint)


@cache
def planes_of(points: tuple[Vector, ...]) -> Table:
    """Return the faces of the convex hull of some points: normal and offset of each."""
    corners = np.array(points, np.float64)
    size = float(np.abs(corners).max()) + 1.0
    one, two, three = corners[np.array(list(combinations(range(len(corners)), 3))).T]
    normals = np.cross(two - one, three - one)
    lengths = np.linalg.norm(normals, axis=1)
    flat = lengths > 1e-9 * size
    normals, one = normals[flat] / lengths[flat, None], one[flat]
    offsets = (normals * one).sum(axis=1)
    beyond = normals @ corners.T - offsets[:, None]
    planes: dict[tuple[float, ...], None] = {}
    for sign in (1.0, -1.0):
        outside = (sign * beyond).max(axis=1) < 1e-6 * size
        faces = np.column_stack((sign * normals, sign * offsets))[outside]
        planes.update((tuple(map(float, face)), None) for face in faces.round(5) + 0.0)
    return np.array(list(planes), np.float32)


@cache
def mask_of(symbol_or_grid: str | tuple[tuple[bool, ...], ...]) -> Table:
    """Return the mask of a symbol, by name or as a grid, which is scaled to the size of all masks."""
    if isinstance(symbol_or_grid, str):
        return symbol(symbol_or_grid)
    grid = np.array(symbol_or_grid, bool)
    down = np.arange(MASK) * grid.shape[0] // MASK
    across = np.arange(MASK) * grid.shape[1] // MASK
    return np.where(grid[np.ix_(down, across)], 255, 0).astype(np.uint8)


def row_of(part: Part, thing: int, first: int, count: int) -> tuple[object, ...]:
    """Return a part as a row of the table `Scene.parts`."""
    flags = (Flag.GLOWS if part.glows else 0) | (Flag.SEE_THROUGH if part.alpha < 1.0 else 0)
    other = part.other
    if other is None:
        red, green, blue = part.color
        other = (red * _SHADE, green * _SHADE, blue * _SHADE)
    return (
        *(thing, int(part.kind), int(part.pattern), int(flags), part.mark),
        *(part.at, part.turn, part.half, (*part.color, part.alpha), (*other, part.scale), first, count),
    )
