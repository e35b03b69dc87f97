"""What all bodies offer, whether muscles move them (`Child`) or an animation does (`Puppet`): senses read this."""

from typing import NamedTuple, Protocol

import mujoco
import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.build import Tables
from puzzlebox.infant.body.physics import Physics

Array = NDArray[np.float64]


class Motion(NamedTuple):
    """How the head moves, in its own frame: x forwards, y left, z up.

    Attributes:
        acceleration: in metres a second squared; a head at rest feels 9.81 upwards, because gravity is held up.
        rotation: in radians a second, by the right-hand rule.
    """

    acceleration: Array
    rotation: Array


class Body(Protocol):
    """A body in a world, with what its senses need.

    Attributes:
        age_months: the age of its senses.
        physics: the world it is in.
        model: the MuJoCo model of that world.
        data: the MuJoCo state of that world.
    """

    age_months: float
    physics: Physics
    model: mujoco.MjModel
    data: mujoco.MjData

    @property
    def built(self) -> Tables:
        """The model and its tables."""

    @property
    def angles(self) -> Array:
        """The angle of each joint in radians."""

    @property
    def speeds(self) -> Array:
        """The speed of each joint in radians a second."""

    @property
    def torques(self) -> Array:
        """The torque of the muscles of each joint in newton metres."""

    def row(self, bone: str) -> int:
        """Return the MuJoCo body of a bone."""

    def motion(self) -> Motion:
        """Return the acceleration and the rotation of the head, in its own frame."""

    def near(self) -> NDArray[np.int32]:
        """Return the pairs of geoms that are near each other and may touch the skin (n x 2)."""


def upright(pitch: float, heading: float = 0.0) -> Array:
    """Return the rotation (w, x, y, z) of a pelvis that leans forwards and is turned to its left, in degrees."""
    half, side = np.radians(pitch) / 2, np.radians(heading) / 2
    lean = np.array((np.cos(half), 0.0, np.sin(half), 0.0))
    if not heading:
        return lean
    out = np.empty(4)
    mujoco.mju_mulQuat(out, np.array((np.cos(side), 0.0, 0.0, np.sin(side))), lean)
    return out


class Underside:
    """Finds the lowest point of bones, as `lowest` does, in a quarter of its time: animations ask in each step.

    A ball reaches as far down as its radius; a capsule and an ellipsoid reach farther the more upright they are.
    """

    def __init__(self, model: mujoco.MjModel, bodies: NDArray[np.int32]) -> None:
        own = np.isin(model.geom_bodyid, bodies) & (model.geom_contype > 0)
        self._geoms = np.flatnonzero(own)
        kind, size = model.geom_type[self._geoms][:, None], model.geom_size[self._geoms]
        rod, ellipsoid = kind == mujoco.mjtGeom.mjGEOM_CAPSULE, kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID
        self._around = np.where(ellipsoid, 0.0, size[:, :1])[:, 0]
        self._along = np.where(ellipsoid, size, np.where(rod, size[:, 1:2] * (0.0, 0.0, 1.0), 0.0))

    def height(self, data: mujoco.MjData) -> float:
        """Return the height of the lowest point above the floor, in metres."""
        reach = data.geom_xmat[self._geoms, 6:] * self._along
        low = data.geom_xpos[self._geoms, 2] - self._around - np.sqrt((reach * reach).sum(axis=1))
        return float(low.min())


def lowest(model: mujoco.MjModel, data: mujoco.MjData, geoms: NDArray[np.intp]) -> float:
    """Return the height of the lowest point of some geoms above the floor, in metres."""
    size, up = model.geom_size[geoms], data.geom_xmat[geoms].reshape(-1, 3, 3)[:, 2]
    kind = model.geom_type[geoms]
    axis = np.abs(up[:, 2])
    reach = size[:, 0].copy()
    for form, values in (
        (mujoco.mjtGeom.mjGEOM_CAPSULE, size[:, 0] + size[:, 1] * axis),
        (mujoco.mjtGeom.mjGEOM_ELLIPSOID, np.linalg.norm(up * size, axis=1)),
        (mujoco.mjtGeom.mjGEOM_BOX, np.abs(up * size).sum(axis=1)),
        (mujoco.mjtGeom.mjGEOM_CYLINDER, size[:, 1] * axis + size[:, 0] * np.hypot(up[:, 0], up[:, 1])),
    ):
        reach = np.where(kind == form, values, reach)
    return float((data.geom_xpos[geoms, 2] - reach).min())
