"""The schedule of a task's arenas: in the order of the file or at random, never one that another merges into."""

import numpy as np

from puzzlebox.arena.schema.models import Task


class ArenaSchedule:
    """The schedule of a task's arenas, round after round; none is ever skipped.

    Attributes:
        starts: the positions of the arenas an episode can start in; each is played once a round.
    """

    def __init__(self, task: Task) -> None:
        self.starts = task.starts
        self._random = task.randomize_arenas
        self._left: list[int] = []
        self._last: int | None = None

    def next(self, rng: np.random.Generator) -> int:
        """Return the position of the next arena; at random, each once a round, and none twice in a row."""
        if not self._left:
            self._left = list(self.starts)
            if self._random:
                rng.shuffle(self._left)
                if len(self._left) > 1 and self._left[0] == self._last:
                    self._left.append(self._left.pop(0))
        self._last = self._left.pop(0)
        return self._last
