"""Inverse kinematics of an arm with two joints: shoulder and elbow, so that the palm comes to a place."""

from math import acos, asin, atan2, cos, hypot, sin

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.bones import BONES, LEFT
from puzzlebox.infant.body.growth import Growth
from puzzlebox.infant.body.shapes import scaled

Floats = NDArray[np.float64]
# The middle of the palm below the wrist, at 18 months, in metres.
PALM = 0.035
_JOINTS = ("upper_arm.flex", "upper_arm.abduct", "upper_arm.rotate", "forearm.flex", "forearm.pronate")


class Arm:
    """The geometry of one arm of a body.

    Attributes:
        side: `left_` or `right_`.
        shoulder: where the upper arm begins, in the frame of the chest, in metres, if the collarbone is at rest.
        upper: the length of the upper arm, in metres.
        lower: from the elbow to the middle of the palm, in metres.
    """

    def __init__(self, growth: Growth, side: str) -> None:
        bones = {bone.name: bone for bone in BONES}
        scales = growth.scales
        collarbone = scaled(bones[f"{side}collarbone"].at, scales["trunk"])
        joint = scaled(bones[f"{side}upper_arm"].at, scales["trunk"])
        self.side = side
        self.shoulder = np.add(collarbone, joint)
        self.upper = -bones[f"{side}forearm"].at[2] * scales["arm"][2]
        self.lower = -bones[f"{side}hand"].at[2] * scales["arm"][2] + PALM * scales["hand"][2]
        limits = {f"{bone.name}.{joint.name}": joint for bone in bones.values() for joint in bone.joints}
        self._limits = [np.radians((limits[side + name].low, limits[side + name].high)) for name in _JOINTS]

    @property
    def length(self) -> float:
        """From the shoulder to the middle of the palm of a straight arm, in metres."""
        return self.upper + self.lower

    def towards(self, place: Floats) -> dict[str, float]:
        """Return the angles of the joints, in radians, that bring the palm to a place or as near as limits allow.

        Args:
            place: in the frame of the chest, in metres.
        """
        x, y, z = (np.asarray(place, np.float64) - self.shoulder).tolist()
        outwards = y if self.side == LEFT else -y
        distance = max(1e-6, min(hypot(x, y, z), 0.999 * self.length))
        cosine = (distance**2 - self.upper**2 - self.lower**2) / (2 * self.upper * self.lower)
        elbow = acos(max(-1.0, min(1.0, cosine)))
        elbow = float(np.clip(elbow, *self._limits[3]))
        # Where the palm is in the frame of an upper arm that hangs: the elbow bends it forwards.
        ahead, below = self.lower * sin(elbow), self.upper + self.lower * cos(elbow)
        abduct = asin(max(-1.0, min(1.0, outwards / max(below, 1e-6))))
        abduct = float(np.clip(abduct, *self._limits[1]))
        down = below * cos(abduct)
        # From the direction of the palm of an arm that hangs to that of the place, in the plane that swings forwards.
        flex = atan2(x, -z) - atan2(ahead, down)
        if flex < self._limits[0][0]:
            flex += 2 * np.pi
        flex = float(np.clip(flex, *self._limits[0]))
        angles = (flex, abduct, 0.0, elbow, float(np.clip(np.radians(30), *self._limits[4])))
        return {self.side + name: angle for name, angle in zip(_JOINTS, angles, strict=True)}
