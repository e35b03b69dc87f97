"""Pictures of an episode: from outside, and through each eye of the first child."""

import dataclasses
from math import radians, tan

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.envs.cutaway import without_near_walls
from puzzlebox.infant.looks.axes import place_in_scene
from puzzlebox.infant.looks.gaze import EYE_FOV_DEGREES, eye_view
from puzzlebox.infant.scenes.sights import box_part
from puzzlebox.infant.tasks.play import Play
from puzzlebox.infant.tasks.settings import JOINTS
from puzzlebox.render import Painter, View
from puzzlebox.render.painter import FENCE
from puzzlebox.scene.scene import Scene
from puzzlebox.text import nearest

OUTSIDE, LEFT_EYE, RIGHT_EYE = "outside", "left-eye", "right-eye"
VIEWS = (OUTSIDE, LEFT_EYE, RIGHT_EYE)
_FOV_DEGREES = 45.0
# From the middle to the camera: above a room, which it sees whole, and near a child at a table.
_ABOVE, _BESIDE = (0.45, 0.0, 0.9), (0.85, 0.45, 0.45)
# Around a child that walks in a room: how far to see, and the height of the middle of the picture, in metres.
_AROUND, _WAIST = 1.0, 0.3

# Half the width and height of the line around a field, in metres, and its colour.
_LINE, _FLAT, _CHALK = 0.02, 0.002, (250, 250, 245)


def view_of(play: Play, name: str) -> View:
    """Return the view with a name.

    Raises:
        ValueError: there is no such view.
    """
    if name not in VIEWS:
        raise ValueError(f"there is no view {name!r}{nearest(str(name), VIEWS)}")
    if name == OUTSIDE:
        return _outside(play)
    body = play.stage.person(play.names[0]).body
    side = "left_" if name == LEFT_EYE else "right_"
    return eye_view(body, side, EYE_FOV_DEGREES, play.stage.sights.first_row(body))


def _outside(play: Play, near: bool = False) -> View:
    room = play.task.room
    away = np.array(_ABOVE)
    if play.task.control == JOINTS:
        row = play.child.row("pelvis")
        middle, reach = play.child.data.xpos[row] + (0.15, 0.0, 0.10), 0.42
        away = np.array(_BESIDE)
    elif near:
        state = play.walker(0).state
        middle, reach = np.array((state.x, state.y, _WAIST)), _AROUND
    else:
        middle, reach = np.zeros(3), 0.55 * max(room.depth, room.width)
    away = away / np.linalg.norm(away) * reach / tan(radians(_FOV_DEGREES / 2))
    eye, at = (tuple(place_in_scene(place).tolist()) for place in (middle + away, middle))
    return dataclasses.replace(View.fixed(eye, at), fov_degrees=_FOV_DEGREES)


def _seen_from_outside(play: Play, view: View) -> Scene:
    """Return the scene of an episode for a camera: walls in front of a child are faint, and a field has its border."""
    scene = without_near_walls(play, view)
    if not play.task.border:
        return scene
    # Eyes do not see the line: it would change what agents with eyes observe.
    x, y = play.task.room.depth / 2, play.task.room.width / 2
    row = int(np.flatnonzero(scene.owners == FENCE)[0])
    long_x, long_y = (x + _LINE, _LINE, _FLAT), (_LINE, y + _LINE, _FLAT)
    sides = (((x, 0, 0), long_y), ((-x, 0, 0), long_y), ((0, y, 0), long_x), ((0, -y, 0), long_x))
    lines = [box_part(row, middle, half, _CHALK) for middle, half in sides]
    return dataclasses.replace(scene, parts=np.concatenate((scene.parts, *lines)))


def picture(play: Play, name: str, size: tuple[int, int], *, samples: int = 2) -> NDArray[np.uint8]:
    """Paint an episode as it is now; from outside, walls in front of a child are faint, and a field has a border.

    Args:
        play: the episode.
        name: one of `VIEWS`.
        size: width and height in pixels.
        samples: samples along each side of a pixel.
    """
    view = view_of(play, name)
    scene = _seen_from_outside(play, view) if name == OUTSIDE else play.stage.scene
    return Painter(scene).picture(view, *size, samples=samples)


def near_picture(play: Play, size: tuple[int, int], *, samples: int = 2) -> NDArray[np.uint8]:
    """Paint the first child and what is around it, from outside; the camera follows, and walls in front are faint.

    Args:
        play: the episode.
        size: width and height in pixels.
        samples: samples along each side of a pixel.
    """
    view = _outside(play, near=True)
    return Painter(_seen_from_outside(play, view)).picture(view, *size, samples=samples)
