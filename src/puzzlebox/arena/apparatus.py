"""What agents play in: an environment with one animal, or with several."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from puzzlebox.arena.envs.arena import ArenaEnv, make
from puzzlebox.arena.rules import Rules
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.world import Event, Outcome, World
from puzzlebox.arena.world.actions import NOOP

if TYPE_CHECKING:
    from puzzlebox.arena.envs.parallel import ArenaParallelEnv

Env = TypeVar("Env", bound="ArenaEnv | ArenaParallelEnv")


class _InEnvironment(Generic[Env]):
    """Episodes with certain rules and senses, in an environment that `begin` makes."""

    _env: Env

    def __init__(self, rules: Rules, senses: Mapping[str, Any]) -> None:
        self._rules, self._senses = rules, senses

    @property
    def session(self) -> World:
        """Return the current episode."""
        return self._env.world


class Alone(_InEnvironment[ArenaEnv]):
    """Episodes of one animal, one after the other, in one environment."""

    def begin(self, task: Task, start: int, seed: int) -> tuple[Event, ...]:
        """Start an episode and return its first events."""
        if not hasattr(self, "_env"):
            self._env = make(task, rules=self._rules, **self._senses)
        self._events = self._env.begin(seed, {"task": task, "arena": task.arenas[start].id})
        return self._events

    def perceive(self) -> dict[int, tuple[Any, dict[str, Any]]]:
        """Return observation and info of the animal, by its index."""
        return {0: (self._env.perceive(), self._env.info(self._events))}

    def act(self, actions: Mapping[int, Any]) -> Outcome:
        """Play one decision of the animal."""
        outcome = self._env.act(self._env.settings.action(actions[0]))
        self._events = outcome.events
        return outcome


class Together(_InEnvironment["ArenaParallelEnv"]):
    """Episodes of several animals in one arena."""

    def begin(self, task: Task, start: int, seed: int) -> tuple[Event, ...]:
        """Start an episode and return its first events."""
        from puzzlebox.arena.envs.parallel import make_parallel  # imports PettingZoo, which is optional

        self._env = make_parallel(task, rules=self._rules, **self._senses)
        self._observations, self._infos = self._env.reset(
            seed=seed, options={"task": task, "arena": task.arenas[start].id}
        )
        return self._events()

    def perceive(self) -> dict[int, tuple[Any, dict[str, Any]]]:
        """Return observation and info of each animal that is not done, by its index."""
        numbers = {name: number for number, name in enumerate(self._env.possible_agents)}
        return {numbers[name]: (self._observations[name], self._infos[name]) for name in self._env.agents}

    def act(self, actions: Mapping[int, Any]) -> Outcome:
        """Play one decision of all animals that are not done."""
        if not self._env.agents:  # all are done, and the notification is being shown
            return self.session.step([NOOP] * len(self.session.animals))
        names = self._env.possible_agents
        self._observations, rewards, ended, cut, self._infos = self._env.step(
            {names[number]: action for number, action in actions.items()}
        )
        earned = tuple(rewards.get(name, 0.0) for name in names)
        return Outcome(earned, any(ended.values()), any(cut.values()), self._events())

    def _events(self) -> tuple[Event, ...]:
        """Return the events of the latest step, which all animals share."""
        return next(iter(self._infos.values()))["events"]  # type: ignore[no-any-return]
