"""From MuJoCo's axes (x forwards, y left, z up, right-handed) to those of a Scene (x right, y up, z forwards)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Where MuJoCo's origin is in a Scene, whose floor has no negative coordinates, in metres.
ORIGIN = (3.0, 0.0, 3.0)


def to_scene(vectors: Any) -> NDArray[np.float64]:
    """Return directions or sizes in the axes of a Scene."""
    array = np.asarray(vectors, np.float64)
    return np.stack((-array[..., 1], array[..., 2], array[..., 0]), axis=-1)


def place_in_scene(places: Any) -> NDArray[np.float64]:
    """Return positions in the axes of a Scene, with its origin."""
    return np.add(to_scene(places), ORIGIN)


def turn_in_scene(quaternions: Any) -> NDArray[np.float64]:
    """Return rotations (w, x, y, z) in the axes of a Scene.

    The axes of a Scene are a mirror image of MuJoCo's, so that a rotation turns the other way about its axis.
    """
    array = np.asarray(quaternions, np.float64)
    return np.concatenate((array[..., :1], -to_scene(array[..., 1:])), axis=-1)


def quaternion_of(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rotation matrices (n x 3 x 3) as quaternions (w, x, y, z)."""
    import mujoco

    out = np.empty((len(matrices), 4))
    for row, matrix in zip(out, matrices, strict=True):
        mujoco.mju_mat2Quat(row, np.ascontiguousarray(matrix).reshape(9))
    return out
