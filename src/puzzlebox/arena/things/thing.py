"""What every thing in the catalogue says about itself. Adding a thing means adding one class."""

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
# What rays say where they meet nothing, so that no thing can be called so.
NO_TAG = "none"
# Nothing is placed higher than this.
HIGHEST = 100.0


class Thing:
    """The base of all things. The first line of a thing's docstring is its description.

    Attributes:
        category: the shelf it stands on.
        aliases: older names, all accepted in Animal-AI's format.
        turned_aliases: those under which it faced elsewhere at rotation 0, and by how many degrees.
        size: the range `size` is clamped to, or None when the size is not the author's to choose.
        unit: what `size` multiplies, where it is a scale and not metres.
        fixed_size: width, height and depth of a thing without `size`.
        turns: without a `rotation`, True draws one of 0-360 degrees, False means 0.
        colour: what `color` does.
        solid: its outer form.
        passable: others may stand in the same place (zones).
        parameters: what it takes beside `at`, `rotation`, `size` and `color`; one of its own has a kind and a meaning.
        pays: touching it adds to the return.
        ends: touching it ends the episode, whatever else there is.
        reward: what touching it brings, in words; empty when nothing.
        mass: kilograms, where it can move.
        friction: of its surface; two surfaces meet with their mean.
        stands: whether it can move.
        origin: what of it is at the point `at` names.
        notices: what an animal must do to be noticed.
        ticks: it has something to do at every physics step, from the start until it rests (`Stage.rest`).
        fades: its looks change by themselves, beside where it is.
        tag: what the rays call it; one that no other thing has gets a column of its own (`senses.rays`).

    An instance is one thing in a living arena. It knows what was asked of it and where it was placed; where it is now,
    only the engine knows.
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

    def __init__(self, asked: Mapping[str, Any], rules: Rules) -> None:
        self.rules = rules
        self.asked = self._settle(asked)
        self.given = frozenset(name for name, value in asked.items() if value is not None)
        self.id = -1
        self.item: int | None = None
        self.extent: Vector = self.fixed_size or (1.0, 1.0, 1.0)
        self.at: Vector = (0.0, 0.0, 0.0)
        self.yaw = 0.0
        self.paint: tuple[float, ...] | None = None
        self.fixed = self.stands is Stands.FIXED
        self.kinematic = False
        # How far it was let down onto what it stands on, and the things that came with it.
        self.let_down = 0.0
        self.parts: tuple[Thing, ...] = ()

    def __init_subclass__(cls, *, family: bool = False, **kwargs: Any) -> None:
        """Put the class into the catalogue, unless it is a family others belong to or a part that comes with others."""
        super().__init_subclass__(**kwargs)
        cls.aliases = cls.__dict__.get("aliases", ())  # an old name belongs to one thing, not to its variants
        if cls.tag == NO_TAG:
            raise TypeError(f"{cls.__name__} has the tag `{NO_TAG}`, which is what rays say where they meet nothing")
        for name, taken in cls.parameters.items():
            declare(cls.__name__, name, taken.kind, taken.meaning)
        if not family:
            if not cls.__doc__:
                raise TypeError(f"{cls.__name__} needs a docstring: it is its page in the catalogue")
            other = CATALOGUE.get(cls.__name__)
            # The same class again is a cell of a notebook that was run twice.
            if other is not None and (other.__module__, other.__qualname__) != (cls.__module__, cls.__qualname__):
                raise TypeError(f"there is a {cls.__name__} already, in {other.__module__}; give yours another name")
            CATALOGUE[cls.__name__] = cls

    @classmethod
    def name(cls) -> str:
        """The name a task file uses."""
        return cls.__name__

    @classmethod
    def description(cls) -> str:
        """One sentence about it."""
        return (cls.__doc__ or "").strip().splitlines()[0]

    @classmethod
    @cache
    def takes(cls) -> Mapping[str, Takes]:
        """Every parameter it takes, in the order of the table, with its default."""
        taken: dict[str, Takes] = {"at": Takes(), "rotation": Takes(None if cls.turns else 0.0)}
        if cls.size is not None:
            taken["size"] = Takes()
        if cls.colour is not ColourRule.FIXED:
            taken["color"] = Takes()
        taken.update(cls.parameters)
        return MappingProxyType({name: taken[name] for name in PARAMETERS if name in taken})

    @classmethod
    def meaning(cls, parameter: Parameter) -> str:
        """What a parameter means for this thing."""
        taken = cls.takes()[parameter.name]
        meaning = taken.meaning or parameter.meaning
        return f"{meaning}, {taken.limits[0]:g} to {taken.limits[1]:g}" if taken.limits else meaning

    @classmethod
    def _settle(cls, asked: Mapping[str, Any]) -> dict[str, Any]:
        """What was asked for, kept within its limits, with defaults for the rest; refuses what it does not take."""
        settled, takes = {}, cls.takes()
        if not asked.keys() <= takes.keys():
            for name, value in asked.items():
                if value is not None and name not in takes:
                    raise TypeError(f"{cls.__name__} does not take `{name}`{nearest(str(name), takes)}")
        for name, taken in takes.items():
            value = asked.get(name)
            if value is None:
                value = taken.default
            elif taken.limits:
                value = min(max(value, taken.limits[0]), taken.limits[1])
            settled[name] = value
        return settled

    def draw_size(self, generator: np.random.Generator, room: Vector) -> None:
        """Choose the size: what is given is clamped and shrunk, the rest is drawn from what the arena has room for."""
        if self.size is None:
            return
        given = self.size.clamp(self.asked["size"] or (None, None, None))
        extent = []
        for axis, low, high, most in zip(given, self.size.smallest, self.size.largest, room, strict=True):
            extent.append(axis * SHRINK if axis is not None else generator.uniform(low, max(low, min(high, most))))
        unit = self.unit or (1.0, 1.0, 1.0)
        self.extent = (extent[0] * unit[0], extent[1] * unit[1], extent[2] * unit[2])

    def draw_looks(self, generator: np.random.Generator) -> None:
        """Choose what else is left to chance, once it has found its place."""
        given = self.asked.get("color")
        if given is None and self.colour is ColourRule.GIVEN_OR_RANDOM:
            given = tuple(float(channel) for channel in generator.uniform(0, 255, 3))
        self.paint = given

    def weight(self) -> float:
        """Its mass in kilograms under the rules it lives by."""
        return self.rules.masses.get(type(self).__name__, self.mass)

    def height(self, y: float) -> float:
        """The height of its origin when a task asks for `y`."""
        if self.origin is Origin.FLOOR:
            return 0.0
        return min(max(y, 0.0), HIGHEST) + LIFT + (self.extent[1] / 2 if self.origin is Origin.CENTRE else 0.0)

    def foot(self) -> float:
        """How far its lowest point lies below its origin."""
        return self.extent[1] / 2 if self.origin is Origin.CENTRE else 0.0

    def probe(self) -> Box:
        """The box that asks whether there is room for it (docs/original/placement.md#things)."""
        x, y, z = self.extent
        return Box((x / 2, y / 2, z / 2), (0.0, 0.0 if self.origin is Origin.CENTRE else y / 2, 0.0))

    def shapes(self) -> tuple[Shape, ...]:
        """What it is made of; an empty thing has no body."""
        raise NotImplementedError(f"{type(self).__name__} has no shapes")

    def looks(self, look: Look) -> tuple[Part, ...]:
        """What of it can be seen under a theme, now; always the same number of pieces."""
        raise NotImplementedError(f"{type(self).__name__} has no looks")

    def shown(self) -> float:
        """How far it has changed, 0 to 1; its looks are asked again when this has another value (where `fades`)."""
        return 0.0

    def soft_shapes(self) -> tuple[Shape, ...]:
        """Solid parts that do not keep other things from being placed there."""
        return ()

    def entrances(self) -> tuple[Shape, ...]:
        """Where an animal must be to be noticed as inside."""
        return self.shapes() if self.passable else ()

    def companions(self) -> "tuple[Thing, ...]":
        """Things of their own that come with it, put where they belong; asked once, when it has found its place."""
        return ()

    def begin(self, stage: "Stage") -> None:
        """The arena is built and the episode starts, or this thing has just appeared in it."""

    def tick(self, stage: "Stage") -> None:
        """Another physics step begins (only where `ticks`, or while awake)."""

    def touched(self, stage: "Stage", animal: "Agent") -> None:
        """An animal is in contact with it."""

    def entered(self, stage: "Stage", animal: "Agent") -> None:
        """An animal has come in."""

    def inside(self, stage: "Stage", animal: "Agent") -> None:
        """An animal is in it, at every physics step, the first included."""

    def left(self, stage: "Stage", animal: "Agent") -> None:
        """An animal has gone out."""

    def dismissed(self, stage: "Stage") -> None:
        """It is taken out of the arena."""

    def awaited(self) -> bool:
        """Whether there is still something to collect here, now or later."""
        return False

    def condition(self) -> dict[str, Any]:
        """What else is true of it now, for `World.describe`."""
        return {}


def names() -> dict[str, str]:
    """Every accepted name, old and new, with the thing it stands for."""
    known = {name: name for name in CATALOGUE}
    known.update((alias, name) for name, thing in CATALOGUE.items() for alias in thing.aliases)
    return known
