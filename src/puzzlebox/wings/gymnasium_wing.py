"""A base class for wings whose tasks are Gymnasium environments.

A subclass has a name, lists its tasks and makes their environments; recording, replay, export and reports then work.
An environment may report in its `info`: `passed`, `events` (a list of mappings with `kind` and `details`), `measures`
(by the names of the wing's columns) and `error`.
"""

import fnmatch
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import gymnasium as gym
import numpy as np

from puzzlebox.columns import Column, Kind
from puzzlebox.text import closest
from puzzlebox.wings.actions import parse_actions, plain_action
from puzzlebox.wings.flags import OVER, PASSED
from puzzlebox.wings.offers import TrainingTask
from puzzlebox.wings.protocols import Bundled, Camera, Flag, Found, Image, Leg, Ruling
from puzzlebox.wings.records import record_json
from puzzlebox.wings.spaces import action_in, require_bounds

_DEFAULT = "default"


@dataclass(frozen=True)
class TaskEntry:
    """A task as `GymnasiumWing.tasks` lists it: settings, and how lists and results describe the task.

    Attributes:
        settings: the settings of its environment, as plain values.
        title: its title for people. Default: its name.
        level: the group in which results are compared; "" if there is none.
        variant: the variant, if the task has several; otherwise "".
        tags: words that describe it in lists.
    """

    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)
    title: str = ""
    level: str = ""
    variant: str = ""
    tags: Sequence[str] = ()


@dataclass(frozen=True)
class GymnasiumTask:
    """A task that consists of a name and a mapping of plain values.

    Attributes:
        wing: the name of its wing.
        name: its name.
        settings: the settings of its environment.
        starts: the indices of the starts an episode can have.
        bodies: the number of bodies.
        title: its title. Default: its name.
    """

    wing: str
    name: str
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)
    starts: Sequence[int] = (0,)
    bodies: int = 1
    title: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        """Use the name as the title of a task that has none."""
        object.__setattr__(self, "title", self.title or self.name)

    @property
    def text(self) -> str:
        """The task as JSON."""
        settings = plain_action(dict(self.settings))
        return json.dumps({"wing": self.wing, "name": self.name, "settings": settings}, sort_keys=True)

    def conditions(self, start: int) -> dict[str, Any]:
        """Return the settings of a start for `run.json`: its index only."""
        return {"position": start, "last": start}


@dataclass(frozen=True)
class GymnasiumEvent:
    """An event: its kind, its step, and details as plain values."""

    kind: str
    step: int
    details: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class GymnasiumOutcome:
    """The outcome of one decision: the reward of the body, and the events."""

    rewards: tuple[float, ...]
    events: tuple[GymnasiumEvent, ...]


@dataclass(frozen=True)
class GymnasiumRecord:
    """All that is needed to replay an episode: task, start, seed and actions."""

    task: GymnasiumTask
    arena: int
    seed: int
    actions: tuple[Any, ...] = ()
    rules: None = None

    @property
    def wing(self) -> str:
        """The name of the wing of the task."""
        return self.task.wing

    def to_json(self) -> str:
        """Return the record as one line of JSON."""
        return record_json(self.task.wing, self.task.text, self.arena, self.seed, {}, self.actions)


class GymnasiumSession:
    """An episode of a Gymnasium environment while it is played.

    Attributes:
        env: the environment, for a camera that paints its state.
        info: the latest `info` of the environment.
    """

    def __init__(self, task: GymnasiumTask, start: int, seed: int, env: gym.Env[Any, Any]) -> None:
        self._task, self._start, self._seed = task, start, seed
        self.env = env
        self.clock, self.over, self.total = 0, False, 0.0
        self.cause: str | None = None
        self.actions: list[tuple[Any, ...]] = []
        self.info: dict[str, Any] = {}
        self.error: str | None = None
        self._passed: bool | None = None
        self._measures: dict[str, float | None] = {}

    def take(self, info: dict[str, Any]) -> tuple[GymnasiumEvent, ...]:
        """Read what an environment reports in `info`: `passed`, `measures`, `error`; return its events.

        Raises:
            ValueError: a value has another type than its key allows; the message names both.
        """
        self.info = info
        passed, error = info.get("passed"), info.get("error")
        if passed is not None and not isinstance(passed, bool | np.bool_):
            raise ValueError(f"`passed` in info is {passed!r:.60}; it must be True, False or None")
        self._passed = None if passed is None else bool(passed)
        self.error = None if error is None else str(error)
        self._measures = {str(name): _number(name, value) for name, value in (info.get("measures") or {}).items()}
        events = info.get("events") or ()
        return tuple(
            GymnasiumEvent(str(each["kind"]), self.clock, plain_action(each.get("details", {}))) for each in events
        )

    def passed(self) -> bool | None:
        """Return the verdict that the environment reports; None if it reports none."""
        return self._passed

    def measures(self) -> Mapping[str, float | None]:
        """Return the measures that the environment reports; None for one that is not finite."""
        return dict(self._measures)

    def flags(self) -> int:
        """Return the bits `OVER` and `PASSED`."""
        return (OVER if self.over else 0) | (PASSED if self.passed() else 0)

    def snapshot(self) -> GymnasiumRecord:
        """Return the record of the episode so far."""
        return GymnasiumRecord(self._task, self._start, self._seed, tuple(self.actions))


class GymnasiumApparatus:
    """A Gymnasium environment, used for one episode after the other."""

    def __init__(self, wing: "GymnasiumWing", senses: Mapping[str, Any]) -> None:
        self._wing, self._senses = wing, senses
        self._env: gym.Env[Any, Any] | None = None
        self._task: GymnasiumTask | None = None

    session: GymnasiumSession

    def begin(self, task: GymnasiumTask, start: int, seed: int) -> tuple[GymnasiumEvent, ...]:
        """Begin an episode: reset the environment, or make a new one if the task changes."""
        if self._env is None or task != self._task:
            self._env, self._task = self._wing.make(task, **self._senses), task
        self.session = GymnasiumSession(task, start, seed, self._env)
        self._observation, info = self._env.reset(seed=seed, options={"start": start})
        return self.session.take(info)

    def perceive(self) -> dict[int, tuple[Any, dict[str, Any]]]:
        """Return the observation and info of the body; nothing if the episode is over."""
        return {} if self.session.over else {0: (self._observation, self.session.info)}

    def act(self, actions: Mapping[int, Any]) -> GymnasiumOutcome:
        """Take one step of the environment.

        Raises:
            ValueError: the action is not one of the action space; the message says why.
        """
        # The recorded action is a copy.
        action = plain_action(actions[0])
        converted = self._converted(action)
        require_bounds(self._environment.action_space, action, converted)
        return self._step(action, converted)

    def repeat(self, action: Any) -> GymnasiumOutcome:
        """Take one step with a recorded action; earlier versions recorded actions out of bounds, too."""
        return self._step(action, self._converted(action))

    @property
    def action_space(self) -> gym.Space[Any]:
        """The action space of the environment, for agents that play in any wing."""
        return self._environment.action_space

    @property
    def _environment(self) -> gym.Env[Any, Any]:
        assert self._env is not None, "begin first"
        return self._env

    def _converted(self, action: Any) -> Any:
        """Convert an action of plain values; done when played and when replayed, so that both are the same."""
        space = self._environment.action_space
        try:
            return action_in(space, action)
        except (ValueError, TypeError, KeyError, IndexError, OverflowError):
            raise ValueError(f"the action {action!r:.100} does not fit the action space {space}") from None

    def _step(self, action: Any, converted: Any) -> GymnasiumOutcome:
        session = self.session
        self._observation, reward, terminated, truncated, info = self._environment.step(converted)
        reward = float(reward)
        if not isfinite(reward):
            raise ValueError(f"the reward is {reward}; it must be finite")
        session.clock += 1
        session.actions.append((action,))
        session.total += reward
        session.over = bool(terminated or truncated)
        if session.over:
            session.cause = "completed" if terminated else "time"
        return GymnasiumOutcome((reward,), session.take(info))


def _number(name: str, value: Any) -> float | None:
    """Return a measure as a number; None if it is not finite."""
    if value is None:
        return None
    if not isinstance(value, int | float | np.integer | np.floating | np.bool_):
        raise ValueError(f"the measure {name!r} in info is {value!r:.60}; it must be a number or None")
    number = float(value)
    return number if isfinite(number) else None


class GymnasiumWing:
    """A wing of Gymnasium environments. A subclass defines `name`, `tasks` and `make`, and optionally the rest.

    `puzzlebox.wings.Wing` explains its attributes and methods. Without `views` and `camera` there are no pictures.
    """

    name: str
    step_seconds: float = 1.0
    action_kind: Kind = "text"
    views: Sequence[str] = ()
    paths: bool = False
    pages: str | None = None
    measures: Sequence[Column] = ()
    final_measures: bool = True
    flags: Sequence[Flag] = ()
    logs: Mapping[str, str] = {}
    dimensions: Sequence[Column] = ()
    trained_by: str = ""

    def tasks(self) -> Mapping[str, Mapping[str, Any] | TaskEntry]:
        """Return all tasks by name: the settings of the environment, or a `TaskEntry` with title, level and tags."""
        raise NotImplementedError

    def make(self, task: GymnasiumTask, **senses: Any) -> gym.Env[Any, Any]:
        """Make the environment of a task."""
        raise NotImplementedError

    def bundled(self) -> Iterator[Bundled]:
        """Yield each task with its title, level and tags."""
        for name in self.tasks():
            full, entry = f"{self.name}/{name}", self._entry(name)
            about = {"title": entry.title, "level": entry.level, "tags": list(entry.tags)}
            data = {"name": full, "wing": self.name} | {key: value for key, value in about.items() if value}
            yield Bundled(full, "1 start", entry.level, entry.title, entry.tags, data)

    def _entry(self, name: str) -> TaskEntry:
        """Return the entry of a task; an empty one for a task that the wing has no longer."""
        entry = self.tasks().get(name, {})
        return entry if isinstance(entry, TaskEntry) else TaskEntry(entry)

    def inventory(self) -> str:
        """Return how many tasks there are."""
        count = len(self.tasks())
        return f"{count} bundled task{'' if count == 1 else 's'}"

    def places(self, source: str) -> Iterator[tuple[str, str]]:
        """Yield the name and place of the task with a name, or of all tasks that fit a pattern such as "*"."""
        tasks = self.tasks()
        names = [source] if source in tasks else fnmatch.filter(tasks, source)
        if not names:
            hint = closest(source, list(tasks))
            raise FileNotFoundError(f"{self.name} has no task {source!r}; it has {', '.join(tasks)}{hint}")
        for name in names:
            yield f"{self.name}/{name}", name

    def load(self, name: str, place: str, *, variations: int, seed: int) -> Iterator[Found]:
        """Yield the task with a name."""
        entry = self._entry(place)
        yield self.classify(name, GymnasiumTask(self.name, place, entry.settings, title=entry.title))

    def level_of(self, name: str) -> tuple[str, str] | None:
        """Return None: names of tasks include no level."""
        return None

    def read(self, text: str) -> GymnasiumTask | None:
        """Parse the text of a task; return None if it is not valid."""
        try:
            data = json.loads(text)
            title = self._entry(data["name"]).title
            return GymnasiumTask(data.get("wing", self.name), data["name"], data["settings"], title=title)
        except (ValueError, KeyError, TypeError):
            return None

    def classify(self, name: str, task: Any) -> Found:
        """Return a task under a name, with the level and variant of its entry."""
        entry = self._entry(task.name)
        return Found(name, task, entry.level, entry.variant)

    def rules(self, rules: Any) -> Ruling:
        """Return the default rules, the only ones there are."""
        if rules not in (None, _DEFAULT, {}):
            raise ValueError(f"{self.name} has no rules {rules!r}; leave them out")
        return Ruling(_DEFAULT, {})

    def named_rules(self, name: str, **changes: Any) -> Ruling:
        """Return the default rules, the only ones there are."""
        return self.rules(name if not changes else changes)

    def demands(self, task: GymnasiumTask, start: int, rules: Ruling) -> Mapping[str, float]:
        """Return an empty mapping, unless a subclass has `dimensions`."""
        return {}

    def training_tasks(self, source: str) -> Iterator[TrainingTask]:
        """Yield the tasks with a name or a pattern."""
        for name, place in self.places(source):
            for found in self.load(name, place, variations=1, seed=0):
                yield TrainingTask(found.name, found.task, found.task.text)

    def training_settings(self) -> Mapping[str, Any]:
        """Return an empty mapping: each task has its own settings."""
        return {}

    def training_vector(
        self, tasks: Sequence[TrainingTask], num_envs: int, settings: Mapping[str, Any], **options: Any
    ) -> Any:
        """Make a vector of environments that switch between the tasks; all tasks must have equal spaces."""
        from puzzlebox.wings.gymnasium_vector import make_vector

        return make_vector(self, tasks, num_envs, settings, workers=options.get("workers"))

    def training_senses(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings unchanged."""
        return dict(settings)

    def shared_spaces(self, envs: Sequence[gym.Env[Any, Any]]) -> Callable[[gym.Env[Any, Any]], gym.Env[Any, Any]]:
        """Return a function that gives an environment the spaces that several share; here they must be equal.

        It returns the environment itself, or a wrapper with a method `observation`, as `gym.ObservationWrapper` has.

        Raises:
            ValueError: two environments have different spaces.
        """
        first = envs[0]
        for env in envs[1:]:
            for what in ("observation_space", "action_space"):
                if getattr(env, what) != getattr(first, what):
                    name = what.replace("_", " ")
                    raise ValueError(f"two tasks of {self.name} differ in their {name}; train on one of them")
        return lambda env: env

    def apparatus(self, rules: Ruling, senses: Mapping[str, Any], bodies: int) -> GymnasiumApparatus:
        """Make an apparatus whose environments have these senses."""
        return GymnasiumApparatus(self, senses)

    def environment(self, tasks: Sequence[GymnasiumTask], rules: None, senses: Mapping[str, Any]) -> gym.Env[Any, Any]:
        """Return the environment of a task; each task has its own, with its own spaces."""
        if len(tasks) > 1:
            names = ", ".join(task.name for task in tasks)
            raise ValueError(f"{self.name} has an environment for each task, and these are of {names}; choose one task")
        return self.make(tasks[0], **senses)

    def reset_options(self, task: GymnasiumTask, start: int) -> dict[str, Any]:
        """Return the start as an option of `reset`."""
        return {"start": start}

    def environment_action(self, env: gym.Env[Any, Any], action: Any) -> Any:
        """Return a recorded action as an element of the action space."""
        return action_in(env.action_space, action)

    def senses(self, senses: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of the senses unchanged."""
        return dict(senses)

    def record(
        self, text: str, start: int, seed: int, rules: Mapping[str, Any], actions: Sequence[Any]
    ) -> GymnasiumRecord:
        """Build the record of an episode."""
        task = self.read(text)
        if task is None:
            raise ValueError("its task cannot be read")
        return GymnasiumRecord(task, start, seed, tuple(actions))

    def read_record(self, text: str) -> GymnasiumRecord:
        """Parse a text of `GymnasiumRecord.to_json`."""
        data = json.loads(text)
        return self.record(data["task"], data["arena"], data["seed"], {}, parse_actions(data["actions"]))

    def replay(self, record: GymnasiumRecord) -> Iterator[tuple[GymnasiumSession, GymnasiumOutcome | None]]:
        """Replay an episode; yield the session and outcome at its start and after each step."""
        apparatus = GymnasiumApparatus(self, {})
        apparatus.begin(record.task, record.arena, record.seed)
        yield apparatus.session, None
        for actions in record.actions:
            yield apparatus.session, apparatus.repeat(actions[0])

    def length(self, record: GymnasiumRecord) -> int:
        """Return the number of steps: one for each decision."""
        return len(record.actions)

    def camera(self, view: str, size: tuple[int, int], *, fine: bool = False) -> Camera:
        """Return a camera for one of `views`; raise ValueError, unless a subclass can paint its episodes."""
        raise ValueError(f"{self.name} has no pictures")

    def messages(self, episode: Any, record: GymnasiumRecord) -> Iterator[bytes | str]:
        """Raise ValueError, unless a subclass can show episodes step by step."""
        raise ValueError(f"episodes of {self.name} cannot be shown step by step; `puzzlebox export` has their steps")

    def path_picture(self, record: GymnasiumRecord, size: tuple[int, int]) -> Image:
        """Raise ValueError, unless a subclass can draw the paths of its episodes."""
        raise ValueError(f"episodes of the wing {self.name!r} have no path")

    def legs(self, record: GymnasiumRecord, pixels: int, wanted: Callable[[int], bool]) -> list[Leg]:
        """Return an empty list, unless a subclass draws paths."""
        return []

    def is_action(self, action: Any) -> bool:
        """Return True: any action is accepted."""
        return True

    def is_idle(self, action: Any, flags: int) -> bool:
        """Return False: no action counts as idle, unless a subclass defines one."""
        return False

    def action_name(self, action: Any) -> str:
        """Return "": actions have no names."""
        return ""

    def goals(self, events: Sequence[Mapping[str, Any]]) -> int | None:
        """Return None: there are no goals."""
        return None

    def latency(self, events: Sequence[Mapping[str, Any]]) -> float | None:
        """Return None, unless a subclass computes a latency."""
        return None
