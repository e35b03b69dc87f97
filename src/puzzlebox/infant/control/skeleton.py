"""Forward kinematics of a body without physics: where its bones are for given angles and a place of the pelvis."""

from functools import cache

import mujoco
import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.bones import BONE_NAMES
from puzzlebox.infant.body.build import Built, build
from puzzlebox.infant.body.growth import Growth

Floats = NDArray[np.float64]


class Skeleton:
    """The bones of one body.

    Attributes:
        built: the model and its tables.
        places: where each bone is, in the order of `BONES`, in metres.
        turns: how each bone is turned, as matrices.
    """

    def __init__(self, growth: Growth) -> None:
        self.built: Built = build(growth)
        self._data = mujoco.MjData(self.built.model)
        self.places = np.zeros((len(BONE_NAMES), 3))
        self.turns = np.zeros((len(BONE_NAMES), 3, 3))
        model = self.built.model
        own = np.isin(model.geom_bodyid, self.built.bodies) & (model.geom_contype != 0)
        self._geoms = np.flatnonzero(own)
        capsule = model.geom_type[self._geoms] == mujoco.mjtGeom.mjGEOM_CAPSULE
        self._radius = model.geom_size[self._geoms, 0]
        self._length = np.where(capsule, model.geom_size[self._geoms, 1], 0.0)

    def pose(self, angles: Floats, place: Floats, turn: Floats) -> None:
        """Move the bones.

        Args:
            angles: the angle of each joint in radians, in the order of `JOINT_NAMES`.
            place: where the pelvis is, in metres.
            turn: how it is turned: w, x, y, z.
        """
        data = self._data
        data.qpos[:3], data.qpos[3:7] = place, turn
        data.qpos[self.built.positions] = angles
        mujoco.mj_kinematics(self.built.model, data)
        self.places = data.xpos[self.built.bodies]
        self.turns = data.xmat[self.built.bodies].reshape(-1, 3, 3)

    def lowest(self) -> float:
        """Return the height of the lowest point of the body, in metres."""
        axis = self._data.geom_xmat[self._geoms, 8]
        return float((self._data.geom_xpos[self._geoms, 2] - self._radius - self._length * np.abs(axis)).min())

    def place_of(self, bone: str) -> Floats:
        """Return where a bone begins, in metres."""
        return np.asarray(self.places[BONE_NAMES.index(bone)])

    def turn_of(self, bone: str) -> Floats:
        """Return how a bone is turned, as a matrix."""
        return np.asarray(self.turns[BONE_NAMES.index(bone)])


@cache
def _skeleton(scales: tuple[tuple[str, tuple[float, float, float]], ...], mass: float) -> Skeleton:
    return Skeleton(Growth(dict(scales), mass))


def skeleton_of(growth: Growth) -> Skeleton:
    """Return the skeleton of a growth; bodies of the same growth share it, so pose it before each use."""
    return _skeleton(tuple(growth.scales.items()), growth.mass)
