"""Postures by name: angles in degrees, and how the pelvis lies. Angles that are not named are 0."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.bones import JOINT_NAMES, LEFT, RIGHT
from puzzlebox.text import closest


@dataclass(frozen=True)
class Pose:
    """A posture.

    Attributes:
        pitch: how far the pelvis leans forwards, in degrees; -90 lies on the back, 90 on the belly.
        angles: the angle of each joint that is not 0, in degrees. A name without a side stands for both sides.
        supported: whether hands hold the chest.
    """

    pitch: float = 0.0
    angles: Mapping[str, float] = field(default_factory=dict)
    supported: bool = False

    def targets(self) -> NDArray[np.float64]:
        """Return the angle of each joint in radians, in the order of `JOINT_NAMES`."""
        unknown = [name for name in self.angles if not {name, LEFT + name, RIGHT + name} & set(JOINT_NAMES)]
        if unknown:
            raise ValueError(f"there is no joint {unknown[0]!r}{closest(unknown[0], JOINT_NAMES)}")
        degrees = [self.angles.get(name, self.angles.get(_without_side(name), 0.0)) for name in JOINT_NAMES]
        return np.radians(degrees)


def _without_side(name: str) -> str:
    return name.removeprefix(LEFT).removeprefix(RIGHT)


_FINGERS = ("index", "middle", "ring", "little")
_RELAXED_HAND = {
    **{
        f"{finger}_{part}.flex": 22.0 + 4 * number for number, finger in enumerate(_FINGERS) for part in ("base", "tip")
    },
    "thumb_base.oppose": 20.0,
    "thumb_middle.flex": 12.0,
    "thumb_tip.flex": 12.0,
}
# fmt: off
POSES: dict[str, Pose] = {
    "stand": Pose(0, {
        "thigh.flex": 6, "thigh.abduct": 4, "shin.flex": 12, "foot.raise": 6, "thigh.rotate": 8,
        "upper_arm.abduct": 28, "forearm.flex": 24, "forearm.pronate": 20, **_RELAXED_HAND,
    }, supported=True),
    # The pelvis leans back, so that the trunk stays upright under its weight.
    "sit": Pose(-10, {
        "thigh.flex": 92, "thigh.abduct": 40, "thigh.rotate": 30, "shin.flex": 30, "foot.raise": -8,
        "lumbar.bend": 8, "thorax.bend": 5, "chest.bend": 3, "neck.bend": -4, "head.bend": -8,
        "upper_arm.flex": 32, "upper_arm.abduct": 18, "forearm.flex": 55, "forearm.pronate": 40, **_RELAXED_HAND,
    }),
    "lie": Pose(-90, {
        "thigh.flex": 40, "thigh.abduct": 28, "thigh.rotate": 24, "shin.flex": 62, "foot.raise": -5,
        "upper_arm.abduct": 52, "upper_arm.rotate": 35, "forearm.flex": 62, "forearm.pronate": 10,
        "neck.bend": 12, **_RELAXED_HAND,
    }),
    "prone": Pose(90, {
        "thigh.flex": 8, "thigh.abduct": 20, "shin.flex": 12, "foot.raise": -40, "thigh.rotate": 20,
        "upper_arm.flex": 95, "upper_arm.abduct": 32, "forearm.flex": 85, "forearm.pronate": 55,
        "neck.bend": -26, "head.bend": -16, "lumbar.bend": -8, "thorax.bend": -10, **_RELAXED_HAND,
    }),
    # The posture in which the skin is modelled: no two parts that are not neighbours are near each other.
    "spread": Pose(0, {
        "upper_arm.abduct": 70, "forearm.pronate": 0, "thigh.abduct": 14, "thigh.rotate": 6,
        "index_base.spread": 9, "ring_base.spread": 9, "little_base.spread": 18,
        "thumb_base.close": -25, "jaw.open": 6,
    }),
}
# fmt: on


def eye_angles(turn: float = 0.0, lift: float = 0.0, vergence: float = 0.0) -> dict[str, float]:
    """Return the angles of both eyes for a direction of gaze, in degrees, for `Pose.angles`.

    Args:
        turn: how far both eyes look to the child's left.
        lift: how far both look upwards.
        vergence: the angle between their axes; positive if they meet in front of the child.
    """
    sides = {LEFT: turn - vergence / 2, RIGHT: turn + vergence / 2}
    return {
        **{f"{side}eye.turn": angle for side, angle in sides.items()},
        **{f"{side}eye.raise": lift for side in sides},
    }


def pose_named(name: str) -> Pose:
    """Return a posture by its name.

    Raises:
        ValueError: there is no such posture.
    """
    if name not in POSES:
        raise ValueError(f"there is no pose {name!r}; there are {', '.join(POSES)}{closest(name, list(POSES))}")
    return POSES[name]
