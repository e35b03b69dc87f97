"""Pictures of a child from its sides, for people."""

import dataclasses
from math import radians, tan

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.looks.axes import place_in_scene
from puzzlebox.infant.looks.portrait import Portrait
from puzzlebox.render import Painter, View

# The direction from the child to the camera, in MuJoCo's axes: x forwards, y to the child's left, z up.
SIDES = {
    "front": (1.0, 0.0, 0.12),
    "back": (-1.0, 0.0, 0.12),
    "left": (0.0, 1.0, 0.12),
    "right": (0.0, -1.0, 0.12),
    "top": (0.02, 0.0, 1.0),
    "three-quarters": (0.8, 0.62, 0.32),
    "below": (0.02, 0.0, -1.0),
}
SIX, FACE, BELOW = "six", "face", "below"
_FOV_DEGREES = 30.0
# Where the floor is in a picture from below, in metres: behind the camera.
_DEEP = 100.0
# The room around the child in a picture, relative to its size.
_MARGIN = 1.06


def photograph(portrait: Portrait, side: str, width: int, height: int, samples: int = 3) -> NDArray[np.uint8]:
    """Return a picture of a child.

    Args:
        portrait: the child.
        side: a name of `SIDES`, `face`, or `six` for six sides in one picture of three by two. From below, the floor
            is left out.
        width: in pixels.
        height: in pixels.
        samples: samples along each side of a pixel.
    """
    if side == SIX:
        size = (max(1, width // 3), max(1, height // 2))
        pictures = [photograph(portrait, each, *size, samples) for each in SIDES if each != BELOW]
        return np.vstack((np.hstack(pictures[:3]), np.hstack(pictures[3:])))
    scene = portrait.update()
    if side == BELOW:
        around = scene.surroundings.copy()
        around["floor_top"] = -_DEEP
        scene = dataclasses.replace(scene, surroundings=around)
    middle, reach = _frame(portrait, side == FACE)
    away = np.array(SIDES["front" if side == FACE else side])
    if side == FACE:
        away = portrait.child.data.xmat[portrait.child.row("head")].reshape(3, 3) @ away
    away = away / np.linalg.norm(away)
    distance = _MARGIN * reach / tan(radians(_FOV_DEGREES / 2))
    eye, at = (tuple(place_in_scene(place).tolist()) for place in (middle + distance * away, middle))
    view = dataclasses.replace(View.fixed(eye, at), fov_degrees=_FOV_DEGREES)
    return Painter(scene).picture(view, width, height, samples=samples)


def _frame(portrait: Portrait, face: bool) -> tuple[NDArray[np.float64], float]:
    """Return the middle of what a picture shows, and the radius around it."""
    child, data = portrait.child, portrait.child.data
    if face:
        scale = child.built.growth.scales["head"][0]
        head = child.row("head")
        return data.xpos[head] + data.xmat[head].reshape(3, 3) @ np.array((0.02, 0.0, 0.085)) * scale, 0.14 * scale
    bodies = child.built.bodies
    skin = portrait.skin.moved(data.xpos[bodies], data.xmat[bodies].reshape(-1, 3, 3))
    low, high = skin.min(axis=0), skin.max(axis=0)
    middle = (low + high) / 2
    return middle, float(np.linalg.norm(skin - middle, axis=1).max())
