"""An eye needs a Scene and a pose, and no World."""

import numpy as np
import pytest

from puzzlebox.arena.senses.camera import Camera
from puzzlebox.render import Eye, Pose
from puzzlebox.render.eye import FAR
from puzzlebox.scene.scene import Scene
from worlds import world_of

SCENE = ("name: Agent, at: [20, 0, 20], rotation: 90", "name: GoodGoal, at: [25, 0, 20], size: 2")


def test_an_eye_where_an_animal_is_sees_what_its_camera_sees() -> None:
    world = world_of(*SCENE)
    scene, animal = world.scene(), world.animals[0]
    pose = Pose(world.position_of(animal), animal.heading, row=scene.animals[0])
    image, depth, segments = (
        np.empty((32, 32, 3), np.uint8),
        np.empty((32, 32), np.float32),
        np.empty((32, 32), np.int32),
    )
    Eye(32).see(scene, pose, image, depth, segments)
    camera = Camera(32)
    assert np.array_equal(image, camera.look(world))
    assert np.array_equal(depth, camera.depth(world))
    assert np.array_equal(segments, camera.segments(world))
    assert len(np.unique(segments)) > 2


def test_an_eye_looks_in_the_direction_of_its_pose() -> None:
    scene, eye, segments = world_of(*SCENE).scene(), Eye(33), np.empty((33, 33), np.int32)
    eye.see(scene, Pose((25.0, 6.0, 20.0), pitch=-90.0), segments=segments)
    assert scene.owners[scene.animals[0]] != segments[16, 16] >= 0
    eye.see(scene, Pose((25.0, 6.0, 20.0), pitch=90.0), segments=segments)
    assert (segments == -1).all()


def test_an_eye_sees_a_scene_that_no_world_made() -> None:
    image, depth = np.full((8, 8, 1), 7, np.uint8), np.zeros((8, 8), np.float32)
    Eye(8, grayscale=True).see(Scene(), Pose((0.0, 1.0, 0.0), pitch=90.0), image, depth)
    assert (image == 0).all()
    assert (depth == FAR).all()


@pytest.mark.parametrize("size", [3, 513, True, 4.5])
def test_an_eye_has_4_to_512_pixels_a_side(size: float) -> None:
    with pytest.raises(ValueError, match=r"pixels a side; it can have 4 to 512"):
        Eye(size)  # type: ignore[arg-type]
