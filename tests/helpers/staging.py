"""Helpers for tests of things and physics: items from numbers, and the motion of one thing."""

import json
from math import atan2, degrees
from typing import Any

import numpy as np

from puzzlebox.arena.things import Thing
from puzzlebox.arena.world import Event, Rules, World
from puzzlebox.scene.shapes import Ball, Wedge
from worlds import FINE, FORWARDS, LEFT, NOOP, RIGHT, world_of


def item(name: str, x: float, z: float, y: float = 0.0, **keys: Any) -> str:
    """Return an item as `worlds.task_of` takes it; its default rotation is along z."""
    pairs = {"at": [float(x), float(y), float(z)], "rotation": 0, **keys}
    return ", ".join([f"name: {name}", *(f"{key}: {json.dumps(value)}" for key, value in pairs.items())])


def staged(*items: str, rules: str | Rules = FINE, seed: int = 0, **keys: Any) -> World:
    """Return a world with one action per physics step, in which everything was placed."""
    world = world_of(*items, rules=rules, seed=seed, **keys)
    assert not world.unplaced, [str(each) for each in world.unplaced]
    return world


def the(world: World, name: str, number: int = 0) -> Thing:
    """Return the first thing of a name, or a later one."""
    return [thing for thing in world.things if type(thing).__name__ == name][number]


def motion(world: World, thing: Thing) -> bytes:
    """Return position, rotation, velocity and spin of a moving thing, to the last bit."""
    body = world.body(thing)
    pose = body.entity_pose
    return np.concatenate((pose.p, pose.q, body.get_linear_velocity(), body.get_angular_velocity())).tobytes()


def watched(world: World, thing: Thing, steps: int, action: int = NOOP) -> Any:
    """Return the positions of a thing after each step, until the episode ends."""
    path = []
    for _ in range(steps):
        if world.over:
            break
        world.step([action] * len(world.animals))
        path.append(world.position_of(thing))
    return np.array(path)


def fetch(world: World, goal: Thing, most: int = 600) -> list[Event]:
    """Turn to a goal and walk until it is collected; return the events."""
    agent, events = world.animals[0], []
    for _ in range(most):
        if goal.id < 0 or world.over:
            break
        (x, _, z), (to_x, _, to_z) = world.position_of(agent), world.position_of(goal)
        off = (degrees(atan2(to_x - x, to_z - z)) - agent.heading + 180) % 360 - 180
        events += world.step([FORWARDS if abs(off) <= 2 else RIGHT if off > 0 else LEFT]).events
    return events


def lowest(thing: Thing) -> float:
    """Return the height of the lowest point of an upright thing over its origin; not for hulls and tubes."""
    heights = []
    for shape in thing.shapes():
        middle = 0.0 if isinstance(shape, Wedge) else shape.at[1]
        heights.append(middle - (shape.radius if isinstance(shape, Ball) else shape.half[1]))
    return min(heights)
