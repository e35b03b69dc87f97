"""How a child grows: one table of measures from birth to 24 months, and the scale of each part of the body at an age.

Sources of the columns of `MEASURES`, and what is not verified:

- stature, mass and head circumference: medians of the WHO Child Growth Standards (2006), the mean of girls and boys;
- crown to rump, shoulder to wrist, hand, foot and chest: round values after Snyder, Schneider, Owings, Reynolds, Golomb
  and Schork (1977), "Anthropometry of infants, children, and youths to age 18" (the AnthroKids tables);
- arm circumference: medians of the WHO standards from 3 months on, and an estimate before.

All were written down from memory. They are plausible to a few per cent, and nobody has yet compared them with the
publications.
"""

from dataclasses import astuple, dataclass, fields

import numpy as np

from puzzlebox.infant.body.shapes import Vector

YOUNGEST, OLDEST = 0.0, 24.0
# The age at which the table of bones is written.
REFERENCE_MONTHS = 18.0


@dataclass(frozen=True)
class Measures:
    """The measures of one body, lengths in centimetres and the mass in kilograms."""

    stature: float
    mass: float
    head_circumference: float
    crown_to_rump: float
    shoulder_to_wrist: float
    hand: float
    foot: float
    chest_circumference: float
    arm_circumference: float


# Months: stature, mass, head around, crown to rump, shoulder to wrist, hand, foot, chest around, arm around.
MEASURES: dict[float, Measures] = {
    0: Measures(49.5, 3.3, 34.2, 33.4, 14.0, 6.2, 7.8, 33.0, 10.5),
    1: Measures(54.2, 4.3, 36.9, 36.2, 15.2, 6.6, 8.4, 36.0, 11.6),
    3: Measures(60.6, 6.1, 40.0, 40.3, 17.0, 7.3, 9.3, 40.5, 13.2),
    6: Measures(66.7, 7.6, 42.8, 43.8, 18.9, 8.2, 10.4, 43.5, 14.2),
    9: Measures(71.1, 8.6, 44.4, 45.8, 20.2, 8.7, 11.2, 45.3, 14.6),
    12: Measures(74.9, 9.3, 45.5, 47.6, 21.0, 9.0, 11.9, 46.6, 14.7),
    18: Measures(81.5, 10.6, 46.8, 50.5, 22.5, 9.6, 12.9, 48.3, 15.1),
    24: Measures(87.1, 11.8, 47.7, 53.0, 24.2, 10.2, 13.9, 49.5, 15.5),
}
REFERENCE = MEASURES[REFERENCE_MONTHS]

# The head with the neck and the leg (hip joint to floor) of the reference body, in centimetres; the rest is the trunk.
_HEAD, _LEG = 22.1, 34.5
_TRUNK = REFERENCE.stature - _HEAD - _LEG


def check_age(age_months: float) -> float:
    """Return an age as a float.

    Raises:
        ValueError: the age is not a number of months from 0 to 24.
    """
    number = isinstance(age_months, int | float | np.integer | np.floating) and not isinstance(age_months, bool)
    if not number or not YOUNGEST <= age_months <= OLDEST:
        raise ValueError(f"the age is {age_months!r}; it must be a number of months from {YOUNGEST:g} to {OLDEST:g}")
    return float(age_months)


def measures_at(age_months: float) -> Measures:
    """Return the measures at an age, interpolated between the rows of the table."""
    age = check_age(age_months)
    table = np.array([astuple(row) for row in MEASURES.values()])
    columns = (float(np.interp(age, list(MEASURES), table[:, i])) for i in range(len(fields(Measures))))
    return Measures(*columns)


@dataclass(frozen=True)
class Growth:
    """How a body differs from the reference body of 18 months.

    Attributes:
        scales: for each region of the body, the factors of lengths along x, y and z of its bones.
        mass: the mass of the whole body in kilograms.
    """

    scales: dict[str, Vector]
    mass: float

    @classmethod
    def at(cls, age_months: float) -> "Growth":
        """Return the growth at an age in months."""
        return cls.of(measures_at(age_months))

    @classmethod
    def of(cls, measures: Measures) -> "Growth":
        """Return the growth of a body with any measures, such as those of an adult.

        A head is scaled by its circumference in all directions, so that it is larger relative to the body the
        younger the child is. Hands and feet are scaled in all directions too. Trunk, arms and legs have a scale of
        their own along the bone (z) and one of their girth (x and y).
        """
        now, then = measures, REFERENCE
        head = now.head_circumference / then.head_circumference
        leg = (now.stature - now.crown_to_rump) / (then.stature - then.crown_to_rump)
        trunk = (now.stature - _HEAD * head - _LEG * leg) / _TRUNK
        arm = now.shoulder_to_wrist / then.shoulder_to_wrist
        chest = now.chest_circumference / then.chest_circumference
        limb = now.arm_circumference / then.arm_circumference
        hand, foot = now.hand / then.hand, now.foot / then.foot
        scales = {
            "head": (head, head, head),
            "trunk": (chest, chest, trunk),
            "arm": (limb, limb, arm),
            "hand": (hand, hand, hand),
            "leg": (limb, limb, leg),
            # The height of a foot is part of the length of the leg.
            "foot": (foot, foot, leg),
        }
        return cls(scales, now.mass)
