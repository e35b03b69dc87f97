"""The schedule of a task's arenas: in the order of the file or at random, never one that another merges into."""

import numpy as np

from puzzlebox.arena.schema.models import Task


def starts_of(task: Task) -> tuple[int, ...]:
    """Return the positions of the arenas an episode of a task can start in.

    An arena that another one merges into is played as the continuation of that one only.
    """
    arenas = task.arenas
    return tuple(i for i in range(len(arenas)) if i == 0 or not arenas[i - 1].merge_next_arena)


def last_of(task: Task, start: int) -> int:
    """Return the position of the last arena of an episode that starts in a given one and goes through all it merges."""
    last = start
    while task.arenas[last].merge_next_arena and last + 1 < len(task.arenas):
        last += 1
    return last


class ArenaSchedule:
    """The schedule by which the arenas of a task are played, round after round; none is ever skipped.

    Attributes:
        starts: the positions of the arenas an episode can start in; each is played once a round.
    """

    def __init__(self, task: Task) -> None:
        self.starts = starts_of(task)
        self._random = task.randomize_arenas
        self._left: list[int] = []
        self._last: int | None = None

    def next(self, generator: np.random.Generator) -> int:
        """Return the position of the next arena; at random, each once a round, and none twice in a row."""
        if not self._left:
            self._left = list(self.starts)
            if self._random:
                generator.shuffle(self._left)
                if len(self._left) > 1 and self._left[0] == self._last:
                    self._left.append(self._left.pop(0))
        self._last = self._left.pop(0)
        return self._last
