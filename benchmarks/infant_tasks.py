"""Infant tasks: steps of one environment per second of CPU time, with random actions and resets.

An environment uses one thread, so on an idle core a second of CPU time is a second.
"""

import time
from typing import Any

from benchmarks.measure import Result
from puzzlebox.infant.envs.env import InfantEnv

_STEPS = 150
_CASES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("kick-the-ball, eyes and ears", "kick-the-ball", {}),
    ("kick-the-ball, eyes", "kick-the-ball", {"senses": ("eyes",)}),
    ("kick-the-ball, ears", "kick-the-ball", {"senses": ("ears",)}),
    ("kick-the-ball, touch alone", "kick-the-ball", {"senses": ("touch",)}),
    ("multi-agent-nav, two children with eyes and ears", "multi-agent-nav", {}),
    ("grab-object, eyes, skin of the hands, joints", "grab-object", {}),
    ("grab-object, joints", "grab-object", {"senses": ("joints",)}),
    ("baby-run, whole skin, joints, balance", "baby-run", {}),
)


def _rate(task: str, settings: dict[str, Any]) -> float:
    env = InfantEnv(task, **settings)
    env.action_space.seed(0)
    actions = [env.action_space.sample() for _ in range(_STEPS)]

    def play() -> None:
        env.reset(seed=0)
        for action in actions:
            _, _, over, truncated, _ = env.step(action)
            if over or truncated:
                env.reset()

    rates = []
    for _ in range(6):
        start = time.process_time()
        play()
        rates.append(_STEPS / (time.process_time() - start))
    return max(rates)


def run() -> list[Result]:
    """Return the steps per second of some tasks."""
    return [Result(f"infant task, {what}", _rate(task, settings), "steps/s") for what, task, settings in _CASES]
