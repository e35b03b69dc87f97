"""On level 8 the food of a test cannot be seen where the animal has to choose; that of a control can."""

import numpy as np
import pytest

from puzzlebox.arena.schema import load_task
from puzzlebox.arena.senses.rays import Rays
from puzzlebox.arena.testbed.manifest import read_solutions
from puzzlebox.arena.testbed.reading import read_level
from puzzlebox.arena.things.goals import Goal
from puzzlebox.arena.world import World
from puzzlebox.batteries.testbed import battery_names
from puzzlebox.render.eye import Eye

LEVEL = read_level(8)
SOLUTIONS = read_solutions(LEVEL.folder)
NAMES = [name for name in battery_names() if name.startswith("testbed/08-")]
# Metres by which the animal is lower than before when it has dropped from the place of a choice.
DROP = 0.45
# Smaller balls end an episode, or are a lure.
FOOD = 0.7
PIXELS = 128


def food(world: World) -> set[int]:
    goals = [each for each in world.present.values() if isinstance(each, Goal) and each.sign > 0]
    return {each.id for each in goals if each.extent[0] >= FOOD}


def seen_by_camera(world: World) -> set[int]:
    """Return the food that an eye sees which looks all round from where the animal is."""
    if not world.lights:
        return set()
    scene, eye, segments, found = (
        world.scene(),
        Eye(PIXELS, through=True),
        np.empty((PIXELS, PIXELS), np.int32),
        set[int](),
    )
    for heading in range(0, 360, 45):
        eye.see_from_row(scene, scene.animals[0], float(heading), segments=segments)
        found |= set(map(int, np.unique(segments)))
    return food(world) & found


def seen_by_rays(world: World) -> bool:
    """Return whether a ray all round from the animal meets food."""
    return any(tag in ("goodGoal", "goodGoalMulti") for tag, _ in Rays(361, 360.0).hits(world))


def choices(name: str, later: int = 0) -> list[World]:
    """Return the world at each choice of the recorded solution, or some decisions later.

    A choice is where the animal last stood before it dropped into a lane.
    """
    task, solution = load_task(name), SOLUTIONS[name][0]
    drops = drops_of(name)
    assert drops, f"{name}: the animal never drops into a lane"
    found, world = [], World(task, seed=solution.seed)
    for number, action in enumerate(solution.actions):
        if number - later in drops:
            found.append(world.branch())
        world.step((action,))
    return found


def drops_of(name: str) -> set[int]:
    """Return the decisions of a solution before which the animal was last at the height from which it drops."""
    solution = SOLUTIONS[name][0]
    world = World(load_task(name), seed=solution.seed)
    peak, last, falling, found = -1.0, 0, False, set[int]()
    for number, action in enumerate(solution.actions):
        height = world.position_of(world.animals[0])[1]
        if falling:
            falling = not world.animals[0].grounded
            peak = height
        elif height < peak - DROP:
            found.add(last)
            falling = True
        elif world.animals[0].grounded and height >= peak - 0.02:
            peak, last = max(peak, height), number
        world.step((action,))
    return found


def shown(name: str) -> bool:
    return LEVEL.rows[int(name.split("-")[1])].is_control


def check(name: str) -> None:
    if shown(name):
        # Some leap from a ramp over the platform: what counts is what they see before they come down.
        first = [choices(name, later)[0] for later in range(0, 20, 4)]
        assert any(map(seen_by_camera, first)), f"{name}: the camera does not see the food of a control"
        assert any(map(seen_by_rays, first)), f"{name}: rays do not meet the food of a control"
        return
    for number, world in enumerate(choices(name)):
        assert not seen_by_camera(world), f"{name}: food can be seen at choice {number + 1}"


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("-1")])
def test_food_is_hidden_where_the_animal_has_to_choose(name: str) -> None:
    check(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if not name.endswith("-1")])
def test_food_of_all_variants_is_hidden(name: str) -> None:
    check(name)


def test_half_of_the_level_is_hidden() -> None:
    assert len([name for name in NAMES if not shown(name)]) == 45


@pytest.mark.parametrize("number", LEVEL.rows)
def test_a_row_says_by_its_values_whether_food_is_hidden(number: int) -> None:
    row = LEVEL.rows[number]
    assert (row.values.get("view") == "visible" or row.values.get("light") == "lit") == row.is_control
