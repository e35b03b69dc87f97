"""The sense of touch: how far the skin is pushed in at each taxel, with a threshold and habituation.

For each taxel i, as in the paper on VECA (AAAI-22):

    T_i(s, t) = sigma_delta(min(1, s / s_max) exp(-lambda t))        sigma_delta(x) = x if x >= delta, else 0

where s is the displacement of the skin at the taxel and t the number of frames since the stimulus began. The paper does
not publish s_max, lambda, delta, or when a stimulus ends; `SkinSettings` has all of them as parameters.

The displacement is how far another shape reaches below the undeformed skin: the flesh over the bones is soft, and what
touches a bone pushes in the flesh above it. It is the distance from the taxel to the nearest surface of the shape. A
thing that is thinner than the flesh can sink in past the middle of its thickness, where its nearest surface is the one
behind it: there, the way inwards to that middle counts too, and both together are at most the thickness of the flesh.
Taxels beside a displaced one are pulled along, less the farther away.
"""

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from puzzlebox._native import Touch
from puzzlebox.infant.body.body import Body
from puzzlebox.infant.body.bones import BONES
from puzzlebox.infant.body.build import FLESH, neighbours
from puzzlebox.infant.looks.field import distance_to
from puzzlebox.infant.looks.mesh import skin_of
from puzzlebox.infant.senses.habituation import Habituation
from puzzlebox.infant.senses.neighbours import links_between
from puzzlebox.infant.senses.taxels import VECA_TAXELS, spread_taxels

# The distance over which displaced skin pulls its neighbours along, falling by a factor e, in metres: thick flesh more
# than thin. The numbers are ours; they let some neighbours of each taxel follow it.
SOFTNESS = {
    **{"lips": 0.002, "fingertips": 0.0025, "hand": 0.003, "toes": 0.004, "face": 0.004, "foot": 0.005},
    **{"arm": 0.008, "head": 0.008, "leg": 0.009, "trunk": 0.010},
}
# A neighbour that would follow a displacement by less than this share is not pulled along.
_LEAST_PULL = 0.05
# Skins whose normals differ by more than this cosine are on different sides of a finger, or are two lips.
_SAME_SIDE = 0.3
# A taxel that follows a bone by less than this share does not count as skin over it.
_LEAST_SHARE = 0.01
# The flesh over most of a bone, relative to the thickest. A hand feels the flesh of a leg before it feels the bone.
_TYPICAL_FLESH = 0.4


@dataclass(frozen=True)
class SkinSettings:
    """The constants of the sense of touch.

    Attributes:
        taxels: how many places on the skin feel.
        largest_displacement: s_max, the displacement in metres that gives the largest value.
        habituation: lambda, the rate of the exponential decay per frame; 0 for none.
        threshold: delta, the least value that is felt.
        release_frames: a stimulus ends after this many frames without displacement.
        softness: how far displaced skin pulls its neighbours along, relative to `SOFTNESS`; 0 for not at all.
        flesh: how far the surface that feels is above the skin of the mesh, in metres. Straight edges of triangles
            run below a round surface, and collision shapes hardly give way; this makes up for both.
        regions: the regions of the taxels that somebody reads, such as `hand`; others may stay 0, which saves time.
            Default: all.
    """

    taxels: int = VECA_TAXELS
    largest_displacement: float = 0.005
    habituation: float = 0.05
    threshold: float = 0.02
    release_frames: int = 3
    softness: float = 1.0
    flesh: float = 0.002
    regions: tuple[str, ...] | None = None

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

    def __init__(self, child: Body, settings: SkinSettings | None = None) -> None:
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
        start, other, pull = self._links(normal)
        self._touch = Touch(
            self._bind.astype(np.float32).ravel(),
            normal.astype(np.float32).ravel(),
            self._thickness().astype(np.float32),
            self._bones.astype(np.uint8).ravel(),
            self._weights.astype(np.float32).ravel(),
            self.taxels.bone.astype(np.uint8),
            self._deaf(),
            start.astype(np.int32),
            other.astype(np.int32),
            pull.astype(np.float32),
            len(self._mesh.places),
        )
        self._bone_of_body = np.full(child.model.nbody, -1)
        self._bone_of_body[child.built.bodies] = np.arange(len(child.built.bodies))
        self._body_of_geom = child.model.geom_bodyid.copy()
        self._sizes = _sizes(child)
        self._reach = self._reach_felt(start, other)

    def _thickness(self) -> NDArray[np.float64]:
        """Return how thick the flesh between each taxel and the bones that it follows is, in metres."""
        scales, mesh = self.child.built.growth.scales, self._mesh
        most = np.array([FLESH[bone.region] * max(scales[bone.region]) for bone in BONES])
        out = most[self.taxels.bone]
        for row, bone in enumerate(BONES):
            own = np.flatnonzero(((self._bones == row) & (self._weights >= _LEAST_SHARE)).any(axis=1))
            local = (self._bind[own] - mesh.places[row]) @ mesh.turns[row]
            for shape in bone.shapes:
                out[own] = np.minimum(out[own], distance_to(shape.grown(scales[bone.region]), local))
        return np.asarray(np.maximum(out, 0.0))

    def _deaf(self) -> NDArray[np.uint64]:
        """Return, for each taxel, a bit for each bone that it does not feel.

        The skin over a joint is the flesh of the bones that meet there: the skin of an armpit does not feel the arm.
        """
        meet = np.array(
            [[one is two or one.name == two.parent or two.name == one.parent for two in BONES] for one in BONES]
        )
        bits = (meet * (np.uint64(1) << np.arange(len(BONES), dtype=np.uint64))).sum(axis=1, dtype=np.uint64)
        followed = np.where(self._weights >= _LEAST_SHARE, bits[self._bones], np.uint64(0))
        return np.asarray(np.bitwise_or.reduce(followed, axis=1))

    def feel_everywhere(self) -> None:
        """Let all taxels feel from now on, whatever `regions` says: somebody looks at the whole skin."""
        self._reach = _reach()

    def _reach_felt(self, start: NDArray[np.int64], other: NDArray[np.int64]) -> list[list[tuple[int, ...]]]:
        """Return `_reach` without bones whose skin neither has taxels that are read nor pulls any along."""
        reach = _reach()
        if self.settings.regions is None:
            return reach
        read = np.isin(self.taxels.region, self.settings.regions)
        pulls = np.zeros(len(read), bool)
        pulls[np.repeat(np.arange(len(read)), np.diff(start))[read[other]]] = True
        felt = set(self.taxels.bone[read | pulls].tolist())
        return [[tuple(row for row in rows if row in felt) for rows in lists] for lists in reach]

    def _links(self, normal: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return for each taxel the first of its links, and of each link the other taxel and how much it follows."""
        soft = self.settings.softness * np.array([SOFTNESS[region] for region in self.taxels.region.tolist()])
        own, other, distance = links_between(self._bind, soft * -np.log(_LEAST_PULL))
        pull = np.exp(-distance / soft[own])
        kept = (normal[own] * normal[other]).sum(axis=1) > _SAME_SIDE
        return np.searchsorted(own[kept], np.arange(len(self.taxels) + 1)), other[kept], pull[kept]

    def _matrices(self) -> NDArray[np.float64]:
        """Return the motion of each bone since the posture in which the skin was made (bones x 3 x 4)."""
        data, rows = self.child.data, self.child.built.bodies
        turn = data.xmat[rows].reshape(-1, 3, 3) @ self._mesh.turns.transpose(0, 2, 1)
        shift = data.xpos[rows] - (turn @ self._mesh.places[:, :, None])[:, :, 0]
        return np.concatenate((turn, shift[:, :, None]), axis=2)

    def positions(self) -> NDArray[np.float64]:
        """Return where all taxels are now, in MuJoCo's axes, before anything pushes the skin in."""
        mixed = np.einsum("tk,tkij->tij", self._weights, self._matrices()[self._bones])
        return np.asarray(np.einsum("tij,tj->ti", mixed[:, :, :3], self._bind) + mixed[:, :, 3])

    def measure(self) -> NDArray[np.float64]:
        """Return how far the skin is pushed in at each taxel now, in metres."""
        out = np.zeros(len(self.taxels))
        geoms = self.child.near()
        if not len(geoms):
            return out
        pairs = self._pairs(geoms)
        if not pairs:
            return out
        touching = sorted({geom for _, geom in pairs})
        rows = {geom: row for row, geom in enumerate(touching)}
        data = self.child.data
        bones = self._bone_of_body[self._body_of_geom[touching]]
        parts = (self._sizes[touching], data.geom_xpos[touching], data.geom_xmat[touching], bones[:, None])
        shapes = np.concatenate(parts, axis=1)
        matrices = self._matrices().reshape(-1, 12)
        self._touch.measure(matrices, [(bone, rows[geom]) for bone, geom in pairs], shapes, out)
        return out

    def _pairs(self, geoms: NDArray[np.int32]) -> list[tuple[int, int]]:
        """Return bones with the geoms that may touch the skin over them, from the geoms that are near each other."""
        bones = self._bone_of_body[self._body_of_geom[geoms]]
        both = np.concatenate((np.column_stack((bones, geoms[:, 1])), np.column_stack((bones[:, ::-1], geoms[:, 0]))))
        pairs: set[tuple[int, int]] = set()
        for bone, other, geom in set(map(tuple, both[both[:, 0] >= 0].tolist())):
            # What is near a bone may touch the skin that bends with the next one.
            pairs.update((each, geom) for each in self._reach[bone][other])
        return sorted(pairs)

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


def _sizes(child: Body) -> NDArray[np.float64]:
    """Return kind and half sizes of each geom, those of the child with the flesh over them.

    A geom that is a mesh or anything else counts as the box around it.
    """
    model = child.model
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
    for bone, body in zip(BONES, child.built.bodies.tolist(), strict=True):
        own = model.geom_bodyid == body
        out[own, 1] += _TYPICAL_FLESH * FLESH[bone.region] * child.built.growth.scales[bone.region][0]
    return out


def _reach() -> list[list[tuple[int, ...]]]:
    """Return, for each bone and each bone of the other geom (last: none), which bones may feel the geom.

    They are the bone itself, its parent and its children, without those that lie in the flesh of the other bone.
    """
    apart = neighbours()
    names = [bone.name for bone in BONES]

    def bones_near(number: int) -> list[int]:
        bone = BONES[number]
        return [
            row
            for row, each in enumerate(BONES)
            if each is bone or bone.name == each.parent or each.name == bone.parent
        ]

    out = []
    for number in range(len(BONES)):
        near = bones_near(number)
        rows = []
        for other in names:
            rows.append(
                tuple(row for row in near if names[row] != other and frozenset((names[row], other)) not in apart)
            )
        out.append([*rows, tuple(near)])
    return out
