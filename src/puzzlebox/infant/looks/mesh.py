"""The skin of a child of any size: the modelled skin of 18 months, grown bone by bone.

All bodies have the same vertices and triangles in the same order, so that a place on the skin has the same number at
every age.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.bones import BONES
from puzzlebox.infant.body.growth import REFERENCE_MONTHS, Growth
from puzzlebox.infant.body.poses import POSES
from puzzlebox.infant.looks.field import frames_of
from puzzlebox.infant.looks.sculpt import BIND_POSE, FILE

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Skin:
    """The skin in the posture in which it was modelled, in MuJoCo's axes.

    Attributes:
        at: the position of each vertex in metres.
        normal: the outward normal of each vertex.
        colour: its colour, bytes of sRGB.
        bones: the four bones it follows, rows of `BONES`.
        weights: how much it follows each of them; they add up to 1.
        triangles: three vertices each, anticlockwise seen from outside.
        cover: what covers each triangle: 0 is bare skin, else a row of `paint.COVERS` counted from 1.
        places: the position of each bone in that posture.
        turns: the rotation matrix of each bone in that posture.
    """

    at: Floats
    normal: Floats
    colour: NDArray[np.uint8]
    bones: NDArray[np.uint8]
    weights: Floats
    triangles: NDArray[np.int32]
    cover: NDArray[np.uint8]
    places: NDArray[np.float64]
    turns: NDArray[np.float64]

    def moved(self, places: NDArray[np.float64], turns: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the position of each vertex when the bones have other positions and rotations."""
        turn = turns @ self.turns.transpose(0, 2, 1)
        shift = places - np.einsum("bij,bj->bi", turn, self.places)
        out = np.zeros(self.at.shape)
        for k in range(self.bones.shape[1]):
            bone = self.bones[:, k]
            out += self.weights[:, k : k + 1] * (np.einsum("vij,vj->vi", turn[bone], self.at) + shift[bone])
        return out


@cache
def _modelled() -> tuple[dict[str, NDArray[np.generic]], NDArray[np.float64], NDArray[np.float64]]:
    with np.load(FILE) as file:
        arrays = {name: file[name] for name in file.files}
    return (arrays, *frames_of(Growth.at(REFERENCE_MONTHS), POSES[BIND_POSE]))


def skin_of(growth: Growth) -> Skin:
    """Return the skin of a body of some size."""
    arrays, places, turns = _modelled()
    at, normal = arrays["at"].astype(np.float64), arrays["normal"].astype(np.float64)
    bones, weights = arrays["bones"].astype(np.intp), arrays["weights"]
    own_places, own_turns = frames_of(growth, POSES[BIND_POSE])
    scales = np.array([growth.scales[bone.region] for bone in BONES])
    grown, tilted = np.zeros_like(at), np.zeros_like(normal)
    for k in range(bones.shape[1]):
        bone, weight = bones[:, k], weights[:, k : k + 1]
        local = np.einsum("vji,vj->vi", turns[bone], at - places[bone]) * scales[bone]
        grown += weight * (own_places[bone] + np.einsum("vij,vj->vi", own_turns[bone], local))
        facing = np.einsum("vji,vj->vi", turns[bone], normal) / scales[bone]
        tilted += weight * np.einsum("vij,vj->vi", own_turns[bone], facing)
    tilted /= np.linalg.norm(tilted, axis=1, keepdims=True)
    return Skin(
        at=grown.astype(np.float32),
        normal=tilted.astype(np.float32),
        colour=arrays["colour"].astype(np.uint8),
        bones=arrays["bones"].astype(np.uint8),
        weights=weights.astype(np.float32),
        triangles=arrays["triangles"].astype(np.int32),
        cover=arrays["cover"].astype(np.uint8),
        places=own_places,
        turns=own_turns,
    )
