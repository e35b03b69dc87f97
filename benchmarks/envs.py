"""How fast environments are: rays, single environments with each set of senses, and a vector on one and two cores."""

import time
from typing import Any

import numpy as np

import puzzlebox
from benchmarks.measure import Result, best_seconds
from benchmarks.world import ARENAS
from puzzlebox.senses.rays import Rays
from puzzlebox.senses.vitals import Vitals
from puzzlebox.world import World

_TASK = ARENAS["20 things"]
_STEPS = 1500
_ENVS = 64
_SENSES: dict[str, tuple[dict[str, Any], str]] = {
    "vitals": ({"camera": None}, ""),
    "5 rays": ({"camera": None, "rays": 5, "vitals": False}, "20,000"),
    "5 rays and vitals": ({"camera": None, "rays": 5}, ""),
    "camera 64x64": ({"camera": 64, "vitals": False}, "12,000"),
    "camera 64x64 and vitals": ({"camera": 64}, "12,000"),
}


def _senses() -> list[Result]:
    results = []
    for name, task in ARENAS.items():
        world = World(task)
        world.step([3])
        rays = Rays(5)
        row = np.empty(rays.size(world.rules), np.float32)
        seconds = best_seconds(lambda: [rays.cast(world, 0, row) for _ in range(2000)])  # noqa: B023
        results.append(Result(f"5 rays, {name}", seconds / 2000 * 1e6, "us", "at most 6" if "20" in name else ""))
    vitals, seven = Vitals(), np.empty(7, np.float32)
    seconds = best_seconds(lambda: [vitals.feel(world, 0, seven) for _ in range(2000)])
    return [*results, Result("vitals", seconds / 2000 * 1e6, "us")]


def _single(senses: dict[str, Any]) -> float:
    """Steps a second in one environment, resets counted."""
    env = puzzlebox.make(_TASK, **senses)
    env.reset(seed=0)
    actions = np.random.default_rng(0).integers(0, 9, _STEPS).tolist()

    def play() -> None:
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()

    return _STEPS / best_seconds(play, repeats=3)


def _vector(workers: int, senses: dict[str, Any]) -> float:
    """Steps a second of all environments together."""
    envs = puzzlebox.make_vec(_TASK, num_envs=_ENVS, workers=workers, **senses)
    envs.reset(seed=0)
    actions = np.random.default_rng(0).integers(0, 9, (100, _ENVS))
    for row in actions[:10]:
        envs.step(row)
    start = time.perf_counter()
    for row in actions:
        envs.step(row)
    seconds = time.perf_counter() - start
    envs.close()
    return len(actions) * _ENVS / seconds


def run() -> list[Result]:
    """Senses, single environments, vectors."""
    results = _senses()
    rates = {name: _single(senses) for name, (senses, _) in _SENSES.items()}
    results += [Result(f"env steps a second, {name}", rates[name], "/s", _SENSES[name][1]) for name in rates]
    for name in ("5 rays and vitals", "camera 64x64 and vitals"):
        for workers in (0, 2):
            result = Result(
                f"{_ENVS} environments, {workers} workers, {name}", _vector(workers, _SENSES[name][0]), "/s"
            )
            result.peer, result.peer_name = rates[name], "one environment"
            result.goal = "1.8 times one" if workers else ""
            results.append(result)
    return results
