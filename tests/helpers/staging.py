"""Helpers of the tests of things and physics: items from numbers, and how one thing moves."""

import json
from math import atan2, degrees
from typing import Any

import numpy as np

from living import FINE, FORWARDS, LEFT, NOOP, RIGHT, world_of
from puzzlebox.arena.things import Thing
from puzzlebox.arena.world import Event, Rules, World
from puzzlebox.scene.shapes import Ball, Wedge


def item(name: str, x: float, z: float, y: float = 0.0, **keys: Any) -> str:
    """An item as `living.task_of` takes it; it looks along z unless told otherwise."""
    pairs = {"at": [float(x), float(y), float(z)], "rotation": 0, **keys}
    return ", ".join([f"name: {name}", *(f"{key}: {json.dumps(value)}" for key, value in pairs.items())])


def staged(*items: str, rules: str | Rules = FINE, seed: int = 0, **keys: Any) -> World:
    """A world, one action a physics step, in which everything found its place."""
    world = world_of(*items, rules=rules, seed=seed, **keys)
    assert not world.unplaced, [str(each) for each in world.unplaced]
    return world


def the(world: World, name: str, number: int = 0) -> Thing:
    """The first thing of that name, or a later one."""
    return [thing for thing in world.things if type(thing).__name__ == name][number]


def motion(world: World, thing: Thing) -> bytes:
    """Place, rotation, velocity and spin of a thing that can move, to the last bit."""
    body = world.body(thing)
    pose = body.entity_pose
    return np.concatenate((pose.p, pose.q, body.get_linear_velocity(), body.get_angular_velocity())).tobytes()


def watched(world: World, thing: Thing, steps: int, action: int = NOOP) -> Any:
    """Where a thing is after each of so many steps; fewer when the episode ends."""
    path = []
    for _ in range(steps):
        if world.over:
            break
        world.step([action] * len(world.animals))
        path.append(world.position_of(thing))
    return np.array(path)


def fetch(world: World, goal: Thing, most: int = 600) -> list[Event]:
    """Turn to a goal and walk until it is collected; what happened on the way."""
    agent, events = world.animals[0], []
    for _ in range(most):
        if goal.id < 0 or world.over:
            break
        (x, _, z), (to_x, _, to_z) = world.position_of(agent), world.position_of(goal)
        off = (degrees(atan2(to_x - x, to_z - z)) - agent.heading + 180) % 360 - 180
        events += world.step([FORWARDS if abs(off) <= 2 else RIGHT if off > 0 else LEFT]).events
    return events


def lowest(thing: Thing) -> float:
    """The height of the lowest point of a thing over its origin, while it stands upright; not for hulls and tubes."""
    heights = []
    for shape in thing.shapes():
        middle = 0.0 if isinstance(shape, Wedge) else shape.at[1]
        heights.append(middle - (shape.radius if isinstance(shape, Ball) else shape.half[1]))
    return min(heights)
