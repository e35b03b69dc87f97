"""The schedule of a session in the studio: which arenas a participant or a watched agent plays, with which seeds."""

from collections.abc import Collection

from puzzlebox.arena.envs.schedule import position_of
from puzzlebox.arena.rules import Rules
from puzzlebox.arena.schema import Task, write
from puzzlebox.arena.world import ArenaSchedule, Record
from puzzlebox.record.entries import hash_of
from puzzlebox.seeds import new_seed, rng_from


class SessionSchedule:
    """What one page of the studio plays: a participant every arena once, a watched agent round after round.

    Args:
        arena: the id of the arena to begin with. In the order of the file the arenas before it are left out; in random
            order the others follow.
        done: positions of arenas that are not to be played (again) in this round.

    Attributes:
        name: what the task is called.
        task: the task.
        task_hash: the hash under which its episodes are stored.
        rules: the rules it is played by, with one action each physics step.
        seed: the seed of every episode; None: each has its own.
        agent: the name of the agent that plays; None: a participant plays.
        participant: the id of the participant; None: nobody gave one.
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
        done: Collection[int] = (),
    ) -> None:
        self.name, self.task, self.agent, self.participant, self.seed = name, task, agent, participant, seed
        self.task_hash = hash_of(write(task))
        # How long an agent holds an action is its own affair: people's keys are looked at in every physics step.
        self.decision_period = rules.decision_period
        self.rules = Rules.named(rules, decision_period=1)
        self._first = None if arena is None else position_of(arena, task)
        self._arenas = ArenaSchedule(task)
        self._rng = rng_from(new_seed() if seed is None else seed)
        self._position: int | None
        self._position, *self._left = self._round()
        self.leave_out(done)

    def _round(self) -> list[int]:
        """The positions of a round, in their order."""
        positions = [self._arenas.next(self._rng) for _ in self._arenas.starts]
        if self._first is None:
            return positions
        return [self._first, *(each for each in positions if self._follows(each, self._first))]

    def _follows(self, position: int, earlier: int) -> bool:
        """Whether an arena still comes after another one was played."""
        return position != earlier if self.task.randomize_arenas else position > earlier

    def leave_out(self, done: Collection[int]) -> None:
        """Begin the round with its first arena that is not done."""
        self._left = [position for position in self._rest() if position not in done]
        self._position = self._left.pop(0) if self._left else None

    def continue_after(self, position: int) -> None:
        """Continue the round after an arena that is being played."""
        self._position, self._left = position, [each for each in self._rest() if self._follows(each, position)]

    def _rest(self) -> list[int]:
        """The arena that is played now, and those after it."""
        return self._left if self._position is None else [self._position, *self._left]

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to play."""
        return self._position is None

    @property
    def last(self) -> bool:
        """Whether nothing follows the arena that is played now."""
        return self.agent is None and not self._left

    def again(self) -> Record:
        """The same arena, drawn anew unless somebody gave a seed."""
        assert self._position is not None
        seed = new_seed() if self.seed is None else self.seed
        return Record(self.task, self._position, seed, self.rules)

    def next(self) -> Record | None:
        """The next arena; None where a person has played the last one."""
        if not self._left and self.agent is not None:
            return self.anew()
        self._position = self._left.pop(0) if self._left else None
        return None if self._position is None else self.again()

    def anew(self) -> Record:
        """The first arena of another round."""
        self._position, *self._left = self._round()
        return self.again()

    def same_session(self, other: "SessionSchedule") -> bool:
        """Whether the same participant plays the same task in both."""
        mine, theirs = ((each.participant, each.task_hash, each.rules, each.seed) for each in (self, other))
        return self.participant is not None and self.agent is None and mine == theirs
