"""A plan: actions that pass a task when they are replayed from the start."""

from dataclasses import dataclass

from puzzlebox.arena.world.record import Record


@dataclass(frozen=True)
class Plan:
    """Actions that pass a task.

    Attributes:
        record: the episode, which `World.replay` plays again.
        steps: what the animal does, in words.
        total: the return.
        seconds: how long the episode lasts.
        effort: how many decisions were simulated to find it.
    """

    record: Record
    steps: tuple[str, ...]
    total: float
    seconds: float
    effort: int

    @property
    def actions(self) -> tuple[tuple[int, ...], ...]:
        """Return the actions: of each decision, one for each animal."""
        return self.record.actions

    @property
    def decisions(self) -> int:
        """Return the number of decisions."""
        return len(self.record.actions)
