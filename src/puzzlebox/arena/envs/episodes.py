"""What all environments of an arena have in common: their schedule, their episode, pictures, snapshots and copies."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from puzzlebox.arena.envs.info import info_of, shaped, things_of
from puzzlebox.arena.envs.schedule import Schedule
from puzzlebox.arena.envs.settings import Settings, checked_options, checked_seed
from puzzlebox.arena.envs.sources import Named, tasks_of
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
    """Where an environment is: the episode so far, the schedule of what comes after it, and the state of its rng."""

    record: Record
    schedule: Schedule
    rng: Mapping[str, Any]


class Episodes:
    """An environment that plays one episode after the other.

    It is copied and pickled in the middle of an episode as the record of it, which is played again.

    Attributes:
        settings: what was chosen for it.
        render_mode: how it is shown.
        _made: what `_fit_out` makes from the settings; no copy takes it along.
        _owned: what a copy has of its own. The rest never changes and is shared, above all the tasks.
        _too_early: what is raised where an episode is needed and there is none.
    """

    _made: ClassVar[Iterable[str]] = ()
    _owned: ClassVar[Iterable[str]] = ()
    _too_early: ClassVar[type[Exception]] = RuntimeError
    settings: Settings
    render_mode: str | None
    _world: World | None
    _schedule: Schedule
    _closed = False
    _painter: Camera | None = None
    # What every `info` of this environment holds.
    _always: Mapping[str, Any]

    def _fit_out(self) -> None:
        """Make what `_made` names; each kind of environment knows how."""
        raise NotImplementedError

    def _check_open(self) -> None:
        """Refuse to play after `close`, which took the world away: whoever needs one and has none asks here."""
        if self._closed:
            raise RuntimeError("the environment is closed; make a new one")

    @property
    def world(self) -> World:
        """The episode that is played."""
        if self._world is None:
            self._check_open()
            raise self._too_early("there is no episode yet; call reset() first")
        return self._world

    # --- the next episode

    def _rng(self, seed: int | None) -> np.random.Generator:
        """The rng of this environment; with a seed, a new one made from it."""
        raise NotImplementedError

    def _keep_rng(self, rng: np.random.Generator) -> None:
        """Draw from this rng from now on."""
        raise NotImplementedError

    def _check_tasks(self, tasks: list[Named]) -> list[Named]:
        """Refuse tasks this kind of environment cannot play."""
        return tasks

    def _check_episode(self, schedule: Schedule, task: Task, position: int) -> None:
        """Refuse an episode this environment cannot play."""

    def _begin(self, seed: Any, options: Any) -> World:
        """Build the next episode; where that fails, the schedule stays as it was.

        With a seed it is the episode of that seed, and the schedule starts over; without, the seed is drawn.
        """
        self._check_open()
        seed, options = checked_seed(seed), checked_options(options, OPTIONS)
        schedule = self._schedule
        if options.get("task") is not None:
            schedule = Schedule(self._check_tasks(tasks_of(options["task"])))
        elif seed is not None:
            schedule = Schedule(schedule.tasks)
        rng = self._rng(seed)
        task, position = schedule.next(rng, options.get("arena"))
        self._check_episode(schedule, task, position)
        own = next_episode_seed(rng) if seed is None else seed
        self._world = World(task, arena=position, seed=own, rules=self.settings.rules)
        self._schedule = schedule
        self._keep_rng(rng)
        return self._world

    # --- beside the observation

    def _info_of(self, animal: Agent, events: tuple[Event, ...], more: Mapping[str, Any]) -> dict[str, Any]:
        """What is true for the agent of an animal beside its observation, as the settings ask for it."""
        world = self.world
        info = info_of(world, animal, events)
        info["task"] = self._schedule.name
        info.update(more)
        if self._schedule.variation is not None:
            info["variation"] = self._schedule.variation
        if self.settings.segments:
            info["things"] = things_of(world)
        return shaped(info, self.settings.infos)

    def render(self) -> npt.NDArray[np.uint8] | None:
        """What the first agent sees, with 512 x 512 pixels; None in the mode `human`, where each step shows itself."""
        if self.render_mode != "rgb_array":
            return None
        if self._painter is None:
            self._painter = Camera(LARGEST)
        return self._painter.look(self.world)

    # --- going back

    @staticmethod
    def check_snapshot(snapshot: Any, rules: Rules, kind: type[Snapshot] = Snapshot) -> None:
        """Refuse what cannot be restored under these rules."""
        if not isinstance(snapshot, kind):
            raise TypeError(f"only what `snapshot` returned can be restored, not {type(snapshot).__name__}")
        if snapshot.record.rules != rules:
            raise ValueError(
                "the snapshot was taken under other rules; make an environment with rules=snapshot.record.rules"
            )

    def _state(self) -> tuple[Record, Schedule, Mapping[str, Any]]:
        """What a snapshot holds."""
        return self.world.snapshot(), self._schedule.copy(), self._rng(None).bit_generator.state

    def _return_to(self, snapshot: Snapshot) -> None:
        """Be where a snapshot was taken, by playing its episode again."""
        self._world = self._replayed(snapshot.record)
        self._schedule = snapshot.schedule.copy()
        self._rng(None).bit_generator.state = dict(snapshot.rng)

    def __getstate__(self) -> dict[str, Any]:
        """As it is, with the episode as a record."""
        state = {name: value for name, value in self.__dict__.items() if name not in self._made}
        state["_world"] = None if self._world is None else self._world.snapshot()
        state["_schedule"] = self._schedule.copy()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Play the episode again."""
        self.__dict__.update(state)
        record = state["_world"]
        self._fit_out()
        self._world = None if record is None else self._replayed(record)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A second environment at the same point, with an rng of its own."""
        twin = object.__new__(type(self))
        memo[id(self)] = twin
        state = self.__getstate__()
        state.update({name: deepcopy(state[name], memo) for name in self._owned if name in state})
        twin.__setstate__(state)
        return twin

    def _look(self, world: World) -> None:
        """Perceive a moment of an episode that is played again, so that later observations can show it."""
        raise NotImplementedError

    def _replayed(self, record: Record) -> World:
        """The world at the end of a record, with no events left; stacked frames are looked at, the newest included."""
        first = max(0, len(record.actions) - self.settings.frame_stack + 1)
        world = World.replay(replace(record, actions=record.actions[:first]))
        for actions in record.actions[first:]:
            self._look(world)
            world.step(actions)
        world.take_events()
        if self.settings.frame_stack > 1:
            self._look(world)
        return world
