"""Which task and which arena of it come next, and how tasks are named: one, several, or by a pattern."""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from fnmatch import fnmatchcase
from glob import glob, has_magic
from math import gcd
from os import PathLike, fspath
from os.path import exists
from random import Random
from typing import Any

import numpy as np

from puzzlebox.batteries import bundled_names
from puzzlebox.schema import Task, load_task
from puzzlebox.schema.models import Arena
from puzzlebox.variations import Template, Variation, is_template, template_names
from puzzlebox.world import ArenaOrder

# What is played: a task, or a template, of which a new variation is drawn again and again.
Played = Task | Template
Source = Played | str | bytes | PathLike[str]
_SEEDS = 2**63
_A_TASK = 'a path, YAML text, a Task or the name of a bundled one, such as "foraging"'


def tasks_of(source: Source | Iterable[Source]) -> list[Played]:
    """The tasks somebody means: a Task, a path, a bundled name, YAML text, a pattern such as `examples/*`, or a list.

    A template counts as one task that is different in every episode.

    Raises:
        FileNotFoundError: nothing has that name or fits that pattern.
        TaskError: a task has mistakes.
    """
    if isinstance(source, Played | str | bytes | PathLike):
        return [_loaded(each) for each in _named(source)]
    if not isinstance(source, Iterable) or isinstance(source, Mapping):
        raise TypeError(f"task is {source!r}; it must be {_A_TASK}")
    tasks = [task for each in source for task in tasks_of(each)]
    if not tasks:
        raise ValueError(f"there is no task; give {_A_TASK}")
    return tasks


def _loaded(source: Source) -> Played:
    if isinstance(source, Played):
        return source
    return Template(source) if is_template(source) else load_task(source)


def _named(source: Source) -> Sequence[Source]:
    name = "" if isinstance(source, Played | bytes) else fspath(source)
    is_pattern = has_magic(name) and not exists(name)
    if not is_pattern or "\n" in name or name.lstrip().startswith(("{", "[", "!", "arenas:")):
        return [source]
    bundled = (*bundled_names(), *template_names())
    found = [each for each in bundled if fnmatchcase(each, name)] or sorted(glob(name, recursive=True))
    if not found:
        raise FileNotFoundError(f"no bundled task and no file fits {name}; `puzzlebox tasks` lists what is bundled")
    return found


def arenas_of(played: Played) -> tuple[Arena, ...]:
    """The arenas of a task; of a template, those of its first variation."""
    return (played if isinstance(played, Task) else played[0].task).arenas


def several_agents(tasks: Iterable[Played]) -> str | None:
    """Where there is more than one agent, in words."""
    for task in tasks:
        for arena in arenas_of(task):
            count = len(arena.agents())
            if count > 1:
                return f"arena {arena.id} has {count} agents"
    return None


def share(tasks: Sequence[Played], index: int, count: int) -> list[Played]:
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
        self._order: ArenaOrder | None = None
        self.variation: Variation | None = None

    def next(self, generator: np.random.Generator, arena: Any = None) -> tuple[Task, int]:
        """The next arena of the variation at hand, or the first one of a new variation."""
        if self.variation is None or self._order is None or not self._order._left or arena is not None:
            self.variation = self._template.draw(Random(int(generator.integers(_SEEDS))))
            self._order = ArenaOrder(self.variation.task)
        task = self.variation.task
        return task, self._order.next(generator) if arena is None else position_of(arena, task)

    def copy(self) -> "Drawn":
        """The same at the same point."""
        twin = Drawn(self._template)
        twin.variation = self.variation
        if self._order is not None:
            twin._order = copy(self._order)
            twin._order._left = list(self._order._left)
        return twin


class Programme:
    """One episode of each task in turn; each task goes through its arenas in its own order.

    Attributes:
        variation: what was drawn for the episode that began last, where that was a template's.
    """

    def __init__(self, tasks: Sequence[Played]) -> None:
        self.tasks = tuple(tasks)
        self.variation: dict[str, Any] | None = None
        self._turn = 0
        self._orders = [ArenaOrder(task) if isinstance(task, Task) else Drawn(task) for task in tasks]

    @property
    def upcoming(self) -> Played:
        """The task whose turn it is."""
        return self.tasks[self._turn % len(self.tasks)]

    def next(self, generator: np.random.Generator, arena: Any = None) -> tuple[Task, int]:
        """The next task and the position of the next arena in it, or of the one with a given id."""
        task, order = self.upcoming, self._orders[self._turn % len(self.tasks)]
        drawn: Variation | None = None
        if isinstance(order, Drawn):
            task, position = order.next(generator, arena)
            drawn = order.variation
        else:
            assert isinstance(task, Task)
            position = order.next(generator) if arena is None else position_of(arena, task)
        self._turn += 1
        self.variation = None if drawn is None else drawn.values
        return task, position

    def copy(self) -> "Programme":
        """The same at the same point; tasks never change and are shared."""
        twin = Programme(self.tasks)
        twin._turn, twin.variation = self._turn, self.variation
        twin._orders = [each.copy() if isinstance(each, Drawn) else copy(each) for each in self._orders]
        for order, own in zip(twin._orders, self._orders, strict=True):
            if isinstance(order, ArenaOrder) and isinstance(own, ArenaOrder):
                order._left = list(own._left)
        return twin
