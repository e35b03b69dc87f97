"""A group of environments of a vector, stepped one after the other, which write their results to shared arrays."""

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
from puzzlebox.arena.envs.schedule import Pool, position_of
from puzzlebox.arena.envs.settings import Settings
from puzzlebox.arena.envs.sources import NamedTask
from puzzlebox.arena.world import Event, Outcome

_ALIGNMENT = 64
_NO_REWARD = (0.0,)
# The seed and options with which an environment starts an episode; None: it continues its own.
ResetRequest = tuple[int | None, dict[str, Any]] | None
# The results of a step besides the observation, with the type of their arrays.
RESULTS = {"reward": np.float64, "terminated": np.bool_, "truncated": np.bool_}
INFOS = {
    "arena": np.int64,
    "passed": np.bool_,
    "latency": np.float64,
    "episode_return": np.float64,
    "health": np.float64,
    "lights": np.bool_,
}
# Whether an episode is decided, so that `passed` and `latency` are known.
DECIDED, DECIDED_INFOS = "decided", ("passed", "latency")


class Board:
    """Arrays in one block of memory, a row for each environment: its action, and the results of its step."""

    def __init__(self, space: spaces.Dict, count: int, memory: Any = None) -> None:
        kinds: dict[str, tuple[tuple[int, ...], np.dtype[Any]]] = {"action": ((), np.dtype(np.int64))}
        kinds |= {name: ((), np.dtype(kind)) for name, kind in {**RESULTS, **INFOS, DECIDED: np.bool_}.items()}
        kinds |= {f"observation/{name}": (part.shape, part.dtype) for name, part in space.items()}  # type: ignore[misc]
        offsets, end = {}, 0
        for name, (shape, kind) in kinds.items():
            offsets[name] = end
            end += -(-count * prod(shape) * kind.itemsize // _ALIGNMENT) * _ALIGNMENT
        self.size = end
        buffer = bytearray(end) if memory is None else memory
        self.columns: dict[str, npt.NDArray[Any]] = {
            name: np.frombuffer(buffer, kind, count * prod(shape), offsets[name]).reshape(count, *shape)
            for name, (shape, kind) in kinds.items()
        }
        self.observations = {name: self.columns[f"observation/{name}"] for name in space}


@dataclass
class Updates:
    """What does not fit into arrays, by the index of the environment."""

    events: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    # Id and name of all things, if the settings have segments.
    things: dict[int, tuple[tuple[int, str], ...]] = field(default_factory=dict)
    # The name of the task of an episode that started.
    tasks: dict[int, str] = field(default_factory=dict)
    # The drawn values of an episode of a template that started.
    variations: dict[int, dict[str, Any] | None] = field(default_factory=dict)
    # The last observation and info of an episode, if the next one started in the same step.
    finals: dict[int, tuple[dict[str, Any], dict[str, Any]]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Return whether there is any update."""
        return any((self.events, self.errors, self.things, self.tasks, self.variations, self.finals))


@dataclass(frozen=True)
class Job:
    """What a group needs: the tasks of each of its environments, the settings, and its rows of the board."""

    shares: Sequence[Sequence[NamedTask]]
    settings: Settings
    first: int
    count: int
    same_step: bool
    render_mode: str | None


class Group:
    """Environments `first`, `first + 1`, ... of a vector."""

    def __init__(self, job: Job, memory: Any) -> None:
        settings = job.settings.as_dict()
        self.envs = [ArenaEnv(share, render_mode=job.render_mode, **settings) for share in job.shares]
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
        # The native loop of each environment in which no rule can fire now.
        self._cruises: list[Cruise | None] = [None] * len(self.envs)
        # Environments whose episode has just started, and those that ever played a template.
        self._started: set[int] = set()
        self._varied: set[int] = set()
        self._pool_tasks: tuple[NamedTask, ...] = ()

    def check(self, requests: Sequence[ResetRequest]) -> None:
        """Raise a ValueError if an environment would not find the requested arena in its next task."""
        for index, request in enumerate(requests):
            if request is None or request[1].get("arena") is None:
                continue
            schedule, (seed, options) = self.envs[index]._schedule, request
            if schedule.pool is not None and options.get("task") is None:
                raise ValueError(
                    "task weights are set, so that it is open which task is next; give a task together with the arena"
                )
            tasks = options.get("task") or (schedule.tasks if seed is not None else [schedule.upcoming])
            try:
                position_of(options["arena"], tasks[0].task)
            except ValueError as problem:
                raise ValueError(f"environment {self._first + index}: {problem}; none was reset") from None

    def reset(self, requests: Sequence[ResetRequest]) -> Updates:
        """Start an episode in each environment that has a request."""
        updates = Updates()
        self._stop_cruising()
        self._write(
            {index: self._begin(index, *request) for index, request in enumerate(requests) if request is not None},
            updates,
        )
        return updates

    def _begin(self, index: int, seed: int | None = None, options: dict[str, Any] | None = None) -> Outcome:
        events = self.envs[index].begin(seed, options)
        self._over[index] = False
        self._started.add(index)
        return Outcome(_NO_REWARD, False, False, events)

    def step(self) -> Updates:
        """Step each environment by its action on the board; if an episode is over, start the next one."""
        updates = Updates()
        outcomes: dict[int, Outcome] = {}
        cruises = self._cruises
        # All environments act before any is observed, which keeps the data of either part in the processor's caches.
        for index, action in enumerate(self._actions.tolist()):
            cruise = cruises[index]
            stretch = False if cruise is None else cruise.go(action)
            if stretch is not None:
                cruises[index] = None
                outcomes[index] = self._act(index, action, stretch, updates)
        for cruise in cruises:
            if cruise is not None:
                cruise.perceive()
        if self._completes:
            for env, cruise, view in zip(self.envs, cruises, self._views, strict=True):
                if cruise is not None:
                    env.complete(view)
        self._write(outcomes, updates)
        for index, outcome in outcomes.items():
            # A cruise does not write the flags of an ended episode, so it starts only after a step has reset them.
            if not (outcome.terminated or outcome.truncated):
                self._start_cruise(index)
        return updates

    def _start_cruise(self, index: int) -> None:
        """Start a cruise of an environment, if no rule can fire in its next steps."""
        cruise = self.envs[index].cruise(self._views[index])
        if cruise is not None:
            cruise.tell(*self._cells, self._first + index)
        self._cruises[index] = cruise

    def _stop_cruising(self) -> None:
        """End all cruises, since a caller may change the environments."""
        self._cruises = [None] * len(self.envs)

    def _act(self, index: int, action: int, stretch: Stretch | Literal[False], updates: Updates) -> Outcome:
        """Step one environment, finish the decision of its cruise, or start its next episode."""
        if self._over[index]:
            return self._begin(index)
        env = self.envs[index]
        outcome = env.resume(stretch) if stretch else env.act(action)
        self._over[index] = outcome.terminated or outcome.truncated
        if self._over[index] and self._same_step:
            updates.finals[self._first + index] = (env.perceive(), env.info(outcome.events))
            return outcome._replace(events=self._begin(index).events)
        return outcome

    def _write(self, outcomes: dict[int, Outcome], updates: Updates) -> None:
        """Write the state of environments and the results of their step to the board."""
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
            if outcome.events or index in self._started or world.error is not None or env.settings.segments:
                self._report(index, outcome.events, updates)
        rows = [self._first + index for index in outcomes]
        for column, values in zip(self._results, zip(*results, strict=True), strict=True):
            column[rows] = values

    def _report(self, index: int, events: tuple[Event, ...], updates: Updates) -> None:
        """Add what does not fit into arrays to the updates."""
        env, row = self.envs[index], self._first + index
        world = env.world
        if events:
            updates.events[row] = plain_events(events) if self._plain else events
        if world.error is not None:
            updates.errors[row] = world.error
        if index in self._started:
            self._started.discard(index)
            updates.tasks[row] = env._schedule.name
            variation = env._schedule.variation
            if variation is not None or index in self._varied:
                self._varied.add(index)
                updates.variations[row] = variation
        if env.settings.segments:
            updates.things[row] = things_of(world)

    def restore(self, snapshots: Sequence[Snapshot | None]) -> Updates:
        """Return to the states of snapshots, in each environment that has one."""
        updates = Updates()
        self._stop_cruising()
        outcomes = {}
        for index, snapshot in enumerate(snapshots):
            if snapshot is not None:
                env = self.envs[index]
                env.restore(snapshot)
                self._started.add(index)
                self._over[index] = env.over
                outcomes[index] = Outcome(_NO_REWARD, *env.ends, ())
        self._write(outcomes, updates)
        return updates

    def set_weights(self, tasks: tuple[NamedTask, ...] | None, weights: Sequence[float] | None) -> None:
        """Draw the tasks of the next episodes from a pool, or play those of each environment in turn.

        Args:
            tasks: the tasks of the pool; None for those of the last call.
            weights: the weight of each task; None for no pool.
        """
        self._pool_tasks = self._pool_tasks if tasks is None else tasks
        pool = None if weights is None else Pool.of(self._pool_tasks, weights)
        for env in self.envs:
            env._schedule.set_pool(pool)

    def set_attribute(self, selected: Sequence[bool], name: str, values: Sequence[Any]) -> None:
        """Set an attribute of each selected environment."""
        self._stop_cruising()
        for env, own, value in zip(self.envs, selected, values, strict=True):
            if own:
                setattr(env, name, value)

    def get_attribute(self, selected: Sequence[bool], name: str) -> list[Any]:
        """Return an attribute of each selected environment."""
        self._stop_cruising()
        return [getattr(env, name) for env, own in zip(self.envs, selected, strict=True) if own]

    def call(self, selected: Sequence[bool], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """Return an attribute of each selected environment, or the result of calling it."""
        self._stop_cruising()
        attributes = [getattr(env, name) for env, own in zip(self.envs, selected, strict=True) if own]
        results = [each(*args, **kwargs) if callable(each) else each for each in attributes]
        self._refresh()
        return results

    def _refresh(self) -> None:
        """Update the flags of environments that may play another episode now, as after `restore`."""
        for index, env in enumerate(self.envs):
            self._started.add(index)
            if self._over[index] and env._world is not None and not env.over:
                self._over[index] = False
                for flags in self._ends:
                    flags[self._first + index] = False
