"""What is near bones without degrees of freedom: MuJoCo looks for contacts only where something can move by forces."""

import mujoco
import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.bones import BONE_NAMES
from puzzlebox.infant.body.build import neighbours
from puzzlebox.infant.body.physics import Physics

Rows = NDArray[np.int64]
# Geoms that are nearer to each other than this many metres, besides the flesh over them, may touch.
_NEAR = 0.002


class Stillness:
    """Finds what has no degrees of freedom (floor, furniture, other bones) near bones that have none either."""

    def __init__(self, physics: Physics, bodies: NDArray[np.int32]) -> None:
        """Do not look for anything yet.

        Args:
            physics: the world.
            bodies: the MuJoCo bodies of all bones of a body, in the order of `BONES`.
        """
        self.model, self.data = physics.model, physics.data
        self._bodies = bodies
        self._others: tuple[Rows, Rows, NDArray[np.bool_]] | None = None
        self._key, self._found = b"", np.zeros((0, 2), np.int32)

    def _prepare(self) -> tuple[Rows, Rows, NDArray[np.bool_]]:
        """Return own geoms, all geoms without degrees of freedom, and which of both may touch."""
        model = self.model
        still = np.array([_is_still(model, int(body)) for body in model.geom_bodyid])
        own = np.flatnonzero(np.isin(model.geom_bodyid, self._bodies) & (model.geom_contype > 0) & still)
        others = np.flatnonzero(still)
        bones = {int(body): name for body, name in zip(self._bodies, BONE_NAMES, strict=True)}
        apart = neighbours()
        names = [bones.get(int(model.geom_bodyid[geom]), "") for geom in others]
        rows = [bones[int(model.geom_bodyid[geom])] for geom in own]
        allowed = [[one != two and frozenset((one, two)) not in apart for two in names] for one in rows]
        return own, others, np.array(allowed)

    def near(self) -> NDArray[np.int32]:
        """Return the pairs of geoms that are near each other (n x 2), the own one first."""
        model, data = self.model, self.data
        if self._others is None:
            self._others = self._prepare()
        others = self._others[1]
        parts = (data.geom_xpos[others], data.geom_xmat[others], model.geom_contype[others])
        key = b"".join(part.tobytes() for part in parts)
        # Bones in a chair stay where they are, so what was near them still is.
        if key != self._key:
            self._key, self._found = key, self._find(*self._others)
        return self._found

    def _find(self, own: Rows, others: Rows, allowed: NDArray[np.bool_]) -> NDArray[np.int32]:
        model, data = self.model, self.data
        planes = model.geom_type[others] == mujoco.mjtGeom.mjGEOM_PLANE
        flesh = model.geom_gap[own][:, None] + model.geom_gap[others][None, :] + _NEAR
        # A ball around each own geom, and the box around each other one.
        middles, turns = data.geom_xpos[others], data.geom_xmat[others].reshape(-1, 3, 3)
        local = np.abs(np.einsum("oji,goj->goi", turns, data.geom_xpos[own][:, None] - middles[None]))
        gap = np.sqrt((np.maximum(local - model.geom_aabb[others, 3:], 0.0) ** 2).sum(axis=2))
        gap[:, planes] = local[:, planes, 2]
        near = (gap < model.geom_rbound[own][:, None] + flesh) & allowed & (model.geom_contype[others] > 0)
        out = []
        for row, column in np.argwhere(near).tolist():
            one, two, most = int(own[row]), int(others[column]), float(flesh[row, column])
            if planes[column] or mujoco.mj_geomDistance(model, data, one, two, most, None) < most:
                out.append((one, two))
        return np.array(out, np.int32).reshape(-1, 2)


def _is_still(model: mujoco.MjModel, body: int) -> bool:
    """Return whether a body has no degrees of freedom; it may be moved from outside."""
    root = model.body_weldid[body]
    return bool(root == 0 or model.body_mocapid[root] >= 0)
