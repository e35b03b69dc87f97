"""Where the microseconds of one environment step go: the same episodes, with one more layer on top each time.

Each layer plays the same actions from the same seeds, so a layer costs what it adds to the one below. The engine
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


def _round(begin: Callable[[int], T], go: Callable[[T, list[int]], int]) -> float:
    """Microseconds per action over some episodes; to begin them is not counted."""
    actions, seconds, taken = random_actions(_STEPS), 0.0, 0
    for seed in range(_EPISODES):
        started = begin(seed)
        start = time.perf_counter()
        taken += go(started, actions)
        seconds += time.perf_counter() - start
    return seconds / taken * 1e6


class _Timed:
    """The engine of a world, which counts the seconds spent inside it."""

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
    """The same, counting only what is spent inside the engine, while the world plays by its rules."""
    actions, seconds, taken = random_actions(_STEPS), 0.0, 0
    for seed in range(_EPISODES):
        world = begin(seed)
        engine = _Timed(world)
        taken += _playing(None)(world, actions)
        seconds += engine.seconds
    return seconds / taken * 1e6


def _playing(look: Callable[[World], object] | None) -> Callable[[World, list[int]], int]:
    """How to play an episode with a look at the world after each action; how many actions it took is returned."""

    def play(world: World, actions: list[int]) -> int:
        for taken, action in enumerate(actions, 1):
            world.step((action,))
            if look is not None:
                look(world)
            if world.over:
                return taken
        return len(actions)

    return play


def _env_steps(env: ArenaEnv, actions: list[int]) -> int:
    for taken, action in enumerate(actions, 1):
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            return taken
    return len(actions)


def _inside(world: World) -> list[Result]:
    """Parts of the world's own step, times three."""
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
    """Layer by layer: engine, rules, picture of the scene, paint, vitals, Gymnasium's step, resets."""
    task = arena()
    image, seven = np.empty((64, 64, 3), np.uint8), np.empty(7, np.float32)
    camera, vitals = Camera(64), Vitals()

    def scene(world: World) -> None:
        world.scene()

    def see(world: World) -> None:
        camera.look(world, 0, image)

    def see_and_feel(world: World) -> None:
        camera.look(world, 0, image)
        vitals.feel(world, 0, seven)

    def world_of(seed: int) -> World:
        return World(task, seed=seed)

    env = make(task, camera=64)

    def env_of(seed: int) -> ArenaEnv:
        env.reset(seed=seed)
        return env

    rounds = [
        (
            _engine_round(world_of),
            *(_round(world_of, _playing(look)) for look in (None, scene, see, see_and_feel)),
            _round(env_of, _env_steps),
        )
        for _ in range(_ROUNDS)
    ]  # in turns, so that all layers meet the same load
    engine, world, seen, painted, felt, whole = map(min, zip(*rounds, strict=True))
    reset = best_seconds(lambda: env_of(0), 30) * 1e6 / _STEPS
    layers = {
        "physics engine (PhysX), 3 steps: the wall": engine,
        "rules: actions, contacts, health, rewards, events": world - engine,
        "bring the scene up to date": seen - world,
        "paint 64x64": painted - seen,
        "vitals": felt - painted,
        "Gymnasium's step: arrays, info": whole - felt,
        f"a new episode every {_STEPS} steps": reset,
    }
    results = []
    for name, each in layers.items():
        results.append(Result(f"step: {name}", each, "us"))
        if name.startswith("rules"):
            results += _inside(world_of(0))
    total = sum(layers.values())
    return [*results, Result(f"step: all of it, {1e6 / total:,.0f} steps a second", total, "us")]
