"""The views of the eyes: they show what is before them, the right way up, and each from its own place."""

import mujoco
import numpy as np
import pytest

from infant_bodies import child_of
from puzzlebox.infant.body.child import Child
from puzzlebox.infant.body.poses import Pose, eye_angles
from puzzlebox.infant.looks.axes import place_in_scene
from puzzlebox.infant.looks.gaze import SIDES, eye_view
from puzzlebox.infant.looks.portrait import Portrait
from puzzlebox.render import Painter
from puzzlebox.scene.scene import PART, POSE, Flag, Kind

SIZE = 84


def put(child: Child, pose: Pose) -> None:
    child.reset(pose=pose)
    child.data.qpos[2] += 0.5
    mujoco.mj_kinematics(child.model, child.data)


def seen(child: Child, side: str, *places: np.ndarray) -> list[tuple[float, float]]:
    """Return where small glowing balls at places appear in the picture of an eye, as column and row."""
    portrait = Portrait(child)
    scene = portrait.update()
    parts, poses = np.zeros(len(places), PART), np.zeros(len(places), POSE)
    parts["thing"] = np.arange(len(places)) + len(scene.poses)
    parts["kind"], parts["half"], parts["turn"], parts["flags"] = Kind.BALL, 0.02, (1, 0, 0, 0), Flag.GLOWS
    parts["color"] = 1
    poses["at"], poses["turn"] = [place_in_scene(place) for place in places], (1, 0, 0, 0)
    scene.parts, scene.poses = np.concatenate((scene.parts, parts)), np.concatenate((scene.poses, poses))
    view = eye_view(child, side)
    image, ids = np.empty((SIZE, SIZE, 3), np.uint8), np.empty((SIZE, SIZE), np.int32)
    Painter(scene).paint(
        image, view.eye, view.heading, view.pitch, view.fov_degrees, ids=ids, skip_thing=view.skip_thing, roll=view.roll
    )
    out = []
    for thing in parts["thing"].tolist():
        rows, columns = np.nonzero(ids == thing)
        out.append((float(columns.mean()), float(rows.mean())))
    return out


@pytest.mark.parametrize(
    "pose",
    [
        Pose(),
        Pose(-90),
        Pose(30, {"head.lean": 15, "neck.lean": 15, "head.twist": 30}),
        Pose(10, {"left_eye.turn": 20, "right_eye.turn": -10, "left_eye.raise": 15}),
    ],
)
@pytest.mark.parametrize("side", SIDES)
def test_a_ball_on_the_axis_of_an_eye_is_in_the_middle_of_its_picture(side: str, pose: Pose) -> None:
    child = child_of()
    put(child, pose)
    eye = child.data.body(side + "eye")
    forward, left, up = eye.xmat.reshape(3, 3).T
    middle, to_the_left, above = seen(
        child,
        side,
        eye.xpos + 0.5 * forward,
        eye.xpos + 0.5 * forward + 0.1 * left,
        eye.xpos + 0.5 * forward + 0.1 * up,
    )
    assert middle == pytest.approx((41.5, 41.5), abs=0.6)
    # 10 cm at a distance of half a metre, in a picture of 60 degrees: 15 of 84 pixels.
    assert to_the_left == pytest.approx((41.5 - 15, 41.5), abs=1)
    assert above == pytest.approx((41.5, 41.5 - 15), abs=1)


def test_a_near_thing_is_elsewhere_in_each_eye_and_vergence_brings_it_together() -> None:
    child = child_of()
    put(child, Pose())
    eyes = [child.data.body(side + "eye").xpos.copy() for side in SIDES]
    toy = (eyes[0] + eyes[1]) / 2 + np.array((0.25, 0, 0))
    left, right = (seen(child, side, toy)[0][0] for side in SIDES)
    assert left - right > 10
    angle = float(np.degrees(np.arctan2(0.025, 0.25)))
    put(child, Pose(angles=eye_angles(vergence=2 * angle)))
    assert [seen(child, side, toy)[0][0] for side in SIDES] == pytest.approx([41.5, 41.5], abs=1)


def test_both_eyes_look_up_and_to_the_left_together() -> None:
    child = child_of()
    put(child, Pose(angles=eye_angles(turn=20, lift=10)))
    axes = [child.data.body(side + "eye").xmat.reshape(3, 3)[:, 0] for side in SIDES]
    assert axes[0] == pytest.approx(axes[1])
    assert axes[0][1] > 0.3 and axes[0][2] > 0.15
