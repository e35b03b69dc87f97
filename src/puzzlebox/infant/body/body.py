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
