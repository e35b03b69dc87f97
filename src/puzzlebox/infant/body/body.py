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


def lowest(model: mujoco.MjModel, data: mujoco.MjData, bodies: NDArray[np.int32]) -> float:
    """Return the height of the lowest point of some bodies above the floor, in metres."""
    lows = []
    for geom in range(model.ngeom):
        if model.geom_bodyid[geom] not in bodies or not model.geom_contype[geom]:
            continue
        size, axes = model.geom_size[geom], data.geom_xmat[geom].reshape(3, 3)
        kind = model.geom_type[geom]
        if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
            reach = size[0] + size[1] * abs(axes[2, 2])
        elif kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
            reach = float(np.linalg.norm(axes[2] * size))
        elif kind == mujoco.mjtGeom.mjGEOM_BOX:
            reach = float(np.abs(axes[2] * size).sum())
        elif kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
            reach = size[1] * abs(axes[2, 2]) + size[0] * float(np.hypot(axes[2, 0], axes[2, 1]))
        else:
            reach = size[0]
        lows.append(data.geom_xpos[geom, 2] - reach)
    return float(min(lows))
