"""Measure environments: senses, pictures of several sizes, crowded arenas, vectors; start-up and memory."""

import subprocess
import sys
from typing import Any

import numpy as np

import puzzlebox
from benchmarks.measure import Result, best_seconds
from benchmarks.world import ARENAS
from puzzlebox.arena.envs.speed import CROWDS, arena, env_rate, figures
from puzzlebox.arena.senses.rays import Rays
from puzzlebox.arena.senses.vitals import Vitals
from puzzlebox.arena.world import World

# Two cores must both be free for as long as a round of the vector takes, so there are many rounds.
_ENVS, _ROUNDS = 64, 10
# One episode, and the step that begins the next one, in each environment of the vector.
_VECTOR_STEPS = 418
_SENSES: dict[str, dict[str, Any]] = {
    "5 rays and vitals": {"camera": None, "rays": 5},
    "camera 64x64 and vitals": {"camera": 64},
}
_FIRST_LOOK = "import puzzlebox; puzzlebox.make('foraging').reset(seed=0)"
# Run in a process of its own. The first environment is not counted, since it loads what all of them share.
_MEMORY = f"""
import gc, os
import puzzlebox
from puzzlebox.arena.envs.speed import arena

def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def begin(seed):
    env = puzzlebox.make(arena(), camera=64)
    env.reset(seed=seed)
    for action in range(9):
        env.step(action)
    return env

first = begin(0)
before = resident()
envs = [begin(seed) for seed in range(1, {_ENVS + 1})]
print((resident() - before) / len(envs) / 1e3)
"""


def _senses() -> list[Result]:
    results = []
    for name, task in ARENAS.items():
        world = World(task)
        world.step([3])
        rays = Rays(5)
        row = np.empty(rays.size(world.rules), np.float32)
        seconds = best_seconds(lambda: [rays.cast(world, 0, row) for _ in range(2000)])  # noqa: B023
        results.append(Result(f"5 rays, {name}", seconds / 2000 * 1e6, "us", "at most 6" if "20" in name else ""))
    vitals, values = Vitals(), np.empty(7, np.float32)
    seconds = best_seconds(lambda: [vitals.feel(world, 0, values) for _ in range(2000)])
    return [*results, Result("vitals", seconds / 2000 * 1e6, "us")]


def _growth() -> list[Result]:
    """Measure one environment with larger pictures, and with more things."""
    results = []
    for size, steps in {84: 2085, 128: 1251, 256: 417, 512: 417}.items():
        rate = env_rate(arena(), steps, camera=size, vitals=False)
        results.append(Result(f"env steps a second, camera {size}x{size}, 20 things", rate, "/s"))
    for things in CROWDS:
        if things != 20:
            rate = env_rate(arena(things), 2085, camera=64, vitals=False)
            results.append(Result(f"env steps a second, camera 64x64, {things} things", rate, "/s"))
    return results


def _vector_seconds(envs: Any) -> float:
    """Return seconds for an episode in every environment, and the beginning of the next one."""
    actions = np.random.default_rng(0).integers(0, 9, (_VECTOR_STEPS, _ENVS))
    envs.reset(seed=0)

    def play() -> None:
        for row in actions:
            envs.step(row)

    return best_seconds(play, 1)


def _vectors(name: str, count: int) -> Result:
    """Return steps a second of 64 environments, measured in turns with a single one, under the same load."""
    # There is no other vector meanwhile: its environments would be interleaved with these in memory.
    envs = puzzlebox.make_vec(arena(), num_envs=_ENVS, workers=count, **_SENSES[name])
    single = together = 0.0
    for _ in range(_ROUNDS):
        single = max(single, env_rate(arena(), 2085, 2, **_SENSES[name]))
        together = max(together, _VECTOR_STEPS * _ENVS / _vector_seconds(envs))
    envs.close()
    return Result(
        f"{_ENVS} environments, {count} process{'es' * (count > 1)}, {name}",
        together,
        "/s",
        "1.8 times one on two cores" if count == 2 else "",
        single,
        "one environment",
    )


def _start() -> list[Result]:
    """Measure the time to the first observation, and memory, in fresh processes."""

    def seconds(code: str) -> float:
        return best_seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True), 5)

    results = [
        Result(
            "import puzzlebox and first observation, fresh process",
            seconds(_FIRST_LOOK),
            "s",
            "at most 1.5",
            seconds("import gymnasium"),
            "import gymnasium",
        )
    ]
    if sys.platform == "linux":
        finished = subprocess.run([sys.executable, "-c", _MEMORY], check=True, capture_output=True, text=True)
        what = f"memory of an environment, camera 64x64, 20 things (mean of {_ENVS})"
        results.append(Result(what, float(finished.stdout), "kB"))
    return results


def run() -> list[Result]:
    """Measure what `puzzlebox bench` does, then the rest."""
    results = [Result(**vars(measure())) for measure in figures().values()]
    results += _senses() + _growth()
    results += [_vectors(name, count) for name in _SENSES for count in (1, 2)]
    return results + _start()
