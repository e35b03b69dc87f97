"""An episode played again up to some physics step."""

from puzzlebox.arena.world import Record, World
from puzzlebox.arena.world.moments import Moment, moments

__all__ = ["Moment", "moments", "physics_steps", "world_at"]


def world_at(record: Record, step: int) -> World:
    """The world after so many physics steps, or at the end if that is earlier."""
    for moment in moments(record):
        if moment.world.clock >= step:
            break
    return moment.world


def physics_steps(record: Record) -> int:
    """How many physics steps an episode has at most; fewer where it ended within the last decision."""
    return len(record.actions) * record.rules.decision_period
