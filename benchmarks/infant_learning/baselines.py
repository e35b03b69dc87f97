"""What random actions and the script of a task reach, for the dashed lines of the curves."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.infant_learning.jobs import BASELINES, LEVELS
from benchmarks.infant_learning.rows import Episode, Rows
from puzzlebox.infant.envs.env import InfantEnv

FILE = "baseline.json"
EPISODES = 100
# Senses cost time and change nothing here; each task needs at least one.
_SENSES = {"senses": ("touch",)}


def measure(name: str, folder: Path, episodes: int = EPISODES) -> None:
    """Play episodes of a task with random actions and with its script, and write their means."""
    task, level = BASELINES[name]
    settings = {**LEVELS[task][level], **_SENSES}
    folder.mkdir(parents=True, exist_ok=True)
    out = {"random": _means(_random(task, settings, episodes)), "script": _means(_script(task, settings, episodes))}
    (folder / FILE).write_text(json.dumps(out, indent=1) + "\n", encoding="utf-8")


def _random(task: str, settings: dict[str, Any], episodes: int) -> list[Episode]:
    """Return episodes of actions drawn uniformly from what the learners choose from, each drawn anew at each step."""
    rows, rng = Rows(task, settings, 1, seed=77), np.random.default_rng(0)
    rows.reset()
    while len(rows.ended) < episodes * rows.num_envs:
        assert rows.action_space.shape is not None
        rows.step(rng.uniform(-1.0, 1.0, (rows.num_envs, *rows.action_space.shape)).astype(np.float32))
    return rows.ended


def _script(task: str, settings: dict[str, Any], episodes: int) -> list[Episode]:
    env, out = InfantEnv(task, script=True, **settings), []
    for seed in range(episodes):
        _, info = env.reset(seed=seed)
        totals, length, over = np.zeros(env.core.agents), 0, False
        while not over:
            _, reward, ended, late, info = env.step(info["script"])
            totals += info.get("rewards", reward)
            length, over = length + 1, ended or late
        out += [Episode(float(total), bool(info["passed"]), length) for total in totals]
    return out


def _means(episodes: list[Episode]) -> dict[str, float]:
    return {
        "episodes": len(episodes),
        "return": round(float(np.mean([each.total for each in episodes])), 4),
        "passed": round(float(np.mean([each.passed for each in episodes])), 4),
        "length": round(float(np.mean([each.length for each in episodes])), 1),
    }
