"""What limits the sight of a child: one table by age (`sight_by_age.csv`), of which every number can be set.

No number of the table is verified: all were written down from memory, with the publications they come from beside them.
"""

import csv
from dataclasses import dataclass
from functools import cache
from math import exp, log
from pathlib import Path

import numpy as np

from puzzlebox.text import closest

TABLE = Path(__file__).with_name("sight_by_age.csv")
# These grow by factors with age, so that they are interpolated by their logarithms; the others by their values.
_BY_FACTORS = ("acuity", "contrast_sensitivity")


@dataclass(frozen=True)
class Sight:
    """What limits an eye; None switches a limit off.

    The eye sees a grating of `f` cycles a degree if its contrast is at least 1/S(f), with the sensitivity

        S(f) = contrast_sensitivity ** (1 - (f / acuity) ** 2)

    which falls from `contrast_sensitivity` for coarse gratings to 1, a black and white grating, at the acuity.

    Attributes:
        acuity: the finest visible grating, in cycles a degree.
        contrast_sensitivity: one over the least visible contrast of coarse patterns, more than 1. Without it, all
            contrasts are visible, and the blur by acuity leaves 1/`DEFAULT_SENSITIVITY` of a grating at the limit.
        saturation: the strength of colours, 0 (grey) to 1.
        focus_distance: the distance in metres at which an eye that does not accommodate is sharp.
        accommodation: how far the focus follows the distance of what is in the middle of the picture, 0 (fixed) to 1.
        pupil: its diameter in metres; it decides how much is blurred that is out of focus.
        depth_of_focus: how far from the focus things are still sharp, in dioptres.
        field_across: the half width of the visible field in degrees.
        field_up: its half height in degrees.
    """

    acuity: float | None = None
    contrast_sensitivity: float | None = None
    saturation: float | None = None
    focus_distance: float | None = None
    accommodation: float = 0.0
    pupil: float = 0.004
    depth_of_focus: float = 0.5
    field_across: float | None = None
    field_up: float | None = None

    def __post_init__(self) -> None:
        """Raise a ValueError if a limit makes no sense."""
        checks = (
            ("acuity", self.acuity is None or self.acuity > 0, "more than 0"),
            (
                "contrast_sensitivity",
                self.contrast_sensitivity is None or self.contrast_sensitivity > 1,
                "more than 1",
            ),
            ("saturation", self.saturation is None or 0 <= self.saturation <= 1, "0 to 1"),
            ("focus_distance", self.focus_distance is None or self.focus_distance > 0, "more than 0"),
            ("accommodation", 0 <= self.accommodation <= 1, "0 to 1"),
            ("pupil", self.pupil >= 0, "0 or more"),
            ("depth_of_focus", self.depth_of_focus >= 0, "0 or more"),
            ("field_across", self.field_across is None or 0 < self.field_across <= 180, "more than 0, up to 180"),
            ("field_up", self.field_up is None or 0 < self.field_up <= 180, "more than 0, up to 180"),
        )
        for name, good, allowed in checks:
            if not good:
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be {allowed}")

    @classmethod
    def at(cls, age_months: float) -> "Sight":
        """Return the sight of an age; outside the ages of the table, that of the nearest one."""
        if not np.isfinite(age_months) or age_months < 0:
            raise ValueError(f"the age is {age_months!r}; it must be a number of months, 0 or more")
        return cls(**{name: value_at(name, age_months) for name in table()})


# The sensitivity that decides the blur of an eye without a threshold of contrast.
DEFAULT_SENSITIVITY = 20.0
PERFECT = Sight()


@cache
def table() -> dict[str, tuple[tuple[float, ...], tuple[float, ...]]]:
    """Return the ages in months and the values of each quantity of the table."""
    with TABLE.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    names = dict.fromkeys(row["quantity"] for row in rows)
    return {
        name: (
            tuple(float(row["months"]) for row in rows if row["quantity"] == name),
            tuple(float(row["value"]) for row in rows if row["quantity"] == name),
        )
        for name in names
    }


def value_at(quantity: str, age_months: float) -> float:
    """Return a quantity of the table at an age.

    Raises:
        ValueError: the table has no such quantity.
    """
    if quantity not in table():
        names = list(table())
        raise ValueError(f"there is no quantity {quantity!r}; there are {', '.join(names)}{closest(quantity, names)}")
    months, values = table()[quantity]
    if quantity in _BY_FACTORS:
        return exp(float(np.interp(age_months, months, [log(value) for value in values])))
    return float(np.interp(age_months, months, values))
