"""The schedule of a session in the studio: which arenas a participant or a watched agent plays, with which seeds."""

from collections.abc import Collection

from puzzlebox.arena.envs.schedule import position_of
from puzzlebox.arena.rules import Rules
from puzzlebox.arena.schema import Task, write
from puzzlebox.arena.world import ArenaSchedule, Record
from puzzlebox.record.entries import hash_of
from puzzlebox.seeds import new_seed, rng_from


class SessionSchedule:
    """The arenas one page of the studio plays: a participant plays each once, a watched agent round after round.

    Args:
        arena: the id of the arena to begin with. In the order of the file the arenas before it are left out; in random
            order the others follow.
        done: positions of arenas to skip in this round.

    Attributes:
        name: the name of the task.
        task: the task.
        task_hash: the hash under which its episodes are stored.
        rules: the rules it is played by, with one action each physics step.
        seed: the seed of every episode; None: each has its own.
        agent: the name of the agent that plays; None: a participant plays.
        participant: the id of the participant; None: no id was given.
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
        # Participants' keys are read in every physics step; an agent still holds its actions for `decision_period`.
        self.decision_period = rules.decision_period
        self.rules = Rules.named(rules, decision_period=1)
        self._first = None if arena is None else position_of(arena, task)
        self._arenas = ArenaSchedule(task)
        self._rng = rng_from(new_seed() if seed is None else seed)
        self._position: int | None
        self._position, *self._left = self._round()
        self.skip(done)

    def _round(self) -> list[int]:
        """Return the positions of the arenas of a round, in order."""
        positions = [self._arenas.next(self._rng) for _ in self._arenas.starts]
        if self._first is None:
            return positions
        return [self._first, *(each for each in positions if self._follows(each, self._first))]

    def _follows(self, position: int, earlier: int) -> bool:
        """Return whether an arena is played after another one in the same round."""
        return position != earlier if self.task.randomize_arenas else position > earlier

    def skip(self, done: Collection[int]) -> None:
        """Remove arenas from the round, which then begins with the first of the others."""
        self._left = [position for position in self._rest() if position not in done]
        self._position = self._left.pop(0) if self._left else None

    def continue_after(self, position: int) -> None:
        """Continue the round with an arena that is being played, and those after it."""
        self._position, self._left = position, [each for each in self._rest() if self._follows(each, position)]

    def _rest(self) -> list[int]:
        """Return the positions of the current arena and those after it."""
        return self._left if self._position is None else [self._position, *self._left]

    @property
    def finished(self) -> bool:
        """Whether all arenas of the round have been played."""
        return self._position is None

    @property
    def last(self) -> bool:
        """Whether the current arena is the last one."""
        return self.agent is None and not self._left

    def repeat(self) -> Record:
        """Return a start of the current arena, with a new seed unless the schedule has a fixed one."""
        assert self._position is not None
        seed = new_seed() if self.seed is None else self.seed
        return Record(self.task, self._position, seed, self.rules)

    def next(self) -> Record | None:
        """Move on and return a start of the next arena; None after a participant's last one."""
        if not self._left and self.agent is not None:
            return self.restart()
        self._position = self._left.pop(0) if self._left else None
        return None if self._position is None else self.repeat()

    def restart(self) -> Record:
        """Begin another round and return a start of its first arena."""
        self._position, *self._left = self._round()
        return self.repeat()

    def same_session(self, other: "SessionSchedule") -> bool:
        """Return whether both schedules are of the same participant, task, rules and seed."""
        own, others = ((each.participant, each.task_hash, each.rules, each.seed) for each in (self, other))
        return self.participant is not None and self.agent is None and own == others
