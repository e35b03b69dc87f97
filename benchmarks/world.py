"""Measure the world: resets, physics steps, and the parts of a step. The engine alone is the peer."""

import time
from statistics import median

import numpy as np

from benchmarks.measure import Result, best_microseconds
from puzzlebox.arena.envs.speed import arena, crowd
from puzzlebox.arena.schema import Task
from puzzlebox.arena.world import World
from puzzlebox.arena.world.actions import FORWARDS, NOOP

_STEPS, _ROUNDS = 1300, 5


ARENAS = {"small (4 walls, 1 goal)": crowd(4, 1, 0, 0, 0), "20 things": arena(20), "150 things": arena(150)}


def _resets(task: Task) -> float:
    times = []
    for seed in range(60):
        start = time.perf_counter()
        world = World(task, seed=seed)
        times.append(time.perf_counter() - start)
        assert not world.unplaced, world.unplaced[0]
    return median(times) * 1e3


def _steps(task: Task) -> tuple[float, float]:
    """Return microseconds of a complete physics step, and of the engine alone in the same scenes."""
    actions = np.random.default_rng(0).integers(0, 9, (_STEPS, 1)).tolist()
    seconds, steps, step_count, engine_seconds, engine_steps = 0.0, 0, 0, 0.0, 0
    while step_count < _STEPS:
        world = World(task, seed=step_count)
        start = time.perf_counter()
        while not world.over and step_count < _STEPS:
            world.step(actions[step_count])
            step_count += 1
        seconds += time.perf_counter() - start
        steps += world.clock
        # The engine alone in the same scene, with an animal that drives and without rules.
        engine_world = World(task, seed=step_count)
        body, push = engine_world.body(engine_world.animals[0]), np.array((0, 0, 5000), np.float32)
        none = np.zeros(3, np.float32)
        start = time.perf_counter()
        for step in range(300):
            body.add_force_torque(push if step % 40 < 20 else -push, none)
            engine_world.engine.system.step()
        engine_seconds += time.perf_counter() - start
        engine_steps += 300
    return seconds / steps * 1e6, engine_seconds / engine_steps * 1e6


def _parts(task: Task) -> list[Result]:
    world = World(task)
    for _ in range(20):
        world.step([3])
    engine, motion, state = world.engine, world._motion, world.state()
    return [
        Result("  pack the state", best_microseconds(engine.pack, 4000), "us"),
        Result(
            "  kernel: contacts, zones, ground, errors",
            best_microseconds(lambda: engine.solids.look(state, state), 4000),
            "us",
        ),
        Result("  act: push", best_microseconds(lambda: motion.act((FORWARDS,), 0.0), 4000), "us"),
        Result("  act: quick stop", best_microseconds(lambda: motion.act((NOOP,), 0.0), 4000), "us"),
    ]


def run() -> list[Result]:
    """Measure resets, steps and their parts."""
    results = []
    goals = {"20 things": "at most 3", "150 things": "at most 15"}
    for name, task in ARENAS.items():
        results.append(Result(f"reset, {name}", _resets(task), "ms", goals.get(name, "")))
        step, engine_step = map(min, zip(*(_steps(task) for _ in range(_ROUNDS)), strict=True))
        results.append(Result(f"physics step, {name}", step, "us", "", engine_step, "the engine alone"))
        results.append(
            Result(f"physics steps a second, {name}", 1e6 / step, "/s", "", 1e6 / engine_step, "the engine alone")
        )
    results.append(Result("where they go, 20 things:", step_of(results, "20 things"), "us"))
    results += _parts(ARENAS["20 things"])
    return results


def step_of(results: list[Result], name: str) -> float:
    """Return the measured physics step of an arena."""
    return next(result.measured for result in results if result.what == f"physics step, {name}")
