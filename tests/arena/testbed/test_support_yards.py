"""Level 5, support: no fixed way leads into the right yard in most tests."""

from collections.abc import Sequence
from typing import Any

import pytest

from puzzlebox.arena.schema import load_task
from puzzlebox.arena.testbed.level import VARIANTS
from puzzlebox.arena.world import World
from puzzlebox.arena.world.actions import FORWARDS, LEFT, NOOP, RIGHT

TESTS = [f"testbed/05-{number}-{variant}" for number in (28, 29) for variant in range(1, VARIANTS + 1)]
# The animal is held for 3 s; 15 decisions are a right angle.
HELD, CORNER = [NOOP] * 50, 15


def after(name: str, actions: list[int]) -> World:
    """Return a test after some actions of its animal, and as many steps ahead as there is time for."""
    world = World(load_task(name), seed=0)
    for action in HELD + actions:
        world.step((action,))
    return world


def place_of(world: World) -> tuple[float, float, float]:
    x, y, z = world.engine.pose(world.animals[0].id)[0]
    return float(x), float(y), float(z)


def side_of(world: World, place: Sequence[Any]) -> float:
    """Return how far a place is from the wall between the yards, which is in the middle: below 0 on one side of it."""
    arena = world.task.arenas[0]
    heading = next(item.rotation for item in arena.items if item.name == "Wall")
    along = 0 if heading in (0, 180) else 2
    return float(place[along]) - arena.size[along // 2] / 2


def test_straight_on_leads_into_the_right_yard_in_half_of_the_tests() -> None:
    right = []
    for name in TESTS:
        world = after(name, [FORWARDS] * 25)
        place = place_of(world)
        assert place[1] < 0.9, f"{name}: it is still on the ledge"
        # The first food is the one that comes down to the floor.
        food = next(item.at for item in world.task.arenas[0].items if item.name == "GoodGoal")
        assert food is not None
        right.append(side_of(world, place) * side_of(world, food) > 0)
    assert sum(right) == len(right) / 2, dict(zip(TESTS, right, strict=True))


@pytest.mark.parametrize(("there", "back"), [(LEFT, RIGHT), (RIGHT, LEFT)])
@pytest.mark.parametrize("name", TESTS)
def test_along_the_walls_there_is_no_food(name: str, there: int, back: int) -> None:
    world = after(name, [there] * CORNER + [FORWARDS] * 30 + [back] * CORNER + [FORWARDS] * 30)
    width, depth = world.task.arenas[0].size
    x, y, z = place_of(world)
    assert y < 0.9, "it went along the wall and dropped from the ledge"
    assert min(x, width - x, z, depth - z) < 3, "it is beside the wall"
    assert world.total <= 0
    # Now it turns to the yard, which it cannot get into.
    for action in [back] * CORNER + [FORWARDS] * 20:
        if not world.over:
            world.step((action,))
    x, _, z = place_of(world)
    assert abs(side_of(world, (x, 0, z))) > 11.5
    assert world.passed() is not True
