"""A wing made of Gymnasium environments: whoever has an environment and a list of tasks needs nothing else.

A subclass names itself, lists its tasks and makes its environment; recording, replaying, exporting and reporting
follow. An environment may put into its `info` what it knows beside the observation: `passed`, `events` (a list of
mappings with `kind` and `details`), `measures` (by the names of the wing's columns) and `error`.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym
import numpy as np

from puzzlebox.columns import Column, Kind
from puzzlebox.wings.actions import all_actions_in
from puzzlebox.wings.flags import OVER, PASSED
from puzzlebox.wings.protocols import Bundled, Camera, Flag, Found, Image, Leg, Ruling
from puzzlebox.wings.records import record_json

_DEFAULT = "default"


@dataclass(frozen=True)
class PlainTask:
    """A task that is a name and a mapping of plain values.

    Attributes:
        wing: the name of its wing.
        name: its name.
        settings: what the environment is made with.
    """

    wing: str
    name: str
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)
    starts: Sequence[int] = (0,)
    bodies: int = 1

    @property
    def title(self) -> str:
        """Its name."""
        return self.name

    @property
    def text(self) -> str:
        """The task as JSON."""
        return json.dumps({"name": self.name, "settings": dict(self.settings)}, sort_keys=True)

    def conditions(self, start: int) -> dict[str, Any]:
        """The position of the start."""
        return {"position": start, "last": start}


@dataclass(frozen=True)
class PlainEvent:
    """Something that happened: its kind, the step it happened at, and details as plain values."""

    kind: str
    step: int
    details: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class PlainOutcome:
    """What one decision brought: the reward of the body, and what happened."""

    rewards: tuple[float, ...]
    events: tuple[PlainEvent, ...]


@dataclass(frozen=True)
class PlainRecord:
    """All that is needed to play an episode again: task, start, seed and actions."""

    task: PlainTask
    arena: int
    seed: int
    actions: tuple[Any, ...] = ()
    rules: None = None

    @property
    def wing(self) -> str:
        """The wing of the task."""
        return self.task.wing

    def to_json(self) -> str:
        """The record as one line of JSON."""
        return record_json(self.task.wing, self.task.text, self.arena, self.seed, {}, self.actions)


class PlainSession:
    """An episode of a Gymnasium environment while it is played."""

    def __init__(self, task: PlainTask, start: int, seed: int) -> None:
        self._task, self._start, self._seed = task, start, seed
        self.clock, self.over, self.total = 0, False, 0.0
        self.cause: str | None = None
        self.actions: list[tuple[Any, ...]] = []
        self.info: dict[str, Any] = {}

    @property
    def error(self) -> str | None:
        """What the environment says went wrong."""
        return self.info.get("error")

    def passed(self) -> bool | None:
        """What the environment says."""
        return self.info.get("passed")

    def measures(self) -> Mapping[str, float | None]:
        """What the environment measured."""
        return dict(self.info.get("measures", {}))

    def flags(self) -> int:
        """Whether it is over and passed, as bits."""
        return (OVER if self.over else 0) | (PASSED if self.passed() else 0)

    def snapshot(self) -> PlainRecord:
        """The episode so far."""
        return PlainRecord(self._task, self._start, self._seed, tuple(self.actions))


class PlainApparatus:
    """A Gymnasium environment, used for one episode after the other."""

    def __init__(self, wing: "PlainWing", senses: Mapping[str, Any]) -> None:
        self._wing, self._senses = wing, senses
        self._env: gym.Env[Any, Any] | None = None
        self._task: PlainTask | None = None

    session: PlainSession

    def begin(self, task: PlainTask, start: int, seed: int) -> tuple[PlainEvent, ...]:
        """Reset the environment; another task needs another one."""
        if self._env is None or task != self._task:
            self._env, self._task = self._wing.make(task, **self._senses), task
        self.session = PlainSession(task, start, seed)
        self._observation, self.session.info = self._env.reset(seed=seed, options={"start": start})
        return self._events()

    def perceive(self) -> dict[int, tuple[Any, dict[str, Any]]]:
        """What the body perceives, unless the episode is over."""
        return {} if self.session.over else {0: (self._observation, self.session.info)}

    def act(self, actions: Mapping[int, Any]) -> PlainOutcome:
        """Take one step of the environment."""
        assert self._env is not None
        session, space = self.session, self._env.action_space
        action = actions[0]
        if isinstance(space, gym.spaces.Box):  # a recorded action is a tuple of numbers
            action = np.asarray(action, space.dtype).reshape(space.shape)
        self._observation, reward, terminated, truncated, session.info = self._env.step(action)
        session.clock += 1
        session.actions.append((action,))
        session.total += float(reward)
        session.over = bool(terminated or truncated)
        if session.over:
            session.cause = "completed" if terminated else "time"
        return PlainOutcome((float(reward),), self._events())

    def _events(self) -> tuple[PlainEvent, ...]:
        happened = self.session.info.get("events", ())
        return tuple(PlainEvent(each["kind"], self.session.clock, each.get("details", {})) for each in happened)


class PlainWing:
    """A wing of Gymnasium environments. A subclass has `name`, `tasks` and `make`, and `measures` if it likes."""

    name: str
    step_seconds: float = 1.0
    action_kind: Kind = "text"
    has_pictures: bool = False
    measures: Sequence[Column] = ()
    flags: Sequence[Flag] = ()
    logs: Mapping[str, str] = {}

    def tasks(self) -> Mapping[str, Mapping[str, Any]]:
        """All tasks by name, each with the settings its environment is made with."""
        raise NotImplementedError

    def make(self, task: PlainTask, **senses: Any) -> gym.Env[Any, Any]:
        """The environment of a task."""
        raise NotImplementedError

    def bundled(self) -> Iterator[Bundled]:
        """Yield each task with its name, without a level or tags."""
        for name in self.tasks():
            full = f"{self.name}/{name}"
            yield Bundled(full, "1 start", "", "", (), {"name": full, "wing": self.name})

    def inventory(self) -> str:
        """Return how many tasks there are."""
        count = len(self.tasks())
        return f"{count} bundled task{'' if count == 1 else 's'}"

    def places(self, source: str) -> Iterator[tuple[str, str]]:
        """The task of that name; all of them for "*"."""
        known = self.tasks()
        if source not in known and source != "*":
            raise FileNotFoundError(f"{self.name} has no task {source!r}; it has {', '.join(known)}")
        for name in known if source == "*" else [source]:
            yield f"{self.name}/{name}", name

    def load(self, name: str, place: str, *, variations: int, seed: int) -> Iterator[Found]:
        """The task of that name."""
        yield self.classify(name, PlainTask(self.name, place, self.tasks()[place]))

    def level_of(self, name: str) -> tuple[str, str] | None:
        """Nothing: names say no level here."""
        return None

    def read(self, text: str) -> PlainTask | None:
        """The task of a text."""
        try:
            data = json.loads(text)
            return PlainTask(self.name, data["name"], data["settings"])
        except (ValueError, KeyError, TypeError):
            return None

    def classify(self, name: str, task: Any) -> Found:
        """A task under a name, without level or variant."""
        return Found(name, task)

    def rules(self, rules: Any) -> Ruling:
        """The only rules there are."""
        if rules not in (None, _DEFAULT, {}):
            raise ValueError(f"{self.name} has no rules {rules!r}; leave them out")
        return Ruling(_DEFAULT, {})

    def named_rules(self, name: str, **changes: Any) -> Ruling:
        """The only rules there are."""
        return self.rules(name if not changes else changes)

    def apparatus(self, rules: Ruling, senses: Mapping[str, Any], bodies: int) -> PlainApparatus:
        """An environment with these senses."""
        return PlainApparatus(self, senses)

    def senses(self, senses: Mapping[str, Any]) -> dict[str, Any]:
        """The senses that were asked for."""
        return dict(senses)

    def record(self, text: str, start: int, seed: int, rules: Mapping[str, Any], actions: Sequence[Any]) -> PlainRecord:
        """The record of an episode."""
        task = self.read(text)
        if task is None:
            raise ValueError("its task cannot be read")
        return PlainRecord(task, start, seed, tuple(actions))

    def read_record(self, text: str) -> PlainRecord:
        """The record of a text that `PlainRecord.to_json` wrote."""
        data = json.loads(text)
        return self.record(data["task"], data["arena"], data["seed"], {}, all_actions_in(data["actions"]))

    def play_again(self, record: PlainRecord) -> Iterator[tuple[PlainSession, PlainOutcome | None]]:
        """Take the recorded actions again."""
        apparatus = PlainApparatus(self, {})
        apparatus.begin(record.task, record.arena, record.seed)
        yield apparatus.session, None
        for actions in record.actions:
            yield apparatus.session, apparatus.act(dict(enumerate(actions)))

    def length(self, record: PlainRecord) -> int:
        """One step for each decision."""
        return len(record.actions)

    def camera(self, view: str, size: tuple[int, int], *, fine: bool = False) -> Camera:
        """Refused, unless a subclass has a camera."""
        raise ValueError(f"{self.name} has no pictures")

    def path_picture(self, record: PlainRecord, size: tuple[int, int]) -> Image:
        """Refused, unless a subclass draws one."""
        raise ValueError(f"{self.name} has no pictures")

    def legs(self, record: PlainRecord, pixels: int, wanted: Callable[[int], bool]) -> list[Leg]:
        """None, unless a subclass draws ways."""
        return []

    def is_action(self, action: Any) -> bool:
        """Anything: only the environment knows."""
        return True

    def is_idle(self, action: Any, flags: int) -> bool:
        """Never: what doing nothing is, only a wing itself knows."""
        return False

    def action_name(self, action: Any) -> str:
        """Nothing: actions have no names here."""
        return ""

    def goals(self, events: Sequence[Mapping[str, Any]]) -> int | None:
        """Nothing: there are no goals here."""
        return None

    def latency(self, events: Sequence[Mapping[str, Any]]) -> float | None:
        """Nothing, unless a subclass knows."""
        return None
