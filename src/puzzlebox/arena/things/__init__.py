"""The catalogue: every thing a task can hold, one class each. Importing this package fills it.

Things of other packages come last, by the entry points of the group `puzzlebox.things`.
"""

from puzzlebox.arena.things import animal, structures, blocks, goals, changing, zones, dispensers, buttons, signs  # noqa: F401, I001
from puzzlebox.arena.rules import set_thing_names
from puzzlebox.arena.things.everyday import nearest_thing
from puzzlebox.arena.things.parameters import (
    ANIMALAI_PARAMETERS,
    CHOICES,
    NOTHING,
    PARAMETERS,
    SKINS,
    SYMBOLS,
    Kind,
    Parameter,
)
from puzzlebox import entry_points
from puzzlebox.scene.shapes import Vector
from puzzlebox.arena.things.animal import Agent
from puzzlebox.arena.things.kinds import Category, ColourRule, Notices, Origin, SizeRange, Solid, Stands, Takes
from puzzlebox.arena.things.stage import Stage
from puzzlebox.arena.things.thing import CATALOGUE, LIFT, SHRINK, Thing, names

__all__ = [
    "ANIMALAI_PARAMETERS",
    "CATALOGUE",
    "CHOICES",
    "LIFT",
    "NOTHING",
    "PARAMETERS",
    "SHRINK",
    "SKINS",
    "SYMBOLS",
    "Agent",
    "Category",
    "ColourRule",
    "Kind",
    "Notices",
    "Origin",
    "Parameter",
    "SizeRange",
    "Solid",
    "Stage",
    "Stands",
    "Takes",
    "Thing",
    "Vector",
    "names",
]

# The package of the rules lies below this one; rules refuse a mass for a name that is not a thing.
set_thing_names(CATALOGUE, nearest_thing)
entry_points.load_all(entry_points.THINGS)
