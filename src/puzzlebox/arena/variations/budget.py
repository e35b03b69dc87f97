"""What templates may cost, counted before anything is computed: sizes, depths and steps, all limits in one place."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

from puzzlebox.arena.schema.diagnostics import Place
from puzzlebox.arena.schema.tree import MAX_NODES, Node
from puzzlebox.arena.variations.problems import NOWHERE, refuse

# Beyond these no arena has a use for a number, and sums and products of a few of them are still finite.
LARGEST = 1e15
# Names and choices in one template, and names that are made from one another.
MOST_NAMES = 1_000
MOST_CHOICES = 5_000
LONGEST_CHAIN = 50
# Python runs some 1,000 calls within one another; this is what evaluating a name may take of them.
MOST_CALLS = 500
# Conditions of procgen-companion's form that look at one another.
DEEPEST_CONDITIONS = 30
# Templates that one template names, those they name included.
MOST_TEMPLATES = 100
# Values in one variation or in one value of it, as in a task file, and characters in a text that is put together.
MOST_VALUES = MAX_NODES
MOST_CHARACTERS = 10_000
# Variations of a template, and numbers in a range.
MOST_VARIATIONS = 10**100
MOST_STEPS = 10**9
# Permutations and subsets of one variable, and values in all of them together.
MOST_LISTED = 50_000
MOST_LISTED_VALUES = 500_000
# Steps of evaluation: to make one variation, to look through what conditions tie together, and to check a template.
# Those that a template names take their steps from the same ones.
STEPS_PER_VARIATION = 2_000_000
STEPS_TO_TIE = 10_000_000
STEPS_TO_CHECK = 5_000_000


class Spent(Exception):
    """No steps are left; says so as the end of a sentence."""


class Budget:
    """Steps that may still be taken.

    Args:
        steps: how many there are.

    Attributes:
        left: how many are left; below 0 once there were not enough.
        depth: how many conditions are being evaluated within one another.
        shared: whether several templates take their steps from it.
    """

    def __init__(self, steps: int = STEPS_PER_VARIATION) -> None:
        self.steps = steps
        self.left = steps
        self.depth = 0
        self.shared = False

    def spend(self, steps: int = 1) -> None:
        """Take some steps.

        Raises:
            Spent: there are not so many left.
        """
        self.left -= steps
        if self.left < 0:
            together = " for all templates together" if self.shared else ""
            raise Spent(f"takes more than {self.steps:,} steps{together}; give fewer values or shorter expressions")


class Sized(list[Any]):
    """A list that knows how many values there are in it, itself included."""

    size = 1


def size_of(value: Any) -> int:
    """How many values there are in a value, itself included; a long text counts for several.

    Lists and mappings that parts of a template made know their size, so that nothing is walked through twice.
    """
    size = getattr(value, "size", None)
    if size is not None:
        return int(size)
    if isinstance(value, str):
        return 1 + len(value) // 64
    if isinstance(value, Mapping):
        return 1 + sum(size_of(part) for part in value.values())
    if isinstance(value, list | tuple):
        return 1 + sum(map(size_of, value))
    return 1


def refuse_large(size: int, place: Place = NOWHERE) -> None:
    """Refuse a list or mapping before it is made."""
    if size > MOST_VALUES:
        refuse(f"this holds more than {MOST_VALUES:,} values; repeat less", place, "too-many")


def checked_number(value: Any, node: Node) -> Any:
    """A value of a template, unless it is a number one cannot reckon with."""
    if isinstance(value, int | float) and not abs(value) <= LARGEST:
        if isinstance(value, float) and not isfinite(value):
            refuse(f"{node.shown()} is not a finite number", node, "not-finite")
        refuse(f"{node.shown()} is too large; numbers go from -1e15 to 1e15", node, "too-large-number")
    return value
