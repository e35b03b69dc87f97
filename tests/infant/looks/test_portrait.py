"""Pictures of the child: it is where it should be, the right way round, with its colours."""

import mujoco
import numpy as np
import pytest

from infant_bodies import child_of
from puzzlebox.infant.body.bones import BONE_NAMES, JOINT_NAMES
from puzzlebox.infant.looks.axes import place_in_scene, to_scene, turn_in_scene
from puzzlebox.infant.looks.photo import SIDES, photograph
from puzzlebox.infant.looks.portrait import Portrait
from puzzlebox.render import Painter
from puzzlebox.scene.scene import Scene


@pytest.fixture(scope="module")
def standing() -> Portrait:
    child = child_of()
    child.reset(pose="stand")
    return Portrait(child)


def look(scene: Scene, at: tuple[float, float, float], heading: float, size: int = 96) -> tuple[np.ndarray, np.ndarray]:
    image, ids = np.empty((size, size, 3), np.uint8), np.empty((size, size), np.int32)
    Painter(scene).paint(image, tuple(place_in_scene(at).tolist()), heading, 0.0, 50.0, ids=ids)
    return image, ids


def test_axes_agree_with_the_rotation_of_vectors() -> None:
    quaternion = np.array((0.8, 0.1, -0.3, 0.5)) / np.linalg.norm((0.8, 0.1, -0.3, 0.5))

    def rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return v + 2 * np.cross(q[1:], np.cross(q[1:], v) + q[0] * v)

    vector = np.array((0.3, -1.0, 2.0))
    assert to_scene(rotate(quaternion, vector)) == pytest.approx(rotate(turn_in_scene(quaternion), to_scene(vector)))


def test_the_child_looks_along_x_and_its_left_is_on_the_right_of_a_picture_from_the_front(standing: Portrait) -> None:
    child = standing.child
    _, ids = look(standing.update(), (1.0, 0.0, 0.45), 180.0)
    assert (ids >= 0).sum() > 800
    columns = np.flatnonzero((ids >= 0).any(axis=0))
    assert columns.mean() == pytest.approx(47.5, abs=3)
    # The left forearm bends forwards and upwards: then the hand on the right of the picture is higher.
    angles = child.angles.copy()
    try:
        bent = angles.copy()
        bent[JOINT_NAMES.index("left_upper_arm.abduct")] = 1.5
        child.set_angles(bent)
        mujoco.mj_kinematics(child.model, child.data)
        _, raised = look(standing.update(), (1.0, 0.0, 0.45), 180.0)
    finally:
        child.reset(pose="stand")
    extra = np.flatnonzero(((raised >= 0) & (ids < 0)).any(axis=0))
    assert extra.mean() > 60


def test_skin_hair_and_clothes_have_their_colours(standing: Portrait) -> None:
    image, _ = look(standing.update(), (1.0, 0.0, 0.45), 180.0)
    head, belly, leg = image[14:22, 44:52], image[45:52, 44:52], image[62:66, 40:44]
    assert head[..., 0].mean() > head[..., 2].mean() + 20
    red, green, blue = belly.reshape(-1, 3).mean(axis=0)
    assert red > 200 and green > 140 and blue < 130
    assert leg[..., 2].mean() > leg[..., 0].mean()
    back, _ = look(standing.update(), (-1.0, 0.0, 0.45), 0.0)
    assert back[16:20, 44:52].mean() < head.mean() - 30


def test_distances_to_the_skin_are_right(standing: Portrait) -> None:
    image, metres = np.empty((64, 64, 3), np.uint8), np.empty((64, 64), np.float32)
    ids = np.empty((64, 64), np.int32)
    eye = place_in_scene((1.5, 0.0, 0.5))
    Painter(standing.update()).paint(image, tuple(eye.tolist()), 180.0, 0.0, 20.0, distance=metres, ids=ids)
    # The belly of the child is about 7 cm before its axis.
    assert metres[32, 32] == pytest.approx(1.43, abs=0.02)
    assert ids[32, 32] == BONE_NAMES.index("pelvis")


def test_all_sides_show_the_whole_child(standing: Portrait) -> None:
    for side in SIDES:
        picture = photograph(standing, side, 60, 60, samples=1)
        assert picture.shape == (60, 60, 3)
        assert picture.std() > 10, side
    assert photograph(standing, "six", 90, 60, samples=1).shape == (60, 90, 3)


def test_a_picture_for_people_has_a_soft_shadow(standing: Portrait) -> None:
    picture = photograph(standing, "top", 80, 80, samples=2).astype(int)
    standing.scene.parts = standing.scene.parts[standing.scene.parts["flags"] != 4]
    try:
        without = photograph(standing, "top", 80, 80, samples=2).astype(int)
    finally:
        standing.scene.parts = Portrait(standing.child).scene.parts
    darker = without.sum(axis=2) - picture.sum(axis=2)
    assert (darker > 60).sum() > 100
    assert (darker < -6).sum() == 0
