"""Children of several environments in this process as the rows of one vector of stable-baselines3."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from benchmarks.infant_learning.jobs import PIXELS
from benchmarks.infant_learning.senses import Features
from puzzlebox.infant.control.joints import JointControl
from puzzlebox.infant.envs.env import InfantEnv
from puzzlebox.infant.tasks.navigation import NavigationTask

# Joints: an action moves the targets by at most this part of half their range, and is held for two control steps, so
# that exploring does not throw the arms about.
_SHARE, _HOLD = 0.2, 2
# Walking: the learner's -1 to 1 becomes 0.1 to 0.9 of the fastest speed, as in VECA's training code, so that it always
# walks forwards. VECA also turned three times as far, which is beyond the fastest turn here.
_SLOWEST, _FASTEST = 0.1, 0.9
# Walking to toys: the learner (not the logged return) also gets this much for each metre it comes nearer to the target.
# The sum over an episode does not depend on the way; VECA's own shaping would pay for walking in circles.
_NEARER = 1.0


@dataclass(frozen=True)
class Episode:
    """A finished episode of one child: the sum of its task's rewards, whether it was passed, its control steps."""

    total: float
    passed: bool
    length: int


class _Children:
    """All children of one environment."""

    def __init__(self, task: str, settings: dict[str, Any]) -> None:
        self.env = InfantEnv(task, **settings)
        core = self.env.core
        self.count = core.agents
        control = core.play.control
        self.joints = control if isinstance(control, JointControl) else None
        self.hold = _HOLD if self.joints else 1
        self.action_space = core.new_action_space()
        assert isinstance(self.action_space, spaces.Box)
        actions = self.action_space.shape[0]
        names = self.joints.names if self.joints else ()
        self.features = [Features(core.settings, actions, names, len(core.task.targets)) for _ in range(self.count)]
        self._done = np.zeros((self.count, actions), np.float32)
        self._totals = np.zeros(self.count)
        self._length = 0
        self._away = np.zeros(self.count)

    def reset(self, seed: int | None) -> list[dict[str, Any]]:
        observation, _ = self.env.reset(seed=seed)
        self._done[:] = self.joints.current(self.env.core.play.child) if self.joints else 0.0
        self._totals[:] = 0.0
        self._length = 0
        self._away = self._distances()
        return self._observe(observation, first=True)

    def step(self, actions: NDArray[Any]) -> tuple[list[dict[str, Any]], NDArray[Any], bool, bool, list[Episode]]:
        """Return observations, what the learner is rewarded with, both ends, and the episodes that ended."""
        actions = np.clip(actions, -1.0, 1.0)
        self._done = np.clip(self._done + _SHARE * actions, -1.0, 1.0) if self.joints else _walk(actions)
        rewards = np.zeros(self.count)
        for _ in range(self.hold):
            done = self._done if self.count > 1 else self._done[0]
            observation, reward, over, late, info = self.env.step(done)
            rewards += info["rewards"] if self.count > 1 else reward
            self._length += 1
            if over or late:
                break
        self._totals += rewards
        away = self._distances()
        learned = rewards + _NEARER * (self._away - away)
        self._away = away
        ended = []
        if over or late:
            ended = [Episode(float(total), bool(info["passed"]), self._length) for total in self._totals]
        return self._observe(observation, first=False), learned, over, late, ended

    def _distances(self) -> NDArray[Any]:
        task, play = self.env.core.task, self.env.core.play
        if not isinstance(task, NavigationTask):
            return np.zeros(self.count)
        return np.array([task.distance(play, task.memory["goal"], child) for child in range(self.count)])

    def _observe(self, observation: dict[str, Any], *, first: bool) -> list[dict[str, Any]]:
        out = []
        for child, features in enumerate(self.features):
            own = {name: part[child] for name, part in observation.items()} if self.count > 1 else observation
            row = {"vector": features.of(own, self._done[child], first=first)}
            if "eyes" in own:
                row["eyes"] = own["eyes"].transpose(2, 0, 1)
            out.append(row)
        return out


def _walk(actions: NDArray[Any]) -> NDArray[Any]:
    """Return actions of `walk` and `turn` for those of a learner."""
    out = actions.copy()
    out[:, 0] = _SLOWEST + (_FASTEST - _SLOWEST) * (actions[:, 0] + 1) / 2
    return out


class Rows(VecEnv):
    """A vector whose rows are children; a step of it is as many control steps as an action is held.

    Attributes:
        hold: control steps of a row in each step of the vector.
        ended: the episodes that have ended since it was last emptied.
    """

    def __init__(self, task: str, settings: dict[str, Any], envs: int, seed: int) -> None:
        self._groups = [_Children(task, settings) for _ in range(envs)]
        first = self._groups[0]
        parts: dict[str, spaces.Space[Any]] = {"vector": spaces.Box(-np.inf, np.inf, (first.features[0].size,))}
        if "eyes" in first.env.observation_space.spaces:
            parts["eyes"] = spaces.Box(0, 255, (6, PIXELS, PIXELS), np.uint8)
        super().__init__(envs * first.count, spaces.Dict(parts), first.action_space)
        self.hold = first.hold
        self.ended: list[Episode] = []
        self._first_seed = seed
        self._actions: NDArray[Any] = np.zeros(0)

    def reset(self) -> dict[str, NDArray[Any]]:
        """Begin an episode in each environment."""
        rows = []
        for number, group in enumerate(self._groups):
            rows += group.reset(self._first_seed + number)
        return self._stack(rows)

    def step_async(self, actions: NDArray[Any]) -> None:
        """Take the actions of the next step."""
        self._actions = actions

    def step_wait(self) -> tuple[dict[str, NDArray[Any]], NDArray[Any], NDArray[Any], list[dict[str, Any]]]:
        """Step all environments; those whose episode ends begin another."""
        rows: list[dict[str, Any]] = []
        rewards, ends, infos = [], [], []
        for number, group in enumerate(self._groups):
            own = self._actions[number * group.count : (number + 1) * group.count]
            seen, learned, over, late, ended = group.step(own)
            self.ended += ended
            for row in seen:
                infos.append({"terminal_observation": row, "TimeLimit.truncated": late} if over or late else {})
            rows += group.reset(None) if over or late else seen
            rewards += learned.tolist()
            ends += [over or late] * group.count
        return self._stack(rows), np.array(rewards, np.float32), np.array(ends), infos

    def _stack(self, rows: Sequence[dict[str, Any]]) -> dict[str, NDArray[Any]]:
        return {name: np.stack([row[name] for row in rows]) for name in rows[0]}

    def close(self) -> None:
        """Do nothing: environments in this process need no closing."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of each environment; children of one share it."""
        return [getattr(group.env, attr_name) for group in self._groups for _ in range(group.count)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refuse: nothing is set from outside."""
        raise NotImplementedError("attributes of the environments cannot be set")

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Refuse: nothing is called from outside."""
        raise NotImplementedError("methods of the environments cannot be called")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Return False for each row."""
        return [False] * self.num_envs
