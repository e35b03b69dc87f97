"""The sense of touch: how far the skin is pushed in at each taxel, with a threshold and habituation.

For each taxel i, as in the paper on VECA (AAAI-22):

    T_i(s, t) = sigma_delta(min(1, s / s_max) exp(-lambda t))        sigma_delta(x) = x if x >= delta, else 0

where s is the displacement of the skin at the taxel and t the number of frames since the stimulus began. The paper does
not publish s_max, lambda, delta, or when a stimulus ends; `SkinSettings` has all of them as parameters.

The displacement is how far another shape reaches below the undeformed skin: the flesh over the bones is soft, and what
touches a bone pushes in the flesh above it. Taxels beside a displaced one are pulled along, less the farther away.
"""

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from puzzlebox._native import Touch
from puzzlebox.infant.body.child import Child
from puzzlebox.infant.looks.mesh import skin_of
from puzzlebox.infant.senses.habituation import Habituation
from puzzlebox.infant.senses.neighbours import links_between
from puzzlebox.infant.senses.taxels import VECA_TAXELS, spread_taxels

# A neighbour that would follow a displacement by less than this share is not pulled along.
_LEAST_PULL = 0.05
# Skins whose normals differ by more than this cosine are on different sides of a finger, or are two lips.
_SAME_SIDE = 0.3


@dataclass(frozen=True)
class SkinSettings:
    """The constants of the sense of touch.

    Attributes:
        taxels: how many places on the skin feel.
        largest_displacement: s_max, the displacement in metres that gives the largest value.
        habituation: lambda, the rate of the exponential decay per frame; 0 for none.
        threshold: delta, the least value that is felt.
        release_frames: a stimulus ends after this many frames without displacement.
        softness: the distance in metres over which displaced skin pulls its neighbours along, falling by a factor e;
            0 for none.
        flesh: how far the surface that feels is above the skin of the mesh, in metres. Straight edges of triangles
            run below a round surface, and collision shapes hardly give way; this makes up for both.
    """

    taxels: int = VECA_TAXELS
    largest_displacement: float = 0.005
    habituation: float = 0.05
    threshold: float = 0.02
    release_frames: int = 3
    softness: float = 0.003
    flesh: float = 0.002

    def __post_init__(self) -> None:
        """Raise a ValueError if a constant makes no sense."""
        checks = (
            ("largest_displacement", self.largest_displacement > 0, "more than 0"),
            ("habituation", self.habituation >= 0, "0 or more"),
            ("threshold", 0 <= self.threshold <= 1, "0 to 1"),
            ("release_frames", self.release_frames >= 1, "1 or more"),
            ("softness", self.softness >= 0, "0 or more"),
            ("flesh", self.flesh >= 0, "0 or more"),
        )
        for name, good, allowed in checks:
            if not good:
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be {allowed}")


class Skin:
    """The sense of touch of one child.

    Attributes:
        taxels: where it feels.
        displacement: how far the skin was pushed in at each taxel in the last frame, in metres.
    """

    def __init__(self, child: Child, settings: SkinSettings | None = None) -> None:
        self.child = child
        self.settings = settings or SkinSettings()
        self.taxels = spread_taxels(self.settings.taxels)
        self.shape = (len(self.taxels),)
        self.displacement = np.zeros(len(self.taxels))
        self._mesh = skin_of(child.built.growth)
        settings = self.settings
        self._habituation = Habituation(
            len(self.taxels),
            settings.largest_displacement,
            settings.habituation,
            settings.threshold,
            settings.release_frames,
        )
        normal = self.taxels.at(self._mesh.normal, self._mesh.triangles)
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        self._bind = self.taxels.at(self._mesh.at, self._mesh.triangles) + settings.flesh * normal
        self._bones, self._weights = self.taxels.follow(self._mesh)
        start, other, distance = links_between(self._bind, settings.softness * -np.log(_LEAST_PULL))
        own = np.repeat(np.arange(len(self.taxels)), np.diff(start))
        same = (normal[own] * normal[other]).sum(axis=1) > _SAME_SIDE
        pull = np.where(same, np.exp(-distance / max(settings.softness, 1e-9)), 0.0)
        self._touch = Touch(
            self._bind.astype(np.float32).ravel(),
            self._bones.astype(np.uint8).ravel(),
            self._weights.astype(np.float32).ravel(),
            self.taxels.bone.astype(np.uint8),
            start.astype(np.int32),
            other.astype(np.int32),
            pull.astype(np.float32),
            len(self._mesh.places),
        )
        self._bone_of_body = np.full(child.model.nbody, -1)
        self._bone_of_body[child.built.bodies] = np.arange(len(child.built.bodies))
        self._sizes = _sizes(child.model)

    def _matrices(self) -> NDArray[np.float64]:
        """Return the motion of each bone since the posture in which the skin was made (bones x 3 x 4)."""
        data, rows = self.child.data, self.child.built.bodies
        turn = data.xmat[rows].reshape(-1, 3, 3) @ self._mesh.turns.transpose(0, 2, 1)
        shift = data.xpos[rows] - (turn @ self._mesh.places[:, :, None])[:, :, 0]
        return np.concatenate((turn, shift[:, :, None]), axis=2)

    def positions(self) -> NDArray[np.float64]:
        """Return where all taxels are now, in MuJoCo's axes, before anything pushes the skin in."""
        mixed = np.einsum("tk,tkij->tij", self._weights, self._matrices()[self._bones])
        return np.einsum("tij,tj->ti", mixed[:, :, :3], self._bind) + mixed[:, :, 3]

    def measure(self) -> NDArray[np.float64]:
        """Return how far the skin is pushed in at each taxel now, in metres."""
        out = np.zeros(len(self.taxels))
        geoms = self.child.data.contact.geom
        if not len(geoms):
            return out
        bones = self._bone_of_body[self.child.model.geom_bodyid[geoms]]
        both = np.concatenate((np.stack((bones[:, 0], geoms[:, 1]), 1), np.stack((bones[:, 1], geoms[:, 0]), 1)))
        pairs = sorted(set(map(tuple, both[both[:, 0] >= 0].tolist())))
        touching = sorted({geom for _, geom in pairs})
        rows = {geom: row for row, geom in enumerate(touching)}
        data = self.child.data
        shapes = np.concatenate((self._sizes[touching], data.geom_xpos[touching], data.geom_xmat[touching]), axis=1)
        matrices = self._matrices().reshape(-1, 12)
        self._touch.measure(matrices, [(bone, rows[geom]) for bone, geom in pairs], shapes, out)
        return out

    def reset(self) -> None:
        """Forget all stimuli, at the start of an episode."""
        self._habituation.reset()
        self.displacement[:] = 0.0

    def read(self) -> NDArray[np.float32]:
        """Return what each taxel feels, 0 to 1; call it once a frame, because it counts frames for habituation."""
        self.displacement = self.measure()
        return self._habituation.respond(self.displacement)

    def snapshot(self) -> tuple[bytes, bytes]:
        """Return the state of habituation."""
        return self._habituation.snapshot()

    def restore(self, snapshot: tuple[bytes, bytes]) -> None:
        """Go back to a state of habituation."""
        self._habituation.restore(snapshot)


def _sizes(model: mujoco.MjModel) -> NDArray[np.float64]:
    """Return kind and half sizes of each geom; one that is a mesh or anything else counts as the box around it."""
    known = {
        int(each)
        for each in (
            mujoco.mjtGeom.mjGEOM_PLANE,
            mujoco.mjtGeom.mjGEOM_SPHERE,
            mujoco.mjtGeom.mjGEOM_CAPSULE,
            mujoco.mjtGeom.mjGEOM_ELLIPSOID,
            mujoco.mjtGeom.mjGEOM_CYLINDER,
            mujoco.mjtGeom.mjGEOM_BOX,
        )
    }
    out = np.concatenate((model.geom_type[:, None].astype(np.float64), model.geom_size), axis=1)
    for geom, kind in enumerate(model.geom_type.tolist()):
        if kind not in known:
            out[geom] = (float(mujoco.mjtGeom.mjGEOM_BOX), *model.geom_aabb[geom, 3:])
    return out
