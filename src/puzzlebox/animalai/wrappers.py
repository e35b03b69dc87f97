"""The original's newer wrappers: Gymnasium around an `AnimalAIEnvironment` (docs/original/python.md#wrappers)."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv, VectorEnv

from puzzlebox.animalai.base_env import BaseEnv, TerminalSteps
from puzzlebox.animalai.environment import AnimalAIEnvironment
from puzzlebox.animalai.unity_gym_env import ActionFlattener, UnityGymException, UnityToGymWrapper, as_bytes
from puzzlebox.arena.envs.arena import ArenaEnv
from puzzlebox.arena.envs.settings import checked_options
from puzzlebox.text import nearest

__all__ = [
    "ActionFlattener",
    "AnimalAIGymnasiumWrapper",
    "UnityGymnasiumException",
    "UnityToGymnasiumWrapper",
    "make_animalai_env_fns",
    "make_animalai_vec_env",
]
UnityGymnasiumException = UnityGymException
_STREAMS = ("camera", "rays", "health", "velocity", "position")
_MODES = ("sync", "async")


class UnityToGymnasiumWrapper(gym.Env[Any, Any]):
    """ML-Agents' Gym wrapper with Gymnasium's `reset` and `step`, and the same arguments.

    `reset(options={"arena_config": path})` changes the file. Unlike in the original, `reset(seed=...)` repeats an
    episode, as Gymnasium requires. An episode is truncated where ML-Agents calls it interrupted, which never happens
    under the rules of builds up to 4.3. `puzzlebox.animalai.UnityToGymWrapper` is another name for this class.
    """

    metadata: ClassVar[dict[str, Any]] = dict(ArenaEnv.metadata)  # type: ignore[misc]

    def __init__(
        self,
        unity_env: BaseEnv,
        uint8_visual: bool = False,
        flatten_branched: bool = False,
        allow_multiple_obs: bool = False,
        action_space_seed: int | None = None,
        render_mode: str | None = "rgb_array",
    ) -> None:
        if not isinstance(unity_env, BaseEnv):
            raise TypeError(f"the wrapper is for an AnimalAIEnvironment, not {type(unity_env).__name__}")
        self._unity = unity_env
        self._old = UnityToGymWrapper(unity_env, uint8_visual, flatten_branched, allow_multiple_obs, action_space_seed)
        self.render_mode = render_mode
        self.action_space, self.observation_space = self._old.action_space, self._old.observation_space
        self.name, self.group_spec, self.action_size = self._old.name, self._old.group_spec, self._old.action_size

    @property
    def game_over(self) -> bool:
        """Return whether the episode is over."""
        return self._old.game_over

    @property
    def visual_obs(self) -> Any:
        """Return the latest picture, channels first; None without a camera."""
        return self._old.visual_obs

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start the next episode and return its first observation and info."""
        options = checked_options(options, ("arena_config",))
        super().reset(seed=seed)
        if isinstance(self._unity, AnimalAIEnvironment):
            self._unity.reset(options.get("arena_config") or "", seed=seed)
        elif options.get("arena_config"):
            raise ValueError(f"arena_config is for an AnimalAIEnvironment, not {type(self._unity).__name__}")
        observation = self._old.reset()
        return self._convert(observation), {"step": self._unity.get_steps(self._old.name)[0]}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Step once; an episode that ML-Agents calls interrupted is truncated."""
        observation, reward, done, info = self._old.step(action)
        steps = info["step"]
        truncated = isinstance(steps, TerminalSteps) and bool(steps.interrupted[0])
        return self._convert(observation), reward, done and not truncated, truncated, info

    def _convert(self, observation: Any) -> Any:
        return tuple(observation) if isinstance(observation, list) else observation

    def render(self) -> Any:
        """Return the latest picture, rows first."""
        picture = self._old.visual_obs
        if picture is None or self.render_mode is None:
            return None
        pixels = picture if self._old.uint8_visual else as_bytes(picture)
        return np.repeat(pixels, 3 // pixels.shape[0], axis=0).transpose(1, 2, 0)

    def close(self) -> None:
        """Close the environment."""
        self._old.close()


class AnimalAIGymnasiumWrapper(UnityToGymnasiumWrapper):
    """Observations by name: camera, rays, health, velocity and position; a single one comes without its name.

    Args:
        env: the environment to wrap.
        include_camera: whether to include the picture. Default: if there is a camera.
        include_rays: whether to include rays. Default: if there are any.
        include_health: whether to include health.
        include_velocity: whether to include the velocity.
        include_position: whether to include the position.
        others: as for `UnityToGymnasiumWrapper`.
    """

    def __init__(
        self,
        env: AnimalAIEnvironment,
        *,
        include_camera: bool | None = None,
        include_rays: bool | None = None,
        include_health: bool = True,
        include_velocity: bool = True,
        include_position: bool = True,
        **others: Any,
    ) -> None:
        if not isinstance(env, AnimalAIEnvironment):
            raise TypeError(f"the wrapper is for an AnimalAIEnvironment, not {type(env).__name__}")
        super().__init__(env, **{**others, "allow_multiple_obs": True})
        available = {"camera": env.useCamera, "rays": env.useRayCasts}
        included = dict(zip(_STREAMS, (include_camera, include_rays, include_health, include_velocity), strict=False))
        included["position"] = include_position
        for name, present in available.items():
            if included[name] and not present:
                raise ValueError(f"include_{name} is True, but the environment was made without {name}")
            included[name] = present if included[name] is None else included[name]
        self._names = [name for name in _STREAMS if included[name]]
        if not self._names:
            raise ValueError("there is no observation left; include one")
        uint8 = self._old.uint8_visual
        shapes = {spec.name: spec.shape for spec in self._old.group_spec.observation_specs}
        boxes_by_name = {
            "camera": (0, 255 if uint8 else 1, shapes.get("CameraSensor"), np.uint8 if uint8 else np.float32),
            "rays": (0, np.inf, shapes.get("RayPerceptionSensor"), np.float32),
            "health": (0, np.inf, (), np.float32),
            "velocity": (-np.inf, np.inf, (3,), np.float32),
            "position": (-np.inf, np.inf, (3,), np.float32),
        }
        boxes: dict[str, spaces.Space[Any]] = {name: spaces.Box(*boxes_by_name[name]) for name in self._names}
        self.observation_space = boxes[self._names[0]] if len(boxes) == 1 else spaces.Dict(boxes)

    def _convert(self, observation: Any) -> Any:
        vitals = observation[-1]
        rays = vitals[:-7]
        parts = {
            "camera": observation[0],
            "rays": rays,
            "health": np.asarray(vitals[-7], np.float32),
            "velocity": vitals[-6:-3],
            "position": vitals[-3:],
        }
        return parts[self._names[0]] if len(self._names) == 1 else {name: parts[name] for name in self._names}


def make_animalai_env_fns(
    num_envs: int,
    *,
    worker_id_start: int = 0,
    base_port: int = 5005,
    seed: int = 0,
    arenas_configurations: "str | PathLike[str] | Sequence[str | PathLike[str]]" = "",
    env_kwargs: Mapping[str, Any] | None = None,
    wrapper_kwargs: Mapping[str, Any] | None = None,
) -> list[Callable[[], AnimalAIGymnasiumWrapper]]:
    """Return functions that each create an environment, of one file or a file each; environment i has `seed + i`."""
    single = isinstance(arenas_configurations, str | PathLike)
    files = [arenas_configurations] * num_envs if single else list(arenas_configurations)  # type: ignore[arg-type]
    if len(files) != num_envs:
        raise ValueError(f"there are {num_envs} environments and {len(files)} files; give one for each, or one for all")

    def maker(index: int) -> Callable[[], AnimalAIGymnasiumWrapper]:
        chosen = {**(env_kwargs or {}), "arenas_configurations": files[index], "seed": seed + index}
        return lambda: AnimalAIGymnasiumWrapper(AnimalAIEnvironment(**chosen), **(wrapper_kwargs or {}))

    return [maker(index) for index in range(num_envs)]


def make_animalai_vec_env(
    num_envs: int, *, vectorization_mode: str = "sync", **kwargs: Any
) -> VectorEnv[Any, Any, Any]:
    """Create these environments as one of Gymnasium's own vectors; `puzzlebox.make_vec` is faster."""
    if vectorization_mode not in _MODES:
        raise ValueError(f"vectorization_mode is {vectorization_mode!r}{nearest(str(vectorization_mode), _MODES)}")
    makers = make_animalai_env_fns(num_envs, **kwargs)
    return SyncVectorEnv(makers) if vectorization_mode == "sync" else AsyncVectorEnv(makers)
