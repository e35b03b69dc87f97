"""The schedule of an environment: which task is next, and which of its arenas."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import accumulate
from math import gcd, isfinite
from typing import Any

import numpy as np

from puzzlebox.arena.envs.sources import NamedTask, TaskOrTemplate, arenas_of
from puzzlebox.arena.schema import Task
from puzzlebox.arena.variations import Template, Variation
from puzzlebox.arena.world import ArenaSchedule
from puzzlebox.seeds import template_rng


def share(tasks: Sequence[NamedTask], index: int, count: int) -> list[NamedTask]:
    """Return what environment `index` of `count` plays: tasks index, index + count, ... of the list, repeated."""
    rounds = len(tasks) // gcd(count, len(tasks))
    return [tasks[(index + round * count) % len(tasks)] for round in range(rounds)]


def position_of(arena: Any, task: TaskOrTemplate) -> int:
    """Return the position of the arena with a given id in a task."""
    ids = [each.id for each in arenas_of(task)]
    if arena not in ids:
        known = f"arenas {', '.join(map(str, ids))}" if len(ids) > 1 else f"only arena {ids[0]}"
        raise ValueError(f"there is no arena {arena!r}; the task has {known}")
    return ids.index(arena)


class TemplateSchedule:
    """One variation of a template at a time: all its arenas are played, then the next variation is drawn."""

    def __init__(self, template: Template) -> None:
        self._template = template
        self._arenas: ArenaSchedule | None = None
        self.variation: Variation | None = None

    def next(self, rng: np.random.Generator, arena: Any = None) -> tuple[Task, int]:
        """Return the next arena of the current variation, or the first one of a new variation."""
        if self.variation is None or self._arenas is None or not self._arenas._left or arena is not None:
            self.variation = self._template.draw(template_rng(rng))
            self._arenas = ArenaSchedule(self.variation.task)
        task = self.variation.task
        return task, self._arenas.next(rng) if arena is None else position_of(arena, task)

    def copy(self) -> "TemplateSchedule":
        """Return a copy in the same state."""
        twin = TemplateSchedule(self._template)
        twin.variation = self.variation
        if self._arenas is not None:
            twin._arenas = copy(self._arenas)
            twin._arenas._left = list(self._arenas._left)
        return twin


def numbers_of(weights: Iterable[Any]) -> list[float]:
    """Return task weights as numbers.

    Raises:
        ValueError: they are no numbers.
    """
    try:
        return [float(weight) for weight in weights]
    except (TypeError, ValueError):
        raise ValueError(f"the task weights are {weights!r}; give one number for each task") from None


@dataclass(frozen=True)
class Pool:
    """Tasks of which each episode draws one.

    Attributes:
        tasks: the tasks.
        sums: the sum of the weights of each task and those before it.
    """

    tasks: tuple[NamedTask, ...]
    sums: tuple[float, ...]

    @classmethod
    def of(cls, tasks: Sequence[NamedTask], weights: Sequence[float]) -> "Pool":
        """Return the pool of tasks with these weights.

        Raises:
            ValueError: there is not one finite weight, 0 or more, for each task, or all are 0.
        """
        values = numbers_of(weights)
        if len(values) != len(tasks):
            raise ValueError(f"there are {len(tasks)} tasks and {len(values)} weights; give one for each task")
        for task, value in zip(tasks, values, strict=True):
            if not isfinite(value) or value < 0:
                raise ValueError(f"the weight of {task.name} is {value}; it must be a finite number, 0 or more")
        if not any(values):
            raise ValueError("all task weights are 0; at least one must be above 0")
        return cls(tuple(tasks), tuple(accumulate(values)))

    @property
    def names(self) -> list[str]:
        """Return the names of the tasks."""
        return [task.name for task in self.tasks]

    def draw(self, rng: np.random.Generator) -> int:
        """Return the index of a task, drawn in proportion to the weights; a task with weight 0 is never drawn."""
        total = self.sums[-1]
        index = bisect_right(self.sums, rng.random() * total)
        return min(index, self.sums.index(total))  # the product may be rounded up to the total


class Schedule:
    """One episode of each task in turn, or of a task drawn from a pool; each task has its own schedule for its arenas.

    Attributes:
        tasks: the tasks that are played in turn.
        pool: the tasks that episodes are drawn from instead; None if there is no pool.
        name: the name of the task of the latest episode.
        variation: the drawn values of the latest episode, if it is one of a template.
    """

    def __init__(self, tasks: Sequence[NamedTask], pool: Pool | None = None) -> None:
        self.tasks = tuple(tasks)
        self.pool = pool
        self.name = ""
        self.variation: dict[str, Any] | None = None
        self._next = 0
        self._schedules = [_schedule_of(task.task) for task in tasks]
        # The schedules of tasks of the pool that were drawn, by their index.
        self._drawn: dict[int, ArenaSchedule | TemplateSchedule] = {}

    @property
    def upcoming(self) -> NamedTask:
        """Return the next task in turn."""
        return self.tasks[self._next % len(self.tasks)]

    def set_pool(self, pool: Pool | None) -> None:
        """Draw the next episodes from a pool; None plays the tasks in turn again, from where that stopped."""
        if pool is None or self.pool is None or pool.names != self.pool.names:
            self._drawn = {}
        self.pool = pool

    def restart(self) -> "Schedule":
        """Return a schedule of the same tasks, or the same pool, at its beginning."""
        return Schedule(self.tasks, self.pool)

    def _take(self, rng: np.random.Generator) -> tuple[NamedTask, "ArenaSchedule | TemplateSchedule"]:
        """Return the task of the next episode, and the schedule of its arenas."""
        if self.pool is None:
            return self.upcoming, self._schedules[self._next % len(self.tasks)]
        index = self.pool.draw(rng)
        named = self.pool.tasks[index]
        if index not in self._drawn:
            self._drawn[index] = _schedule_of(named.task)
        return named, self._drawn[index]

    def next(self, rng: np.random.Generator, arena: Any = None) -> tuple[Task, int]:
        """Return the next task and the position of its next arena, or of the one with a given id."""
        named, schedule = self._take(rng)
        name, task = named.name, named.task
        variation: Variation | None = None
        if isinstance(schedule, TemplateSchedule):
            task, position = schedule.next(rng, arena)
            variation = schedule.variation
        else:
            assert isinstance(task, Task)
            position = schedule.next(rng) if arena is None else position_of(arena, task)
        self._next += self.pool is None
        self.name = name
        self.variation = None if variation is None else variation.values
        return task, position

    def copy(self) -> "Schedule":
        """Return a copy in the same state; tasks never change and are shared."""
        twin = copy(self)
        twin._schedules = [_copy_of(each) for each in self._schedules]
        twin._drawn = {index: _copy_of(each) for index, each in self._drawn.items()}
        return twin


def _schedule_of(task: TaskOrTemplate) -> ArenaSchedule | TemplateSchedule:
    """Return the schedule of a task's arenas, or of a template's variations."""
    return ArenaSchedule(task) if isinstance(task, Task) else TemplateSchedule(task)


def _copy_of(schedule: ArenaSchedule | TemplateSchedule) -> ArenaSchedule | TemplateSchedule:
    """Return a copy of a schedule in the same state."""
    if isinstance(schedule, TemplateSchedule):
        return schedule.copy()
    twin = copy(schedule)
    twin._left = list(schedule._left)
    return twin
