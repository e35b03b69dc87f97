"""How fast a child of some age moves by itself: one table of plausible speeds.

The numbers are round values for typical children, written down from memory and **not verified**. Children who do not
walk yet move on hands and knees, and babies who do not crawl yet only creep.
"""

from dataclasses import astuple, dataclass

import numpy as np

from puzzlebox.infant.body.growth import check_age


@dataclass(frozen=True)
class Speeds:
    """The speeds of one age.

    Attributes:
        walk: walking forwards, in metres a second; 0 if the child does not walk yet.
        crawl: on hands and knees, in metres a second.
        turn: turning on the spot, in degrees a second.
        head: turning and nodding the head, in degrees a second.
    """

    walk: float
    crawl: float
    turn: float
    head: float

    @property
    def walks(self) -> bool:
        """Whether the child walks."""
        return self.walk > 0


# By age in months. VECA's child walks 3 units and turns by 80 degrees a second; `UNIT` makes its 3 units 0.75 m.
_TABLE: dict[float, Speeds] = {
    0: Speeds(0.00, 0.02, 10, 30),
    6: Speeds(0.00, 0.05, 20, 60),
    8: Speeds(0.00, 0.20, 40, 60),
    10.9: Speeds(0.00, 0.35, 60, 60),
    11: Speeds(0.30, 0.35, 60, 60),
    12: Speeds(0.45, 0.40, 70, 60),
    18: Speeds(0.75, 0.45, 80, 60),
    24: Speeds(0.95, 0.50, 100, 60),
}
# Metres of one unit of length of VECA's toolkit: its room of 19 units is 4.75 m wide, and its reach of 3 units 0.75 m.
UNIT = 0.25
# Backwards, a child is this much slower than forwards.
BACKWARDS = 0.5


def speeds_at(age_months: float) -> Speeds:
    """Return the speeds of an age, interpolated between the rows of the table.

    Raises:
        ValueError: the age is not a number of months from 0 to 24.
    """
    age = check_age(age_months)
    rows = np.array([astuple(row) for row in _TABLE.values()])
    return Speeds(*(float(np.interp(age, list(_TABLE), rows[:, column])) for column in range(rows.shape[1])))
