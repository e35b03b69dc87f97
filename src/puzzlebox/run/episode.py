"""An episode, decision by decision: of one animal, or of several in one arena.

Both kinds are begun once, with the arguments of an environment's `reset`, and then decided until their world is over.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from puzzlebox.agents import Agent
from puzzlebox.arena.envs.arena import ArenaEnv
from puzzlebox.arena.world import Event, World

if TYPE_CHECKING:
    from puzzlebox.arena.envs.parallel import ArenaParallelEnv


class Alone:
    """An episode of one animal."""

    def __init__(self, env: ArenaEnv, agent: Agent) -> None:
        self._env, self._agent = env, agent

    @property
    def world(self) -> World:
        """Where it is played."""
        return self._env.world

    def begin(self, **how: Any) -> Sequence[Event]:
        """Build the arena."""
        self._observation, self._info = self._env.reset(**how)
        return self._info["events"]  # type: ignore[no-any-return]

    def decide(self) -> Sequence[Event]:
        """Let the animal act once; nobody looks at what comes after the end."""
        env = self._env
        outcome = env.act(env.settings.action(self._agent.act(self._observation, self._info)))
        if not env.world.over:
            self._observation, self._info = env.perceive(), env.info(outcome.events)
        return outcome.events


class Together:
    """An episode of several animals, each played by an agent of its own."""

    def __init__(self, env: "ArenaParallelEnv", agents: Sequence[Agent]) -> None:
        self._env = env
        self._agents = dict(zip(env.possible_agents, agents, strict=True))

    @property
    def world(self) -> World:
        """Where it is played."""
        return self._env.world

    def begin(self, **how: Any) -> Sequence[Event]:
        """Build the arena."""
        self._observations, self._infos = self._env.reset(**how)
        return self._events()

    def decide(self) -> Sequence[Event]:
        """Let every animal act once that has not finished."""
        actions = {
            name: self._agents[name].act(self._observations[name], self._infos[name]) for name in self._env.agents
        }
        self._observations, _, _, _, self._infos = self._env.step(actions)
        return self._events()

    def _events(self) -> Sequence[Event]:
        """What happened, to whomever: all of them are told the same."""
        return next(iter(self._infos.values()))["events"]  # type: ignore[no-any-return]
