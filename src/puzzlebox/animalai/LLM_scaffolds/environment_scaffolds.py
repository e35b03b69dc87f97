"""Adapters between a language model and an arena: an action is a word, an observation is a picture."""

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from puzzlebox.animalai.base_env import ActionTuple, BaseEnv, DecisionSteps, TerminalSteps
from puzzlebox.animalai.unity_gym_env import as_bytes
from puzzlebox.text import nearest

# The move and turn of each word.
ACTION_MAP: dict[str, tuple[int, int]] = {
    "NOOP": (0, 0),
    "FORWARD": (1, 0),
    "BACKWARD": (2, 0),
    "TURN_RIGHT": (0, 1),
    "TURN_LEFT": (0, 2),
    "FORWARD_RIGHT": (1, 1),
    "FORWARD_LEFT": (1, 2),
}
AVAILABLE_ACTIONS = list(ACTION_MAP)
START_PROMPT = """\
You control an animal in a walled arena and see through its eyes.
Green and yellow balls are food: touching them earns reward. Red balls and red zones cost reward, and so does time.
After each picture, answer with one of these actions: {actions}."""
DEFAULT_LAST_FRAME: npt.NDArray[Any] = np.array([])
DEFAULT_TOTAL_STEPS = 0
DEFAULT_TOTAL_REWARD = 0.0
DEFAULT_DONE = False
# The possible lengths of an axis of colours.
_CHANNELS = (1, 3)

Picture = TypeVar("Picture")


class EnvironmentScaffold(ABC, Generic[Picture]):
    """The base of all scaffolds: a language model sends words, which become actions in an environment of ML-Agents."""

    def __init__(self, env: BaseEnv) -> None:
        self.env = env

    @abstractmethod
    def step(self, action: str) -> tuple[Picture, float, bool, dict[str, Any]]:
        """Take an action; return the observation, the reward, whether the episode is over, and info."""

    @abstractmethod
    def reset(self) -> tuple[Picture, dict[str, Any]]:
        """Start the next episode; return its first observation and info."""

    @abstractmethod
    def is_finished(self) -> bool:
        """Return whether the episode is over."""

    @abstractmethod
    def close(self) -> None:
        """Close the environment."""

    @property
    @abstractmethod
    def available_actions(self) -> list[str]:
        """Return the words that are actions."""

    @staticmethod
    @abstractmethod
    def get_default_system_prompt() -> str:
        """Return what a model needs to know before its first action."""

    @property
    @abstractmethod
    def total_reward(self) -> float:
        """Return the sum of the episode's rewards so far."""


class FrameByFrameScaffold(EnvironmentScaffold[npt.NDArray[np.uint8]]):
    """Shows one picture for each action, which is repeated for `skipframe` steps of the environment.

    Attributes:
        behavior_name: the controlled behaviour, which is the first one of the environment.
        last_frame: the latest picture, rows first, uint8.
    """

    def __init__(self, env: BaseEnv, skipframe: int = 1) -> None:
        assert skipframe >= 1, f"skipframe is {skipframe}; it must be 1 or more"
        super().__init__(env)
        self.skipframe = skipframe
        self.behavior_name = next(iter(env.behavior_specs))
        self._begin()
        self._collect_obs()

    def _begin(self) -> None:
        self.last_frame: npt.NDArray[Any] = DEFAULT_LAST_FRAME
        self._steps, self._reward, self._done = DEFAULT_TOTAL_STEPS, DEFAULT_TOTAL_REWARD, DEFAULT_DONE

    def _collect_obs(self) -> None:
        """Store the latest picture: that of the end if the episode has just ended, otherwise the current one."""
        decision, terminal = self.env.get_steps(self.behavior_name)
        self._look(terminal if len(terminal) else decision)

    def _look(self, steps: DecisionSteps | TerminalSteps) -> None:
        if not len(steps):
            return
        picture = next((part[0] for part in steps.obs if np.ndim(part) > 2), None)
        if picture is None:
            raise ValueError("the environment was made without a camera; give it useCamera=True")
        self.last_frame = _process_obs(picture)

    def step(self, action: str) -> tuple[npt.NDArray[np.uint8], float, bool, dict[str, Any]]:
        """Take an action; the reward is the sum over `skipframe` steps, and after the end nothing happens."""
        if action not in ACTION_MAP:
            raise KeyError(f"{action!r} is not an action{nearest(str(action), AVAILABLE_ACTIONS)}")
        reward = 0.0
        for _ in range(self.skipframe):
            if self._done:
                break
            waiting, _ = self.env.get_steps(self.behavior_name)
            if not len(waiting):
                self._done = True
                break
            rows = np.tile(np.array(ACTION_MAP[action], np.int32), (len(waiting), 1))
            self.env.set_actions(self.behavior_name, ActionTuple(discrete=rows))
            self.env.step()
            decision, terminal = self.env.get_steps(self.behavior_name)
            self._done = len(terminal) > 0
            now: DecisionSteps | TerminalSteps = terminal if self._done else decision
            reward += float(np.sum(now.reward))
            self._look(now)
        self._steps += 1
        self._reward += reward
        return self.last_frame, reward, self._done, {}

    def reset(self) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        """Start the next episode; return its first picture and info."""
        self._begin()
        self.env.reset()
        self._collect_obs()
        return self.last_frame, {}

    def is_finished(self) -> bool:
        """Return whether the episode is over."""
        return self._done

    def close(self) -> None:
        """Close the environment."""
        self.env.close()

    @property
    def available_actions(self) -> list[str]:
        """Return the words that are actions."""
        return list(AVAILABLE_ACTIONS)

    @staticmethod
    def get_default_system_prompt() -> str:
        """Return what a model needs to know before its first action."""
        return START_PROMPT.format(actions=", ".join(AVAILABLE_ACTIONS))

    @property
    def total_reward(self) -> float:
        """Return the sum of the episode's rewards so far."""
        return self._reward

    def get_results(self) -> dict[str, Any]:
        """Return the number of actions and the total reward of the episode."""
        return {"num_steps": self._steps, "total_reward": self._reward}


def _process_obs(obs: Any) -> npt.NDArray[np.uint8]:
    """Return a picture for viewing: rows first, uint8, a single channel without its own axis."""
    picture = np.asarray(obs)
    if picture.ndim == 3 and picture.shape[0] in _CHANNELS:
        picture = np.moveaxis(picture, 0, -1)
    if picture.ndim == 3 and picture.shape[-1] == 1:
        picture = picture[..., 0]
    is_fraction = picture.dtype.kind == "f" and picture.max(initial=0.0) <= 1
    return as_bytes(picture) if is_fraction else picture.astype(np.uint8)
