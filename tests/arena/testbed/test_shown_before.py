"""What an animal has to remember is in view while it is held: it cannot turn then, so that everything must be ahead."""

import numpy as np
import pytest

from puzzlebox.arena.schema import load_task
from puzzlebox.arena.senses.camera import Camera
from puzzlebox.arena.senses.rays import Rays
from puzzlebox.arena.testbed.reading import read_level
from puzzlebox.arena.things.goals import Goal
from puzzlebox.arena.world import World
from puzzlebox.batteries.testbed import battery_names

# The templates in which the animal is held while food moves or goes out of sight.
HOLDING = {8: {"lanes", "rolling", "delayed", "terraces", "ramp", "anotb"}, 9: {"drops", "change"}}
NAMES = [
    name
    for name in battery_names()
    for level in HOLDING
    if name.startswith(f"testbed/{level:02d}-")
    and read_level(level).rows[int(name.split("-")[1])].template in HOLDING[level]
]
# The tests of level 8, without the controls.
TESTS = [
    name
    for name in NAMES
    if name.startswith("testbed/08-") and not read_level(8).rows[int(name.split("-")[1])].is_control
]
# Smaller balls end an episode, or are a lure.
FOOD = 0.7


def unseen(name: str) -> set[int]:
    """Return the food of a task that the camera never shows before the animal can move."""
    world, camera = World(load_task(name)), Camera(64)
    goals = [each for each in world.present.values() if isinstance(each, Goal)]
    missing = {each.id for each in goals if each.extent[0] >= FOOD}
    while world.animals[0].held and not world.over:
        missing -= set(map(int, np.unique(camera.segments(world))))
        world.step([0])
    return missing


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("-1")])
def test_all_food_is_seen_before_the_animal_can_move(name: str) -> None:
    assert not unseen(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if not name.endswith("-1")])
def test_all_food_of_all_variants_is_seen(name: str) -> None:
    assert not unseen(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", TESTS)
def test_rays_meet_food_while_the_animal_is_held_unless_the_task_is_for_cameras_only(name: str) -> None:
    """Level rays do not meet food that falls behind walls, and seldom meet food that rolls behind screens."""
    task = load_task(name)
    world, rays, met, steps = World(task), Rays(361, 180.0), 0, 0
    while world.animals[0].held and not world.over:
        met += any("oodGoal" in tag for tag, _ in rays.hits(world))
        steps += 1
        world.step([0])
    if "camera only" not in task.metadata.tags:
        assert met
    elif "tracking" in task.metadata.tags:
        assert met < 0.2 * steps
    else:
        assert not met
