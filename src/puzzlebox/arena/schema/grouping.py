"""Instances that Animal-AI's format can write as one item: the same thing, with lists aligned to the instances."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from puzzlebox.arena.things import CATALOGUE, PARAMETERS

if TYPE_CHECKING:
    from puzzlebox.arena.schema.models import Item

# Parameters that are written as -1 if they are missing in the middle of a list, which means the same.
RANDOM_WHEN_NEGATIVE = ("at", "rotation", "size", "color", "spawn_color")
# Other parameters that Animal-AI's format lists for each instance; it cannot write a missing one.
_ALIGNED = [
    parameter.name
    for parameter in PARAMETERS.values()
    if parameter.counts and parameter.name not in RANDOM_WHEN_NEGATIVE
]


def groups(items: Sequence["Item"]) -> list[list["Item"]]:
    """Return runs of items that can be written as one, in file order; each Agent stays alone."""
    runs: list[list[Item]] = []
    for item in items:
        if runs and _can_join(item, runs[-1]):
            runs[-1].append(item)
        else:
            runs.append([item])
    return runs


def fill_gaps(items: Sequence["Item"]) -> tuple["Item", ...]:
    """Return the items with defaults for values that an earlier instance lacks and a later one has."""
    filled = list(items)
    for name in _ALIGNED:
        positions = [index for index, item in enumerate(filled) if getattr(item, name) is not None]
        for index in range(positions[-1] if positions else 0):
            if getattr(filled[index], name) is None:
                default = CATALOGUE[filled[index].name].takes()[name].default
                filled[index] = filled[index].model_copy(update={name: default})
    return tuple(filled)


def _can_join(item: "Item", run: list["Item"]) -> bool:
    """Return whether an item can join a run.

    A list may end early but has no gaps, so a value may follow only if all before it had one.
    """
    first, last = run[0], run[-1]
    if item.name != first.name or item.name == "Agent":
        return False
    shared = (name for name, parameter in PARAMETERS.items() if not parameter.counts)
    if any(getattr(item, name) != getattr(first, name) for name in shared):
        return False
    return all(getattr(item, name) is None or getattr(last, name) is not None for name in _ALIGNED)
