"""The speed of Puzzlebox on this machine: the figures of `puzzlebox bench`, always measured in the same way.

A measurement repeats the same round of work (same seed, same actions) several times; the quickest round counts, since
other load on the machine can only slow it down.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from statistics import median
from typing import Any

import numpy as np

from puzzlebox.arena.envs.arena import make
from puzzlebox.arena.schema import Task, load_task
from puzzlebox.arena.world import World
from puzzlebox.render import Painter
from puzzlebox.seeds import rng_from

# Ten episodes of an agent that finds no food: a time limit of 250 is 1250 physics steps, three for each action.
STEPS, ROUNDS = 4170, 8
# The number of walls, goals, heavy blocks, U-blocks and tunnels of an arena, by its number of things.
CROWDS = {9: (5, 2, 1, 0, 1), 20: (12, 3, 3, 1, 1), 50: (34, 9, 5, 1, 1), 150: (100, 36, 9, 3, 2)}
_PIXELS = 64
_HEADINGS = [3.6 * number for number in range(100)]


@dataclass(frozen=True)
class Figure:
    """One measurement: a line of the table."""

    what: str
    measured: float
    unit: str
    goal: str = ""


def crowd(walls: int, goals: int, blocks: int, hooks: int, tunnels: int) -> Task:
    """Return an arena with these numbers of things on a grid, and an animal in its centre."""
    lines = ["arenas:", "  - time_limit: 250", "    items:", "      - {name: Agent, at: [20, 0, 20.5], rotation: 0}"]

    def row(count: int, name: str, size: str, x: float, z: float, apart: float, columns: int) -> None:
        for number in range(count):
            place = f"at: [{x + number % columns * apart:g}, 0, {z + number // columns * apart:g}], rotation: 0"
            lines.append(f"      - {{name: {name}, {place}, size: {size}}}")

    row(walls, "Wall", "[1, 1, 1]", 2, 2, 2.5, 10)
    row(goals, "GoodGoalMulti", "0.5", 3.25, 3.25, 2.5, 9)
    row(blocks, "HeavyBlock", "[1, 1, 1]", 28, 2, 2, 5)
    row(hooks, "UBlock", "[1, 0.3, 3]", 30, 12, 4, 1)
    row(tunnels, "CylinderTunnel", "[3, 3, 3]", 5, 36, 6, 5)
    return load_task("\n".join(lines))


@cache
def arena(things: int = 20) -> Task:
    """Return the arena that is measured: with 20 things, or another number in `CROWDS`."""
    return crowd(*CROWDS[things])


def quickest(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Return the seconds of the quickest of several rounds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def random_actions(steps: int) -> list[int]:
    """Return random actions, the same in every run."""
    actions: list[int] = rng_from(0).integers(0, 9, steps).tolist()
    return actions


def env_rate(task: Task, steps: int = STEPS, rounds: int = ROUNDS, **senses: Any) -> float:
    """Return steps a second of one environment with random actions, including the start of each episode."""
    env, actions = make(task, **senses), random_actions(steps)

    def play() -> None:
        env.reset(seed=0)
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()

    return steps / quickest(play, rounds)


def world_rate(task: Task, steps: int = STEPS, rounds: int = ROUNDS) -> float:
    """Return actions a second of the world alone, without senses and Gymnasium."""
    actions = [(action,) for action in random_actions(steps)]

    def play() -> None:
        seed = 0
        world = World(task, seed=seed)
        for action in actions:
            world.step(action)
            if world.over:
                seed += 1
                world = World(task, seed=seed)

    return steps / quickest(play, rounds)


def frame_rate(task: Task, size: int = _PIXELS, rounds: int = ROUNDS) -> float:
    """Return pictures a second of the camera alone, over a full turn in place."""
    world = World(task)
    scene = world.scene()
    row = scene.animals[0]
    painter, eye, image = Painter(scene), world.position_of(world.animals[0]), np.empty((size, size, 3), np.uint8)

    def turn() -> None:
        for heading in _HEADINGS:
            painter.paint(image, eye, heading, skip_thing=row)

    turn()
    return len(_HEADINGS) / quickest(turn, 10 * rounds)


def reset_milliseconds(task: Task, count: int) -> float:
    """Return the median time to build an episode in milliseconds, without an observation."""
    return median(quickest(partial(World, task, seed=seed), 1) for seed in range(count)) * 1e3


def figures(steps: int = STEPS, rounds: int = ROUNDS) -> dict[str, Callable[[], Figure]]:
    """Return the measurements by name, in the order of the table; calling one measures it."""
    task = arena()
    senses: dict[str, tuple[dict[str, Any], str]] = {
        f"camera {_PIXELS}x{_PIXELS}": ({"camera": _PIXELS, "vitals": False}, "12,000; aim 15,000"),
        f"camera {_PIXELS}x{_PIXELS} and vitals": ({"camera": _PIXELS}, ""),
        "5 rays": ({"camera": None, "rays": 5, "vitals": False}, "20,000"),
        "5 rays and vitals": ({"camera": None, "rays": 5}, ""),
        "vitals": ({"camera": None}, ""),
    }
    measurements: dict[str, Callable[[], Figure]] = {}

    def add(what: str, unit: str, goal: str, measure: Callable[[], float]) -> None:
        measurements[what] = lambda: Figure(what, measure(), unit, goal)

    for name, (settings, goal) in senses.items():
        add(f"env steps a second, {name}", "/s", goal, partial(env_rate, task, steps, rounds, **settings))
    add("actions a second, world alone", "/s", "", lambda: world_rate(task, steps, rounds))
    add(
        f"pictures a second, {_PIXELS}x{_PIXELS}, camera alone",
        "/s",
        "30,000 with AVX-512",
        lambda: frame_rate(task, rounds=rounds),
    )
    add("start an episode (median)", "ms", "at most 3", lambda: reset_milliseconds(task, min(max(steps // 50, 3), 60)))
    return measurements


def machine() -> dict[str, Any]:
    """Return what the figures depend on: processor, usable cores, load, Python, vector instructions."""
    import os
    import platform

    from puzzlebox import __version__, _native
    from puzzlebox.processes import cores

    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {
        "puzzlebox": __version__,
        "processor": _processor(),
        "cores": cores(),
        "load": None if load is None else round(load, 2),
        "busy": load is not None and load > 1.0,
        "vector_instructions": _native.instruction_set(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def _processor() -> str:
    import platform

    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "unknown")
    except OSError:
        return platform.processor() or "unknown"
