"""An arena for language models: an action is a word, an observation is a picture."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from puzzlebox.animalai.actions import AAIActions
from puzzlebox.animalai.environment import AnimalAIEnvironment
from puzzlebox.animalai.unity_gym_env import as_bytes
from puzzlebox.schema.messages import nearest

_DO = AAIActions()
ACTION_MAP = {
    "NOOP": _DO.NOOP,
    "FORWARD": _DO.FORWARDS,
    "BACKWARD": _DO.BACKWARDS,
    "TURN_RIGHT": _DO.RIGHT,
    "TURN_LEFT": _DO.LEFT,
    "FORWARD_RIGHT": _DO.FORWARDSRIGHT,
    "FORWARD_LEFT": _DO.FORWARDSLEFT,
}
AVAILABLE_ACTIONS = list(ACTION_MAP)
_PROMPT = """\
You control an animal in a walled arena and see through its eyes.
Green and yellow balls are food: touching them earns reward. Red balls and red zones cost reward, and so does time.
After each picture, answer with one of these actions: {actions}."""


class EnvironmentScaffold(ABC):
    """What stands between a language model and an arena.

    Attributes:
        total_reward: of the episode so far.
    """

    def __init__(self, env: AnimalAIEnvironment) -> None:
        self.env = env
        self.total_reward = 0.0
        self._over = False

    @property
    @abstractmethod
    def available_actions(self) -> list[str]:
        """The words that are actions."""

    @abstractmethod
    def reset(self) -> tuple[Any, dict[str, Any]]:
        """Begin the next episode: observation and info."""

    @abstractmethod
    def step(self, action: str) -> tuple[Any, float, bool, dict[str, Any]]:
        """Act: observation, reward, whether the episode is over, and info."""

    @abstractmethod
    def get_default_system_prompt(self) -> str:
        """What a model needs to know beforehand."""

    def is_finished(self) -> bool:
        """Whether the episode is over."""
        return self._over

    def close(self) -> None:
        """Close the environment."""
        self.env.close()


class FrameByFrameScaffold(EnvironmentScaffold):
    """One picture for each action, which is taken for `skipframe` steps; `info` has the health."""

    def __init__(self, env: AnimalAIEnvironment, skipframe: int = 1) -> None:
        if not env.useCamera:
            raise ValueError("the environment was made without a camera; give it useCamera=True")
        if skipframe < 1:
            raise ValueError(f"skipframe is {skipframe}; it must be 1 or more")
        super().__init__(env)
        self.skipframe = skipframe
        self._name = next(iter(env.behavior_specs))
        self._steps = 0

    @property
    def available_actions(self) -> list[str]:
        """The words that are actions."""
        return list(AVAILABLE_ACTIONS)

    def reset(self) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        """Begin the next episode."""
        self.env.reset()
        self._over, self.total_reward, self._steps = False, 0.0, 0
        return self._seen(self.env.get_steps(self._name)[0].obs)

    def step(self, action: str) -> tuple[npt.NDArray[np.uint8], float, bool, dict[str, Any]]:
        """Act; the reward is that of all the steps."""
        if self._over:
            raise RuntimeError("the episode is over; call reset() first")
        if action not in ACTION_MAP:
            raise ValueError(f"{action!r} is not an action{nearest(str(action), AVAILABLE_ACTIONS)}")
        reward = 0.0
        for _ in range(self.skipframe):
            self.env.set_actions(self._name, ACTION_MAP[action].action_tuple)
            self.env.step()
            decision, terminal = self.env.get_steps(self._name)
            self._over = len(terminal) > 0
            now = terminal if self._over else decision
            reward += float(now.reward[0])
            self._steps += 1
            if self._over:
                break
        self.total_reward += reward
        picture, info = self._seen(now.obs)
        return picture, reward, self._over, info

    def _seen(self, obs: Any) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        named = self.env.get_obs_dict(obs)
        return as_bytes(named["camera"]).transpose(1, 2, 0), {"health": float(named["health"])}

    def get_default_system_prompt(self) -> str:
        """What a model needs to know beforehand."""
        return _PROMPT.format(actions=", ".join(self.available_actions))

    def get_results(self) -> dict[str, Any]:
        """How many steps the episode has taken, and its reward."""
        return {"num_steps": self._steps, "total_reward": self.total_reward}
