"""Which task and which arena of it come next, and how tasks are named: one, several, or by a pattern."""

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from glob import glob, has_magic
from math import gcd
from os import PathLike, fspath
from os.path import exists
from typing import Any

import numpy as np

from puzzlebox.batteries import bundled_names
from puzzlebox.schema import Task, load_task
from puzzlebox.world import ArenaOrder

Source = Task | str | bytes | PathLike[str]


def tasks_of(source: Source | Iterable[Source]) -> list[Task]:
    """The tasks somebody means: a Task, a path, a bundled name, YAML text, a pattern such as `examples/*`, or a list.

    Raises:
        FileNotFoundError: nothing has that name or fits that pattern.
        TaskError: a task has mistakes.
    """
    if isinstance(source, Task | str | bytes | PathLike):
        return [load_task(each) for each in _named(source)]
    if not isinstance(source, Iterable) or isinstance(source, Mapping):
        raise TypeError(f"a task is a path, a name, YAML text or a Task, not {source!r}")
    tasks = [task for each in source for task in tasks_of(each)]
    if not tasks:
        raise ValueError("the list of tasks is empty")
    return tasks


def _named(source: Source) -> Sequence[Source]:
    name = "" if isinstance(source, Task | bytes) else fspath(source)
    is_pattern = has_magic(name) and not exists(name)
    if not is_pattern or "\n" in name or name.lstrip().startswith(("{", "[", "!", "arenas:")):
        return [source]
    found = [each for each in bundled_names() if fnmatchcase(each, name)] or sorted(glob(name, recursive=True))
    if not found:
        raise FileNotFoundError(f"no bundled task and no file fits {name}; `puzzlebox tasks` lists what is bundled")
    return found


def several_agents(tasks: Iterable[Task]) -> str | None:
    """Where there is more than one agent, in words."""
    for task in tasks:
        for arena in task.arenas:
            count = len(arena.agents())
            if count > 1:
                return f"arena {arena.id} has {count} agents"
    return None


def share(tasks: Sequence[Task], index: int, count: int) -> list[Task]:
    """What environment `index` of `count` plays: tasks index, index + count, ... of the list, again and again."""
    rounds = len(tasks) // gcd(count, len(tasks))
    return [tasks[(index + round * count) % len(tasks)] for round in range(rounds)]


def position_of(arena: Any, task: Task) -> int:
    """Where the arena with a given id is among those of a task."""
    ids = [each.id for each in task.arenas]
    if arena not in ids:
        raise ValueError(f"there is no arena {arena!r}; the task has {', '.join(map(str, ids))}")
    return ids.index(arena)


class Programme:
    """One episode of each task in turn; each task goes through its arenas in its own order."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.tasks = tuple(tasks)
        self._turn = 0
        self._orders = [ArenaOrder(task) for task in tasks]

    @property
    def upcoming(self) -> Task:
        """The task whose turn it is."""
        return self.tasks[self._turn % len(self.tasks)]

    def next(self, generator: np.random.Generator, arena: Any = None) -> tuple[Task, int]:
        """The next task and the position of the next arena in it, or of the one with a given id."""
        turn = self._turn % len(self.tasks)
        task = self.upcoming
        if arena is not None:
            position = position_of(arena, task)
            self._turn += 1
            return task, position
        self._turn += 1
        return task, self._orders[turn].next(generator)

    def copy(self) -> "Programme":
        """The same at the same point; tasks never change and are shared."""
        twin = Programme(self.tasks)
        twin._turn = self._turn
        for order, own in zip(twin._orders, self._orders, strict=True):
            order.__dict__.update(own.__dict__, _left=list(own._left))
        return twin
