"""ML-Agents' wrapper of its environments as Gym environments, with the Gym interface of 2021."""

from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from puzzlebox.animalai.base_env import ActionTuple, BaseEnv, DecisionSteps, TerminalSteps

GymStepResult = tuple[Any, float, bool, dict[str, Any]]


class UnityGymException(Exception):
    """Raised for a call or an action that the wrapper does not support."""


class ActionFlattener:
    """Maps each combination of branches to one number."""

    def __init__(self, branched_action_space: list[int]) -> None:
        self.action_lookup = dict(enumerate(product(*(range(size) for size in branched_action_space))))
        self.action_space: spaces.Discrete[Any] = spaces.Discrete(len(self.action_lookup))
        self._last = len(self.action_lookup) - 1

    def lookup_action(self, action: Any) -> list[int]:
        """Return the branches of a number."""
        number = np.asarray(action)
        if number.size != 1 or number.item() not in self.action_lookup:
            raise UnityGymException(f"{action!r} is not an action; it must be a number from 0 to {self._last}")
        return list(self.action_lookup[int(number.item())])


def as_bytes(picture: npt.NDArray[np.float32]) -> npt.NDArray[np.uint8]:
    """Return a picture with values from 0 to 1 as bytes from 0 to 255."""
    return np.rint(255 * picture).astype(np.uint8)


class UnityToGymWrapper:
    """A Gym environment: `reset() -> obs` and `step(action) -> (obs, reward, done, info)`.

    Args:
        unity_env: the environment to wrap.
        uint8_visual: whether pictures are bytes from 0 to 255 instead of 0 to 1.
        flatten_branched: whether actions are one number from 0 to 8 instead of two from 0 to 2.
        allow_multiple_obs: whether observations are a list of all parts instead of the picture alone.
        action_space_seed: a seed for `action_space.sample()`.
    """

    metadata = {"render_modes": ["rgb_array"]}  # noqa: RUF012

    def __init__(
        self,
        unity_env: BaseEnv,
        uint8_visual: bool = False,
        flatten_branched: bool = False,
        allow_multiple_obs: bool = False,
        action_space_seed: int | None = None,
    ) -> None:
        self._env = unity_env
        self._env.reset()
        self.name = next(iter(unity_env.behavior_specs))
        self.group_spec = unity_env.behavior_specs[self.name]
        self.uint8_visual = uint8_visual
        self._allow_multiple_obs = allow_multiple_obs
        self.game_over = False
        self.visual_obs: Any = None
        branches = list(self.group_spec.action_spec.discrete_branches)
        self.action_size = len(branches)
        self._flattener = ActionFlattener(branches) if flatten_branched else None
        self._action_space: spaces.Space[Any] = (
            self._flattener.action_space if self._flattener else spaces.MultiDiscrete(branches)
        )
        if action_space_seed is not None:
            self._action_space.seed(action_space_seed)
        pictures = [spec.shape for spec in self.group_spec.observation_specs if len(spec.shape) == 3]
        rest = sum(spec.shape[0] for spec in self.group_spec.observation_specs if len(spec.shape) == 1)
        most, kind = (255, np.uint8) if uint8_visual else (1, np.float32)
        parts: list[spaces.Space[Any]] = [spaces.Box(0, most, shape, kind) for shape in pictures]
        parts.append(spaces.Box(-np.inf, np.inf, (rest,), np.float32))
        self._observation_space = spaces.Tuple(parts) if allow_multiple_obs else parts[0]

    @property
    def action_space(self) -> spaces.Space[Any]:
        """Return the space of actions."""
        return self._action_space

    @property
    def observation_space(self) -> spaces.Space[Any]:
        """Return the space of observations."""
        return self._observation_space

    @property
    def reward_range(self) -> tuple[float, float]:
        """Return the bounds of rewards: none."""
        return -float("inf"), float("inf")

    def reset(self) -> Any:
        """Start the next episode and return its first observation."""
        self._env.reset()
        self.game_over = False
        decision, _ = self._env.get_steps(self.name)
        return self._result(decision)[0]

    def step(self, action: Any) -> GymStepResult:
        """Step once; return the observation, the reward, whether the episode is over, and info."""
        if self.game_over:
            raise UnityGymException("the episode is over; call reset() first")
        chosen = np.asarray(self._flattener.lookup_action(action) if self._flattener else action)
        if chosen.size != self.action_size:
            raise UnityGymException(
                f"{action!r} is not an action; it must be {self.action_size} numbers, move and turn"
            )
        self._env.set_actions(self.name, ActionTuple(discrete=chosen.reshape(1, self.action_size)))
        self._env.step()
        decision, terminal = self._env.get_steps(self.name)
        self.game_over = len(terminal) > 0
        return self._result(terminal if self.game_over else decision)

    def _result(self, steps: DecisionSteps | TerminalSteps) -> GymStepResult:
        pictures = [self._picture(part[0]) for part in steps.obs if part.ndim == 4]
        rest = np.concatenate([part[0] for part in steps.obs if part.ndim == 2])
        self.visual_obs = pictures[0] if pictures else None
        observation = [*pictures, rest] if self._allow_multiple_obs else [*pictures, rest][0]
        return observation, float(steps.reward[0]), isinstance(steps, TerminalSteps), {"step": steps}

    def _picture(self, picture: Any) -> Any:
        return as_bytes(picture) if self.uint8_visual else picture

    def render(self, mode: str = "rgb_array") -> Any:
        """Return the latest picture."""
        return self.visual_obs

    def seed(self, seed: Any = None) -> None:
        """Do nothing: the seed is an argument of the environment."""

    def close(self) -> None:
        """Close the environment."""
        self._env.close()
