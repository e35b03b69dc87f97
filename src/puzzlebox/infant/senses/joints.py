"""The sense of joints and muscles: angles, speeds, torques, and how each bone is turned."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.body import Body
from puzzlebox.infant.body.bones import BONE_NAMES, JOINT_NAMES

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Posture:
    """What joints and muscles feel at one moment.

    Attributes:
        angles: the angle of each joint in radians, in the order of `JOINT_NAMES`.
        speeds: its angular speed in radians a second.
        torques: the torque of its muscles in newton metres.
        turns: the rotation of each bone relative to the pelvis, w, x, y, z with w >= 0, in the order of `BONES`.
    """

    angles: Floats
    speeds: Floats
    torques: Floats
    turns: Floats

    def flat(self) -> Floats:
        """Return all numbers as one row."""
        return np.concatenate((self.angles, self.speeds, self.torques, self.turns.reshape(-1)))


class Joints:
    """The sense of joints and muscles of one child."""

    def __init__(self, child: Body) -> None:
        self.child = child
        self.shape = (3 * len(JOINT_NAMES) + 4 * len(BONE_NAMES),)

    def read(self) -> Posture:
        """Return what joints and muscles feel now."""
        turns = self.child.data.xquat[self.child.built.bodies]
        # The inverse of the pelvis' rotation, times that of each bone.
        w, x, y, z = turns[0]
        inverse = np.array(((w, x, y, z), (-x, w, z, -y), (-y, -z, w, x), (-z, y, -x, w)))
        relative = turns @ inverse.T
        relative = np.where(relative[:, :1] < 0, -relative, relative)
        return Posture(
            angles=self.child.angles.astype(np.float32),
            speeds=self.child.speeds.astype(np.float32),
            torques=self.child.torques.astype(np.float32),
            turns=relative.astype(np.float32),
        )
