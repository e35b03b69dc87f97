"""`python -m puzzlebox.infant.looks.sculpt`: model the skin from the tables and write it to `skin.npz`.

The smooth union of all flesh is sampled on a fine grid, turned into triangles, coarsened to the length of edges that
each part of the body needs, bound to the bones, cut along the edges of hair, clothes and lips, and painted. It takes
about a minute, so the result is part of the package; bodies of other ages are made from it (`looks.mesh`).
"""

import hashlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.bones import BONE_NAMES, BONES
from puzzlebox.infant.body.growth import REFERENCE_MONTHS, Growth
from puzzlebox.infant.body.poses import POSES
from puzzlebox.infant.looks.cut import cut
from puzzlebox.infant.looks.field import Field, frames_of
from puzzlebox.infant.looks.flesh import all_flesh
from puzzlebox.infant.looks.paint import COVERS, skin_colour
from puzzlebox.infant.looks.remesh import coarsen, edges_of, mean_of_neighbours, relax
from puzzlebox.infant.looks.surface import surface_of

FILE = Path(__file__).with_name("skin.npz")
BIND_POSE = "spread"
# The distance of grid points, in metres: fine enough for the gaps between fingers.
_SPACING = 0.0025
# The length of edges by region, in metres, and on the face, around the lips and along hems.
_EDGES = {"head": 0.0160, "trunk": 0.024, "arm": 0.0170, "hand": 0.0070, "leg": 0.021, "foot": 0.0118}
_FACE_EDGE, _LIP_EDGE, _HEM_EDGE = 0.0085, 0.0044, 0.0135
# How fast the influence of a bone falls with the distance, by the region of the nearest bone, in metres.
_SOFTNESS = {"head": 0.006, "trunk": 0.022, "arm": 0.010, "hand": 0.0022, "leg": 0.014, "foot": 0.006}
# The width of the edge of a soft cover, in metres.
_FADE = 0.0035
_SMOOTHING_ROUNDS = 2
_MOST_BONES = 4

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


def make_field() -> Field:
    """Return the distance to the skin at 18 months."""
    return Field(all_flesh(), frames_of(Growth.at(REFERENCE_MONTHS), POSES[BIND_POSE]))


def table_digest() -> str:
    """Return a hash of all tables that the skin is made from."""
    numbers = (BONES, all_flesh(), POSES[BIND_POSE], _EDGES, _SOFTNESS, _FACE_EDGE, _LIP_EDGE, _SPACING)
    return hashlib.sha256(repr(numbers).encode()).hexdigest()[:16]


def edge_lengths(field: Field, points: Array) -> Array:
    """Return the length that edges should have at positions on the skin."""
    nearest = field.bone_distances(points).argmin(axis=1)
    lengths = np.array([_EDGES[bone.region] for bone in BONES])[nearest]
    head = field.in_bone(BONE_NAMES.index("head"), points)
    on_head = np.isin(nearest, [BONE_NAMES.index(name) for name in ("head", "jaw")])
    lengths[on_head & (head[:, 0] > 0.045) & (head[:, 2] < 0.125)] = _FACE_EDGE
    lips = on_head & (head[:, 0] > 0.055) & (np.abs(head[:, 1]) < 0.021) & (np.abs(head[:, 2] - 0.041) < 0.011)
    lengths[lips] = _LIP_EDGE
    ears = on_head & (np.abs(head[:, 1]) > 0.066) & (np.abs(head[:, 2] - 0.080) < 0.026) & (np.abs(head[:, 0]) < 0.035)
    lengths[ears] = _FACE_EDGE
    for cover in COVERS:
        if not cover.soft:
            hem = np.abs(cover.where(field, points)) < _HEM_EDGE
            lengths[hem] = np.minimum(lengths[hem], _HEM_EDGE)
    return np.asarray(lengths)


def bind(field: Field, points: Array, triangles: Integers) -> Array:
    """Return the weight of each bone at each vertex (vertices x bones), at most four of them above 0.

    A vertex follows the bone nearest to it, and that bone's parent and children the more the nearer they are.
    """
    distances = field.bone_distances(points)
    nearest = distances.argmin(axis=1)
    rows = {bone.name: number for number, bone in enumerate(BONES)}
    linked = np.eye(len(BONES), dtype=bool)
    for bone in BONES:
        if bone.parent:
            linked[rows[bone.name], rows[bone.parent]] = linked[rows[bone.parent], rows[bone.name]] = True
    softness = np.array([_SOFTNESS[bone.region] for bone in BONES])[nearest]
    beyond = distances - distances.min(axis=1, keepdims=True)
    weights = np.where(linked[nearest], np.exp(-beyond / softness[:, None]), 0.0)
    edges = edges_of(triangles)
    for _ in range(_SMOOTHING_ROUNDS):
        weights = 0.5 * weights + 0.5 * mean_of_neighbours(weights, edges)
    return _strongest(weights)


def _strongest(weights: Array) -> Array:
    """Return weights of which only the largest four are kept, and which add up to 1."""
    least = np.sort(weights, axis=1)[:, -_MOST_BONES][:, None]
    kept = np.where(weights >= np.maximum(least, 0.01 * weights.max(axis=1, keepdims=True)), weights, 0.0)
    return np.asarray(kept / kept.sum(axis=1, keepdims=True))


def sculpt() -> dict[str, NDArray[np.generic]]:
    """Return the arrays of `skin.npz`."""
    field = make_field()
    grid, low = field.sample(_SPACING)
    points, triangles = surface_of(grid.astype(np.float32), low, _SPACING)
    points, triangles = coarsen(points, triangles, edge_lengths(field, points))
    points = relax(points, triangles, lambda at: (field.distance(at), field.gradient(at)))
    for cover in COVERS:
        if cover.soft:
            continue
        points, triangles, _ = cut(points, triangles, cover.where(field, points))
    material = np.zeros(len(triangles), np.int64)
    middles = points[triangles].mean(axis=1)
    for number, cover in reversed(list(enumerate(COVERS, 1))):
        material[cover.where(field, middles) > 0] = number
    normals = field.gradient(points)
    points, normals = _puff(field, points, normals, triangles, material)
    weights = bind(field, points, triangles)
    return _pack(field, points, normals, triangles, material, weights)


def _puff(field: Field, points: Array, normals: Array, triangles: Integers, material: Integers) -> tuple[Array, Array]:
    """Return vertices and normals with covers standing off the skin, but not at their edges."""
    lift = np.zeros(len(points))
    for number, cover in enumerate(COVERS, 1):
        inside = np.zeros(len(points), bool)
        inside[triangles[material == number]] = True
        inside[triangles[material != number]] = False
        rise = np.clip(cover.where(field, points) / 0.012, 0.0, 1.0)
        lift[inside] = (cover.thickness * rise * (2 - rise))[inside]
    points = points + lift[:, None] * normals
    # Normals of the triangles around each vertex, mixed with those of the smooth field.
    corners = points[triangles]
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    around = np.zeros_like(points)
    for corner in range(3):
        np.add.at(around, triangles[:, corner], flat)
    around /= np.maximum(np.linalg.norm(around, axis=1, keepdims=True), 1e-12)
    mixed = np.where(lift[:, None] > 0, around, 0.35 * around + 0.65 * normals)
    return points, mixed / np.linalg.norm(mixed, axis=1, keepdims=True)


def _pack(
    field: Field, points: Array, normals: Array, triangles: Integers, material: Integers, weights: Array
) -> dict[str, NDArray[np.generic]]:
    """Return the arrays of the file: a vertex on an edge of a cover is there once for each colour."""
    pairs = np.stack((triangles.ravel(), np.repeat(material, 3)), axis=1)
    unique, numbers = np.unique(pairs, axis=0, return_inverse=True)
    source, covers = unique[:, 0], unique[:, 1]
    colours = skin_colour(field, points[source])
    for number, cover in enumerate(COVERS, 1):
        if cover.soft:
            share = np.clip(0.5 + cover.where(field, points[source]) / _FADE, 0.0, 1.0)[:, None]
            colours += share * (np.array(cover.colour) - colours)
        else:
            colours[covers == number] = cover.colour
    strands = 1.0 + 0.07 * np.sin(points[source] @ np.array((90.0, 420.0, 60.0))) * (covers == 1)
    colours = np.clip(colours * strands[:, None], 0, 255)
    order = np.argsort(-weights[source], axis=1, kind="stable")[:, :_MOST_BONES]
    return {
        "at": points[source].astype(np.float32),
        "normal": normals[source].astype(np.float32),
        "colour": np.rint(colours).astype(np.uint8),
        "bones": order.astype(np.uint8),
        "weights": np.take_along_axis(weights[source], order, axis=1).astype(np.float32),
        "source": source.astype(np.int32),
        "triangles": numbers.reshape(-1, 3).astype(np.int32),
        "cover": material.astype(np.uint8),
        "digest": np.array(table_digest()),
    }


def main() -> None:
    """Write the file, and print its size."""
    arrays = sculpt()
    np.savez_compressed(FILE, **arrays)  # type: ignore[arg-type]
    print(f"{len(arrays['at'])} vertices, {len(arrays['triangles'])} triangles, {FILE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
