"""A small vector in which an action pays that was shown some steps before."""

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv


class CueEnvs(VectorEnv):
    """The first observation shows 1 or -1; the last action of the episode pays 1 if it names it.

    Episodes are `length` decisions long; with `cut`, they are truncated instead of terminated. All values are multiples
    of the environment's number and of time, so that no two observations are alike.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(self, num_envs: int, length: int = 5, cut: bool = False) -> None:
        self.num_envs, self._length, self._cut = num_envs, length, cut
        self.single_observation_space = spaces.Dict({"seen": spaces.Box(-1, 1, (2,), np.float32)})
        self.single_action_space = spaces.Discrete(2)
        self.closed = False

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self._rng = np.random.default_rng(seed)
        self._cue = self._rng.integers(2, size=self.num_envs)
        # Episodes of different environments are out of step.
        self._time = np.arange(self.num_envs) % self._length
        return self._look(), {}

    def _look(self) -> dict[str, np.ndarray]:
        shown = np.where(self._time == 0, 2 * self._cue - 1, 0)
        return {"seen": np.stack([shown, self._time / self._length], 1).astype(np.float32)}

    def step(self, actions: np.ndarray) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        self._time = self._time + 1
        over = self._time == self._length
        rewards = np.where(over & (actions == self._cue), 1.0, 0.0)
        last = self._look()["seen"]
        infos: dict[str, Any] = {}
        if over.any():
            infos = {"final_obs": np.array([{"seen": row} for row in last], object), "final_info": {}}
        fresh = self._rng.integers(2, size=self.num_envs)
        self._cue, self._time = np.where(over, fresh, self._cue), np.where(over, 0, self._time)
        no = np.zeros(self.num_envs, np.bool_)
        return self._look(), rewards, no if self._cut else over, over if self._cut else no, infos
