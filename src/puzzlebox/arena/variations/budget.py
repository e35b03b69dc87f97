"""Limits on the size, depth and cost of templates, checked before anything is computed."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

from puzzlebox.arena.schema.diagnostics import Place
from puzzlebox.arena.schema.tree import MAX_NODES, Node
from puzzlebox.arena.variations.problems import NOWHERE, refuse

# Larger numbers have no use in an arena, and sums and products of a few of these are still finite.
LARGEST = 1e15
# Names and choices in one template, and the length of a chain of names that refer to one another.
MOST_NAMES = 1_000
MOST_CHOICES = 5_000
LONGEST_CHAIN = 50
# Python allows about 1,000 nested calls; evaluating a name may take this many of them.
MOST_CALLS = 500
# Nesting of procgen-companion's conditions that refer to one another.
DEEPEST_CONDITIONS = 30
# Templates that one template names, directly or through others.
MOST_TEMPLATES = 100
# Values in one variation or in one value of it, as in a task file, and characters in a text with embedded values.
MOST_VALUES = MAX_NODES
MOST_CHARACTERS = 10_000
# Variations of a template, and numbers in a range.
MOST_VARIATIONS = 10**100
MOST_STEPS = 10**9
# Permutations and subsets of one variable, and values in all of them together.
MOST_LISTED = 50_000
MOST_LISTED_VALUES = 500_000
# Steps of evaluation: to produce one variation, to list the combinations that conditions allow, and to check a
# template. Templates that a template names take their steps from the same budget.
STEPS_PER_VARIATION = 2_000_000
STEPS_TO_TIE = 10_000_000
STEPS_TO_CHECK = 5_000_000


# Most values are of these kinds, whose size need not be looked up.
_SIMPLE = frozenset({int, float, bool, type(None)})


class BudgetSpent(Exception):
    """No steps are left; the text is the end of a sentence that says so."""


class Budget:
    """A number of evaluation steps that may still be taken.

    Args:
        steps: how many there are.

    Attributes:
        left: how many are left; below 0 once they did not suffice.
        depth: how many nested conditions are being evaluated.
        shared: whether several templates use this budget.
    """

    def __init__(self, steps: int = STEPS_PER_VARIATION) -> None:
        self.steps = steps
        self.left = steps
        self.depth = 0
        self.shared = False

    def spend(self, steps: int = 1) -> None:
        """Take some steps.

        Raises:
            BudgetSpent: fewer steps are left.
        """
        self.left -= steps
        if self.left < 0:
            together = " for all templates together" if self.shared else ""
            raise BudgetSpent(
                f"takes more than {self.steps:,} steps{together}; give fewer values or shorter expressions"
            )


class Sized(list[Any]):
    """A list that stores how many values it holds, itself included."""

    size = 1


def size_of(value: Any) -> int:
    """Return how many values a value holds, itself included; a long text counts for several.

    Lists and mappings from parts of a template store their size, so that nothing is counted twice.
    """
    if type(value) in _SIMPLE:
        return 1
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
    """Refuse a list or mapping of more than `MOST_VALUES` values, before it is built."""
    if size > MOST_VALUES:
        refuse(f"this holds more than {MOST_VALUES:,} values; repeat less", place, "too-many")


def checked_number(value: Any, node: Node) -> Any:
    """Return a value of a template; refuse a number that is too large or not finite."""
    if isinstance(value, int | float) and not abs(value) <= LARGEST:
        if isinstance(value, float) and not isfinite(value):
            refuse(f"{node.describe()} is not a finite number", node, "not-finite")
        refuse(f"{node.describe()} is too large; numbers go from -1e15 to 1e15", node, "too-large-number")
    return value
