"""What every thing in the catalogue tells about itself. Adding a thing means adding one class."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar

from puzzlebox.things.parameters import PARAMETERS, Parameter

Vector = tuple[float, float, float]

# An explicit size is shrunk a little so that neighbours do not touch, and the reward with it (animal-ai.md 2.1).
SHRINK = 0.999


class Category(Enum):
    """The shelves of the catalogue, in the order people meet them."""

    AGENT = "agent"
    IMMOVABLE = "immovable"
    MOVABLE = "movable"
    GOAL = "goal"
    ZONE = "zone"
    DISPENSER = "dispenser"
    BUTTON = "button"
    SIGN = "sign"


class ColourRule(Enum):
    """What `color` does, and what a thing looks like without it."""

    GIVEN_OR_RANDOM = "as given, otherwise random"
    GIVEN_OR_OWN = "as given, otherwise its own"
    SYMBOL = "tints the symbol"
    FIXED = "fixed"


class Solid(Enum):
    """The outer form of a thing where one simple form says it all (placement checks use it)."""

    BOX = "box"
    WEDGE = "wedge"
    BALL = "ball"
    OTHER = "other"


@dataclass(frozen=True)
class SizeRange:
    """Smallest and largest size per axis; a size outside is clamped into it."""

    smallest: Vector
    largest: Vector

    @classmethod
    def cube(cls, smallest: float, largest: float) -> "SizeRange":
        """The same range on all three axes."""
        return cls((smallest,) * 3, (largest,) * 3)

    def clamp(self, size: Sequence[float | None]) -> tuple[float | None, ...]:
        """The size a thing gets when this one is asked for; what is random stays so."""
        ranges = zip(size, self.smallest, self.largest, strict=True)
        return tuple(asked if asked is None else min(max(asked, low), high) for asked, low, high in ranges)


@dataclass(frozen=True)
class Takes:
    """A parameter as one thing takes it: its default, its meaning where that differs, and the range it is kept in."""

    default: Any = None
    meaning: str | None = None
    limits: tuple[float, float] | None = None


CATALOGUE: dict[str, type["Thing"]] = {}


class Thing:
    """The base of all things. The first line of a thing's docstring is its description.

    Attributes:
        category: the shelf it stands on.
        aliases: older names, all accepted in Animal-AI's form.
        size: the range `size` is clamped to, or None when the size is not the author's to choose.
        unit: what `size` multiplies, where it is a scale and not metres.
        fixed_size: width, height and depth of a thing without `size`.
        turns: without a `rotation`, True draws one of 0-360 degrees, False means 0.
        colour: what `color` does.
        solid: its outer form.
        passable: others may stand in the same place (zones).
        parameters: what it takes beside `at`, `rotation`, `size` and `color`.
        pays: touching it adds to the return.
        ends: touching it ends the episode, whatever else there is.
        reward: what touching it brings, in words; empty when nothing.
    """

    category: ClassVar[Category]
    aliases: ClassVar[tuple[str, ...]] = ()
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

    def __init_subclass__(cls, *, family: bool = False, **kwargs: Any) -> None:
        """Put the class into the catalogue, unless it is only the family others belong to."""
        super().__init_subclass__(**kwargs)
        cls.aliases = cls.__dict__.get("aliases", ())  # an old name belongs to one thing, not to its variants
        if not family:
            if not cls.__doc__:
                raise TypeError(f"{cls.__name__} needs a docstring: it is its page in the catalogue")
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


def names() -> dict[str, str]:
    """Every accepted name, old and new, with the thing it stands for."""
    known = {name: name for name in CATALOGUE}
    known.update((alias, name) for name, thing in CATALOGUE.items() for alias in thing.aliases)
    return known
