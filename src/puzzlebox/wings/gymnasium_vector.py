"""Vectors of Gymnasium environments that switch between tasks, for training in wings other than the arena."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array

from puzzlebox.processes import cores
from puzzlebox.seeds import next_episode_seed, rng_from
from puzzlebox.wings.offers import TrainingTask

if TYPE_CHECKING:
    from puzzlebox.wings.gymnasium_wing import GymnasiumWing


class SwitchingEnv(gym.Env[Any, Any]):
    """An environment that plays one episode of a task after the other, as environment `index` of a vector.

    It plays tasks `index`, `index + count`, ... of the list, again and again, or draws each task by its weight. All
    that is random comes from the seed of `reset`.

    Args:
        make: a function that makes the environment of a task.
        names: the names of the tasks.
        index: which environment of the vector it is.
        count: the number of environments of the vector.
    """

    def __init__(self, make: Callable[[int], gym.Env[Any, Any]], names: Sequence[str], index: int, count: int) -> None:
        self._make, self._names, self._index, self._count = make, list(names), index, count
        self._envs: dict[int, gym.Env[Any, Any]] = {}
        self._round, self._task = 0, index % len(names)
        self._weights: list[float] | None = None
        self._rng = rng_from(None)
        self._seed, self._actions = 0, list[Any]()
        first = self._env(self._task)
        self.observation_space, self.action_space = first.observation_space, first.action_space

    def _env(self, task: int) -> gym.Env[Any, Any]:
        if task not in self._envs:
            self._envs[task] = self._make(task)
        return self._envs[task]

    def set_task_weights(self, weights: Sequence[float] | None) -> None:
        """Set how probable each task is in the next episodes; None plays them in order again."""
        self._weights = None if weights is None else [float(each) for each in weights]

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode of the next task."""
        if seed is not None:
            self._rng, self._round = rng_from(seed), 0
        if self._weights is None:
            self._task = (self._index + self._round * self._count) % len(self._names)
            self._round += 1
        else:
            shares = np.asarray(self._weights) / sum(self._weights)
            self._task = int(self._rng.choice(len(self._names), p=shares))
        self._seed, self._actions = next_episode_seed(self._rng), []
        observation, info = self._env(self._task).reset(seed=self._seed)
        return observation, {**info, "task": self._names[self._task]}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take one step of the current episode."""
        env = self._env(self._task)
        if not hasattr(env.unwrapped, "snapshot"):
            self._actions.append(deepcopy(action))
        observation, reward, terminated, truncated, info = env.step(action)
        return observation, float(reward), terminated, truncated, {**info, "task": self._names[self._task]}

    def snapshot(self) -> dict[str, Any]:
        """Return the state of the environment: that of the episode, or the actions that lead to it."""
        own: Any = self._env(self._task).unwrapped
        return {
            "rng": self._rng.bit_generator.state,
            **{"round": self._round, "weights": self._weights, "task": self._task, "seed": self._seed},
            "actions": list(self._actions),
            "episode": own.snapshot() if hasattr(own, "snapshot") else None,
        }

    def restore_row(self, snapshots: Sequence[Mapping[str, Any] | None]) -> Any:
        """Return to the snapshot of this environment in a list for all of a vector; return the observation there."""
        state = snapshots[self._index]
        if state is None:
            raise ValueError(f"there is no snapshot for environment {self._index}; all environments are restored")
        self._rng.bit_generator.state = dict(state["rng"])
        self._round, self._weights = state["round"], state["weights"]
        self._task, self._seed, self._actions = state["task"], state["seed"], list(state["actions"])
        env = self._env(self._task)
        observation, _ = env.reset(seed=self._seed)
        if state["episode"] is not None:
            own: Any = env.unwrapped
            observation, _ = own.restore(state["episode"])
            # A wrapper of `GymnasiumWing.shared_spaces` turns observations into those of the shared space.
            return observation if env is own else env.observation(observation)  # type: ignore[attr-defined]
        for action in self._actions:
            observation, *_ = env.step(action)
        return observation

    def close(self) -> None:
        """Close all environments."""
        for env in self._envs.values():
            env.close()  # type: ignore[no-untyped-call]


class _Switching:
    """What both kinds of vectors have in addition."""

    task_names: list[str]

    def set_task_weights(self: Any, weights: Sequence[float] | None) -> None:
        """Set how probable each task is in the next episodes; None plays them in order again."""
        self.call("set_task_weights", None if weights is None else [float(each) for each in weights])

    def snapshot(self: Any) -> list[Any]:
        """Return the state of each environment."""
        return list(self.call("snapshot"))

    def restore(self: Any, snapshots: Sequence[Any]) -> tuple[Any, dict[str, Any]]:
        """Return to the states of snapshots; return the observations there."""
        rows = self.call("restore_row", list(snapshots))
        space = self.single_observation_space
        return concatenate(space, rows, create_empty_array(space, len(rows))), {}


class SwitchingVector(_Switching, SyncVectorEnv):
    """Environments that are stepped in this process."""


class SwitchingProcesses(_Switching, AsyncVectorEnv):
    """Environments with a process each."""


def make_vector(
    wing: "GymnasiumWing",
    tasks: Sequence[TrainingTask],
    num_envs: int,
    settings: Mapping[str, Any],
    workers: int | None = None,
) -> SwitchingVector | SwitchingProcesses:
    """Make a vector of environments that switch between the tasks of a wing.

    Args:
        wing: the wing.
        tasks: the tasks.
        num_envs: the number of environments.
        settings: the settings of all environments.
        workers: 1 steps all environments in this process; otherwise each has a process. Default: processes where
            there are several cores.

    Raises:
        ValueError: the tasks do not fit into one vector.
    """
    make = partial(_make_one, wing, [each.task for each in tasks], dict(settings))
    names = [each.name for each in tasks]
    makers = [partial(_switching, make, names, index, num_envs) for index in range(num_envs)]
    mode = AutoresetMode.SAME_STEP
    vector: SwitchingVector | SwitchingProcesses
    if num_envs == 1 or (cores() if workers is None else workers) <= 1:
        vector = SwitchingVector(makers, autoreset_mode=mode)
    else:
        # Processes are spawned, because threads of a learner do not survive a fork.
        vector = SwitchingProcesses(makers, shared_memory=True, context="spawn", autoreset_mode=mode)
    vector.task_names = names
    assert vector.observation_space == batch_space(vector.single_observation_space, num_envs)
    return vector


def _switching(
    make: Callable[[int], gym.Env[Any, Any]], names: Sequence[str], index: int, count: int
) -> gym.Env[Any, Any]:
    return SwitchingEnv(make, names, index, count)


# The function that pads spaces, in each process: it needs an environment of every task, which takes time to make.
_PADDING: dict[tuple[str, ...], Callable[[gym.Env[Any, Any]], gym.Env[Any, Any]]] = {}


def _make_one(wing: "GymnasiumWing", tasks: Sequence[Any], settings: Mapping[str, Any], index: int) -> Any:
    if len(tasks) == 1:
        return wing.make(tasks[0], **settings)
    key = (wing.name, repr(sorted(settings.items())), *(each.text for each in tasks))
    if key not in _PADDING:
        _PADDING[key] = wing.shared_spaces([wing.make(each, **settings) for each in tasks])
    return _PADDING[key](wing.make(tasks[index], **settings))
