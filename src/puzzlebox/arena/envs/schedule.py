"""The schedule of an environment: which task, which arena of it and which seed come next."""

from collections.abc import Sequence
from copy import copy
from math import gcd
from typing import Any

import numpy as np

from puzzlebox.arena.envs.sources import Named, Played, arenas_of
from puzzlebox.arena.schema import Task
from puzzlebox.arena.variations import Template, Variation
from puzzlebox.arena.world import ArenaSchedule
from puzzlebox.seeds import template_rng


def share(tasks: Sequence[Named], index: int, count: int) -> list[Named]:
    """What environment `index` of `count` plays: tasks index, index + count, ... of the list, again and again."""
    rounds = len(tasks) // gcd(count, len(tasks))
    return [tasks[(index + round * count) % len(tasks)] for round in range(rounds)]


def position_of(arena: Any, task: Played) -> int:
    """Where the arena with a given id is among those of a task."""
    ids = [each.id for each in arenas_of(task)]
    if arena not in ids:
        raise ValueError(f"there is no arena {arena!r}; the task has {', '.join(map(str, ids))}")
    return ids.index(arena)


class Drawn:
    """One variation of a template at a time: all its arenas are played, then the next one is drawn."""

    def __init__(self, template: Template) -> None:
        self._template = template
        self._order: ArenaSchedule | None = None
        self.variation: Variation | None = None

    def next(self, rng: np.random.Generator, arena: Any = None) -> tuple[Task, int]:
        """The next arena of the variation at hand, or the first one of a new variation."""
        if self.variation is None or self._order is None or not self._order._left or arena is not None:
            self.variation = self._template.draw(template_rng(rng))
            self._order = ArenaSchedule(self.variation.task)
        task = self.variation.task
        return task, self._order.next(rng) if arena is None else position_of(arena, task)

    def copy(self) -> "Drawn":
        """The same at the same point."""
        twin = Drawn(self._template)
        twin.variation = self.variation
        if self._order is not None:
            twin._order = copy(self._order)
            twin._order._left = list(self._order._left)
        return twin


class Schedule:
    """One episode of each task in turn; each task goes through its arenas in its own order.

    Attributes:
        name: the name of the task of the episode that began last.
        variation: what was drawn for the episode that began last, where that was a template's.
    """

    def __init__(self, tasks: Sequence[Named]) -> None:
        self.tasks = tuple(tasks)
        self.name = ""
        self.variation: dict[str, Any] | None = None
        self._turn = 0
        self._orders = [_order_of(task.played) for task in tasks]

    @property
    def upcoming(self) -> Named:
        """The task whose turn it is."""
        return self.tasks[self._turn % len(self.tasks)]

    def next(self, rng: np.random.Generator, arena: Any = None) -> tuple[Task, int]:
        """The next task and the position of the next arena in it, or of the one with a given id."""
        name, task = self.upcoming.name, self.upcoming.played
        order = self._orders[self._turn % len(self.tasks)]
        drawn: Variation | None = None
        if isinstance(order, Drawn):
            task, position = order.next(rng, arena)
            drawn = order.variation
        else:
            assert isinstance(task, Task)
            position = order.next(rng) if arena is None else position_of(arena, task)
        self._turn += 1
        self.name = name
        self.variation = None if drawn is None else drawn.values
        return task, position

    def copy(self) -> "Schedule":
        """The same at the same point; tasks never change and are shared."""
        twin = Schedule(self.tasks)
        twin._turn, twin.name, twin.variation = self._turn, self.name, self.variation
        twin._orders = [each.copy() if isinstance(each, Drawn) else copy(each) for each in self._orders]
        for order, own in zip(twin._orders, self._orders, strict=True):
            if isinstance(order, ArenaSchedule) and isinstance(own, ArenaSchedule):
                order._left = list(own._left)
        return twin


def _order_of(played: Played) -> ArenaSchedule | Drawn:
    """How a task goes through its arenas, or a template through its variations."""
    return ArenaSchedule(played) if isinstance(played, Task) else Drawn(played)
