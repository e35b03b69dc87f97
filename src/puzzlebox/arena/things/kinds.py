"""The words a thing describes itself with: its shelf, its sizes, its parameters, how it stands and what it notices."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from puzzlebox.arena.things.parameters import Kind
from puzzlebox.scene.shapes import Vector


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
    """A parameter as one thing takes it.

    Attributes:
        default: its value where the task gives none.
        meaning: what it means for this thing, where that differs from the table of parameters.
        limits: the range numbers are kept in.
        kind: what its values are; given where the thing declares a parameter of its own, which then needs a meaning.
    """

    default: Any = None
    meaning: str | None = None
    limits: tuple[float, float] | None = None
    kind: Kind | None = None


class Stands(Enum):
    """Whether a thing can move."""

    FIXED = "fixed"
    WHERE_SUPPORTED = "fixed where the floor or something fixed carries both its sides; otherwise it falls or tips"
    FREE = "free: it falls, and moves when pushed"


class Origin(Enum):
    """What of a thing is at the point `at` names."""

    CENTRE = "the middle of its lower side"
    BASE = "its foot"
    FLOOR = "its middle, at a height of its own whatever the height asked for"


class Notices(Enum):
    """What an animal must do to be noticed by a thing."""

    NOTHING = "nothing"
    TOUCH = "touch it"
    ENTRY = "be inside"
