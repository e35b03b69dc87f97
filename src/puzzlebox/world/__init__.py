"""A task made alive: physics, rules and events of one episode."""

from puzzlebox.things.rules import PRESETS, Rules
from puzzlebox.world.actions import ACTIONS
from puzzlebox.world.events import KINDS, Event
from puzzlebox.world.fork import Fork
from puzzlebox.world.order import ArenaOrder
from puzzlebox.world.placement import Unplaced
from puzzlebox.world.record import Record
from puzzlebox.world.world import Outcome, World

__all__ = [
    "ACTIONS",
    "KINDS",
    "PRESETS",
    "ArenaOrder",
    "Event",
    "Fork",
    "Outcome",
    "Record",
    "Rules",
    "Unplaced",
    "World",
]
