"""Pictures from outside show the child, whatever stands between it and the camera."""

import numpy as np
import pytest
from numpy.typing import NDArray

from puzzlebox.infant.envs.env import InfantEnv
from puzzlebox.infant.envs.views import LEFT_EYE, OUTSIDE, near_picture, picture
from puzzlebox.infant.tasks.play import Play

SIZE = (180, 120)


def shirt(image: NDArray[np.uint8]) -> int:
    """Return how many pixels are of a yellow shirt, also one behind a faint wall."""
    red, green, blue = np.moveaxis(image.astype(int), 2, 0)
    return int(((red > blue + 60) & (green > blue + 35)).sum())


def play_at(task: str, x: float, y: float) -> Play:
    env = InfantEnv(task, senses=("balance",))
    env.reset(seed=3)
    env.core.play.walker(0).place_at(x, y, 2.0)
    env.step(np.zeros(env.action_space.shape, np.float32))
    return env.core.play


@pytest.mark.parametrize("task", ["object-nav", "maze-nav", "disk-tower", "multi-agent-nav"])
def test_a_child_at_the_wall_before_the_camera_is_as_visible_as_in_the_middle(task: str) -> None:
    edge = InfantEnv(task, senses=("balance",)).core.task.room.depth / 2 - 0.25
    at_wall, in_middle = (shirt(near_picture(play_at(task, x, 0.3), SIZE, samples=1)) for x in (edge, 0.0))
    assert at_wall > 0.6 * in_middle > 0


def test_walls_that_hide_nobody_and_what_eyes_see_stay_as_they_are() -> None:
    play = play_at("object-nav", 0.0, 0.3)
    parts = play.stage.scene.parts.copy()
    far = near_picture(play, SIZE, samples=1)
    assert np.ptp(far[-1].astype(int), axis=0).max() < 60, "only the floor is at the lower edge"
    hidden = play_at("object-nav", 1.25, 0.3)
    eye = picture(hidden, LEFT_EYE, SIZE, samples=1)
    picture(hidden, OUTSIDE, SIZE)
    assert np.array_equal(picture(hidden, LEFT_EYE, SIZE, samples=1), eye)
    assert np.array_equal(play.stage.scene.parts, parts), "the scene itself is not changed"


def white(image: NDArray[np.uint8]) -> int:
    """Return how many pixels are as white as chalk."""
    return int((image.min(axis=2) > 225).sum())


def test_a_line_shows_the_border_of_the_field_from_outside_and_not_to_the_child() -> None:
    play = play_at("kick-the-ball", 2.0, 0.0)
    parts = play.stage.scene.parts.copy()
    eye = picture(play, LEFT_EYE, SIZE, samples=1)
    outside, near = picture(play, OUTSIDE, SIZE), near_picture(play, SIZE)
    play.task.border = False  # type: ignore[misc]
    assert white(picture(play, OUTSIDE, SIZE)) < white(outside) - 100
    assert white(near_picture(play, SIZE)) < white(near)
    assert np.array_equal(picture(play, LEFT_EYE, SIZE, samples=1), eye)
    assert np.array_equal(play.stage.scene.parts, parts)
