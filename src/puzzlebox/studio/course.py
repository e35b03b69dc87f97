"""Which episode comes next for one player: the arenas of a task in their order, and the seeds."""

from secrets import randbelow

import numpy as np

from puzzlebox.envs.programme import position_of
from puzzlebox.schema import Task
from puzzlebox.things import Rules
from puzzlebox.world import ArenaOrder, Record

# Seeds nobody gave: few enough digits for people to read out and type in.
_SEEDS = 1_000_000


class Course:
    """The episodes of one player.

    Attributes:
        name: what the task is called.
        task: the task.
        rules: what it is played by, one action each physics step.
        agent: who plays it; None: a person.
        participant: the id of that person; None: nobody gave one.
    """

    def __init__(
        self,
        name: str,
        task: Task,
        rules: Rules,
        *,
        arena: int | None = None,
        seed: int | None = None,
        agent: str | None = None,
        participant: str | None = None,
    ) -> None:
        self.name, self.task, self.agent, self.participant = name, task, agent, participant
        # How long an agent holds an action is its own affair: people's keys are looked at in every physics step.
        self.decision_period = rules.decision_period
        self.rules = Rules.named(rules, decision_period=1)
        self._seed = seed
        self._order = ArenaOrder(task)
        self._chances = np.random.default_rng(randbelow(_SEEDS) if seed is None else seed)
        self._position = self._first(arena)

    def _first(self, arena: int | None) -> int:
        """Begin with a certain arena, and go on from there."""
        if arena is None:
            return self._order.next(self._chances)
        return self.go_on_from(position_of(arena, self.task))

    def go_on_from(self, position: int) -> int:
        """Have the arena after this one come next; in random order any may."""
        self._position = position
        if not self.task.randomize_arenas:
            for _ in self.task.arenas:
                if self._order.next(self._chances) == position:
                    break
        return position

    def again(self) -> Record:
        """The same arena, drawn anew unless somebody gave a seed."""
        seed = randbelow(_SEEDS) if self._seed is None else self._seed
        return Record(self.task, self._position, seed, self.rules)

    def next(self) -> Record:
        """The next arena."""
        self._position = self._order.next(self._chances)
        return self.again()
