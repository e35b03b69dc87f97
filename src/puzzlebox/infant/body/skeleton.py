"""Bones without a world: where they are for some joint angles, and which angles bring a hand to a place."""

from collections.abc import Sequence
from functools import cache
from math import asin, atan2, degrees

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from puzzlebox.infant.body.body import Underside
from puzzlebox.infant.body.bones import BONE_NAMES, JOINT_NAMES, LEFT, RIGHT
from puzzlebox.infant.body.build import Built, build
from puzzlebox.infant.body.growth import Growth
from puzzlebox.infant.body.shapes import Vector, scaled

Array = NDArray[np.float64]
# The middle of the left palm in the frame of the hand at 18 months, and the tip of the index finger in that of its
# last bone; in metres. The right hand has mirror images.
PALM: Vector = (0.0, -0.014, -0.030)
FINGERTIP: Vector = (0.0, 0.0, -0.020)
# The joints of an arm, without the side.
ARM = (
    *("collarbone.raise", "collarbone.protract", "upper_arm.flex", "upper_arm.abduct", "upper_arm.rotate"),
    *("forearm.flex", "forearm.pronate", "hand.flex", "hand.deviate"),
)
_TRUNK = tuple(f"{bone}.{joint}" for bone in ("lumbar", "thorax", "chest") for joint in ("bend", "lean", "twist"))
# How willingly joints move to bring a hand somewhere, relative to those of the shoulder.
_WILLING = {"collarbone": 0.4, "hand": 0.5, "lumbar": 0.25, "thorax": 0.25, "chest": 0.25}
# Damping of a step of the search in metres, its most steps, its longest step in radians, and when it is near enough.
_DAMPING, _STEPS, _LONGEST, _CLOSE = 0.01, 30, 0.35, 0.002
# How many steps at least go towards preferred angles.
_RESTING = 6


@cache
def _built(scales: tuple[tuple[str, Vector], ...], mass: float) -> Built:
    return build(Growth(dict(scales), mass))


class Skeleton:
    """The bones of a body of some size, in a private model that nothing steps.

    Attributes:
        built: the model and its tables.
        model: the MuJoCo model; its bodies are named as bones.
        data: where the bones are after `pose`.
    """

    def __init__(self, growth: Growth) -> None:
        self.built = _built(tuple(sorted(growth.scales.items())), growth.mass)
        self.model = self.built.model
        self.data = mujoco.MjData(self.model)
        self._underside = Underside(self.model, self.built.bodies)

    def row(self, bone: str) -> int:
        """Return the MuJoCo body of a bone."""
        return int(self.built.bodies[BONE_NAMES.index(bone)])

    def pose(self, position: ArrayLike, rotation: ArrayLike, angles: Array) -> None:
        """Move the bones.

        Args:
            position: of the pelvis, in metres.
            rotation: of the pelvis (w, x, y, z).
            angles: of each joint, in radians.
        """
        self.data.qpos[:3], self.data.qpos[3:7] = position, rotation
        self.data.qpos[self.built.positions] = angles
        mujoco.mj_kinematics(self.model, self.data)

    def point(self, bone: str, at: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """Return where a point in the frame of a bone is, in metres."""
        row = self.row(bone)
        return np.asarray(self.data.xpos[row] + self.data.xmat[row].reshape(3, 3) @ np.asarray(at))

    def palm(self, side: str) -> Array:
        """Return the middle of a palm; the side is `left` or `right`."""
        return self.point(f"{side}_hand", palm_of(self.built.growth, side))

    @property
    def arm_length(self) -> float:
        """From the shoulder to the middle of the palm of a straight arm, in metres."""
        upper, lower = (self.model.body_pos[self.row(bone)] for bone in ("left_forearm", "left_hand"))
        return float(np.linalg.norm(upper) + np.linalg.norm(lower + palm_of(self.built.growth, "left")))

    def lowest(self) -> float:
        """Return the height of the lowest point of the body above the floor, in metres."""
        return self._underside.height(self.data)

    def reach(
        self,
        side: str,
        place: ArrayLike,
        angles: Array,
        *,
        bone: str = "",
        at: ArrayLike | None = None,
        trunk: bool = False,
        rest: Array | None = None,
    ) -> Array:
        """Return the angles that bring the palm of a hand to a place, or as near as the arm can.

        Args:
            side: `left` or `right`.
            place: in metres.
            angles: of all joints before; the pelvis is where `pose` put it.
            bone: which bone is to be there instead of the hand, such as `right_index_tip`.
            at: which point of it. Default: the middle of the palm.
            trunk: whether the trunk bends, too.
            rest: angles that the arm prefers, as far as they bring the hand to the same place. Default: none.
        """
        bone = bone or f"{side}_hand"
        point = np.asarray(palm_of(self.built.growth, side) if at is None else at, np.float64)
        names = [f"{side}_{name}" for name in ARM] + (list(_TRUNK) if trunk else [])
        joints = np.array([JOINT_NAMES.index(name) for name in names])
        columns = self.built.speeds[joints]
        willing = np.array([_WILLING.get(_bone_of(name), 1.0) for name in names])
        low, high = self.built.low[joints], self.built.high[joints]
        out, goal = np.clip(angles, self.built.low, self.built.high), np.asarray(place, np.float64)
        row, jacobian = self.row(bone), np.zeros((3, self.model.nv))
        root = self.data.qpos[:7].copy()
        for number in range(_STEPS):
            self.pose(root[:3], root[3:], out)
            mujoco.mj_comPos(self.model, self.data)
            now = self.point(bone, point)
            error = goal - now
            if np.linalg.norm(error) < _CLOSE and (rest is None or number >= _RESTING):
                break
            mujoco.mj_jac(self.model, self.data, jacobian, None, now, row)
            partial = jacobian[:, columns] * willing
            square = partial @ partial.T + _DAMPING**2 * np.eye(3)
            step = willing * (partial.T @ np.linalg.solve(square, error))
            if rest is not None:
                # Move towards the preferred angles where that does not move the hand.
                wish = 0.15 * (rest[joints] - out[joints])
                step += wish - willing * (partial.T @ np.linalg.solve(square, (jacobian[:, columns] @ wish)))
            step *= min(1.0, _LONGEST / max(float(np.abs(step).max()), 1e-9))
            out[joints] = np.clip(out[joints] + step, low, high)
        self.pose(root[:3], root[3:], out)
        return out

    def face(self, place: ArrayLike, angles: Array) -> Array:
        """Return the angles with which neck, head and eyes look at a place, as far as they can.

        Args:
            place: in metres.
            angles: of all joints before; the bones are where `pose` put them.
        """
        out = angles.copy()
        goal = np.asarray(place, np.float64)
        root = self.data.qpos[:7].copy()
        chest = self.data.xmat[self.row("chest")].reshape(3, 3)
        eyes = (self.data.xpos[self.row("left_eye")] + self.data.xpos[self.row("right_eye")]) / 2
        turn, lift = _direction(chest.T @ (goal - eyes))
        for bone in ("neck", "head"):
            self._set(out, f"{bone}.twist", turn / 2)
            self._set(out, f"{bone}.lean", 0.0)
            self._set(out, f"{bone}.bend", -lift / 2)
        self.pose(root[:3], root[3:], out)
        head = self.data.xmat[self.row("head")].reshape(3, 3)
        for side in (LEFT, RIGHT):
            turn, lift = _direction(head.T @ (goal - self.data.xpos[self.row(side + "eye")]))
            self._set(out, f"{side}eye.turn", turn)
            self._set(out, f"{side}eye.raise", lift)
        self.pose(root[:3], root[3:], out)
        return out

    def _set(self, angles: Array, joint: str, angle: float) -> None:
        row = JOINT_NAMES.index(joint)
        angles[row] = np.clip(angle, self.built.low[row], self.built.high[row])


def palm_of(growth: Growth, side: str) -> Vector:
    """Return the middle of a palm in the frame of the hand of a body of some size."""
    x, y, z = scaled(PALM, growth.scales["hand"])
    return (x, y if side == "left" else -y, z)


def set_joints(angles: Array, values: Sequence[tuple[str, float]]) -> Array:
    """Return angles of which some are replaced, by name and in degrees."""
    out = angles.copy()
    for name, value in values:
        out[JOINT_NAMES.index(name)] = np.radians(value)
    return out


def heading_of(rotation: ArrayLike) -> float:
    """Return how far a rotation (w, x, y, z) turns to the left, in degrees."""
    w, x, y, z = np.asarray(rotation, np.float64).tolist()
    return degrees(atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)))


def _direction(vector: Array) -> tuple[float, float]:
    """Return how far a direction points to the left and upwards, in radians."""
    x, y, z = (vector / max(float(np.linalg.norm(vector)), 1e-9)).tolist()
    return atan2(y, x), asin(max(-1.0, min(1.0, z)))


def _bone_of(joint: str) -> str:
    return joint.partition(".")[0].removeprefix(LEFT).removeprefix(RIGHT)
