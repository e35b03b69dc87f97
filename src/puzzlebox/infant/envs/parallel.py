"""Several children in one task, as a PettingZoo environment in which all act at once."""

from collections.abc import Mapping
from typing import Any, ClassVar

from puzzlebox.infant.body.physics import CONTROL_STEP
from puzzlebox.infant.envs.core import Core, Snapshot
from puzzlebox.infant.envs.perception import Observation
from puzzlebox.seeds import check_seed, next_episode_seed, rng_from
from puzzlebox.text import closest, nearest

try:
    from pettingzoo import ParallelEnv  # type: ignore[import-untyped]
except ImportError:  # pragma: no cover
    raise ImportError("several agents need PettingZoo; pip install 'puzzlebox[multi]' brings it") from None

RENDER_MODES = ("rgb_array",)


class InfantParallelEnv(ParallelEnv):  # type: ignore[misc]
    """Agents `agent_0`, `agent_1`, ... each with its own child. All act until the episode is over.

    Args:
        task: the name of a task, such as `multi-agent-nav` or `disk-tower`.
        render_mode: None or "rgb_array".
        settings: those of the task; `agents` is the number of children in tasks with several.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "puzzlebox/Infant-v1",
        "render_modes": list(RENDER_MODES),
        "render_fps": round(1 / CONTROL_STEP),
        "is_parallelizable": True,
    }

    def __init__(self, task: str = "multi-agent-nav", *, render_mode: str | None = None, **settings: Any) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"render_mode is {render_mode!r}{nearest(str(render_mode), RENDER_MODES)}")
        self.render_mode = render_mode
        self.core = Core(task, **settings)
        self.possible_agents = [f"agent_{number}" for number in range(self.core.agents)]
        self.agents: list[str] = []
        # Spaces can be seeded, so each agent has its own.
        self.observation_spaces = {agent: self.core.new_observation_space() for agent in self.possible_agents}
        self.action_spaces = {agent: self.core.new_action_space() for agent in self.possible_agents}
        self._rng = rng_from(None)

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self.observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions."""
        return self.action_spaces[self._known(agent)]

    def _known(self, agent: str) -> str:
        if agent not in self.possible_agents:
            names = self.possible_agents
            raise ValueError(f"there is no agent {agent!r}; there are {', '.join(names)}{closest(str(agent), names)}")
        return agent

    def reset(
        self, seed: int | None = None, options: Any = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin an episode; with a seed it is that episode, without one its seed is drawn."""
        if seed is not None:
            self._rng = rng_from(check_seed(seed))
        own = next_episode_seed(self._rng) if seed is None else check_seed(seed)
        observations = self.core.reset(own)
        self.agents = list(self.possible_agents)
        return dict(zip(self.agents, observations, strict=True)), self._infos(self.agents)

    def step(self, actions: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Hold the action of each agent for 1/15 s.

        Raises:
            ValueError: an agent has no action, or there is no such agent, or an action does not fit its space.
        """
        if not self.agents:
            raise RuntimeError("there is no episode; call reset() first")
        if not isinstance(actions, Mapping):
            raise ValueError(f"actions are {actions!r}; they must be a dictionary of actions by the names of agents")
        for agent in actions:
            self._known(agent)
        missing = [agent for agent in self.possible_agents if agent not in actions]
        if missing:
            raise ValueError(f"there is no action for {', '.join(missing)}; every agent acts in each step")
        acting = list(self.agents)
        observations = self.core.step([actions[agent] for agent in self.possible_agents])
        outcome, truncated = self.core.outcome, self.core.truncated
        rewards = {agent: float(outcome.rewards[self.possible_agents.index(agent)]) for agent in acting}
        infos = self._infos(acting)
        if outcome.over or truncated:
            self.agents = []
        return (
            dict(zip(self.possible_agents, observations, strict=True)),
            rewards,
            dict.fromkeys(acting, outcome.over),
            dict.fromkeys(acting, truncated),
            infos,
        )

    def _infos(self, agents: list[str]) -> dict[str, dict[str, Any]]:
        return {agent: self.core.info() for agent in agents}

    def render(self) -> Any:
        """Return a picture from outside."""
        if self.render_mode is None:
            return None
        from puzzlebox.infant.envs.views import OUTSIDE, picture

        return picture(self.core.play, OUTSIDE, (480, 360))

    def snapshot(self) -> Snapshot:
        """Return the state of everything, to go back to in this or another process."""
        return self.core.snapshot(self._rng.bit_generator.state)

    def restore(self, snapshot: Snapshot) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Go back to a snapshot of the same task and settings, and return what `reset` would return there."""
        observations = self.core.restore(snapshot)
        self._rng.bit_generator.state = dict(snapshot.rng)
        over = self.core.outcome.over or self.core.truncated
        self.agents = [] if over else list(self.possible_agents)
        return dict(zip(self.possible_agents, observations, strict=True)), self._infos(self.possible_agents)

    def close(self) -> None:
        """End the environment."""
        self.agents = []
