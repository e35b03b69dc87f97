"""A small wing: a corridor in one dimension, with a continuous action and one sense."""

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Dict

from puzzlebox.columns import Column
from puzzlebox.wings.gymnasium_wing import GymnasiumTask, GymnasiumWing


class Corridor(gym.Env[Any, Any]):
    action_space = Box(-1.0, 1.0, (1,), np.float32)
    observation_space = Dict({"distance": Box(-20.0, 20.0, (1,), np.float32)})

    def __init__(self, length: float) -> None:
        self._length = length

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self._x, self._steps, self._goal = 0.0, 0, self._length * (0.5 + 0.5 * self.np_random.random())
        return self._observation(), self._info(None, [])

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._x += 0.5 * float(action[0])
        self._steps += 1
        arrived, late = abs(self._goal - self._x) < 0.3, self._steps >= 60
        events = [{"kind": "arrived", "details": {"at": self._x}}] if arrived else []
        return (
            self._observation(),
            1.0 if arrived else -0.01,
            arrived,
            late,
            self._info(arrived if arrived or late else None, events),
        )

    def _observation(self) -> Any:
        return {"distance": np.array([self._goal - self._x], np.float32)}

    def _info(self, passed: bool | None, events: list[dict[str, Any]]) -> dict[str, Any]:
        return {"passed": passed, "events": events, "measures": {"x": self._x, "to_go": self._goal - self._x}}


class CorridorWing(GymnasiumWing):
    name, step_seconds = "corridor", 0.1
    measures = (Column("x", "number", "the position", "m"), Column("to_go", "number", "the distance to the goal", "m"))

    def tasks(self) -> Mapping[str, Mapping[str, Any]]:
        return {"short": {"length": 4.0}, "long": {"length": 9.0}}

    def make(self, task: GymnasiumTask, **senses: Any) -> Corridor:
        return Corridor(**task.settings)


class Walker:
    """An agent that walks towards the goal with some noise."""

    senses: Mapping[str, Any] = {}

    def begin(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        step = np.clip(observation["distance"] + self._rng.normal(0.0, 0.3, 1), -1.0, 1.0)
        return step.astype(np.float32)


class Drunkard(Walker):
    """An agent that walks at random."""

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        return self._rng.uniform(-1.0, 1.0, 1).astype(np.float32)
