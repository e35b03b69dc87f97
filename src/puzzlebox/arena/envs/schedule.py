"""The schedule of an environment: which task is next, and which of its arenas."""

from collections.abc import Sequence
from copy import copy
from math import gcd
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
        raise ValueError(f"there is no arena {arena!r}; the task has {', '.join(map(str, ids))}")
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


class Schedule:
    """One episode of each task in turn; each task has its own schedule for its arenas.

    Attributes:
        name: the name of the task of the latest episode.
        variation: the drawn values of the latest episode, if it is one of a template.
    """

    def __init__(self, tasks: Sequence[NamedTask]) -> None:
        self.tasks = tuple(tasks)
        self.name = ""
        self.variation: dict[str, Any] | None = None
        self._next = 0
        self._schedules = [_schedule_of(task.task) for task in tasks]

    @property
    def upcoming(self) -> NamedTask:
        """Return the next task."""
        return self.tasks[self._next % len(self.tasks)]

    def next(self, rng: np.random.Generator, arena: Any = None) -> tuple[Task, int]:
        """Return the next task and the position of its next arena, or of the one with a given id."""
        name, task = self.upcoming.name, self.upcoming.task
        schedule = self._schedules[self._next % len(self.tasks)]
        variation: Variation | None = None
        if isinstance(schedule, TemplateSchedule):
            task, position = schedule.next(rng, arena)
            variation = schedule.variation
        else:
            assert isinstance(task, Task)
            position = schedule.next(rng) if arena is None else position_of(arena, task)
        self._next += 1
        self.name = name
        self.variation = None if variation is None else variation.values
        return task, position

    def copy(self) -> "Schedule":
        """Return a copy in the same state; tasks never change and are shared."""
        twin = Schedule(self.tasks)
        twin._next, twin.name, twin.variation = self._next, self.name, self.variation
        twin._schedules = [
            each.copy() if isinstance(each, TemplateSchedule) else copy(each) for each in self._schedules
        ]
        for schedule, own in zip(twin._schedules, self._schedules, strict=True):
            if isinstance(schedule, ArenaSchedule) and isinstance(own, ArenaSchedule):
                schedule._left = list(own._left)
        return twin


def _schedule_of(task: TaskOrTemplate) -> ArenaSchedule | TemplateSchedule:
    """Return the schedule of a task's arenas, or of a template's variations."""
    return ArenaSchedule(task) if isinstance(task, Task) else TemplateSchedule(task)
