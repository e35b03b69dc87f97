"""Some environments of a vector, stepped one after the other, that write what comes of it into shared arrays."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from puzzlebox._native import Cruise, Stretch
from puzzlebox.arena.envs.arena import ArenaEnv
from puzzlebox.arena.envs.episodes import Snapshot
from puzzlebox.arena.envs.info import decision_of, plain_events, things_of
from puzzlebox.arena.envs.schedule import position_of
from puzzlebox.arena.envs.settings import Settings
from puzzlebox.arena.envs.sources import Named
from puzzlebox.arena.world import Event, Outcome

_ALIGNMENT = 64
_NO_REWARD = (0.0,)
# With which seed and options an environment is to begin an episode; None: it goes on with its own.
Wish = tuple[int | None, dict[str, Any]] | None
# What a step of each environment brings beside its observation, and how it is stored.
RESULTS = {"reward": np.float64, "terminated": np.bool_, "truncated": np.bool_}
INFOS = {
    "arena": np.int64,
    "passed": np.bool_,
    "latency": np.float64,
    "episode_return": np.float64,
    "health": np.float64,
    "lights": np.bool_,
}
# Whether an episode is decided, so that the second and third of them are known.
DECIDED, DECIDED_INFOS = "decided", ("passed", "latency")


class Board:
    """Arrays in one block of memory, a row for each environment: the action to take, and what came of it."""

    def __init__(self, space: spaces.Dict, count: int, memory: Any = None) -> None:
        forms: dict[str, tuple[tuple[int, ...], np.dtype[Any]]] = {"action": ((), np.dtype(np.int64))}
        forms |= {name: ((), np.dtype(kind)) for name, kind in {**RESULTS, **INFOS, DECIDED: np.bool_}.items()}
        forms |= {f"observation/{name}": (part.shape, part.dtype) for name, part in space.items()}  # type: ignore[misc]
        places, end = {}, 0
        for name, (shape, kind) in forms.items():
            places[name] = end
            end += -(-count * prod(shape) * kind.itemsize // _ALIGNMENT) * _ALIGNMENT
        self.size = end
        buffer = bytearray(end) if memory is None else memory
        self.columns: dict[str, npt.NDArray[Any]] = {
            name: np.frombuffer(buffer, kind, count * prod(shape), places[name]).reshape(count, *shape)
            for name, (shape, kind) in forms.items()
        }
        self.observations = {name: self.columns[f"observation/{name}"] for name in space}


@dataclass
class News:
    """What does not fit into arrays, by the number of the environment."""

    events: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    # Number and name of all things, where somebody sees segments.
    things: dict[int, tuple[tuple[int, str], ...]] = field(default_factory=dict)
    # The name of the task of an episode that began.
    tasks: dict[int, str] = field(default_factory=dict)
    # What was drawn for an episode of a template that began.
    variations: dict[int, dict[str, Any] | None] = field(default_factory=dict)
    # The end of an episode, where the next one began in the same step.
    finals: dict[int, tuple[dict[str, Any], dict[str, Any]]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether there is any."""
        return any((self.events, self.errors, self.things, self.tasks, self.variations, self.finals))


@dataclass(frozen=True)
class Job:
    """All a group has to know: what each of its environments plays, and which rows of the board are theirs."""

    shares: Sequence[Sequence[Named]]
    settings: Settings
    first: int
    count: int
    same_step: bool
    render_mode: str | None


class Group:
    """Environments `first`, `first + 1`, ... of a vector."""

    def __init__(self, job: Job, memory: Any) -> None:
        asked = job.settings.as_dict()
        self.envs = [ArenaEnv(share, render_mode=job.render_mode, **asked) for share in job.shares]
        self._first = job.first
        self._same_step = job.same_step
        self._completes = self.envs[0].completes
        self._plain = job.settings.infos != "all"
        board = Board(self.envs[0].observation_space, job.count, memory)  # type: ignore[arg-type]
        self._actions = board.columns["action"][job.first : job.first + len(self.envs)]
        self._results = [board.columns[name] for name in (*RESULTS, *INFOS, DECIDED)]
        self._ends = [board.columns[name] for name in ("terminated", "truncated")]
        self._cells = [board.columns[name] for name in ("reward", "episode_return", "health")]
        rows = range(job.first, job.first + len(self.envs))
        self._views = [{name: column[row] for name, column in board.observations.items()} for row in rows]
        self._over = [False] * len(self.envs)
        # How to step those in which nothing but physics happens now.
        self._cruises: list[Cruise | None] = [None] * len(self.envs)
        # Whose episode has just begun and may be of another variation.
        self._begun: set[int] = set()
        self._varied: set[int] = set()

    def check(self, wishes: Sequence[Wish]) -> None:
        """Complain of an arena that some environment would not find in the task it plays next."""
        for index, wish in enumerate(wishes):
            if wish is None or wish[1].get("arena") is None:
                continue
            schedule, (seed, options) = self.envs[index]._schedule, wish
            tasks = options.get("task") or (schedule.tasks if seed is not None else [schedule.upcoming])
            try:
                position_of(options["arena"], tasks[0].played)
            except ValueError as problem:
                raise ValueError(f"environment {self._first + index}: {problem}; none was reset") from None

    def reset(self, wishes: Sequence[Wish]) -> News:
        """Begin an episode in each that has a wish."""
        news = News()
        self._stop_cruising()
        self._write({index: self._begin(index, *wish) for index, wish in enumerate(wishes) if wish is not None}, news)
        return news

    def _begin(self, index: int, seed: int | None = None, options: dict[str, Any] | None = None) -> Outcome:
        events = self.envs[index].begin(seed, options)
        self._over[index] = False
        self._begun.add(index)
        return Outcome(_NO_REWARD, False, False, events)

    def step(self) -> News:
        """Let each act as the board says; one whose episode is over begins the next."""
        news = News()
        outcomes: dict[int, Outcome] = {}
        cruises = self._cruises
        # All act before any looks: what the one and the other need then stays in the processor's caches for longer.
        for index, action in enumerate(self._actions.tolist()):
            cruise = cruises[index]
            stretch = False if cruise is None else cruise.go(action)
            if stretch is not None:
                cruises[index] = None
                outcomes[index] = self._act(index, action, stretch, news)
        for cruise in cruises:
            if cruise is not None:
                cruise.perceive()
        if self._completes:
            for env, cruise, view in zip(self.envs, cruises, self._views, strict=True):
                if cruise is not None:
                    env.complete(view)
        self._write(outcomes, news)
        for index, outcome in outcomes.items():
            # A cruise leaves alone what says that an episode has ended: the step after the end writes it anew.
            if not (outcome.terminated or outcome.truncated):
                self._set_out(index)
        return news

    def _set_out(self, index: int) -> None:
        """See whether an environment can take its next steps without the rules."""
        cruise = self.envs[index].cruise(self._views[index])
        if cruise is not None:
            cruise.tell(*self._cells, self._first + index)
        self._cruises[index] = cruise

    def _stop_cruising(self) -> None:
        """Somebody may change the environments."""
        self._cruises = [None] * len(self.envs)

    def _act(self, index: int, action: int, stretch: Stretch | Literal[False], news: News) -> Outcome:
        """Let one act, go on where a cruise left off, or begin its next episode."""
        if self._over[index]:
            return self._begin(index)
        env = self.envs[index]
        outcome = env.resume(stretch) if stretch else env.act(action)
        self._over[index] = outcome.terminated or outcome.truncated
        if self._over[index] and self._same_step:
            news.finals[self._first + index] = (env.perceive(), env.info(outcome.events))
            return outcome._replace(events=self._begin(index).events)
        return outcome

    def _write(self, outcomes: dict[int, Outcome], news: News) -> None:
        """Write down how environments are now, and what came of what they did."""
        if not outcomes:
            return
        results = []
        for index, outcome in outcomes.items():
            env = self.envs[index]
            world = env.world
            env.perceive(self._views[index])
            animal, passed, latency = world.animals[0].motor, *decision_of(world, world.animals[0])
            results.append(
                (
                    *(outcome.rewards[0], outcome.terminated, outcome.truncated),
                    *(world.arena.id, passed is True, latency or 0.0, animal.total, animal.health, world.lights),
                    passed is not None,
                )
            )
            if outcome.events or index in self._begun or world.error is not None or env.settings.segments:
                self._report(index, outcome.events, news)
        rows = [self._first + index for index in outcomes]
        for column, values in zip(self._results, zip(*results, strict=True), strict=True):
            column[rows] = values

    def _report(self, index: int, events: tuple[Event, ...], news: News) -> None:
        """What of an environment does not fit into arrays."""
        env, row = self.envs[index], self._first + index
        world = env.world
        if events:
            news.events[row] = plain_events(events) if self._plain else events
        if world.error is not None:
            news.errors[row] = world.error
        if index in self._begun:
            self._begun.discard(index)
            news.tasks[row] = env._schedule.name
            variation = env._schedule.variation
            if variation is not None or index in self._varied:
                self._varied.add(index)
                news.variations[row] = variation
        if env.settings.segments:
            news.things[row] = things_of(world)

    def restore(self, snapshots: Sequence[Snapshot | None]) -> News:
        """Be where snapshots were taken, in each environment that has one."""
        news = News()
        self._stop_cruising()
        outcomes = {}
        for index, snapshot in enumerate(snapshots):
            if snapshot is not None:
                env = self.envs[index]
                env.restore(snapshot)
                self._begun.add(index)
                self._over[index] = env.over
                outcomes[index] = Outcome(_NO_REWARD, *env.ends, ())
        self._write(outcomes, news)
        return news

    def put(self, wanted: Sequence[bool], name: str, values: Sequence[Any]) -> None:
        """Set an attribute of each that is wanted."""
        self._stop_cruising()
        for env, own, value in zip(self.envs, wanted, values, strict=True):
            if own:
                setattr(env, name, value)

    def get(self, wanted: Sequence[bool], name: str) -> list[Any]:
        """What an attribute of each that is wanted is."""
        self._stop_cruising()
        return [getattr(env, name) for env, own in zip(self.envs, wanted, strict=True) if own]

    def call(self, wanted: Sequence[bool], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """What an attribute of each that is wanted is, or what it returns when it is called."""
        self._stop_cruising()
        found = [getattr(env, name) for env, own in zip(self.envs, wanted, strict=True) if own]
        answers = [each(*args, **kwargs) if callable(each) else each for each in found]
        self._look_again()
        return answers

    def _look_again(self) -> None:
        """An environment may play another episode now, as after `restore`."""
        for index, env in enumerate(self.envs):
            self._begun.add(index)
            if self._over[index] and env._world is not None and not env.over:
                self._over[index] = False
                for flags in self._ends:
                    flags[self._first + index] = False
