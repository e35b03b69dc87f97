"""Several agents in one arena, as a PettingZoo environment in which all act at once."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from puzzlebox.arena.envs.episodes import OPTIONS, RENDER_MODES, EpisodicEnv, Snapshot
from puzzlebox.arena.envs.perception import Perception
from puzzlebox.arena.envs.schedule import Schedule
from puzzlebox.arena.envs.settings import (
    Observation,
    Settings,
    checked_whole,
    known_settings,
    refuse_unknown,
)
from puzzlebox.arena.envs.sources import Source, arenas_of, tasks_of
from puzzlebox.arena.rules import PHYSICS_STEP, Rules
from puzzlebox.arena.schema import Task
from puzzlebox.arena.world import Event, World
from puzzlebox.seeds import rng_from
from puzzlebox.text import closest, nearest

try:
    from pettingzoo import ParallelEnv  # type: ignore[import-untyped]
except ImportError:  # pragma: no cover
    raise ImportError("several agents need PettingZoo; pip install 'puzzlebox[multi]' brings it") from None

_NOOP = 0


@dataclass(frozen=True)
class ParallelSnapshot(Snapshot):
    """The state of an environment with several agents, and which of them still act."""

    agents: tuple[str, ...]


class ArenaParallelEnv(EpisodicEnv, ParallelEnv):  # type: ignore[misc]
    """Agents `agent_0`, `agent_1`, ... in file order, each with its own senses.

    An agent that is done leaves `agents`, and its animal stays where it is until the episode is over; where an arena
    may merge into the next one, all stay, since they will act again. Seeds, the schedule of arenas and the options of
    `reset` are as in `ArenaEnv`; the `info` of an agent holds the same, and `team`.

    Args:
        task: a path, the name of a bundled task, YAML text or a Task; or a list or pattern of them, one episode each.
        render_mode: None or "rgb_array".
        max_cycles: steps after which all remaining agents are truncated. Default: no such limit.
        settings: those of `puzzlebox.make`.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "puzzlebox/Arena-v1",
        "render_modes": list(RENDER_MODES),
        "render_fps": round(1 / (Rules().decision_period * PHYSICS_STEP)),
        "is_parallelizable": True,
    }
    _derived = ("_perceptions", "_painter", "_constant_info")
    _copied = ("agents", "possible_agents", "observation_spaces", "action_spaces", "_own_rng")

    def __init__(
        self,
        task: Source | Iterable[Source] = (),
        *,
        render_mode: str | None = None,
        max_cycles: int | None = None,
        **settings: Any,
    ) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"render_mode is {render_mode!r}{nearest(str(render_mode), RENDER_MODES)}")
        if max_cycles is not None:
            checked_whole("max_cycles", max_cycles, 1, more=", or None")
        refuse_unknown(settings, ["task", "render_mode", "max_cycles", *known_settings()])
        self.render_mode = render_mode
        self.max_cycles = max_cycles
        self.settings = Settings.of(**settings)
        self._schedule = Schedule(tasks_of(task))
        arenas = [arena for each in self._schedule.tasks for arena in arenas_of(each.task)]
        self.possible_agents = _agent_names(max(1, *(len(arena.agents()) for arena in arenas)))
        self.agents: list[str] = []
        # Spaces can be seeded, so each agent has its own.
        self.observation_spaces = {agent: Perception(self.settings).space for agent in self.possible_agents}
        self.action_spaces = {agent: self.settings.action_space for agent in self.possible_agents}
        self._own_rng = rng_from(None)
        self._world: World | None = None
        self._derive()

    def _derive(self) -> None:
        """Create what depends on the settings, at the start and after unpickling."""
        # Stacked frames belong to one agent, so each agent has its own senses.
        self._perceptions = [Perception(self.settings) for _ in self.possible_agents]
        self._painter = None
        self._constant_info = {} if self.settings.rays is None else {"ray_tags": self._perceptions[0].ray_tags}

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        self._check_agent(agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions."""
        self._check_agent(agent)
        return self.action_spaces[agent]

    def _check_agent(self, agent: str) -> None:
        refuse_unknown({agent: None}, self.possible_agents, "agent")

    def _rng(self, seed: int | None) -> np.random.Generator:
        """Return the random stream of this environment; with a seed, a new one."""
        return self._own_rng if seed is None else rng_from(seed)

    def _keep_rng(self, rng: np.random.Generator) -> None:
        """Use a random stream from now on."""
        self._own_rng = rng

    def _check_episode(self, schedule: Schedule, task: Task, position: int) -> None:
        """Raise a ValueError for an episode with more agents than the environment was created for."""
        count, most = _count_agents(task, position), len(self.possible_agents)
        if count > most:
            raise ValueError(f"the task has {count} agents and this environment was made for {most}; make a new one")

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Start the next episode and return the first observation and info of each agent."""
        if isinstance(options, Mapping):
            # PettingZoo's checks pass options of their own; only what looks like a misspelt option is refused.
            options = {name: value for name, value in options.items() if closest(str(name), OPTIONS)}
        world = self._begin(seed, options)
        self.agents = _agent_names(_count_agents(world.task, world.position))
        events = world.take_events()
        return self._observe(self.agents), {agent: self._info(agent, events) for agent in self.agents}

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Play one decision of all agents in `agents`; animals that are done do nothing."""
        world, acting = self.world, self.agents
        if world.over or not acting:
            raise RuntimeError("the episode is over; call reset() first")
        if not isinstance(actions, Mapping):
            raise TypeError(f"actions is {actions!r}; it must be a dictionary with one for each of {', '.join(acting)}")
        refuse_unknown(actions, self.possible_agents, "agent")
        for agent in acting:
            if agent not in actions:
                raise ValueError(f"there is no action for {agent}; give one for each of {', '.join(acting)}")
        chosen = [_NOOP] * len(world.animals)
        for agent in acting:
            chosen[self._index(agent)] = self.settings.action(actions[agent])
        outcome = world.step(chosen)
        terminated, truncated = {}, {}
        last = not world.arena.merge_next_arena or world.position + 1 == len(world.task.arenas)
        for agent in acting:
            index = self._index(agent)
            if world.over:
                terminated[agent], truncated[agent] = outcome.terminated, outcome.truncated
            else:
                done = world.animals[index].done and last
                out_of_time = done and any(
                    event.kind == "finished" and event.animal == index and event.details["cause"] == "time"
                    for event in outcome.events
                )
                terminated[agent], truncated[agent] = done and not out_of_time, out_of_time
        if self.settings.timeouts == "terminal" and world.error is None:
            terminated = {agent: terminated[agent] or truncated[agent] for agent in acting}
            truncated = dict.fromkeys(acting, False)
        if self._last_cycle():
            truncated = {agent: truncated[agent] or not terminated[agent] for agent in acting}
        observations = self._observe(acting)
        rewards = {agent: outcome.rewards[self._index(agent)] for agent in acting}
        infos = {agent: self._info(agent, outcome.events) for agent in acting}
        self.agents = [agent for agent in acting if not (terminated[agent] or truncated[agent])]
        return observations, rewards, terminated, truncated, infos

    def _last_cycle(self) -> bool:
        """Return whether the episode has reached its greatest number of steps."""
        limits = (self.max_cycles, self.settings.max_episode_steps)
        return any(limit is not None and len(self.world.actions) >= limit for limit in limits)

    @staticmethod
    def _index(agent: str) -> int:
        return int(agent.removeprefix("agent_"))

    def _observe(self, agents: list[str]) -> dict[str, Observation]:
        indices = {agent: self._index(agent) for agent in agents}
        return {agent: self._perceptions[index].perceive(self.world, index) for agent, index in indices.items()}

    def _perceive(self, world: World) -> None:
        for index in range(len(world.animals)):
            self._perceptions[index].perceive(world, index)

    def _info(self, agent: str, events: tuple[Event, ...]) -> dict[str, Any]:
        animal = self.world.animals[self._index(agent)]
        return self._info_of(animal, events, {"team": animal.settings["team"], **self._constant_info})

    # --- snapshots

    def snapshot(self) -> ParallelSnapshot:
        """Return what is needed to restore the current state, in this or another process."""
        return ParallelSnapshot(*self._state(), tuple(self.agents))

    def restore(self, snapshot: ParallelSnapshot) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Return to the state of a snapshot by replaying its episode; return what `reset` would return there."""
        self._check_open()
        self.check_snapshot(snapshot, self.settings.rules, ParallelSnapshot)
        refuse_unknown(dict.fromkeys(snapshot.agents), self.possible_agents, "agent")
        self._restore(snapshot)
        self.agents = list(snapshot.agents)
        return self._observe(self.agents), {agent: self._info(agent, ()) for agent in self.agents}

    def close(self) -> None:
        """Close the environment for good."""
        self._closed, self._world, self.agents = True, None, []


def _count_agents(task: Task, position: int) -> int:
    """Return how many agents an arena of a task has; one if it names none."""
    return max(1, len(task.arenas[position].agents()))


def _agent_names(count: int) -> list[str]:
    return [f"agent_{index}" for index in range(count)]


def make_parallel(
    task: Source | Iterable[Source] = (),
    *,
    render_mode: str | None = None,
    max_cycles: int | None = None,
    **settings: Any,
) -> ArenaParallelEnv:
    """Create a PettingZoo environment for tasks with several agents; the settings are those of `puzzlebox.make`.

    Args:
        task: as for `puzzlebox.make`.
        render_mode: None or "rgb_array".
        max_cycles: steps after which all remaining agents are truncated. Default: no such limit.
        settings: see `puzzlebox.make`.
    """
    return ArenaParallelEnv(task, render_mode=render_mode, max_cycles=max_cycles, **settings)
