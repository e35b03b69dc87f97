"""One Gymnasium environment for every task of the toolkit."""

from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from puzzlebox.infant.body.physics import CONTROL_STEP
from puzzlebox.infant.envs.core import Core, Snapshot
from puzzlebox.infant.envs.perception import Observation
from puzzlebox.infant.tasks.settings import check_truth
from puzzlebox.seeds import check_seed, next_episode_seed
from puzzlebox.text import nearest

RENDER_MODES = ("rgb_array",)
_PICTURE = (480, 360)


class InfantEnv(gym.Env[Observation, Any]):
    """A task of the toolkit.

    With several agents, each part of an observation and the action have an axis more, the first, for the agents; the
    reward is the mean of theirs, and `info["rewards"]` has each. `puzzlebox.infant.make_parallel` gives each agent its
    own.

    Args:
        task: the name of a task, such as `grab-object`, `GrabObject` or its id.
        render_mode: None or "rgb_array", a picture from outside.
        script: whether `info["script"]` has the next action of the script that solves the task.
        settings: those of the task; see the guide of the infant wing.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": list(RENDER_MODES),
        "render_fps": round(1 / CONTROL_STEP),
    }
    observation_space: spaces.Dict

    def __init__(
        self, task: str = "grab-object", *, render_mode: str | None = None, script: bool = False, **settings: Any
    ) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"render_mode is {render_mode!r}{nearest(str(render_mode), RENDER_MODES)}")
        # A copy: Gymnasium's vectors write into the metadata of their first environment.
        self.metadata = dict(type(self).metadata)  # type: ignore[misc]
        self.render_mode = render_mode
        self._script = check_truth("script", script)
        self.core = Core(task, **settings)
        self.observation_space, self.action_space = stacked_spaces(self.core)
        self._playing = False

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; with a seed it is that episode, without one its seed is drawn."""
        super().reset(seed=None if seed is None else check_seed(seed))
        own = next_episode_seed(self.np_random) if seed is None else check_seed(seed)
        observations = self.core.reset(own)
        self._playing = True
        return self._stack(observations), self._info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Hold an action for 1/15 s."""
        if not self._playing:
            raise RuntimeError("there is no episode; call reset() first")
        actions = [action] if self.core.agents == 1 else self._actions(action)
        observations = self.core.step(actions)
        outcome, truncated = self.core.outcome, self.core.truncated
        self._playing = not (outcome.over or truncated)
        reward = float(np.mean(outcome.rewards))
        return self._stack(observations), reward, outcome.over, truncated, self._info()

    def _actions(self, action: Any) -> list[Any]:
        """Return the action of each of several agents."""
        agents = self.core.agents
        if not isinstance(action, list | tuple | np.ndarray) or np.ndim(action) == 0:
            raise ValueError(f"an action is {action!r}; it must be an array with an action for each of {agents} agents")
        if len(action) != agents:
            raise ValueError(f"there are {len(action)} actions; there must be one for each of {agents} agents")
        return list(action)

    def _stack(self, observations: list[Observation]) -> Observation:
        if self.core.agents == 1:
            return observations[0]
        return {name: np.stack([each[name] for each in observations]) for name in observations[0]}

    def _info(self) -> dict[str, Any]:
        info = self.core.info()
        if self.core.agents > 1:
            info["rewards"] = list(self.core.outcome.rewards)
        if self._script:
            actions = self.core.script()
            info["script"] = actions[0] if self.core.agents == 1 else np.stack(actions)
        return info

    def render(self) -> NDArray[np.uint8] | None:  # type: ignore[override]
        """Return a picture from outside, 480 x 360 pixels."""
        if self.render_mode is None:
            return None
        from puzzlebox.infant.envs.views import OUTSIDE, picture

        return picture(self.core.play, OUTSIDE, _PICTURE)

    def snapshot(self) -> Snapshot:
        """Return the state of everything, to go back to in this or another process."""
        return self.core.snapshot(self.np_random.bit_generator.state)

    def restore(self, snapshot: Snapshot) -> tuple[Observation, dict[str, Any]]:
        """Go back to a snapshot of the same task and settings, and return what `reset` would return there."""
        observations = self.core.restore(snapshot)
        self.np_random.bit_generator.state = dict(snapshot.rng)
        self._playing = not (self.core.outcome.over or self.core.truncated)
        return self._stack(observations), self._info()


def stacked_spaces(core: Core) -> tuple[spaces.Dict, spaces.Space[Any]]:
    """Return the spaces of an environment; with several agents, their axis is the first."""
    if core.agents == 1:
        return core.observation_space, core.action_space
    parts = {name: _repeated(part, core.agents) for name, part in core.observation_space.items()}
    return spaces.Dict(parts), _repeated(core.action_space, core.agents)


def _repeated(space: Any, count: int) -> spaces.Space[Any]:
    if isinstance(space, spaces.Discrete):
        return spaces.MultiDiscrete([int(space.n)] * count)
    low, high = (np.repeat(each[None], count, axis=0) for each in (space.low, space.high))
    return spaces.Box(low, high, dtype=space.dtype)
