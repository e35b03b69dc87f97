"""The mazes of the 2019 experiment: valid in every variation, never closed, and as in the paper."""

from collections import deque

import pytest

from puzzlebox.arena.schema import load_task
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.variations import Template
from puzzlebox.arena.world import World

FAMILIES = ("mazes/two-by-two", "mazes/three-by-three", "mazes/scrambled", "mazes/circular")
# Metres between the points that are searched, and the width of an animal with some room to spare.
STEP, RADIUS = 0.5, 0.55


def reachable(task: Task, seed: int = 0) -> bool:
    """Return whether the animal's middle can get next to the food, over open floor."""
    world = World(task, seed=seed)
    start = world.position_of(world.animals[0])
    goal = next(thing for thing in world.things if "Goal" in type(thing).__name__)
    food, near = world.position_of(goal), goal.extent[0] / 2 + RADIUS + STEP

    def is_free(place: tuple[float, float]) -> bool:
        if not (RADIUS < place[0] < 40 - RADIUS and RADIUS < place[1] < 40 - RADIUS):
            return False
        around = world.near((place[0], 1.2, place[1]), RADIUS)
        return all(thing is None or type(thing).__name__ != "Wall" for thing in around)

    first = (start[0], start[2])
    visited, queue = {(0, 0)}, deque([(0, 0)])
    while queue:
        cell = queue.popleft()
        x, z = first[0] + cell[0] * STEP, first[1] + cell[1] * STEP
        if (x - food[0]) ** 2 + (z - food[2]) ** 2 < near**2:
            return True
        for di, dk in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            neighbour = (cell[0] + di, cell[1] + dk)
            if neighbour not in visited:
                visited.add(neighbour)
                if is_free((first[0] + neighbour[0] * STEP, first[1] + neighbour[1] * STEP)):
                    queue.append(neighbour)
    return False


@pytest.mark.parametrize("name", FAMILIES)
def test_there_are_many_mazes(name: str) -> None:
    assert Template(name).count >= 100_000


@pytest.mark.parametrize("name", FAMILIES)
def test_there_is_a_way_to_the_food(name: str) -> None:
    for variation in Template(name).sample(6, seed=2):
        assert reachable(variation.task), variation.description()


def test_a_closed_maze_would_be_noticed() -> None:
    ring = "{name: Wall, at: [[20, 0, 14], [20, 0, 26]], rotation: 0, size: [12, 3, 0.5]}"
    sides = "{name: Wall, at: [[13.7, 0, 20], [26.3, 0, 20]], rotation: 0, size: [0.5, 3, 12.4]}"
    food = "{name: Agent, at: [5, 0, 5]}, {name: GoodGoal, at: [20, 0, 20]}"
    assert not reachable(load_task(f"arenas: [{{items: [{food}, {ring}, {sides}]}}]"))
    assert reachable(load_task(f"arenas: [{{items: [{food}, {ring}]}}]"))


def test_three_by_three_shuts_four_doors_and_never_all_ways() -> None:
    for shut in {tuple(each.values["shut"]) for each in Template(FAMILIES[1]).sample(200, seed=1)}:
        assert len(set(shut)) == 4


def test_the_curriculum_is_the_published_one() -> None:
    stages = [load_task(f"maze-curriculum/{stage}").arenas[0] for stage in range(1, 5)]
    assert [arena.time_limit for arena in stages] == [250, 400, 500, 500]
    lines = []
    for arena in stages:
        agent, goal, *walls = arena.items
        assert agent.at == (None, 0, 5)
        assert goal.name == "GoodGoal" and goal.size == (2, 2, 2)
        assert all(wall.size == (1, 5, 9) for wall in walls)
        across = [wall.at[2] for wall in walls if wall.rotation == 90 and wall.at and wall.at[0] is None]
        along = [wall.at[0] for wall in walls if wall.rotation == 0 and wall.at and wall.at[2] is None]
        assert len(across) + len(along) == len(walls)
        lines.append((across, along))
    every = [5, 10, 15, 20, 25, 30, 35]
    assert lines == [([10], []), ([10, 20, 30], []), (every, []), (every, every)]
    assert [arena.items[1].at for arena in stages] == [(None, 0, 35)] * 3 + [None]
