"""Many environments at once, also of several tasks: their spaces are padded, so that one batch holds all.

Environment i plays task i, i + number of tasks, ... of the list. Observations have the parts of all tasks: what a task
does not have is zeros, and one-hot codes are filled up with zeros. Actions are as long as the longest; a task uses the
first numbers of them. `info["task"]` says which task an environment plays.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv, VectorEnv

from puzzlebox.infant.envs.env import InfantEnv
from puzzlebox.infant.envs.perception import Observation
from puzzlebox.infant.tasks.settings import check_truth
from puzzlebox.text import closest


@dataclass(frozen=True)
class Padding:
    """The spaces that several tasks share.

    Attributes:
        observation: all parts of all tasks, each as large as the largest.
        action: as long as the longest.
    """

    observation: spaces.Dict
    action: spaces.Box

    @classmethod
    def of(cls, envs: Sequence[InfantEnv]) -> "Padding":
        """Return the spaces that hold those of all environments.

        Raises:
            ValueError: an environment has several agents, or two have arrays of different kinds under one name.
        """
        parts: dict[str, spaces.Box] = {}
        longest = 0
        for env in envs:
            own = env.action_space
            if env.core.agents > 1 or not isinstance(own, spaces.Box):
                what = f"{env.core.agents} agents" if env.core.agents > 1 else "discrete actions"
                raise ValueError(
                    f"{env.core.entry.name} has {what}; in a batch of several tasks, each has one agent and actions "
                    "of numbers"
                )
            longest = max(longest, own.shape[0])
            for name, part in env.observation_space.items():
                assert isinstance(part, spaces.Box)
                parts[name] = _larger(name, parts[name], part) if name in parts else part
        return cls(spaces.Dict({**parts}), spaces.Box(-1.0, 1.0, (longest,), np.float32))


def _larger(name: str, one: spaces.Box, two: spaces.Box) -> spaces.Box:
    if one.shape == two.shape:
        return one
    if len(one.shape) != len(two.shape) or one.dtype != two.dtype:
        raise ValueError(f"{name} has the shapes {one.shape} and {two.shape}, which one batch cannot hold")
    shape = tuple(max(pair) for pair in zip(one.shape, two.shape, strict=True))
    low, high = min(one.low.min(), two.low.min()), max(one.high.max(), two.high.max())
    return spaces.Box(low, high, shape, np.dtype(one.dtype).type)  # type: ignore[arg-type]


class Padded(gym.Wrapper[Observation, Any, Observation, Any]):
    """An environment with the spaces of others."""

    def __init__(self, env: InfantEnv, padding: Padding) -> None:
        super().__init__(env)
        self.observation_space, self.action_space = padding.observation, padding.action
        self._length = env.action_space.shape[0] if env.action_space.shape else 0
        self._task = env.core.entry.name

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode."""
        observation, info = self.env.reset(seed=seed, options=options)
        return self.observation(observation), {**info, "task": self._task}

    def step(self, action: Any) -> tuple[Observation, Any, bool, bool, dict[str, Any]]:
        """Take one step with the first numbers of an action."""
        observation, reward, over, truncated, info = self.env.step(np.asarray(action)[: self._length])
        return self.observation(observation), reward, over, truncated, {**info, "task": self._task}

    def observation(self, observation: Observation) -> Observation:
        """Return an observation of the task as one of the shared space."""
        out: Observation = {}
        assert isinstance(self.observation_space, spaces.Dict)
        for name, part in self.observation_space.items():
            if name in observation and observation[name].shape == part.shape:
                out[name] = observation[name]
                continue
            out[name] = np.zeros(part.shape or (), part.dtype)
            if name in observation:
                own = observation[name]
                out[name][tuple(slice(size) for size in own.shape)] = own
        return out


def _one(task: str, settings: dict[str, Any], padding: Padding | None) -> gym.Env[Any, Any]:
    env = InfantEnv(task, **settings)
    return env if padding is None else Padded(env, padding)


def _first(task: str, settings: dict[str, Any]) -> InfantEnv:
    """Return an environment of one of several tasks; what it refuses is raised with its name."""
    try:
        return InfantEnv(task, **settings)
    except ValueError as problem:
        raise ValueError(f"{task}: {problem}") from None


def make_vec(
    task: str | Sequence[str],
    num_envs: int = 1,
    *,
    processes: bool = True,
    task_settings: dict[str, dict[str, Any]] | None = None,
    **settings: Any,
) -> VectorEnv[Any, Any, Any]:
    """Make many environments that step together.

    The same seed and actions give the same bytes with and without processes.

    Args:
        task: the name of a task, or a list of names; then environment i plays the task `i % len(task)`.
        num_envs: how many environments.
        processes: whether each environment has a process of its own, with observations in shared memory. Otherwise
            all are stepped in this process.
        task_settings: settings of single tasks, by their names.
        settings: settings of all tasks.

    Raises:
        ValueError: there are more tasks than environments, or a value is not allowed.
    """
    check_truth("processes", processes)
    if isinstance(num_envs, bool) or not isinstance(num_envs, int | np.integer) or num_envs < 1:
        raise ValueError(f"num_envs is {num_envs!r}; it must be a whole number, 1 or more")
    names = [task] if isinstance(task, str) else list(task)
    if not names:
        raise ValueError("no task was named; there must be at least one")
    if len(names) > num_envs:
        raise ValueError(
            f"num_envs is {num_envs}, but there are {len(names)} tasks, so that {', '.join(names[num_envs:])} would "
            f"not be played; it must be {len(names)} or more"
        )
    for name in task_settings or {}:
        if name not in names:
            raise ValueError(f"task_settings has {name!r}; there are {', '.join(names)}{closest(str(name), names)}")
    own = {name: {**settings, **(task_settings or {}).get(name, {})} for name in names}
    padding = Padding.of([_first(name, own[name]) for name in own]) if len(own) > 1 else None
    makers: list[Callable[[], gym.Env[Any, Any]]] = [
        partial(_one, names[index % len(names)], own[names[index % len(names)]], padding) for index in range(num_envs)
    ]
    if not processes or num_envs == 1:
        return SyncVectorEnv(makers)
    # Processes are spawned, because threads of a learner do not survive a fork.
    return AsyncVectorEnv(makers, shared_memory=True, context="spawn")
