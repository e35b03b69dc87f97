"""The vocabulary a thing is declared with: category, sizes, parameters, how it stands and what it notices."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from puzzlebox.arena.things.parameters import Kind
from puzzlebox.scene.shapes import Vector


class Category(Enum):
    """The sections of the catalogue, in the order in which it lists them."""

    AGENT = "agent"
    IMMOVABLE = "immovable"
    MOVABLE = "movable"
    GOAL = "goal"
    ZONE = "zone"
    DISPENSER = "dispenser"
    BUTTON = "button"
    SIGN = "sign"


class ColourRule(Enum):
    """The effect of `color`, and the colour of a thing without it."""

    GIVEN_OR_RANDOM = "as given, otherwise random"
    GIVEN_OR_OWN = "as given, otherwise its own"
    SYMBOL = "tints the symbol"
    FIXED = "fixed"


class Solid(Enum):
    """The outer form of a thing that is one simple form (used to check for overlaps)."""

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
        """Return the same range on all three axes."""
        return cls((smallest,) * 3, (largest,) * 3)

    def clamp(self, size: Sequence[float | None]) -> tuple[float | None, ...]:
        """Return a size clamped to the range; a random component (None) stays random."""
        ranges = zip(size, self.smallest, self.largest, strict=True)
        return tuple(
            component if component is None else min(max(component, low), high) for component, low, high in ranges
        )


@dataclass(frozen=True)
class Takes:
    """The use of a parameter by one thing: its default, meaning and limits there.

    Attributes:
        default: the value if the task gives none.
        meaning: what it means for this thing, if that differs from the table of parameters.
        limits: the range that numbers are clamped to.
        kind: the kind of its values; given if the thing declares its own parameter, which then needs a meaning.
    """

    default: Any = None
    meaning: str | None = None
    limits: tuple[float, float] | None = None
    kind: Kind | None = None


class Stands(Enum):
    """How firmly a thing stands."""

    FIXED = "fixed"
    WHERE_SUPPORTED = "fixed where the floor or something fixed carries both its sides; otherwise it falls or tips"
    FREE = "free: it falls, and moves when pushed"


class Origin(Enum):
    """The point of a thing that `at` names."""

    CENTRE = "the middle of its lower side"
    BASE = "its foot"
    FLOOR = "its middle, at its own height whatever the height asked for"


class Notices(Enum):
    """The contact with an animal that a thing is notified of."""

    NOTHING = "nothing"
    TOUCH = "touch it"
    ENTRY = "be inside"
