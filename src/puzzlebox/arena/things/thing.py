"""The base class of all things. Adding a thing means adding one class."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from puzzlebox.arena.rules import Rules
from puzzlebox.arena.things.catalogue import CATALOGUE as CATALOGUE
from puzzlebox.arena.things.kinds import Category, ColourRule, Notices, Origin, SizeRange, Solid, Stands, Takes
from puzzlebox.arena.things.parameters import PARAMETERS, Parameter, declare
from puzzlebox.scene.parts import Part
from puzzlebox.scene.shapes import Box, Shape, Vector
from puzzlebox.scene.themes import Look
from puzzlebox.text import nearest

if TYPE_CHECKING:
    from puzzlebox.arena.things.animal import Agent
    from puzzlebox.arena.things.stage import Stage

# An explicit size is shrunk by this factor so that neighbours do not touch, and the reward with it.
SHRINK = 0.999
# Everything is placed a little above what it stands on (docs/original/placement.md#things).
LIFT = 0.01
# The tag that rays report where they meet nothing; no thing may have it.
NO_TAG = "none"
# Nothing is placed higher than this.
HIGHEST = 100.0


class Thing:
    """The base of all things. The first line of a thing's docstring is its description.

    Attributes:
        category: its section of the catalogue.
        aliases: older names, all accepted in Animal-AI's format.
        turned_aliases: aliases under which it faced another way at rotation 0, with the difference in degrees.
        size: the range `size` is clamped to, or None if a task cannot set the size.
        unit: what `size` multiplies, if it is a scale and not metres.
        fixed_size: width, height and depth of a thing without `size`.
        turns: without a `rotation`, True draws one of 0-360 degrees, False means 0.
        colour: what `color` does.
        solid: its outer form.
        passable: other things may stand in the same place (zones).
        parameters: the parameters it takes besides `at`, `rotation`, `size` and `color`; one that the table of
            parameters does not have needs a kind and a meaning.
        pays: touching it adds to the return.
        ends: touching it ends the episode, whatever else there is.
        reward: the effect of touching it on the return, as text; "" for none.
        mass: kilograms, if it can move.
        friction: friction of its surface; the mean counts where two surfaces touch.
        stands: whether it can move.
        origin: the point of it that `at` names.
        notices: the contact with an animal that it is notified of.
        ticks: its `tick` is called at every physics step, from the start until `Stage.rest`.
        fades: its looks change with time, apart from its position.
        tag: its name in the rays; a tag that no other thing has gets its own column (`senses.rays`).

    An instance is one thing in an arena that is being played. It holds its settings (the parameters as the task gives
    them, with defaults) and where it was placed; the engine holds its current position.
    """

    category: ClassVar[Category]
    aliases: ClassVar[tuple[str, ...]] = ()
    turned_aliases: ClassVar[Mapping[str, float]] = {}
    size: ClassVar[SizeRange | None] = None
    unit: ClassVar[Vector | None] = None
    fixed_size: ClassVar[Vector | None] = None
    turns: ClassVar[bool] = True
    colour: ClassVar[ColourRule] = ColourRule.FIXED
    solid: ClassVar[Solid] = Solid.OTHER
    passable: ClassVar[bool] = False
    parameters: ClassVar[Mapping[str, Takes]] = {}
    pays: ClassVar[bool] = False
    ends: ClassVar[bool] = False
    reward: ClassVar[str] = ""
    mass: ClassVar[float] = 1.0
    friction: ClassVar[float] = 0.6
    stands: ClassVar[Stands] = Stands.FIXED
    origin: ClassVar[Origin] = Origin.CENTRE
    notices: ClassVar[Notices] = Notices.NOTHING
    ticks: ClassVar[bool] = False
    fades: ClassVar[bool] = False
    tag: ClassVar[str] = ""

    def __init__(self, settings: Mapping[str, Any], rules: Rules) -> None:
        self.rules = rules
        self.settings = self._resolve_settings(settings)
        self.explicit_settings = frozenset(name for name, value in settings.items() if value is not None)
        self.id = -1
        self.item: int | None = None
        self.extent: Vector = self.fixed_size or (1.0, 1.0, 1.0)
        self.at: Vector = (0.0, 0.0, 0.0)
        self.yaw = 0.0
        self.paint: tuple[float, ...] | None = None
        self.fixed = self.stands is Stands.FIXED
        self.kinematic = False
        # Metres it was lowered onto what it stands on, and the things that came with it.
        self.let_down = 0.0
        self.parts: tuple[Thing, ...] = ()

    def __init_subclass__(cls, *, family: bool = False, **kwargs: Any) -> None:
        """Add the class to the catalogue, unless it is a family of things or a part that comes with a thing."""
        super().__init_subclass__(**kwargs)
        cls.aliases = cls.__dict__.get("aliases", ())  # subclasses do not inherit aliases
        if cls.tag == NO_TAG:
            raise TypeError(f"{cls.__name__} has the tag `{NO_TAG}`, which rays report where they meet nothing")
        for name, spec in cls.parameters.items():
            declare(cls.__name__, name, spec.kind, spec.meaning)
        if not family:
            if not cls.__doc__:
                raise TypeError(f"{cls.__name__} needs a docstring: the catalogue shows it")
            other = CATALOGUE.get(cls.__name__)
            # The same class again comes from a notebook cell that was run twice.
            if other is not None and (other.__module__, other.__qualname__) != (cls.__module__, cls.__qualname__):
                raise TypeError(f"there is a {cls.__name__} already, in {other.__module__}; give yours another name")
            CATALOGUE[cls.__name__] = cls

    @classmethod
    def name(cls) -> str:
        """Return the name a task file uses."""
        return cls.__name__

    @classmethod
    def description(cls) -> str:
        """Return the first line of the docstring: one sentence about the thing."""
        return (cls.__doc__ or "").strip().splitlines()[0]

    @classmethod
    @cache
    def takes(cls) -> Mapping[str, Takes]:
        """Return every parameter it takes with its default, in the order of the table of parameters."""
        specs: dict[str, Takes] = {"at": Takes(), "rotation": Takes(None if cls.turns else 0.0)}
        if cls.size is not None:
            specs["size"] = Takes()
        if cls.colour is not ColourRule.FIXED:
            specs["color"] = Takes()
        specs.update(cls.parameters)
        return MappingProxyType({name: specs[name] for name in PARAMETERS if name in specs})

    @classmethod
    def meaning(cls, parameter: Parameter) -> str:
        """Return the meaning of a parameter for this thing."""
        spec = cls.takes()[parameter.name]
        meaning = spec.meaning or parameter.meaning
        return f"{meaning}, {spec.limits[0]:g} to {spec.limits[1]:g}" if spec.limits else meaning

    @classmethod
    def _resolve_settings(cls, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings within their limits, with defaults for the rest.

        Raises:
            TypeError: the thing does not take one of them.
        """
        values, takes = {}, cls.takes()
        if not settings.keys() <= takes.keys():
            for name, value in settings.items():
                if value is not None and name not in takes:
                    raise TypeError(f"{cls.__name__} does not take `{name}`{nearest(str(name), takes)}")
        for name, spec in takes.items():
            value = settings.get(name)
            if value is None:
                value = spec.default
            elif spec.limits:
                value = min(max(value, spec.limits[0]), spec.limits[1])
            values[name] = value
        return values

    def draw_size(self, rng: np.random.Generator, room: Vector) -> None:
        """Set the size: a given one is clamped and shrunk, a random one is drawn from what the arena has room for."""
        if self.size is None:
            return
        size = self.size.clamp(self.settings["size"] or (None, None, None))
        extent = []
        for length, low, high, available in zip(size, self.size.smallest, self.size.largest, room, strict=True):
            extent.append(length * SHRINK if length is not None else rng.uniform(low, max(low, min(high, available))))
        unit = self.unit or (1.0, 1.0, 1.0)
        self.extent = (extent[0] * unit[0], extent[1] * unit[1], extent[2] * unit[2])

    def draw_looks(self, rng: np.random.Generator) -> None:
        """Draw the colour and whatever else of its looks is random; called once it has been placed."""
        color = self.settings.get("color")
        if color is None and self.colour is ColourRule.GIVEN_OR_RANDOM:
            color = tuple(float(channel) for channel in rng.uniform(0, 255, 3))
        self.paint = color

    def weight(self) -> float:
        """Return its mass in kilograms under the rules of the episode."""
        return self.rules.masses.get(type(self).__name__, self.mass)

    def height(self, y: float) -> float:
        """Return the height of its origin for the height `y` that the task gives."""
        if self.origin is Origin.FLOOR:
            return 0.0
        return min(max(y, 0.0), HIGHEST) + LIFT + (self.extent[1] / 2 if self.origin is Origin.CENTRE else 0.0)

    def foot(self) -> float:
        """Return how far its lowest point lies below its origin."""
        return self.extent[1] / 2 if self.origin is Origin.CENTRE else 0.0

    def probe(self) -> Box:
        """Return the box that must be free where it is placed (docs/original/placement.md#things)."""
        x, y, z = self.extent
        return Box((x / 2, y / 2, z / 2), (0.0, 0.0 if self.origin is Origin.CENTRE else y / 2, 0.0))

    def shapes(self) -> tuple[Shape, ...]:
        """Return the solid shapes it is made of; without any it has no body."""
        raise NotImplementedError(f"{type(self).__name__} has no shapes")

    def looks(self, look: Look) -> tuple[Part, ...]:
        """Return its visible parts under a theme, in its current state; their number never changes."""
        raise NotImplementedError(f"{type(self).__name__} has no looks")

    def look_state(self) -> float:
        """Return a number for the state of its looks; `looks` is called again when it changes (where `fades`)."""
        return 0.0

    def soft_shapes(self) -> tuple[Shape, ...]:
        """Return solid parts that do not keep other things from being placed there."""
        return ()

    def entrances(self) -> tuple[Shape, ...]:
        """Return the shapes in which an animal counts as inside."""
        return self.shapes() if self.passable else ()

    def companions(self) -> "tuple[Thing, ...]":
        """Return the things that come with it, placed; called once, after it has been placed itself."""
        return ()

    def begin(self, stage: "Stage") -> None:
        """Handle the start of the episode, or the thing's own later appearance."""

    def tick(self, stage: "Stage") -> None:
        """Handle the start of a physics step (only where `ticks`, or while awake)."""

    def touched(self, stage: "Stage", animal: "Agent") -> None:
        """Handle contact with an animal."""

    def entered(self, stage: "Stage", animal: "Agent") -> None:
        """Handle the entry of an animal."""

    def inside(self, stage: "Stage", animal: "Agent") -> None:
        """Handle a physics step that an animal is inside, the first one included."""

    def left(self, stage: "Stage", animal: "Agent") -> None:
        """Handle the exit of an animal."""

    def removed(self, stage: "Stage") -> None:
        """Handle the removal of this thing from the arena."""

    def has_more_to_collect(self) -> bool:
        """Return whether there is still something to collect here, now or later."""
        return False

    def condition(self) -> dict[str, Any]:
        """Return further current state, for `World.describe`."""
        return {}


def names() -> dict[str, str]:
    """Return the current name of each thing by every accepted name, old ones included."""
    things_by_name = {name: name for name in CATALOGUE}
    things_by_name.update((alias, name) for name, thing in CATALOGUE.items() for alias in thing.aliases)
    return things_by_name
