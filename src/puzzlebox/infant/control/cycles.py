"""Movements as functions of a phase: standing, squatting, walking, crawling and kicking, as angles of all joints.

The angles are chosen by eye. A phase runs from 0 to 1 during two steps; it begins when the left leg swings forwards.
"""

from collections.abc import Mapping
from math import cos, pi, radians, sin

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.bones import JOINT_NAMES, LEFT, RIGHT
from puzzlebox.infant.body.poses import POSES, Pose

Floats = NDArray[np.float64]
ROWS: Mapping[str, int] = {name: row for row, name in enumerate(JOINT_NAMES)}
# The distance of two steps at full speed, relative to the length of the leg (hip to floor) and of the thigh.
WALK_STRIDE, CRAWL_STRIDE = 1.42, 1.25
# Control steps of a kick: back, forwards, and down again.
KICK_STEPS = 6

_STAND = POSES["stand"].angles
_FLAT_HAND = {"hand.flex": -50.0, "forearm.pronate": 70.0}
SQUAT = Pose(
    18,
    {**_STAND, "thigh.flex": 118, "shin.flex": 128, "thigh.abduct": 22, "foot.raise": 22, "lumbar.bend": 18}
    | {"thorax.bend": 10, "chest.bend": 6, "neck.bend": -14, "head.bend": -8},
)
ALL_FOURS = Pose(
    76,
    {**_STAND, "thigh.flex": 78, "thigh.abduct": 6, "thigh.rotate": 0, "shin.flex": 99, "foot.raise": -44}
    | {"upper_arm.flex": 68, "upper_arm.abduct": 8, "forearm.flex": 32, **_FLAT_HAND, "toes.raise": 0}
    | {"neck.bend": -28, "head.bend": -22, "lumbar.bend": -4},
)

_STANDING, _ALL_FOURS, SQUATTING = POSES["stand"].targets(), ALL_FOURS.targets(), SQUAT.targets()


def walking(phase: float, effort: float) -> Floats:
    """Return the angles of a child that walks, in radians.

    Args:
        phase: from 0 to 1.
        effort: the speed relative to the fastest one; negative backwards. At 0 the child stands.
    """
    out = _STANDING.copy()
    amount = min(1.0, abs(effort))
    for side, shift, sign in ((LEFT, 0.0, 1.0), (RIGHT, 0.5, -1.0)):
        swing, lift = sin(2 * pi * (phase + shift)), max(0.0, cos(2 * pi * (phase + shift)))
        thigh, shin = 7.0 + 24.0 * amount * swing, 12.0 + 38.0 * amount * lift
        angles = {
            "thigh.flex": thigh,
            "shin.flex": shin,
            "foot.raise": min(25.0, max(-45.0, shin - thigh)),
            # New walkers hold their arms up and swing them little.
            "upper_arm.flex": 8.0 - 12.0 * amount * swing,
            "forearm.flex": 24.0 + 30.0 * amount,
        }
        _set(out, angles, side)
        out[ROWS["lumbar.lean"]] += radians(2.0 * amount * sign * swing)
    return out


def crawling(phase: float, effort: float) -> Floats:
    """Return the angles of a child on hands and knees, in radians; an arm moves with the opposite leg."""
    out = _ALL_FOURS.copy()
    amount = min(1.0, abs(effort))
    for side, shift in ((LEFT, 0.0), (RIGHT, 0.5)):
        swing, lift = sin(2 * pi * (phase + shift)), max(0.0, cos(2 * pi * (phase + shift)))
        opposite = sin(2 * pi * (phase + shift + 0.5))
        angles = {
            "thigh.flex": 78.0 + 17.0 * amount * swing,
            "shin.flex": 99.0 + 12.0 * amount * lift,
            "upper_arm.flex": 68.0 + 16.0 * amount * opposite,
            "forearm.flex": 32.0 + 14.0 * amount * max(0.0, cos(2 * pi * (phase + shift + 0.5))),
        }
        _set(out, angles, side)
    return out


def kicking(angles: Floats, steps: int, side: str = RIGHT) -> Floats:
    """Return angles with one leg in the middle of a kick.

    Args:
        angles: the angles of the rest of the body.
        steps: control steps since the kick began, from 0 to `KICK_STEPS`.
        side: `left_` or `right_`.
    """
    times = (0.0, 0.25, 0.55, 1.0)
    share = steps / KICK_STEPS
    out = angles.copy()
    row_thigh, row_shin = ROWS[f"{side}thigh.flex"], ROWS[f"{side}shin.flex"]
    thigh = float(np.interp(share, times, (np.degrees(out[row_thigh]), -16.0, 58.0, np.degrees(out[row_thigh]))))
    shin = float(np.interp(share, times, (np.degrees(out[row_shin]), 62.0, 8.0, np.degrees(out[row_shin]))))
    _set(out, {"thigh.flex": thigh, "shin.flex": shin, "foot.raise": 8.0}, side)
    return out


def blended(first: Floats, second: Floats, share: float) -> Floats:
    """Return angles between two postures: 0 for the first, 1 for the second."""
    return first if share <= 0 else second if share >= 1 else (1 - share) * first + share * second


def _set(out: Floats, degrees: Mapping[str, float], side: str) -> None:
    for name, angle in degrees.items():
        out[ROWS[side + name]] = radians(angle)
