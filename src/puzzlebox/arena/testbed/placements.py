"""Where everything stands in tasks, so that a task which is nearly one of them can be told, turned or mirrored too."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

import numpy as np

from puzzlebox.arena.schema.models import Task

# A task is nearly another one if nothing in it is farther than this from where it is in the other one (metres), seen
# from above: food that falls from higher up is the same food.
NEAR = 0.5
# Places in files have few decimals: what is as far as that must not depend on how it was computed.
_ROUNDING = 1e-6
Names = tuple[str, ...]


class Placements:
    """Where everything stands in some tasks, in all eight orientations.

    Args:
        tasks: the tasks; those in which a place is random are left out, since nothing is known of it.
    """

    def __init__(self, tasks: Iterable[Task]) -> None:
        found: dict[Names, list[Any]] = defaultdict(list)
        for task in tasks:
            placed = _placed(task)
            if placed is not None:
                found[placed[0]] += _orientations(placed[1])
        self._known = {names: np.stack(places) for names, places in found.items()}

    def has_near(self, task: Task) -> bool:
        """Return whether everything in a task stands near its place in one of the tasks, at any heading and height."""
        placed = _placed(task)
        if placed is None or placed[0] not in self._known:
            return False
        names, places = placed
        known = self._known[names]
        for first, last in _alike(names):
            # Things of one kind may stand in any order: each of them is near one of the others, and the other way.
            apart = np.linalg.norm(known[:, first:last, None] - places[None, None, first:last], axis=-1)
            farthest = np.maximum(apart.min(1).max(1), apart.min(2).max(1))
            known = known[farthest <= NEAR + _ROUNDING]
            if not len(known):
                return False
        return True


def _placed(task: Task) -> tuple[Names, Any] | None:
    """Return the names of all things, sorted, and their places on the floor, from its middle; None if one is random."""
    arena = task.arenas[0]
    width, depth = arena.size
    places: list[tuple[str, float, float]] = []
    for item in arena.items:
        if item.at is None or None in item.at:
            return None
        x, _, z = item.at
        places.append((item.name, x - width / 2, z - depth / 2))
    places.sort(key=lambda each: each[0])
    return tuple(each[0] for each in places), np.array([each[1:] for each in places])


def _orientations(places: Any) -> Iterator[Any]:
    for sign in (1, -1):
        turned = places * (sign, 1)
        for _ in range(4):
            yield turned
            turned = turned[:, (1, 0)] * (1, -1)


def _alike(names: Names) -> Iterator[tuple[int, int]]:
    """Yield where things of one kind begin and end, those of which there are fewest first."""
    lengths = [len(list(group)) for _, group in groupby(names)]
    ends = np.cumsum(lengths).tolist()
    found = [(end - length, end) for length, end in zip(lengths, ends, strict=True)]
    yield from sorted(found, key=lambda each: each[1] - each[0])
