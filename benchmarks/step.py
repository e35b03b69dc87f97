"""Measure the parts of one environment step: the same episodes, with one more layer each time.

Each layer plays the same actions from the same seeds, so that its cost is the difference to the layer below. The engine
is timed from within; other parts of the world's own step by themselves, called as often as a step calls them.
"""

import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from puzzlebox._native import Motion

from benchmarks.measure import Result, best_microseconds, best_seconds
from puzzlebox.arena.envs.arena import ArenaEnv, make
from puzzlebox.arena.envs.speed import arena, random_actions
from puzzlebox.arena.senses.camera import Camera
from puzzlebox.arena.senses.vitals import Vitals
from puzzlebox.arena.world import World
from puzzlebox.arena.world.actions import ACTIONS

_EPISODES, _STEPS, _ROUNDS = 3, 416, 15
_PHYSICS_STEPS = 3
_CALLS = 3000
T = TypeVar("T")


def _round(begin: Callable[[int], T], play: Callable[[T, list[int]], int]) -> float:
    """Return microseconds per action over some episodes; beginning them is not counted."""
    actions, seconds, steps = random_actions(_STEPS), 0.0, 0
    for seed in range(_EPISODES):
        subject = begin(seed)
        start = time.perf_counter()
        steps += play(subject, actions)
        seconds += time.perf_counter() - start
    return seconds / steps * 1e6


class _TimedEngine:
    """The engine of a world, with a count of the seconds spent inside it."""

    def __init__(self, world: World) -> None:
        self._system = world.engine.system
        self.pack = self._system.pack
        self.seconds = 0.0
        bodies = [world.engine.body(animal.id) for animal in world.animals]
        world._motion = Motion(self, world.engine.solids, [animal.motor for animal in world.animals], bodies)

    def step(self) -> None:
        start = time.perf_counter()
        self._system.step()
        self.seconds += time.perf_counter() - start


def _engine_round(begin: Callable[[int], World]) -> float:
    """Return microseconds per action spent inside the engine, while the world applies its rules."""
    actions, seconds, steps = random_actions(_STEPS), 0.0, 0
    for seed in range(_EPISODES):
        world = begin(seed)
        engine = _TimedEngine(world)
        steps += _player_of(None)(world, actions)
        seconds += engine.seconds
    return seconds / steps * 1e6


def _player_of(look: Callable[[World], object] | None) -> Callable[[World, list[int]], int]:
    """Return a function that plays an episode, calls `look` after each action, and returns the number of actions."""

    def play(world: World, actions: list[int]) -> int:
        for steps, action in enumerate(actions, 1):
            world.step((action,))
            if look is not None:
                look(world)
            if world.over:
                return steps
        return len(actions)

    return play


def _env_steps(env: ArenaEnv, actions: list[int]) -> int:
    for steps, action in enumerate(actions, 1):
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            return steps
    return len(actions)


def _parts_of_step(world: World) -> list[Result]:
    """Measure parts of the world's own step, times three."""
    for _ in range(20):
        world.step((3,))
    engine, motion, state = world.engine, world._motion, world.state()

    def act() -> None:
        for action in range(len(ACTIONS)):
            motion.act((action,), 0.0)

    parts = {
        "pack the state of all bodies": best_microseconds(engine.pack, _CALLS),
        "kernel: contacts, zones, ground, lost bodies": best_microseconds(
            lambda: engine.solids.look(state, state), _CALLS
        ),
        "the animal turns, pushes or stops": best_microseconds(act, _CALLS) / len(ACTIONS),
    }
    return [Result(f"of these: {name}, 3 times", _PHYSICS_STEPS * each, "us") for name, each in parts.items()]


def run() -> list[Result]:
    """Measure layer by layer: engine, rules, scene, painting, vitals, Gymnasium's step, resets."""
    task = arena()
    image, values = np.empty((64, 64, 3), np.uint8), np.empty(7, np.float32)
    camera, vitals = Camera(64), Vitals()

    def scene(world: World) -> None:
        world.scene()

    def look_through_camera(world: World) -> None:
        camera.look(world, 0, image)

    def look_and_feel(world: World) -> None:
        camera.look(world, 0, image)
        vitals.feel(world, 0, values)

    def world_of(seed: int) -> World:
        return World(task, seed=seed)

    env = make(task, camera=64)

    def env_of(seed: int) -> ArenaEnv:
        env.reset(seed=seed)
        return env

    rounds = [
        (
            _engine_round(world_of),
            *(_round(world_of, _player_of(look)) for look in (None, scene, look_through_camera, look_and_feel)),
            _round(env_of, _env_steps),
        )
        for _ in range(_ROUNDS)
    ]  # in turns, so that all layers run under the same load
    engine, world, with_scene, with_camera, with_vitals, with_env = map(min, zip(*rounds, strict=True))
    reset = best_seconds(lambda: env_of(0), 30) * 1e6 / _STEPS
    layers = {
        "physics engine (PhysX), 3 steps": engine,
        "rules: actions, contacts, health, rewards, events": world - engine,
        "bring the scene up to date": with_scene - world,
        "paint 64x64": with_camera - with_scene,
        "vitals": with_vitals - with_camera,
        "Gymnasium's step: arrays, info": with_env - with_vitals,
        f"a new episode every {_STEPS} steps": reset,
    }
    results = []
    for name, each in layers.items():
        results.append(Result(f"step: {name}", each, "us"))
        if name.startswith("rules"):
            results += _parts_of_step(world_of(0))
    total = sum(layers.values())
    return [*results, Result(f"step: all of it, {1e6 / total:,.0f} steps a second", total, "us")]
