"""Level 5: no run-up at a ramp that is too low, too steep or at too high a wall leads to the food, also by a leap."""

from collections.abc import Iterator
from math import atan2, cos, degrees, hypot, radians, sin

import pytest

from puzzlebox.arena.schema import load_task
from puzzlebox.arena.schema.models import Item, Task
from puzzlebox.arena.testbed.level import VARIANTS
from puzzlebox.arena.testbed.reading import read_level
from puzzlebox.arena.world import World
from puzzlebox.arena.world.actions import FORWARDS, FORWARDS_LEFT, FORWARDS_RIGHT

LEVEL = read_level(5)
# The templates of tests with wrong ramps.
TEMPLATES = ("tower", "yards", "bridges", "table", "court")
LONGEST, STEP = 16.0, 0.05  # run-ups in metres
# The most decisions after the top of the ramp.
AFTERWARDS = 80


def names() -> list[str]:
    rows = [number for number, row in LEVEL.rows.items() if row.template in TEMPLATES and not row.is_control]
    return [f"testbed/05-{row:02d}-{variant}" for row in rows for variant in range(1, VARIANTS + 1)]


def ramps_of(task: Task) -> tuple[Item, list[tuple[Item, float, float]]]:
    """Return the first ramp of the right way; and the others that rise towards the food, with their direction."""
    items = task.arenas[0].items
    food = next(item for item in items if item.name == "GoodGoal").at
    first, *others = [item for item in items if item.name == "Ramp"]
    found = []
    for ramp in others:
        assert ramp.at is not None and ramp.rotation is not None and food is not None
        uphill = radians(ramp.rotation + 180)
        across, along = sin(uphill), cos(uphill)
        if across * (food[0] - ramp.at[0]) + along * (food[2] - ramp.at[2]) > 0:
            found.append((ramp, across, along))
    return first, found


def starts(task: Task) -> Iterator[tuple[Task, tuple[float, float, float, float]]]:
    """Yield a task without the right ramp, its animal before a wrong one; and where that ends, and its direction."""
    arena = task.arenas[0]
    right, wrong = ramps_of(task)
    for ramp, across, along in wrong:
        (x, _, z), length = ramp.at, ramp.size[2]
        for number in range(round(0.5 / STEP), round(LONGEST / STEP)):
            back = length / 2 + number * STEP
            place = (x - across * back, 0.0, z - along * back)
            if not all(0.6 < each < side - 0.6 for each, side in zip(place[::2], arena.size, strict=True)):
                break
            heading = degrees(atan2(across, along)) % 360
            changes = {"at": place, "rotation": heading, "frozen_delay": 0.0}
            own = tuple(
                item.model_copy(update=changes) if item.name == "Agent" else item
                for item in arena.items
                if item is not right
            )
            changed = task.model_copy(update={"arenas": (arena.model_copy(update={"items": own}),)})
            yield changed, (x + across * length / 2, z + along * length / 2, across, along)


def passes(task: Task, top: tuple[float, float, float, float]) -> bool:
    """Return whether running up the ramp and, from its top, straight to the food passes the task."""
    world = World(task, seed=0)
    if world.unplaced:
        return False
    animal = world.animals[0]
    food = next(item for item in task.arenas[0].items if item.name == "GoodGoal").at
    assert food is not None
    left = AFTERWARDS
    for _ in range(200):
        if world.over or not left:
            break
        x, _, z = world.engine.pose(animal.id)[0]
        action = FORWARDS
        if (x - top[0]) * top[2] + (z - top[1]) * top[3] > 0:
            left -= 1
            error = (degrees(atan2(food[0] - x, food[2] - z)) - animal.heading + 180) % 360 - 180
            if abs(error) > 4 and hypot(food[0] - x, food[2] - z) > 0.5:
                action = FORWARDS_RIGHT if error > 0 else FORWARDS_LEFT
        world.step((action,))
    return world.passed() is True


def test_most_of_these_tests_have_wrong_ramps() -> None:
    assert sum(bool(ramps_of(load_task(name))[1]) for name in names()) >= 24


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in names() if ramps_of(load_task(name))[1]])
def test_no_run_up_at_a_wrong_ramp_leads_to_the_food(name: str) -> None:
    lengths = [number for number, (task, top) in enumerate(starts(load_task(name))) if passes(task, top)]
    assert not lengths
