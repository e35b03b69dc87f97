"""Instances that Animal-AI's form can write as one item: the same thing, with lists aligned to the instances."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from puzzlebox.arena.things import CATALOGUE, PARAMETERS

if TYPE_CHECKING:
    from puzzlebox.arena.schema.models import Item

# Missing in the middle of a list these are written as -1, which means the same.
RANDOM_WHEN_NEGATIVE = ("at", "rotation", "size", "color", "spawn_color")
# What Animal-AI's format lists for each instance, and has no other word for where it is missing.
_ALIGNED = [
    parameter.name
    for parameter in PARAMETERS.values()
    if parameter.counts and parameter.name not in RANDOM_WHEN_NEGATIVE
]


def groups(items: Sequence["Item"]) -> list[list["Item"]]:
    """Runs of items that belong together, in file order. Agents stay alone: each is one agent."""
    runs: list[list[Item]] = []
    for item in items:
        if runs and _belongs(item, runs[-1]):
            runs[-1].append(item)
        else:
            runs.append([item])
    return runs


def without_holes(items: Sequence["Item"]) -> tuple["Item", ...]:
    """The same items, with what a later instance has and an earlier one lacks given as its default."""
    made = list(items)
    for name in _ALIGNED:
        given = [index for index, item in enumerate(made) if getattr(item, name) is not None]
        for index in range(given[-1] if given else 0):
            if getattr(made[index], name) is None:
                default = CATALOGUE[made[index].name].takes()[name].default
                made[index] = made[index].model_copy(update={name: default})
    return tuple(made)


def _belongs(item: "Item", run: list["Item"]) -> bool:
    """A list may end early but has no holes, so a value may follow only where all before it had one."""
    first, last = run[0], run[-1]
    if item.name != first.name or item.name == "Agent":
        return False
    shared = (name for name, parameter in PARAMETERS.items() if not parameter.counts)
    if any(getattr(item, name) != getattr(first, name) for name in shared):
        return False
    return all(getattr(item, name) is None or getattr(last, name) is not None for name in _ALIGNED)
