"""Any Gymnasium vector of Puzzlebox as a `VecEnv` of stable-baselines3."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Space
from numpy.typing import NDArray
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvIndices, VecEnvStepReturn

from puzzlebox.learn.episodes import EpisodeCounter, final_of
from puzzlebox.learn.sampler import Episode


def plain_space(space: Space[Any]) -> Space[Any]:
    """Return an observation space as stable-baselines3 wants it: a single part alone, stacked pictures as channels.

    The two eyes of an infant, 2 x height x width x 3, become one picture with six channels.
    """
    if not isinstance(space, Dict):
        return space
    parts = {name: _plain_part(part) for name, part in space.items()}
    return next(iter(parts.values())) if len(parts) == 1 else Dict(parts)


def _is_stack(part: Space[Any]) -> bool:
    return isinstance(part, Box) and part.dtype == np.uint8 and len(part.shape) == 4


def _plain_part(part: Space[Any]) -> Space[Any]:
    if not _is_stack(part):
        return part
    assert isinstance(part, Box)
    count, height, width, channels = part.shape
    return Box(0, 255, (height, width, count * channels), np.uint8)


def plain_observation(space: Space[Any], observation: Any) -> Any:
    """Return an observation, or a batch of them, of a space as one of `plain_space`."""
    if not isinstance(space, Dict):
        return observation
    parts = {}
    for name, part in space.items():
        value = np.asarray(observation[name])
        if _is_stack(part):
            value = np.moveaxis(value, -4, -2)  # to height x width x pictures x channels
            value = value.reshape(*value.shape[:-2], -1)
        parts[name] = value
    return next(iter(parts.values())) if len(parts) == 1 else parts


class VectorForSB3(VecEnv):
    """A Gymnasium vector with `autoreset="same_step"` as a `VecEnv`.

    Attributes:
        envs: the Gymnasium vector.
        counter: sums up the current episodes.
        ended: the episodes that ended since the list was last taken.
    """

    def __init__(self, envs: Any) -> None:
        self.envs = envs
        self.counter = EpisodeCounter(envs.num_envs)
        self.ended: list[Episode] = []
        self._own = envs.single_observation_space
        self._actions: Any = None
        super().__init__(envs.num_envs, plain_space(self._own), envs.single_action_space)

    def reset(self) -> Any:
        """Start an episode in every environment."""
        seeds = self._seeds
        first = seeds[0] if seeds else None
        observations, _ = self.envs.reset(seed=first)
        self._reset_seeds()
        self._reset_options()
        return plain_observation(self._own, observations)

    def step_async(self, actions: NDArray[Any]) -> None:
        """Store the actions of the next `step_wait`."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Step every environment."""
        observations, rewards, terminated, truncated, infos = self.envs.step(self._actions)
        done = terminated | truncated
        rows: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for episode in self.counter.count(rewards, terminated, truncated, infos):
            row = episode.env
            rows[row] = {
                "TimeLimit.truncated": episode.truncated and not episode.terminated,
                "terminal_observation": plain_observation(self._own, infos["final_obs"][row]),
                "episode": {"r": episode.total, "l": episode.length, "t": 0.0},
            }
            self.ended.append(episode)
        return plain_observation(self._own, observations), rewards.astype(np.float32), done, rows

    def restored(self, observations: Any) -> Any:
        """Return the observations of a vector that was restored as stable-baselines3 wants them."""
        return plain_observation(self._own, observations)

    def close(self) -> None:
        """Close the vector."""
        self.envs.close()

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute of the vector; `render_mode` alone is asked for."""
        return [getattr(self.envs, attr_name, None)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Refuse: the environments have no attributes to set from here."""
        raise AttributeError(f"{attr_name} cannot be set here")

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> list[Any]:
        """Refuse: call methods of `envs` instead."""
        raise AttributeError(f"{method_name} cannot be called here")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: VecEnvIndices = None) -> Sequence[bool]:  # type: ignore[override]
        """Return whether environments have a wrapper: none but a `Monitor`, whose work is done here."""
        return [issubclass(Monitor, wrapper_class)] * self.num_envs


__all__ = ["VectorForSB3", "final_of", "plain_observation", "plain_space"]
