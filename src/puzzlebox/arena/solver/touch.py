"""Whether an episode moves movable things: it is compared with one in which the animal does nothing."""

from math import dist

import numpy as np

from puzzlebox.arena.demands.terrain import blocks_of, is_movable
from puzzlebox.arena.world import World
from puzzlebox.arena.world.actions import NOOP
from puzzlebox.arena.world.record import Record

# Metres by which a thing may be elsewhere, and within which the animal may have touched it.
_MOVED, _NEAR = 0.1, 0.8


def has_pushed(record: Record) -> bool:
    """Return whether the animal moves a movable thing in an episode.

    A thing counts as moved if it is elsewhere than without the animal's actions, and the animal was beside it before.
    """
    world = World(record.task, arena=record.arena, seed=record.seed, rules=record.rules)
    alone, arena = world.branch(), world.position
    visited: set[int] = set()
    for actions in record.actions:
        if world.over:
            break
        world.step(actions)
        if world.position != arena:
            alone, arena, visited = world.branch(), world.position, set()
            continue
        if not alone.over and alone.position == arena:
            alone.step((NOOP,) * len(alone.animals))
        if _has_moved(world, alone, visited):
            return True
    return False


def has_pressed(record: Record) -> bool:
    """Return whether the animal presses a button, or enters a zone that operates something, in an episode."""
    world = World(record.task, arena=record.arena, seed=record.seed, rules=record.rules)
    for actions in record.actions:
        if world.over:
            break
        if any(each.kind in ("pressed", "appeared", "vanished", "granted") for each in world.step(actions).events):
            return True
    return False


def _has_moved(world: World, alone: World, visited: set[int]) -> bool:
    """Note which things the animal is beside, and return whether one that it was beside is elsewhere."""
    at = world.position_of(world.animals[0])
    x, z = np.array([at[0]]), np.array([at[2]])
    for thing in world.present.values():
        if not is_movable(thing):
            continue
        if thing.id not in visited and dist(at, world.position_of(thing)) < _NEAR + max(thing.extent):
            if any(float(block.away(x, z)[0]) < _NEAR for block in blocks_of(world, thing)):
                visited.add(thing.id)
        other = alone.present.get(thing.id)
        if thing.id in visited and other is not None:
            if dist(world.position_of(thing), alone.position_of(other)) > _MOVED:
                return True
    return False
