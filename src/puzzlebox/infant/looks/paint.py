"""What covers the skin: hair, clothes and lips as regions of the body at 18 months, each where a function is positive.

The functions take positions in the posture in which the skin is modelled and return roughly metres. The mesh is cut
where they are 0, so that an edge of a shirt is a clean line and not a blur between two vertices.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.bones import BONE_NAMES, LEFT, RIGHT
from puzzlebox.infant.looks.field import Field

Array = NDArray[np.float64]
# Bytes of sRGB.
Colour = tuple[int, int, int]
SKIN: Colour = (238, 194, 168)
_BLUSH: Colour = (233, 150, 132)


class Cover(NamedTuple):
    """Something that covers a part of the skin.

    Attributes:
        name: what it is.
        colour: its colour.
        thickness: how far it stands off the skin away from its edge, in metres.
        where: returns a positive number for positions that it covers.
        soft: whether its colour fades into the skin instead of ending at a line.
    """

    name: str
    colour: Colour
    thickness: float
    where: Callable[[Field, Array], Array]
    soft: bool = False


def _in(field: Field, bone: str, points: Array) -> Array:
    return field.in_bone(BONE_NAMES.index(bone), points)


# The height of the hairline in the frame of the head, by how far forwards: nape, ears, temples, forehead.
_HAIRLINE = (
    *((-0.075, 0.040), (-0.045, 0.050), (-0.012, 0.104), (0.012, 0.108)),
    *((0.045, 0.128), (0.070, 0.146), (0.082, 0.150)),
)


def _hair(field: Field, points: Array) -> Array:
    """Return how far a position is above the hairline: high at the forehead, over the ears, low at the nape."""
    head = _in(field, "head", points)
    x, y, z = head.T
    forwards, heights = np.array(_HAIRLINE).T
    line = np.interp(x, forwards, heights)
    # The hair is parted a little to the left, and wavy at the forehead.
    fringe = 0.004 * np.sin(y / 0.0095 + 0.8) * np.clip((x - 0.03) / 0.03, 0, 1)
    return np.asarray(z - line - fringe)


def _lips(field: Field, points: Array) -> Array:
    head, jaw = _in(field, "head", points), _in(field, "jaw", points)
    # The corners of the mouth are a little higher than its middle.
    smile = np.array((0.0, 0.0, 9.0)) * head[:, 1:2] ** 2
    head, jaw = head - smile, jaw - smile
    upper = _oval(head, (0.0830, 0.0, 0.0450), (0.014, 0.0150, 0.0042))
    lower = _oval(jaw, (0.0750, 0.0, -0.0118), (0.014, 0.0120, 0.0050))
    return np.maximum(upper, lower)


def _oval(points: Array, middle: tuple[float, float, float], radii: tuple[float, float, float]) -> Array:
    return np.asarray((1.0 - np.linalg.norm((points - np.array(middle)) / np.array(radii), axis=1)) * min(radii))


def _shirt(field: Field, points: Array) -> Array:
    pelvis, neck = _in(field, "pelvis", points), _in(field, "neck", points)
    above_hem = pelvis[:, 2] - 0.022
    collar = np.linalg.norm(neck * (0.85, 1.0, 1.0) - (0.004, 0.0, 0.012), axis=1) - 0.0455
    below_neck = 0.016 - neck[:, 2]
    sleeves = np.minimum(*(_in(field, side + "upper_arm", points)[:, 2] + 0.066 for side in (LEFT, RIGHT)))
    # The planes of the sleeves go on through the body; there they mean nothing.
    trunk = (np.abs(pelvis[:, 1]) < 0.085) | ((np.abs(pelvis[:, 1]) < 0.125) & (pelvis[:, 2] < 0.14))
    sleeves = np.where(trunk, 1.0, sleeves)
    return np.asarray(np.min((above_hem, collar, below_neck, sleeves), axis=0))


def _trousers(field: Field, points: Array) -> Array:
    pelvis = _in(field, "pelvis", points)
    legs = np.where(
        pelvis[:, 1] > 0,
        _in(field, LEFT + "thigh", points)[:, 2] + 0.118,
        _in(field, RIGHT + "thigh", points)[:, 2] + 0.118,
    )
    return np.minimum(0.026 - pelvis[:, 2], legs)


COVERS: tuple[Cover, ...] = (
    Cover("hair", (146, 100, 58), 0.007, _hair),
    Cover("lips", (214, 128, 116), 0.0, _lips, soft=True),
    Cover("trousers", (66, 96, 150), 0.004, _trousers),
    Cover("shirt", (246, 196, 84), 0.0035, _shirt),
)


def skin_colour(field: Field, points: Array) -> Array:
    """Return the colour of bare skin (0 to 255): redder at cheeks, nose, ears, knees, elbows and fingertips."""
    red = np.zeros(len(points))
    for bone, place, radius, amount in (
        ("head", (0.062, 0.040, 0.055), 0.026, 0.75),
        ("head", (0.062, -0.040, 0.055), 0.026, 0.75),
        ("head", (0.090, 0.0, 0.064), 0.014, 0.5),
        ("head", (-0.004, 0.076, 0.084), 0.024, 0.5),
        ("head", (-0.004, -0.076, 0.084), 0.024, 0.5),
    ):
        away = np.linalg.norm(_in(field, bone, points) - np.array(place), axis=1)
        red = np.maximum(red, amount * np.clip(1.5 - 1.5 * away / radius, 0, 1))
    for side in (LEFT, RIGHT):
        for bone, amount in (("shin", 0.35), ("forearm", 0.25), ("toes", 0.4)):
            away = np.linalg.norm(_in(field, side + bone, points), axis=1)
            red = np.maximum(red, amount * np.clip(1.4 - away / 0.034, 0, 1))
        for finger in ("thumb", "index", "middle", "ring", "little"):
            tip = _in(field, f"{side}{finger}_tip", points) - np.array((0, 0, -0.018))
            red = np.maximum(red, 0.4 * np.clip(1.4 - np.linalg.norm(tip, axis=1) / 0.012, 0, 1))
    return np.asarray(np.array(SKIN) + red[:, None] * (np.array(_BLUSH) - np.array(SKIN)))
