"""Posts on the walls between the lanes of level 8: nobody walks along one to see behind the pens before choosing."""

from collections.abc import Sequence
from itertools import product
from math import cos, radians, sin

import pytest

from puzzlebox.arena.schema import load_task
from puzzlebox.arena.schema.models import Item, Task
from puzzlebox.arena.testbed.level import VARIANTS
from puzzlebox.arena.testbed.reading import read_level
from puzzlebox.arena.world import World
from puzzlebox.arena.world.actions import FORWARDS, FORWARDS_LEFT, FORWARDS_RIGHT

LEVEL = read_level(8)
# In the template `delayed` the light stays out, so that nothing is to be seen from a wall.
NAMES = [
    f"testbed/08-{row:02d}-{variant}"
    for row, about in LEVEL.rows.items()
    if about.template != "delayed" and not about.is_control
    for variant in range(1, VARIANTS + 1)
]
POST = (0.2, 2.0, 0.2)
# Where the animal starts: metres before the post and beside the middle of the wall, and degrees aside.
BEFORE, ASIDE, TURNED = (2.5, 4.0), (-0.08, -0.04, 0.0, 0.04, 0.08), (-8, -4, 0, 4, 8)
STEPS = 40
# The height of the walls, and how many decisions an animal drives at one.
RAIL, LONG = 0.5, 130
# The middle of the animal is half a metre above what it stands on.
ON_WALL = 0.35


def posts_of(task: Task) -> list[Item]:
    items = task.arenas[0].items
    return [each for each in items if each.name == "WallTransparent" and tuple(each.size or ()) == POST]


def world_from(task: Task, start: tuple[float, float, float], rotation: float, left_out: Sequence[Item] = ()) -> World:
    """Return the world of a task in which the animal starts in another place, and is not held."""
    arena = task.arenas[0]
    changes = {"at": start, "rotation": rotation % 360, "frozen_delay": 0.0}
    items = tuple(
        item.model_copy(update=changes) if item.name == "Agent" else item
        for item in arena.items
        if item not in left_out
    )
    return World(task.model_copy(update={"arenas": (arena.model_copy(update={"items": items}),)}), seed=0)


def ahead_of(task: Task) -> float:
    """Return where the animal of a task looks: along the walls between lanes."""
    rotation = next(item.rotation for item in task.arenas[0].items if item.name == "Agent")
    assert rotation is not None
    return float(rotation)


def passes(task: Task, post: Item, before: float, aside: float, turned: float, *, without: bool = False) -> bool:
    """Return whether an animal that runs along the wall of a post gets past it on the wall.

    Args:
        task: the task.
        post: the post.
        before: metres before the post at which the animal starts.
        aside: metres beside the middle of the wall.
        turned: degrees by which it does not look along the wall.
        without: whether all posts are taken away.
    """
    assert post.at is not None
    x, y, z = (float(each) for each in post.at)
    rotation = ahead_of(task)
    along = sin(radians(rotation)), cos(radians(rotation))
    start = (x - before * along[0] + aside * along[1], y + 0.01, z - before * along[1] - aside * along[0])
    world = world_from(task, start, rotation + turned, posts_of(task) if without else ())
    if world.unplaced:  # there is no room on the wall so far before the post
        return False
    animal = world.animals[0]
    for _ in range(STEPS):
        if world.over:
            break
        world.step((FORWARDS,))
        now = world.engine.pose(animal.id)[0]
        beyond = (now[0] - x) * along[0] + (now[2] - z) * along[1]
        beside = (now[0] - x) * along[1] - (now[2] - z) * along[0]
        if beyond > 0.3 and abs(beside) < 1 and now[1] > y + ON_WALL:
            return True
    return False


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("-1")])
def test_there_is_a_post_on_each_wall_between_lanes(name: str) -> None:
    posts = posts_of(load_task(name))
    assert posts and not any(
        passes(load_task(name), *start, 0) for start in product(posts, BEFORE, (ASIDE[0], 0.0, ASIDE[-1]))
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_nobody_walks_past_a_post(name: str) -> None:
    task = load_task(name)
    ways = product(posts_of(task), BEFORE, ASIDE, TURNED)
    assert not [(post.at, *start) for post, *start in ways if passes(task, post, *start)]


def test_without_posts_the_same_walk_leads_past_the_pens() -> None:
    task = load_task("testbed/08-01-1")
    (post,) = posts_of(task)
    assert any(passes(task, post, *start, 0, without=True) for start in product(BEFORE, ASIDE))


def crosses(task: Task, post: Item, before: float, side: int, turned: int, action: int) -> bool:
    """Return whether an animal in a lane that drives at the wall of a post, turning all the time, gets over it.

    Args:
        task: the task.
        post: the post.
        before: metres before the post at which the animal starts.
        side: the side of the wall, 1 or -1.
        turned: degrees by which it does not look squarely at the wall.
        action: what it does: forwards with a turn to the right or to the left.
    """
    assert post.at is not None
    x, y, z = (float(each) for each in post.at)
    rotation = ahead_of(task)
    along = sin(radians(rotation)), cos(radians(rotation))
    across = along[1] * side, -along[0] * side
    start = (x - before * along[0] + 2.2 * across[0], y - RAIL + 0.01, z - before * along[1] + 2.2 * across[1])
    world = world_from(task, start, rotation - 90 * side + turned)
    if world.unplaced:
        return False
    animal = world.animals[0]
    for _ in range(LONG):
        if world.over:
            break
        world.step((action,))
        now = world.engine.pose(animal.id)[0]
        if now[1] < y - RAIL + 0.4:  # it goes down where the lanes of this row end
            break
        if (now[0] - x) * across[0] + (now[2] - z) * across[1] < -0.6:
            return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_nobody_gets_over_a_wall_into_another_lane(name: str) -> None:
    """An animal that drives at a wall and turns climbs walls of less than half a metre."""
    task = load_task(name)
    ways = product(posts_of(task), (1.0, 2.5), (1, -1), (-10, 0, 10), (FORWARDS_RIGHT, FORWARDS_LEFT))
    assert not [(post.at, *start) for post, *start in ways if crosses(task, post, *start)]
