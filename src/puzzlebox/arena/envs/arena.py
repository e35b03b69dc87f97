"""One agent in an arena, as a Gymnasium environment."""

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from importlib import import_module
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded

from puzzlebox._native import Cruise, Stretch
from puzzlebox.arena.envs.episodes import RENDER_MODES, Episodes, Snapshot
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
from puzzlebox.arena.envs.sources import Named, Source, plain_source, several_agents, tasks_of
from puzzlebox.arena.rules import PHYSICS_STEP, Rules
from puzzlebox.arena.schema import Task
from puzzlebox.arena.world import Event, Outcome, World
from puzzlebox.text import nearest

# One environment can also be looked at; the window is a front end, found by name only when somebody wants it.
_WITH_WINDOW = (*RENDER_MODES, "human")
_WINDOW = "puzzlebox.arena.studio.window"

register()


class ArenaEnv(Episodes, gym.Env[Observation, Any]):  # type: ignore[misc]
    """An agent in an arena, perceiving through a camera, rays and vitals.

    Without a seed, `reset` goes on to the next arena of the task; none is ever skipped. `reset(seed=...)` starts over
    with the first one, and its episode is the one `World(task, seed=seed)` plays; the seeds of the episodes that follow
    are drawn from it. `reset(options={"arena": id})` plays one arena and leaves the order as it was;
    `reset(options={"task": ...})` changes the task from then on.

    `info` holds `task` (its name), `arena` (its id), `passed` and `latency` (seconds; both None until the episode is
    decided), `episode_return`, `health`, `lights`, `events` (what happened in this step), `error` (None, or how the
    physics failed), with rays `ray_tags` (the names of a ray's columns), and with segments `things` (the number and
    name of everything in the arena). Of a template, every episode plays a new variation, and `variation` holds the
    drawn values.

    Args:
        task: a path, the name of a bundled task, YAML text or a Task; or a folder, the name of a bundled battery, a
            pattern or a list of them, one episode each in turn.
        render_mode: None, "rgb_array", or "human": a page in the browser shows every step, in real time.
        settings: those of `puzzlebox.make`.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": list(_WITH_WINDOW),
        "render_fps": round(1 / (Rules().decision_period * PHYSICS_STEP)),
    }

    _made = ("_perception", "_painter", "_window", "observation_space", "_always")
    _owned = ("action_space", "_np_random")
    _too_early = ResetNeeded

    def __init__(
        self, task: Source | Iterable[Source] = (), *, render_mode: str | None = None, **settings: Any
    ) -> None:
        refuse_unknown(settings, ["task", "render_mode", *known_settings()])
        if render_mode is not None and render_mode not in _WITH_WINDOW:
            raise ValueError(f"render_mode is {render_mode!r}{nearest(str(render_mode), _WITH_WINDOW)}")
        self.render_mode = render_mode
        self.settings = Settings.of(**settings)
        self._schedule = Schedule(self._check_tasks(tasks_of(task)))
        self._world: World | None = None
        self.action_space = self.settings.action_space
        self._fit_out()

    def _fit_out(self) -> None:
        """What is made from the settings, here and after unpickling."""
        self._perception = Perception(self.settings)
        self._painter = None
        self._window: Any = None
        self.observation_space = self._perception.space
        self._always = {} if self.settings.rays is None else {"ray_tags": self._perception.ray_tags}

    def _check_tasks(self, tasks: list[Named]) -> list[Named]:
        """Refuse tasks with several agents."""
        return for_one_agent(tasks)

    def _check_episode(self, schedule: Schedule, task: Task, position: int) -> None:
        """Refuse a variation with several agents."""
        if schedule.variation is not None:
            for_one_agent([Named(schedule.name, task)])

    def _rng(self, seed: int | None) -> np.random.Generator:
        """Gymnasium's own, which its wrappers look for."""
        if seed is not None:
            gym.Env.reset(self, seed=seed)
        return self.np_random

    def _keep_rng(self, rng: np.random.Generator) -> None:
        """Nothing to do: Gymnasium keeps it."""

    @property
    def rules(self) -> Rules:
        """What episodes are played by."""
        return self.settings.rules

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin the next episode."""
        events = self.begin(seed, options)
        if self.render_mode == "human":
            self._show(events)
        return self.perceive(), self.info(events)

    def begin(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Event, ...]:
        """Build the next episode without looking at it; return what happened meanwhile, which no step says again."""
        return self._begin(seed, options).take_events()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Act for one decision."""
        outcome = self.act(self.settings.action(action))
        if self.render_mode == "human":
            self._show(outcome.events)
        return self.perceive(), outcome.rewards[0], outcome.terminated, outcome.truncated, self.info(outcome.events)

    def act(self, action: int) -> Outcome:
        """Act without looking; 3 * move + turn."""
        world = self.world
        if world.over or self._steps_left == 0:
            raise ResetNeeded("the episode is over; call reset() first")
        return self._judged(world.step((action,)))

    @property
    def over(self) -> bool:
        """Whether the episode has ended, by itself or because it had as many steps as it may have."""
        return self.world.over or self._steps_left == 0

    @property
    def ends(self) -> tuple[bool, bool]:
        """Whether the episode is terminated, and whether it is truncated."""
        world = self.world
        terminated, truncated = world.terminated, world.truncated
        if truncated and self.settings.timeouts == "terminal" and world.cause == "time":
            terminated, truncated = True, False
        return terminated, truncated or self._steps_left == 0

    @property
    def _steps_left(self) -> int | None:
        """How many more steps the episode may have; None: any number."""
        most = self.settings.max_episode_steps
        return None if most is None else max(0, most - len(self.world.actions))

    def _judged(self, outcome: Outcome) -> Outcome:
        """What a step brought, with the end as the settings see it."""
        if not (outcome.truncated or self.settings.max_episode_steps is not None):
            return outcome
        terminated, truncated = self.ends
        return outcome._replace(terminated=terminated, truncated=truncated)

    def perceive(self, out: Observation | None = None) -> Observation:
        """What the agent perceives now, in new arrays or in those given."""
        return self._perception.perceive(self.world, 0, out)

    def cruise(self, out: Observation) -> Cruise | None:
        """A way to step and fill these arrays while nothing happens but physics; None where that is not so now."""
        if not self._perception.cruises:
            return None
        cruise = self.world.cruise(self._steps_left)
        if cruise is not None:
            self._perception.join(cruise, self.world, out)
        return cruise

    @property
    def completes(self) -> bool:
        """Whether `complete` has something to do after each decision of a cruise."""
        return self._perception.completes

    def complete(self, out: Observation) -> None:
        """Fill in what a cruise cannot, and arrange it all as the settings ask."""
        self._perception.complete(self.world, out)

    def resume(self, stretch: Stretch) -> Outcome:
        """Go on with an action in which something happened on a cruise."""
        return self._judged(self.world.resume(stretch))

    def info(self, events: tuple[Event, ...] = ()) -> dict[str, Any]:
        """What is true beside the observation."""
        return self._info_of(self.world.animals[0], events, self._always)

    def _show(self, events: tuple[Event, ...]) -> None:
        """Let whoever looks at the page see this moment, for as long as it lasts."""
        if self._window is None:
            try:
                self._window = import_module(_WINDOW).Window()
            except ModuleNotFoundError as missing:
                raise ModuleNotFoundError(
                    f"render_mode 'human' needs {missing.name}; `pip install puzzlebox[studio]` brings it"
                ) from None
        self._window.show(self.world, events)

    def close(self) -> None:
        """End the episode, for good, and close the window, where there is one."""
        self._closed, self._world = True, None
        if self._window is not None:
            self._window.close()
            self._window = None

    # --- going back

    def snapshot(self) -> Snapshot:
        """Everything needed to be here again, in this or another process."""
        return Snapshot(*self._state())

    def restore(self, snapshot: Snapshot) -> tuple[Observation, dict[str, Any]]:
        """Be where a snapshot was taken, by playing its episode again; what `reset` would return there."""
        self._check_open()
        self.check_snapshot(snapshot, self.settings.rules)
        self._return_to(snapshot)
        return self.perceive(), self.info()

    def _look(self, world: World) -> None:
        self._perception.perceive(world)


def for_one_agent(tasks: list[Named]) -> list[Named]:
    """The same tasks; those with several agents are refused."""
    several = several_agents(tasks)
    if several:
        raise ValueError(f"{several}; use puzzlebox.make_parallel, which is for several agents")
    return tasks


@document
def make(task: Source | Iterable[Source] = (), *, render_mode: str | None = None, **settings: Any) -> ArenaEnv:
    """An environment for one agent; the same as `gym.make("puzzlebox/Arena-v1", task=task, ...)` without its wrappers.

    Args:
        task: a path, the name of a bundled task, YAML text or a Task; or a folder, the name of a bundled battery, a
            pattern or a list of them, one episode each in turn.
        render_mode: None, "rgb_array", or "human": a page in the browser shows every step, in real time.
        settings: senses of other packages, by their names; True, or a dictionary of options. Any other name is refused.
    """
    if isinstance(task, Iterator):
        task = list(task)  # it is looked at twice
    env = ArenaEnv(task, render_mode=render_mode, **settings)
    env.spec = spec_of(task, render_mode=render_mode, **(defaults() | settings))
    return env


def spec_of(task: Source | Iterable[Source], **settings: Any) -> gym.envs.registration.EnvSpec:
    """What makes an environment again, also after it was written as JSON."""
    spec = copy(gym.spec(ARENA))
    rules = settings.get("rules")
    if isinstance(rules, Rules):
        settings["rules"] = rules.as_dict()
    # Gymnasium keeps this one beside the others, and hands it to `make` as a wrapper and to `make_vec` as a setting.
    spec.max_episode_steps = settings.pop("max_episode_steps", None)
    spec.kwargs = {"task": plain_source(task), **settings}
    return spec
