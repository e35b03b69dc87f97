"""Several agents in one arena, as a PettingZoo environment: all of them act at once."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from puzzlebox.arena.envs.arena import OPTIONS, RENDER_MODES, Snapshot
from puzzlebox.arena.envs.copying import Copied
from puzzlebox.arena.envs.programme import Programme
from puzzlebox.arena.envs.settings import (
    Observation,
    Perception,
    Settings,
    camera,
    checked_options,
    checked_seed,
    checked_whole,
    refuse_unknown,
    shaped,
    things_of,
    told_of,
)
from puzzlebox.arena.envs.sources import Source, arenas_of, tasks_of
from puzzlebox.arena.rules import PHYSICS_STEP, Rules
from puzzlebox.arena.world import Event, World
from puzzlebox.seeds import next_episode_seed, rng_from
from puzzlebox.text import closest, nearest

if TYPE_CHECKING:
    from puzzlebox.arena.senses.camera import Camera

try:
    from pettingzoo import ParallelEnv  # type: ignore[import-untyped]
except ImportError:  # pragma: no cover
    raise ImportError("several agents need PettingZoo; pip install 'puzzlebox[multi]' brings it") from None

_RENDERED = 512
_NOOP = 0


@dataclass(frozen=True)
class ParallelSnapshot(Snapshot):
    """Where an environment of several agents is, and who of them still acts."""

    agents: tuple[str, ...]


class ArenaParallelEnv(Copied, ParallelEnv):  # type: ignore[misc]
    """Agents `agent_0`, `agent_1`, ... in file order, each with its own senses.

    An agent that is done leaves `agents` and stands where it is until the episode is over; where an arena may merge
    into the next one, all stay until then, since they will act again. Seeds, the order of arenas and the options of
    `reset` are as in `ArenaEnv`; `info` of an agent holds what is told there, and `team`.

    Args:
        task: a path, the name of a bundled task, YAML text or a Task; or a list or pattern of them, one episode each.
        render_mode: None or "rgb_array".
        max_cycles: after so many steps all that are left are truncated; None: the arena's time limit alone counts.
        settings: see `Settings`.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "puzzlebox/Arena-v1",
        "render_modes": list(RENDER_MODES),
        "render_fps": round(1 / (Rules().decision_period * PHYSICS_STEP)),
        "is_parallelizable": True,
    }
    _made = ("_perceptions", "_painter", "_always")
    _owned = ("agents", "possible_agents", "observation_spaces", "action_spaces", "_generator")

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
        refuse_unknown(settings, ["task", "render_mode", "max_cycles", *Settings.__dataclass_fields__])
        self.render_mode = render_mode
        self.max_cycles = max_cycles
        self.settings = Settings.of(**settings)
        self._programme = Programme(tasks_of(task))
        arenas = [arena for each in self._programme.tasks for arena in arenas_of(each.played)]
        self.possible_agents = _names(max(1, *(len(arena.agents()) for arena in arenas)))
        self.agents: list[str] = []
        # Spaces can be seeded, so that each agent has its own.
        self.observation_spaces = {agent: Perception(self.settings).space for agent in self.possible_agents}
        self.action_spaces = {agent: self.settings.action_space for agent in self.possible_agents}
        self._generator = rng_from(None)
        self._world: World | None = None
        self._fit_out()

    def _fit_out(self) -> None:
        """What is made from the settings, here and after unpickling."""
        # Frames of the past are one's own, so that each agent has its own senses.
        self._perceptions = [Perception(self.settings) for _ in self.possible_agents]
        self._painter: Camera | None = None
        self._always = {} if self.settings.rays is None else {"ray_tags": self._perceptions[0].ray_tags}

    def observation_space(self, agent: str) -> Any:
        """What an agent can perceive."""
        self._check_agent(agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """What an agent can do."""
        self._check_agent(agent)
        return self.action_spaces[agent]

    def _check_agent(self, agent: str) -> None:
        refuse_unknown({agent: None}, self.possible_agents, "agent")

    @property
    def world(self) -> World:
        """The episode that is played."""
        if self._world is None:
            self._check_open()
            raise RuntimeError("there is no episode yet; call reset() first")
        return self._world

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin the next episode."""
        self._check_open()
        seed = checked_seed(seed)
        if isinstance(options, Mapping):
            # PettingZoo's checks send options of their own; only what looks like a slip is refused.
            options = {word: value for word, value in options.items() if closest(str(word), OPTIONS)}
        options = checked_options(options, OPTIONS)
        programme, generator = self._programme, self._generator
        if options.get("task") is not None:
            programme = Programme(tasks_of(options["task"]))
        elif seed is not None:
            programme = Programme(programme.tasks)
        if seed is not None:
            generator = rng_from(seed)
        task, position = programme.next(generator, options.get("arena"))
        count = max(1, len(task.arenas[position].agents()))
        if count > len(self.possible_agents):
            most = len(self.possible_agents)
            raise ValueError(f"the task has {count} agents and this environment was made for {most}; make a new one")
        own = next_episode_seed(generator) if seed is None else seed
        self._world = World(task, arena=position, seed=own, rules=self.settings.rules)
        self._programme, self._generator = programme, generator
        self.agents = _names(count)
        events = self._world.take_events()
        return self._observe(self.agents), {agent: self._info(agent, events) for agent in self.agents}

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Let every agent that is left act; those that are done do nothing."""
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
        """Whether the episode has had as many steps as it may have."""
        limits = (self.max_cycles, self.settings.max_episode_steps)
        return any(limit is not None and len(self.world.actions) >= limit for limit in limits)

    @staticmethod
    def _index(agent: str) -> int:
        return int(agent.removeprefix("agent_"))

    def _observe(self, agents: list[str]) -> dict[str, Observation]:
        indices = {agent: self._index(agent) for agent in agents}
        return {agent: self._perceptions[index].perceive(self.world, index) for agent, index in indices.items()}

    def _look(self, world: World) -> None:
        for index in range(len(world.animals)):
            self._perceptions[index].perceive(world, index)

    def _info(self, agent: str, events: tuple[Event, ...]) -> dict[str, Any]:
        world = self.world
        animal = world.animals[self._index(agent)]
        told = {"task": self._programme.name} | told_of(world, animal, events)
        told |= {"team": animal.asked["team"]} | self._always
        if self._programme.variation is not None:
            told["variation"] = self._programme.variation
        if self.settings.segments:
            told["things"] = things_of(world)
        return shaped(told, self.settings.infos)

    def render(self) -> Any:
        """What the first agent sees, large."""
        if self.render_mode is None:
            return None
        if self._painter is None:
            self._painter = camera(_RENDERED)
        return self._painter.look(self.world)

    # --- going back

    def snapshot(self) -> ParallelSnapshot:
        """Everything needed to be here again, in this or another process."""
        chances = self._generator.bit_generator.state
        return ParallelSnapshot(self.world.snapshot(), self._programme.copy(), chances, tuple(self.agents))

    def restore(self, snapshot: ParallelSnapshot) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Be where a snapshot was taken, by playing its episode again; what `reset` would return there."""
        self._check_open()
        if not isinstance(snapshot, ParallelSnapshot):
            raise TypeError(f"only what `snapshot` returned can be restored, not {type(snapshot).__name__}")
        if snapshot.record.rules != self.settings.rules:
            raise ValueError(
                "the snapshot was taken under other rules; make an environment with rules=snapshot.record.rules"
            )
        refuse_unknown(dict.fromkeys(snapshot.agents), self.possible_agents, "agent")
        self._world = self._replayed(snapshot.record)
        self._programme = snapshot.programme.copy()
        self._generator.bit_generator.state = dict(snapshot.chances)
        self.agents = list(snapshot.agents)
        return self._observe(self.agents), {agent: self._info(agent, ()) for agent in self.agents}

    def close(self) -> None:
        """End the episode, for good."""
        self._closed, self._world, self.agents = True, None, []


def _names(count: int) -> list[str]:
    return [f"agent_{index}" for index in range(count)]


def make_parallel(
    task: Source | Iterable[Source] = (),
    *,
    render_mode: str | None = None,
    max_cycles: int | None = None,
    **settings: Any,
) -> ArenaParallelEnv:
    """A PettingZoo environment for tasks with several agents; the settings are those of `puzzlebox.make`.

    Args:
        task: as for `puzzlebox.make`.
        render_mode: None or "rgb_array".
        max_cycles: after so many steps all that are left are truncated; None: the arena's time limit alone counts.
        settings: see `puzzlebox.make`.
    """
    return ArenaParallelEnv(task, render_mode=render_mode, max_cycles=max_cycles, **settings)
