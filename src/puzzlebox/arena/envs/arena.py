"""One agent in an arena, as a Gymnasium environment."""

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from importlib import import_module
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded

from puzzlebox._native import Cruise, Stretch
from puzzlebox.arena.envs.episodes import RENDER_MODES, EpisodicEnv, Snapshot
from puzzlebox.arena.envs.perception import Perception
from puzzlebox.arena.envs.registration import ARENA, register
from puzzlebox.arena.envs.schedule import Schedule
from puzzlebox.arena.envs.settings import (
    Observation,
    Settings,
    defaults,
    document,
    known_settings,
    refuse_unknown,
)
from puzzlebox.arena.envs.sources import NamedTask, Source, plain_source, several_agents, tasks_of
from puzzlebox.arena.rules import PHYSICS_STEP, Rules
from puzzlebox.arena.schema import Task
from puzzlebox.arena.world import Event, Outcome, World
from puzzlebox.text import nearest

# The page of `render_mode="human"` is a front end, so it is imported by name and only when it is used.
_RENDER_MODES = (*RENDER_MODES, "human")
_WINDOW = "puzzlebox.arena.studio.window"

register()


class ArenaEnv(EpisodicEnv, gym.Env[Observation, Any]):  # type: ignore[misc]
    """One agent in an arena, with a camera, rays and vitals as its senses.

    Without a seed, `reset` plays the next arena of the task; none is ever skipped. `reset(seed=...)` starts over with
    the first arena, and its episode is that of `World(task, seed=seed)`; the seeds of later episodes are drawn from it.
    `reset(options={"arena": id})` plays one arena and leaves the schedule unchanged; `reset(options={"task": ...})`
    changes the task from then on.

    `info` holds `task` (its name), `arena` (its id), `passed` and `latency` (seconds; both None until the episode is
    decided), `episode_return`, `health`, `lights`, `events` (those of this step), `error` (None, or how the physics
    failed), with rays `ray_tags` (the names of a ray's columns), and with segments `things` (id and name of everything
    in the arena). A template gives a new variation in every episode; `variation` holds the drawn values.

    Args:
        task: a path, the name of a bundled task, YAML text or a Task; or a folder, the name of a bundled battery, a
            pattern or a list of them, one episode each in turn.
        render_mode: None, "rgb_array", or "human": a page in the browser shows every step, in real time.
        settings: those of `puzzlebox.make`.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": list(_RENDER_MODES),
        "render_fps": round(1 / (Rules().decision_period * PHYSICS_STEP)),
    }

    _derived = ("_perception", "_painter", "_window", "observation_space", "_constant_info")
    _copied = ("action_space", "_np_random")
    _no_episode_error = ResetNeeded

    def __init__(
        self, task: Source | Iterable[Source] = (), *, render_mode: str | None = None, **settings: Any
    ) -> None:
        refuse_unknown(settings, ["task", "render_mode", *known_settings()])
        if render_mode is not None and render_mode not in _RENDER_MODES:
            raise ValueError(f"render_mode is {render_mode!r}{nearest(str(render_mode), _RENDER_MODES)}")
        self.render_mode = render_mode
        self.settings = Settings.of(**settings)
        self._schedule = Schedule(self._check_tasks(tasks_of(task)))
        self._world: World | None = None
        self.action_space = self.settings.action_space
        self._derive()

    def _derive(self) -> None:
        """Create what depends on the settings, at the start and after unpickling."""
        self._perception = Perception(self.settings)
        self._painter = None
        self._window: Any = None
        self.observation_space = self._perception.space
        self._constant_info = {} if self.settings.rays is None else {"ray_tags": self._perception.ray_tags}

    def _check_tasks(self, tasks: list[NamedTask]) -> list[NamedTask]:
        """Raise a ValueError for tasks with several agents."""
        return for_one_agent(tasks)

    def _check_episode(self, schedule: Schedule, task: Task, position: int) -> None:
        """Raise a ValueError for a variation with several agents."""
        if schedule.variation is not None:
            for_one_agent([NamedTask(schedule.name, task)])

    def _rng(self, seed: int | None) -> np.random.Generator:
        """Return Gymnasium's random stream, which its wrappers use; with a seed, a new one."""
        if seed is not None:
            gym.Env.reset(self, seed=seed)
        return self.np_random

    def _keep_rng(self, rng: np.random.Generator) -> None:
        """Do nothing: Gymnasium stores the random stream."""

    @property
    def rules(self) -> Rules:
        """Return the rules of the episodes."""
        return self.settings.rules

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start the next episode and return its first observation and info."""
        events = self.begin(seed, options)
        if self.render_mode == "human":
            self._show(events)
        return self.perceive(), self.info(events)

    def begin(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Event, ...]:
        """Start the next episode without an observation; return its events so far, which no step repeats."""
        return self._begin(seed, options).take_events()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play one decision and return observation, reward, terminated, truncated and info."""
        outcome = self.act(self.settings.action(action))
        if self.render_mode == "human":
            self._show(outcome.events)
        return self.perceive(), outcome.rewards[0], outcome.terminated, outcome.truncated, self.info(outcome.events)

    def act(self, action: int) -> Outcome:
        """Play one decision without an observation; the action is 3 * move + turn."""
        world = self.world
        if world.over or self._steps_left == 0:
            raise ResetNeeded("the episode is over; call reset() first")
        return self._apply_limits(world.step((action,)))

    @property
    def over(self) -> bool:
        """Return whether the episode has ended, or has reached `max_episode_steps`."""
        return self.world.over or self._steps_left == 0

    @property
    def ends(self) -> tuple[bool, bool]:
        """Return whether the episode is terminated, and whether it is truncated."""
        world = self.world
        terminated, truncated = world.terminated, world.truncated
        if truncated and self.settings.timeouts == "terminal" and world.cause == "time":
            terminated, truncated = True, False
        return terminated, truncated or self._steps_left == 0

    @property
    def _steps_left(self) -> int | None:
        """Return how many more steps the episode may have; None: no limit."""
        most = self.settings.max_episode_steps
        return None if most is None else max(0, most - len(self.world.actions))

    def _apply_limits(self, outcome: Outcome) -> Outcome:
        """Return an outcome with the end of the episode as the settings define it."""
        if not (outcome.truncated or self.settings.max_episode_steps is not None):
            return outcome
        terminated, truncated = self.ends
        return outcome._replace(terminated=terminated, truncated=truncated)

    def perceive(self, out: Observation | None = None) -> Observation:
        """Return the current observation, in new arrays or in those of `out`."""
        return self._perception.perceive(self.world, 0, out)

    def cruise(self, out: Observation) -> Cruise | None:
        """Return a native loop that plays decisions and fills `out`, or None if a rule could fire now."""
        if not self._perception.cruises:
            return None
        cruise = self.world.cruise(self._steps_left)
        if cruise is not None:
            self._perception.join(cruise, self.world, out)
        return cruise

    @property
    def completes(self) -> bool:
        """Return whether `complete` must be called after each decision of a cruise."""
        return self._perception.completes

    def complete(self, out: Observation) -> None:
        """Read the senses a cruise cannot fill in, and arrange all of them according to the settings."""
        self._perception.complete(self.world, out)

    def resume(self, stretch: Stretch) -> Outcome:
        """Finish a decision in which something happened during a cruise."""
        return self._apply_limits(self.world.resume(stretch))

    def info(self, events: tuple[Event, ...] = ()) -> dict[str, Any]:
        """Return the info of the current step."""
        return self._info_of(self.world.animals[0], events, self._constant_info)

    def _show(self, events: tuple[Event, ...]) -> None:
        """Show the current step on the page, and wait until its time is over."""
        if self._window is None:
            try:
                self._window = import_module(_WINDOW).Window()
            except ModuleNotFoundError as missing:
                raise ModuleNotFoundError(
                    f"render_mode 'human' needs {missing.name}; `pip install puzzlebox[studio]` brings it"
                ) from None
        self._window.show(self.world, events)

    def close(self) -> None:
        """Close the environment for good, and its page if there is one."""
        self._closed, self._world = True, None
        if self._window is not None:
            self._window.close()
            self._window = None

    # --- snapshots

    def snapshot(self) -> Snapshot:
        """Return what is needed to restore the current state, in this or another process."""
        return Snapshot(*self._state())

    def restore(self, snapshot: Snapshot) -> tuple[Observation, dict[str, Any]]:
        """Return to the state of a snapshot by replaying its episode; return what `reset` would return there."""
        self._check_open()
        self.check_snapshot(snapshot, self.settings.rules)
        self._restore(snapshot)
        return self.perceive(), self.info()

    def _perceive(self, world: World) -> None:
        self._perception.perceive(world)


def for_one_agent(tasks: list[NamedTask]) -> list[NamedTask]:
    """Return the tasks unchanged, or raise a ValueError if one has several agents."""
    several = several_agents(tasks)
    if several:
        raise ValueError(f"{several}; use puzzlebox.make_parallel, which is for several agents")
    return tasks


@document
def make(task: Source | Iterable[Source] = (), *, render_mode: str | None = None, **settings: Any) -> ArenaEnv:
    """Create an environment for one agent: `gym.make("puzzlebox/Arena-v1", task=task, ...)` without its wrappers.

    Args:
        task: a path, the name of a bundled task, YAML text or a Task; or a folder, the name of a bundled battery, a
            pattern or a list of them, one episode each in turn.
        render_mode: None, "rgb_array", or "human": a page in the browser shows every step, in real time.
        settings: senses of other packages, by name: True, or a dictionary of options. Any other name is refused.
    """
    if isinstance(task, Iterator):
        task = list(task)  # it is read twice
    env = ArenaEnv(task, render_mode=render_mode, **settings)
    env.spec = spec_of(task, render_mode=render_mode, **(defaults() | settings))
    return env


def spec_of(task: Source | Iterable[Source], **settings: Any) -> gym.envs.registration.EnvSpec:
    """Return the specification that recreates an environment, also from JSON."""
    spec = copy(gym.spec(ARENA))
    rules = settings.get("rules")
    if isinstance(rules, Rules):
        settings["rules"] = rules.as_dict()
    # Gymnasium keeps this setting apart, and passes it to `make` as a wrapper and to `make_vec` as a setting.
    spec.max_episode_steps = settings.pop("max_episode_steps", None)
    spec.kwargs = {"task": plain_source(task), **settings}
    return spec
