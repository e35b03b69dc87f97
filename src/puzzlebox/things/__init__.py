"""The catalogue: every thing a task can hold, one class each. Importing this package fills it."""

from puzzlebox.things import animal, structures, blocks, goals, zones, dispensers, buttons, signs  # noqa: F401, I001
from puzzlebox.things.parameters import (
    ANIMALAI_PARAMETERS,
    CHOICES,
    NOTHING,
    PARAMETERS,
    SKINS,
    SYMBOLS,
    Kind,
    Parameter,
)
from puzzlebox.things.thing import (
    CATALOGUE,
    SHRINK,
    Category,
    ColourRule,
    SizeRange,
    Solid,
    Takes,
    Thing,
    Vector,
    names,
)

__all__ = [
    "ANIMALAI_PARAMETERS",
    "CATALOGUE",
    "CHOICES",
    "NOTHING",
    "PARAMETERS",
    "SHRINK",
    "SKINS",
    "SYMBOLS",
    "Category",
    "ColourRule",
    "Kind",
    "Parameter",
    "SizeRange",
    "Solid",
    "Takes",
    "Thing",
    "Vector",
    "names",
]
