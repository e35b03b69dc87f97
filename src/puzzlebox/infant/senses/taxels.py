"""Where the skin feels: taxels on the triangles of the skin, denser where people feel finely."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.bones import BONE_NAMES, BONES, LEFT, RIGHT
from puzzlebox.infant.body.growth import REFERENCE_MONTHS, Growth
from puzzlebox.infant.looks.mesh import Skin, skin_of
from puzzlebox.infant.looks.paint import COVERS

# The number of values in the released observations of VECA: three on each triangle of its skin.
VECA_TAXELS = 9888
# Taxels on an equal area of skin, relative to the trunk. The order follows two-point discrimination in people: lips and
# fingertips feel finest, then hands, face and feet, then the trunk and the limbs. The numbers are ours.
_DENSITY = {"trunk": 1.0, "leg": 1.1, "arm": 1.3, "head": 1.3, "foot": 4.0, "hand": 10.0}
_FINGERTIP, _LIPS, _FACE, _TOES = 18.0, 22.0, 4.0, 6.0
# Additive steps of an even sequence in the unit square (the plastic number).
_STEP = (0.7548776662466927, 0.5698402909980532)


@dataclass(frozen=True)
class Taxels:
    """Places on the skin, the same at every age.

    Attributes:
        triangle: the triangle of each taxel, a row of the skin's.
        share: the share of each of the triangle's corners in its position (taxels x 3).
        bone: the bone it follows most, a row of `BONES`.
        region: the region of each taxel: a region of bones, or `lips`, `face`, `fingertips`, `toes`.
    """

    triangle: NDArray[np.int32]
    share: NDArray[np.float64]
    bone: NDArray[np.int32]
    region: NDArray[np.str_]

    def __len__(self) -> int:
        return len(self.triangle)

    def at(self, vertices: NDArray[np.floating], triangles: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the position of each taxel on a mesh with these vertices, or its mixture of other columns."""
        corners = np.asarray(vertices, np.float64)[triangles[self.triangle]]
        return np.asarray(np.einsum("tk,tkj->tj", self.share, corners))

    def follow(self, skin: Skin) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return up to four bones that each taxel follows and how much: a mixture of those of its corners."""
        weights = np.zeros((len(self), len(BONES)))
        corners = skin.triangles[self.triangle]
        for k in range(3):
            for j in range(skin.bones.shape[1]):
                own = self.share[:, k] * skin.weights[corners[:, k], j]
                np.add.at(weights, (np.arange(len(self)), skin.bones[corners[:, k], j]), own)
        order = np.argsort(-weights, axis=1, kind="stable")[:, :4]
        kept = np.take_along_axis(weights, order, axis=1)
        return order, kept / kept.sum(axis=1, keepdims=True)


@cache
def spread_taxels(count: int = VECA_TAXELS) -> Taxels:
    """Return taxels spread over the skin of 18 months, in proportion to the area and the density of each triangle.

    Raises:
        ValueError: the count is not a positive whole number.
    """
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise ValueError(f"the number of taxels is {count!r}; it must be a whole number, 1 or more")
    skin = skin_of(Growth.at(REFERENCE_MONTHS))
    region = _regions(skin)
    corners = skin.at.astype(np.float64)[skin.triangles]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    special = {"fingertips": _FINGERTIP, "lips": _LIPS, "face": _FACE, "toes": _TOES}
    wanted = area * np.array([{**_DENSITY, **special}[each] for each in region.tolist()])
    # Rounding the running total keeps neighbours even and the total exact.
    total = np.rint(np.cumsum(wanted) / wanted.sum() * count).astype(np.int64)
    number = np.diff(total, prepend=0)
    triangle = np.repeat(np.arange(len(number)), number)
    # The centre of a triangle is felt by its first taxel; further ones follow an even sequence.
    order = np.arange(len(triangle)) - np.repeat(total - number, number)
    u, v = (np.mod(1 / 3 + step * order, 1.0) for step in _STEP)
    outside = u + v > 1
    u, v = np.where(outside, 1 - u, u), np.where(outside, 1 - v, v)
    share = np.stack((1 - u - v, u, v), axis=1)
    return Taxels(triangle.astype(np.int32), share, _main_bone(skin)[triangle].astype(np.int32), region[triangle])


def _main_bone(skin: Skin) -> NDArray[np.int64]:
    """Return the bone that each triangle follows most."""
    weights = np.zeros((len(skin.triangles), len(BONES)))
    rows = np.repeat(np.arange(len(skin.triangles)), 12)
    np.add.at(weights, (rows, skin.bones[skin.triangles].reshape(-1)), skin.weights[skin.triangles].reshape(-1))
    return np.asarray(weights.argmax(axis=1))


def _regions(skin: Skin) -> NDArray[np.str_]:
    bone = _main_bone(skin)
    names = np.array([BONES[each].region for each in bone.tolist()], dtype="<U12")
    tips = [
        BONE_NAMES.index(f"{side}{finger}_tip")
        for side in (LEFT, RIGHT)
        for finger in ("thumb", "index", "middle", "ring", "little")
    ]
    names[np.isin(bone, tips)] = "fingertips"
    names[np.isin(bone, [BONE_NAMES.index(side + "toes") for side in (LEFT, RIGHT)])] = "toes"
    head = BONE_NAMES.index("head")
    middle = skin.at[skin.triangles].mean(axis=1) - skin.places[head]
    covers = {cover.name: number for number, cover in enumerate(COVERS, 1)}
    front = (names == "head") & (middle @ skin.turns[head][:, 0] > 0.045) & (skin.cover != covers["hair"])
    names[front] = "face"
    names[skin.cover == covers["lips"]] = "lips"
    return names
