"""Every task file of the original can be played: all fixed items are placed, and random actions break nothing."""

from pathlib import Path

import numpy as np
import pytest

from conftest import each_reference_file
from puzzlebox.arena.schema import Task, load_task
from puzzlebox.arena.schema.overlap import overlaps
from puzzlebox.arena.world import World
from puzzlebox.batteries.index import bundled_names
from worlds import parsed

STEPS = 500
# Items (by position) that overlap another one; the original cannot place them either.
CROSSING = {
    "06-11-02.yaml": [24, 25],  # crossing walls
    "testCrowdedArena.yml": [9],  # a box where a block stands
    "Arena-Objects.yaml": [26],  # two balls in one place
}


def played(task: Task, arena: int, seed: int = 5) -> World:
    """Return the world after a number of random steps, or at its end."""
    world = World(task, arena=arena, seed=seed)
    actions = np.random.default_rng(seed).integers(0, 9, (STEPS, len(world.animals)))
    for action in actions.tolist():
        if world.over:
            break
        world.step(action)
    return world


@pytest.mark.parametrize("path", each_reference_file())
def test_each_original_file_is_played_without_an_error_and_repeatably(path: Path) -> None:
    task = parsed(path.read_text())
    for number, arena in enumerate(task.arenas):
        one, other = played(task, number), played(task, number)
        assert one.error is None
        assert one.state() == other.state()
        assert one.describe() == other.describe()
        unplaced = [failure.item for failure in World(task, arena=number, seed=5).unplaced]
        certain = [item for item in unplaced if item is not None and _is_fixed(arena.items[item])]
        assert certain == CROSSING.get(path.name, [])
        # An overlap reported by `puzzlebox check` is one.
        assert set(dict(overlaps(arena))) <= {item for item in unplaced if item is not None}


def _is_fixed(item: object) -> bool:
    """Return whether its position and size are fixed."""
    at = getattr(item, "at", None)
    return at is not None and None not in at


# Fourteen walls of nine metres across and along each other, each somewhere on its line.
LEFT_TO_CHANCE = ("maze-curriculum/4",)


@pytest.mark.parametrize("name", bundled_names())
def test_each_bundled_task_is_played_without_an_error(name: str) -> None:
    task = load_task(name)
    for number in range(len(task.arenas)):
        world = played(task, number)
        assert world.error is None
        unplaced = World(task, arena=number, seed=5).unplaced
        # As in the experiment, a wall that does not fit on its line is left out.
        assert unplaced == [] or (name in LEFT_TO_CHANCE and {failure.name for failure in unplaced} == {"Wall"})
