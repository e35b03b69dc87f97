"""The common base of all environments of the arena: schedule, current episode, pictures, snapshots and copies."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from puzzlebox.arena.envs.info import filter_info, info_of, things_of
from puzzlebox.arena.envs.schedule import Schedule
from puzzlebox.arena.envs.settings import Settings, checked_options, checked_seed
from puzzlebox.arena.envs.sources import NamedTask, tasks_of
from puzzlebox.arena.rules import Rules
from puzzlebox.arena.schema import Task
from puzzlebox.arena.senses.camera import LARGEST, Camera
from puzzlebox.arena.things import Agent
from puzzlebox.arena.world import Event, Record, World
from puzzlebox.seeds import next_episode_seed

RENDER_MODES = ("rgb_array",)
OPTIONS = ("task", "arena")


@dataclass(frozen=True)
class Snapshot:
    """The state of an environment: the episode so far, the schedule after it, and the state of its random stream."""

    record: Record
    schedule: Schedule
    rng: Mapping[str, Any]


class EpisodicEnv:
    """An environment that plays one episode after the other.

    Copies and pickles in the middle of an episode contain its record, which is replayed.

    Attributes:
        settings: the settings of the environment.
        render_mode: how it is shown.
        _derived: attributes that `_derive` creates from the settings; copies do not contain them.
        _copied: attributes that are deep-copied. All others never change and are shared, above all the tasks.
        _no_episode_error: the class of the error that is raised if an episode is needed and there is none.
    """

    _derived: ClassVar[Iterable[str]] = ()
    _copied: ClassVar[Iterable[str]] = ()
    _no_episode_error: ClassVar[type[Exception]] = RuntimeError
    settings: Settings
    render_mode: str | None
    _world: World | None
    _schedule: Schedule
    _closed = False
    _painter: Camera | None = None
    # The entries that are the same in every `info` of this environment.
    _constant_info: Mapping[str, Any]

    def _derive(self) -> None:
        """Create the attributes that `_derived` names."""
        raise NotImplementedError

    def _check_open(self) -> None:
        """Raise a RuntimeError after `close`."""
        if self._closed:
            raise RuntimeError("the environment is closed; make a new one")

    @property
    def world(self) -> World:
        """Return the current episode."""
        if self._world is None:
            self._check_open()
            raise self._no_episode_error("there is no episode yet; call reset() first")
        return self._world

    # --- the next episode

    def _rng(self, seed: int | None) -> np.random.Generator:
        """Return the random stream of this environment; with a seed, a new one."""
        raise NotImplementedError

    def _keep_rng(self, rng: np.random.Generator) -> None:
        """Use a random stream from now on."""
        raise NotImplementedError

    def _check_tasks(self, tasks: list[NamedTask]) -> list[NamedTask]:
        """Raise an error for tasks that this kind of environment cannot play."""
        return tasks

    def _check_episode(self, schedule: Schedule, task: Task, position: int) -> None:
        """Raise an error for an episode that this environment cannot play."""

    def _begin(self, seed: Any, options: Any) -> World:
        """Start the next episode; if that fails, the schedule stays unchanged.

        With a seed the episode has that seed, and the schedule starts over; without one, the seed is drawn.
        """
        self._check_open()
        seed, options = checked_seed(seed), checked_options(options, OPTIONS)
        schedule = self._schedule
        if options.get("task") is not None:
            schedule = Schedule(self._check_tasks(tasks_of(options["task"])))
        elif seed is not None:
            schedule = schedule.restart()
        rng = self._rng(seed)
        task, position = schedule.next(rng, options.get("arena"))
        self._check_episode(schedule, task, position)
        own = next_episode_seed(rng) if seed is None else seed
        self._world = World(task, arena=position, seed=own, rules=self.settings.rules)
        self._schedule = schedule
        self._keep_rng(rng)
        return self._world

    # --- info

    def _info_of(self, animal: Agent, events: tuple[Event, ...], extra: Mapping[str, Any]) -> dict[str, Any]:
        """Return the `info` of an animal's agent, as the settings define it."""
        world = self.world
        info = info_of(world, animal, events)
        info["task"] = self._schedule.name
        info.update(extra)
        if self._schedule.variation is not None:
            info["variation"] = self._schedule.variation
        if self.settings.segments:
            info["things"] = things_of(world)
        return filter_info(info, self.settings.infos)

    def render(self) -> npt.NDArray[np.uint8] | None:
        """Return what the first agent sees, 512 x 512 pixels; None in the mode `human`, which shows each step."""
        if self.render_mode != "rgb_array":
            return None
        if self._painter is None:
            self._painter = Camera(LARGEST)
        return self._painter.look(self.world)

    # --- snapshots

    @staticmethod
    def check_snapshot(snapshot: Any, rules: Rules, kind: type[Snapshot] = Snapshot) -> None:
        """Raise an error for a snapshot that cannot be restored under these rules."""
        if not isinstance(snapshot, kind):
            raise TypeError(f"only what `snapshot` returned can be restored, not {type(snapshot).__name__}")
        if snapshot.record.rules != rules:
            raise ValueError(
                "the snapshot was taken under other rules; make an environment with rules=snapshot.record.rules"
            )

    def _state(self) -> tuple[Record, Schedule, Mapping[str, Any]]:
        """Return the fields of a snapshot."""
        return self.world.snapshot(), self._schedule.copy(), self._rng(None).bit_generator.state

    def _restore(self, snapshot: Snapshot) -> None:
        """Return to the state of a snapshot by replaying its episode."""
        self._world = self._replay(snapshot.record)
        self._schedule = snapshot.schedule.copy()
        self._rng(None).bit_generator.state = dict(snapshot.rng)

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes, with the episode as a record."""
        state = {name: value for name, value in self.__dict__.items() if name not in self._derived}
        state["_world"] = None if self._world is None else self._world.snapshot()
        state["_schedule"] = self._schedule.copy()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Set the attributes and replay the episode."""
        self.__dict__.update(state)
        record = state["_world"]
        self._derive()
        self._world = None if record is None else self._replay(record)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return a second environment in the same state, with its own random stream."""
        twin = object.__new__(type(self))
        memo[id(self)] = twin
        state = self.__getstate__()
        state.update({name: deepcopy(state[name], memo) for name in self._copied if name in state})
        twin.__setstate__(state)
        return twin

    def _perceive(self, world: World) -> None:
        """Read the senses during a replay, so that stacked frames of later observations are right."""
        raise NotImplementedError

    def _replay(self, record: Record) -> World:
        """Return the world at the end of a record, without events, after reading the frames that are stacked."""
        first = max(0, len(record.actions) - self.settings.frame_stack + 1)
        world = World.replay(replace(record, actions=record.actions[:first]))
        for actions in record.actions[first:]:
            self._perceive(world)
            world.step(actions)
        world.take_events()
        if self.settings.frame_stack > 1:
            self._perceive(world)
        return world
