"""Where the eyes are and where they look, as views of the Scene for the painter; and how they look at a place."""

from dataclasses import replace
from math import asin, atan2, cos, degrees, sin
from typing import Any

import numpy as np

from puzzlebox.infant.body.body import Body
from puzzlebox.infant.body.bones import BONE_NAMES, JOINT_NAMES, LEFT, RIGHT
from puzzlebox.infant.looks.axes import place_in_scene, to_scene
from puzzlebox.render import View

# The field of view of an eye's square picture, in degrees.
EYE_FOV_DEGREES = 60.0
SIDES = (LEFT, RIGHT)


def eye_view(child: Body, side: str, fov_degrees: float = EYE_FOV_DEGREES, first_row: int = 0) -> View:
    """Return the view from a pupil along the axis of the eye.

    Args:
        child: the body.
        side: `left_` or `right_`.
        fov_degrees: the field of view across the picture.
        first_row: the row of the Scene's `poses` in which the bones of the child begin.
    """
    name = side + "eye"
    body = child.row(name)
    turn = child.data.xmat[body].reshape(3, 3)
    radius = child.model.geom_size[child.model.body_geomadr[body], 0]
    pupil = child.data.xpos[body] + radius * turn[:, 0]
    row = first_row + BONE_NAMES.index(name)
    return replace(view_along(pupil, turn[:, 0], turn[:, 2], fov_degrees), skip_thing=row)


def view_along(place: Any, forward: Any, up: Any, fov_degrees: float) -> View:
    """Return the view from a place in a direction, with a direction that is up in the picture; in MuJoCo's axes."""
    forward, up = to_scene(forward), to_scene(up)
    heading, pitch = atan2(forward[0], forward[2]), asin(float(np.clip(forward[1], -1.0, 1.0)))
    level_right = np.array((cos(heading), 0.0, -sin(heading)))
    level_up = np.array((-sin(heading) * sin(pitch), cos(pitch), -cos(heading) * sin(pitch)))
    roll = atan2(float(up @ level_right), float(up @ level_up))
    x, y, z = place_in_scene(place).tolist()
    return View((x, y, z), degrees(heading), degrees(pitch), fov_degrees, roll=degrees(roll))


def angles_towards(child: Body, place: Any) -> dict[str, float]:
    """Return the angles of both eyes that look at a place, in degrees, for `Pose.angles`; limits of joints hold.

    Args:
        child: the body.
        place: a position in MuJoCo's axes, in metres.
    """
    turn, angles = child.data.xmat[child.row("head")].reshape(3, 3), {}
    for side in SIDES:
        towards = turn.T @ (np.asarray(place, np.float64) - child.data.xpos[child.row(side + "eye")])
        x, y, z = towards / np.linalg.norm(towards)
        for joint, angle in ((f"{side}eye.turn", atan2(y, x)), (f"{side}eye.raise", asin(float(z)))):
            row = JOINT_NAMES.index(joint)
            angles[joint] = degrees(float(np.clip(angle, child.built.low[row], child.built.high[row])))
    return angles
