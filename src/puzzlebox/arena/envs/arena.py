"""One agent in an arena, as a Gymnasium environment."""

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.error import ResetNeeded

from puzzlebox._native import Cruise, Stretch
from puzzlebox.arena.envs.copying import Copied
from puzzlebox.arena.envs.programme import Programme
from puzzlebox.arena.envs.registration import ARENA, register
from puzzlebox.arena.envs.settings import (
    Observation,
    Perception,
    Settings,
    camera,
    checked_options,
    checked_seed,
    refuse_unknown,
    shaped,
    things_of,
    told_of,
)
from puzzlebox.arena.envs.sources import Named, Source, plain_source, several_agents, tasks_of
from puzzlebox.arena.rules import PHYSICS_STEP, Rules
from puzzlebox.arena.world import Event, Outcome, Record, World
from puzzlebox.seeds import next_episode_seed
from puzzlebox.text import nearest

if TYPE_CHECKING:
    from puzzlebox.arena.senses.camera import Camera

RENDER_MODES = ("rgb_array",)
# One environment can also be looked at; the window is a front end, found by name only when somebody wants it.
_WITH_WINDOW = (*RENDER_MODES, "human")
_WINDOW = "puzzlebox.studio.window"
OPTIONS = ("task", "arena")
# Pixels of the pictures `render` gives.
_RENDERED = 512
# Seeds of episodes nobody gave a seed for.

register()


@dataclass(frozen=True)
class Snapshot:
    """Where an environment is: the episode so far, what comes after it, and the source of its chances."""

    record: Record
    programme: Programme
    chances: Mapping[str, Any]


class ArenaEnv(Copied, gym.Env[Observation, Any]):
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
        settings: see `Settings`.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": list(_WITH_WINDOW),
        "render_fps": round(1 / (Rules().decision_period * PHYSICS_STEP)),
    }

    _made = ("_perception", "_painter", "_window", "observation_space", "_always")
    _owned = ("action_space", "_np_random")

    def __init__(
        self, task: Source | Iterable[Source] = (), *, render_mode: str | None = None, **settings: Any
    ) -> None:
        refuse_unknown(settings, ["task", "render_mode", *Settings.__dataclass_fields__])
        if render_mode is not None and render_mode not in _WITH_WINDOW:
            raise ValueError(f"render_mode is {render_mode!r}{nearest(str(render_mode), _WITH_WINDOW)}")
        self.render_mode = render_mode
        self.settings = Settings.of(**settings)
        self._programme = Programme(self._for_one(tasks_of(task)))
        self._world: World | None = None
        self.action_space = self.settings.action_space
        self._fit_out()

    def _fit_out(self) -> None:
        """What is made from the settings, here and after unpickling."""
        self._perception = Perception(self.settings)
        self._painter: Camera | None = None
        self._window: Any = None
        self.observation_space = self._perception.space
        self._always = {} if self.settings.rays is None else {"ray_tags": self._perception.ray_tags}

    @staticmethod
    def _for_one(tasks: list[Named]) -> list[Named]:
        several = several_agents(tasks)
        if several:
            raise ValueError(f"{several}; use puzzlebox.make_parallel, which is for several agents")
        return tasks

    @property
    def world(self) -> World:
        """The episode that is played."""
        if self._world is None:
            self._check_open()
            raise ResetNeeded("there is no episode yet; call reset() first")
        return self._world

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
        """Build the next episode without looking at it; what happened meanwhile, which no step tells again."""
        self._check_open()
        seed, options = checked_seed(seed), checked_options(options, OPTIONS)
        programme = self._programme
        if options.get("task") is not None:
            programme = Programme(self._for_one(tasks_of(options["task"])))
        elif seed is not None:
            programme = Programme(programme.tasks)
        super().reset(seed=seed)
        task, position = programme.next(self.np_random, options.get("arena"))
        if programme.variation is not None:
            self._for_one([Named(programme.name, task)])
        self._programme = programme
        own = next_episode_seed(self.np_random) if seed is None else seed
        self._world = World(task, arena=position, seed=own, rules=self.settings.rules)
        return self._world.take_events()

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
        if self.settings.depth or self.settings.segments:
            return None
        cruise = self.world.cruise(self._steps_left)
        if cruise is not None:
            self._perception.join(cruise, self.world, out)
        return cruise

    def arrange(self, out: Observation) -> None:
        """Fill in what the settings make of what a cruise perceived, where they make something of it."""
        self._perception.arrange(self.world, out)

    def resume(self, stretch: Stretch) -> Outcome:
        """Go on with an action in which something happened on a cruise."""
        return self._judged(self.world.resume(stretch))

    def info(self, events: tuple[Event, ...] = ()) -> dict[str, Any]:
        """What is true beside the observation."""
        world = self.world
        told = told_of(world, world.animals[0], events)
        told["task"] = self._programme.name
        told.update(self._always)
        if self._programme.variation is not None:
            told["variation"] = self._programme.variation
        if self.settings.segments:
            told["things"] = things_of(world)
        return shaped(told, self.settings.infos)

    def render(self) -> npt.NDArray[np.uint8] | None:  # type: ignore[override]
        """What the agent sees, large."""
        if self.render_mode != "rgb_array":
            return None  # in the mode `human` every step is shown by itself
        if self._painter is None:
            self._painter = camera(_RENDERED)
        return self._painter.look(self.world)

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
        return Snapshot(self.world.snapshot(), self._programme.copy(), self.np_random.bit_generator.state)

    def restore(self, snapshot: Snapshot) -> tuple[Observation, dict[str, Any]]:
        """Be where a snapshot was taken, by playing its episode again; what `reset` would return there."""
        self._check_open()
        self.check_snapshot(snapshot, self.settings.rules)
        self._world = self._replayed(snapshot.record)
        self._programme = snapshot.programme.copy()
        self.np_random.bit_generator.state = dict(snapshot.chances)
        return self.perceive(), self.info()

    @staticmethod
    def check_snapshot(snapshot: Any, rules: Rules) -> None:
        """Complain of what cannot be restored under these rules."""
        if not isinstance(snapshot, Snapshot):
            raise TypeError(f"only what `snapshot` returned can be restored, not {type(snapshot).__name__}")
        if snapshot.record.rules != rules:
            raise ValueError(
                "the snapshot was taken under other rules; make an environment with rules=snapshot.record.rules"
            )

    def _look(self, world: World) -> None:
        self._perception.perceive(world)


def make(
    task: Source | Iterable[Source] = (),
    *,
    camera: int | None = 64,
    grayscale: bool = False,
    depth: bool = False,
    segments: bool = False,
    rays: int | None = None,
    ray_degrees: float = 60.0,
    vitals: bool = True,
    actions: str = "discrete",
    decision_period: int | None = None,
    rules: Any = "puzzlebox",
    frame_stack: int = 1,
    channels_first: bool = False,
    scaled_vitals: bool = False,
    heading: bool = False,
    timeouts: str = "truncated",
    max_episode_steps: int | None = None,
    infos: str = "all",
    render_mode: str | None = None,
    **unknown: Any,
) -> ArenaEnv:
    """An environment for one agent; the same as `gym.make("puzzlebox/Arena-v1", task=task, ...)` without its wrappers.

    Args:
        task: a path, the name of a bundled task, YAML text or a Task; or a folder, the name of a bundled battery, a
            pattern or a list of them, one episode each in turn.
        camera: height and width of the picture in pixels, 4 to 512; None: no camera.
        grayscale: the picture has one channel instead of three.
        depth: beside the picture, how many metres away each pixel of it is.
        segments: beside the picture, the number of the thing each pixel of it shows; `info["things"]` names them.
        rays: how many rays, an odd number; None: no rays.
        ray_degrees: the whole fan of them.
        vitals: health, velocity and position.
        actions: "discrete" is one number from 0 to 8, "branches" two from 0 to 2.
        decision_period: physics steps an action is held for; None: as the rules say, which is 3.
        rules: "puzzlebox", "4.3", "3.1", "2019", or a Rules.
        frame_stack: how many of the last frames an observation holds, along the channels of a picture, oldest first.
        channels_first: pictures are channels x height x width instead of height x width x channels.
        scaled_vitals: health is divided by 100, velocity by 20 m/s and position by 40 m.
        heading: the sine and cosine of the direction the animal looks in, clockwise from the z axis.
        timeouts: "truncated": an episode that time alone ended is truncated; "terminal": it is terminated.
        max_episode_steps: the most steps of an episode, which is truncated after them. Default: None, no limit.
        infos: "all"; "plain": events are dictionaries; "numbers": only what is a number, for libraries that make
            tensors of every entry; `passed` and `latency` are -1 while unknown.
        render_mode: None, "rgb_array", or "human": a page in the browser shows every step, in real time.
        unknown: refused, with the nearest setting there is.
    """
    chosen = {
        "camera": camera,
        "grayscale": grayscale,
        "depth": depth,
        "segments": segments,
        "rays": rays,
        "ray_degrees": ray_degrees,
        "vitals": vitals,
        "actions": actions,
        "decision_period": decision_period,
        "rules": rules,
        "frame_stack": frame_stack,
        "channels_first": channels_first,
        "scaled_vitals": scaled_vitals,
        "heading": heading,
        "timeouts": timeouts,
        "max_episode_steps": max_episode_steps,
        "infos": infos,
    }
    if isinstance(task, Iterator):
        task = list(task)  # it is looked at twice
    env = ArenaEnv(task, render_mode=render_mode, **chosen, **unknown)
    env.spec = spec_of(task, render_mode=render_mode, **chosen)
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
