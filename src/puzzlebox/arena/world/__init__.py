"""One running episode of a task: physics, rules and events."""

from puzzlebox.arena.rules import Rules
from puzzlebox.arena.world.actions import ACTIONS
from puzzlebox.arena.world.events import KINDS, Event, Outcome
from puzzlebox.arena.world.fork import Fork
from puzzlebox.arena.world.placement import Unplaced
from puzzlebox.arena.world.record import Record
from puzzlebox.arena.world.schedule import ArenaSchedule
from puzzlebox.arena.world.world import World

__all__ = [
    "ACTIONS",
    "KINDS",
    "ArenaSchedule",
    "Event",
    "Fork",
    "Outcome",
    "Record",
    "Rules",
    "Unplaced",
    "World",
]
