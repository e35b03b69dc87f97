"""What one can choose about an environment, checked in one place, and the senses that come of it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces

from puzzlebox._native import Cruise
from puzzlebox.arena.envs.frames import Frames
from puzzlebox.arena.envs.frames import Observation as Observation
from puzzlebox.arena.rules import PRESETS, Rules
from puzzlebox.arena.senses.rays import Rays
from puzzlebox.arena.senses.vitals import HIGH, LOW, Vitals
from puzzlebox.arena.things import Agent
from puzzlebox.arena.world import Event, World
from puzzlebox.arena.world.actions import ACTIONS
from puzzlebox.seeds import check_seed
from puzzlebox.text import nearest

if TYPE_CHECKING:
    from puzzlebox.arena.senses.camera import Camera

SMALLEST_CAMERA, LARGEST_CAMERA = 4, 512
MOST_FRAMES = 64
_CHOICES = {
    "actions": ("discrete", "branches"),
    "timeouts": ("truncated", "terminal"),
    "infos": ("all", "plain", "numbers"),
}
# The settings of an environment that change nothing about what an agent perceives and does.
NO_SENSES = ("rules", "timeouts", "max_episode_steps", "infos")
_BRANCH = (0, 1, 2)
# What `passed` and `latency` are before they are known, where `info` holds numbers only. NaN would not equal itself,
# and checks that compare two episodes would fail.
UNKNOWN = -1.0
# No thing has a larger number; dispensers may bring any number of things.
_LAST_NUMBER = np.iinfo(np.int32).max


def refuse_unknown(asked: Mapping[str, Any], known: Sequence[str], what: str = "setting") -> None:
    """Complain about the first word nobody knows, with the nearest one that somebody does.

    Settings are keyword arguments, and libraries look for Python's own wording to know which ones they can pass.
    """
    for word in asked:
        if word not in known:
            python = f"got an unexpected keyword argument '{word}': " if what in ("setting", "argument") else ""
            raise TypeError(f"{python}there is no {what} `{word}`{nearest(str(word), list(known))}")


def checked_options(options: Any, known: Sequence[str]) -> dict[str, Any]:
    """What somebody gave to `reset` as options; None is none."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise TypeError(f"options is {options!r}; it must be a dictionary with {' or '.join(known)}")
    refuse_unknown(options, list(known), "option")
    return dict(options)


def checked_seed(seed: Any) -> int | None:
    """A seed as plain number."""
    return None if seed is None else check_seed(seed)


def checked_whole(name: str, value: Any, least: int, most: int | None = None, more: str = "") -> int:
    """A whole number of at least `least`, or one sentence about what is wrong with it."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        bounds = f"{least} or more" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name} is {value!r}; it must be a whole number, {bounds}{more}")
    return int(value)


@dataclass(frozen=True)
class Settings:
    """The choices.

    Attributes:
        camera: height and width of the picture in pixels, 4 to 512; None: no camera.
        grayscale: the picture has one channel instead of three.
        depth: beside the picture, how many metres away each pixel of it is.
        segments: beside the picture, the number of the thing each pixel of it shows.
        rays: how many rays, an odd number; None: no rays.
        ray_degrees: the whole fan of them.
        vitals: health, velocity and position.
        actions: "discrete": one number from 0 to 8; "branches": two numbers from 0 to 2, move and turn.
        decision_period: physics steps an action is held for; None: as the rules say, which is 3.
        rules: the name of a preset, a Rules, or a mapping of its fields.
        frame_stack: how many of the last frames an observation holds.
        channels_first: pictures are channels x height x width instead of height x width x channels.
        scaled_vitals: health is divided by 100, velocity by 20 m/s and position by 40 m.
        heading: the sine and cosine of the direction the animal looks in, clockwise from the z axis.
        timeouts: "truncated": an episode that time alone ended is truncated; "terminal": it is terminated.
        max_episode_steps: the most steps of an episode, which is truncated after them. Default: None, no limit.
        infos: "all"; "plain": events are dictionaries; "numbers": only what is a number, and `passed` and `latency`
            are -1 while unknown.
    """

    camera: int | None = 64
    grayscale: bool = False
    depth: bool = False
    segments: bool = False
    rays: int | None = None
    ray_degrees: float = 60.0
    vitals: bool = True
    actions: str = "discrete"
    decision_period: int | None = None
    rules: Rules = field(default_factory=Rules)
    frame_stack: int = 1
    channels_first: bool = False
    scaled_vitals: bool = False
    heading: bool = False
    timeouts: str = "truncated"
    max_episode_steps: int | None = None
    infos: str = "all"

    @classmethod
    def of(cls, **asked: Any) -> "Settings":
        """The settings somebody asked for, or one sentence about what is wrong with them."""
        refuse_unknown(asked, [each.name for each in fields(cls)])
        changes = {} if asked.get("decision_period") is None else {"decision_period": asked["decision_period"]}
        rules = asked.get("rules", "puzzlebox")
        if not isinstance(rules, str | Rules | Mapping):
            raise ValueError(f"rules is {rules!r}; it must be a Rules or the name of some: {', '.join(PRESETS)}")
        asked["rules"] = Rules.named(rules, **changes)
        for name in ("camera", "rays"):  # another way to say no
            if asked.get(name) is False:
                asked[name] = None
        return cls(**asked)

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        size = self.camera
        if size is not None and (isinstance(size, bool) or not isinstance(size, int | np.integer)):
            raise ValueError(f"camera is {size!r}; it must be a whole number of pixels, or None for no camera")
        if size is not None and not SMALLEST_CAMERA <= size <= LARGEST_CAMERA:
            raise ValueError(f"camera is {size}; it must be from {SMALLEST_CAMERA} to {LARGEST_CAMERA} pixels")
        for name, allowed in _CHOICES.items():
            chosen = getattr(self, name)
            if not isinstance(chosen, str) or chosen not in allowed:
                raise ValueError(f"{name} is {chosen!r}{nearest(str(chosen), allowed)}")
        for name in ("grayscale", "depth", "segments", "vitals", "channels_first", "scaled_vitals", "heading"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be True or False")
        Rays(1 if self.rays is None else self.rays, self.ray_degrees)
        checked_whole("frame_stack", self.frame_stack, 1, MOST_FRAMES)
        if self.max_episode_steps is not None:
            checked_whole("max_episode_steps", self.max_episode_steps, 1, more=", or None")
        for name in ("depth", "segments", "channels_first"):
            if size is None and getattr(self, name):
                raise ValueError(f"{name} needs a camera; say how large it is, as in camera=64")
        if self.scaled_vitals and not self.vitals:
            raise ValueError("scaled_vitals needs vitals; leave vitals=False out")
        if size is None and self.rays is None and not self.vitals and not self.heading:
            raise ValueError("there is no sense left; ask for a camera, rays, vitals or heading")

    def as_dict(self) -> dict[str, Any]:
        """The settings by name, as `of` takes them."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @property
    def arranged(self) -> bool:
        """Whether observations are something else than what the senses say now."""
        return self.frame_stack > 1 or self.channels_first or self.scaled_vitals or self.heading

    @property
    def action_space(self) -> "spaces.Discrete[Any] | spaces.MultiDiscrete":
        """What an agent can do."""
        return spaces.Discrete(9) if self.actions == "discrete" else spaces.MultiDiscrete([3, 3])

    def action(self, chosen: Any) -> int:
        """The number from 0 to 8 of what was chosen."""
        if self.actions == "branches":
            try:
                move, turn = chosen
                known = move in _BRANCH and turn in _BRANCH
            except (TypeError, ValueError):
                known = False
            if not known:
                raise ValueError(f"{chosen!r} is not an action; it must be two numbers from 0 to 2, move and turn")
            return 3 * int(move) + int(turn)
        if isinstance(chosen, int):
            return chosen  # the world looks at it
        if isinstance(chosen, np.ndarray | np.generic) and chosen.size == 1:
            chosen = chosen.item()
        if not isinstance(chosen, int | float) or chosen not in range(len(ACTIONS)):
            raise ValueError(f"{chosen!r} is not an action; it must be a number from 0 to 8")
        return int(chosen)


class Perception:
    """The senses of one agent, as one flat dictionary of arrays.

    Attributes:
        space: what they can say.
        senses: what they said last, before it was arranged as the settings ask; what `perceive` filled, where nothing
            is to be arranged.
        ray_tags: the names of the columns of a ray, where there are rays.
    """

    def __init__(self, settings: Settings) -> None:
        rules = settings.rules
        self._camera: Camera | None = None
        self._rays = None if settings.rays is None else Rays(settings.rays, settings.ray_degrees)
        self._vitals = Vitals() if settings.vitals else None
        self.ray_tags = Rays.tags(rules)
        parts: dict[str, spaces.Space[Any]] = {}
        if settings.camera is not None:
            from puzzlebox.arena.senses.camera import FAR, SURROUNDINGS

            self._camera = camera(settings.camera, settings.grayscale)
            shape = self._camera.shape
            parts["camera"] = spaces.Box(0, 255, shape, np.uint8)
            if settings.depth:
                parts["depth"] = spaces.Box(0.0, FAR, shape[:2], np.float32)
            if settings.segments:
                parts["segments"] = spaces.Box(min(SURROUNDINGS), _LAST_NUMBER, shape[:2], np.int32)
        if self._rays is not None:
            parts["rays"] = spaces.Box(0.0, 1.0, (self._rays.size(rules),), np.float32)
        if self._vitals is not None:
            parts["vitals"] = spaces.Box(LOW, HIGH, dtype=np.float32)
        self.space = spaces.Dict(parts)
        self.senses: Observation = {}
        self._frames: Frames | None = None
        if settings.arranged:
            self.senses = {name: np.zeros(part.shape, part.dtype) for name, part in parts.items()}  # type: ignore[arg-type]
            self._frames = Frames(settings, self.space)
            self.space = self._frames.space
        self._forms = [(name, space.shape, space.dtype) for name, space in self.space.items()]

    def perceive(self, world: World, animal_index: int = 0, out: Observation | None = None) -> Observation:
        """What an agent perceives now, in new arrays or in those given."""
        if out is None:
            out = {name: np.empty(shape, dtype) for name, shape, dtype in self._forms}  # type: ignore[arg-type]
        if self._frames is None:
            self.senses = out
            return self._sense(world, animal_index, out)
        self._sense(world, animal_index, self.senses)
        return self._frames.arrange(self.senses, world, animal_index, out)

    def arrange(self, world: World, out: Observation) -> None:
        """Arrange what a cruise has filled in."""
        if self._frames is not None:
            self._frames.arrange(self.senses, world, 0, out)

    def _sense(self, world: World, animal_index: int, out: Observation) -> Observation:
        if self._camera is not None:
            self._camera.see(world, animal_index, out["camera"], out.get("depth"), out.get("segments"))
        if self._rays is not None:
            self._rays.cast(world, animal_index, out["rays"])
        if self._vitals is not None:
            self._vitals.feel(world, animal_index, out["vitals"])
        return out

    def join(self, cruise: Cruise, world: World, out: Observation) -> None:
        """Let a cruise fill these arrays with what its animal perceives; it knows nothing of depth and segments.

        Where something is to be arranged, it fills others, and `arrange` fills these.
        """
        if self._frames is not None:
            out = self.senses
        if self._camera is not None:
            self._camera.join(cruise, world, out["camera"])
        if self._rays is not None:
            self._rays.join(cruise, world, out["rays"])
        if self._vitals is not None:
            self._vitals.join(cruise, out["vitals"])


def told_of(world: World, animal: Agent, events: tuple[Event, ...]) -> dict[str, Any]:
    """What is true for an agent beside its observation."""
    passed, latency = decision_of(world, animal)
    return {
        "arena": world.arena.id,
        "passed": passed,
        "latency": latency,
        "episode_return": animal.total,
        "health": animal.health,
        "lights": world.lights,
        "events": events,
        "error": world.error,
    }


def decision_of(world: World, animal: Agent) -> tuple[bool | None, float | None]:
    """Whether an animal has passed, and the seconds until that was decided; None while it is not."""
    passed = world.passed(animal)
    return passed, None if passed is None else animal.latency


def shaped(info: dict[str, Any], how: str) -> dict[str, Any]:
    """An `info` as the setting `infos` asks for it."""
    if how == "all":
        return info
    if how == "plain":
        return info | {"events": plain_events(info["events"])}
    numbers = {name: value for name, value in info.items() if isinstance(value, bool | int | float)}
    decision = {name: UNKNOWN if info[name] is None else float(info[name]) for name in ("passed", "latency")}
    return numbers | decision


def plain_events(events: tuple[Event, ...]) -> tuple[dict[str, Any], ...]:
    """Events as dictionaries, which can be read without Puzzlebox."""
    return tuple(asdict(event) for event in events)


def things_of(world: World) -> tuple[tuple[int, str], ...]:
    """The number and name of everything in the arena, for those who see segments."""
    return tuple((number, type(thing).__name__) for number, thing in world.present.items())


def camera(size: int, grayscale: bool = False) -> "Camera":
    """A camera; imported when somebody wants one."""
    from puzzlebox.arena.senses.camera import Camera

    return Camera(size, grayscale)
