"""Cutting a mesh where a function of its vertices is 0, so that no triangle lies on both sides."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Triangles = NDArray[np.int64]
# A vertex this near to the cut, as a share of an edge, is moved onto it instead of making a sliver.
_SNAP = 0.18


def cut(vertices: Array, triangles: Triangles, values: Array) -> tuple[Array, Triangles, Array]:
    """Return the mesh cut along the line where the values are 0, and the values of all vertices.

    Vertices that are nearly on the line are moved onto it.
    """
    vertices, values = _snap(vertices, triangles, values)
    points, numbers = list(vertices), list(values)
    made: dict[tuple[int, int], int] = {}

    def between(a: int, b: int) -> int:
        key = (min(a, b), max(a, b))
        if key not in made:
            share = values[a] / (values[a] - values[b])
            made[key] = len(points)
            points.append(vertices[a] + share * (vertices[b] - vertices[a]))
            numbers.append(0.0)
        return made[key]

    out: list[tuple[int, int, int]] = []
    for corners in triangles.tolist():
        signs = [0 if values[each] == 0 else 1 if values[each] > 0 else -1 for each in corners]
        if 1 not in signs or -1 not in signs:
            out.append(tuple(corners))
            continue
        if 0 in signs:
            first = signs.index(0)
            a, b, c = (corners[(first + i) % 3] for i in range(3))
            middle = between(b, c)
            out += [(a, b, middle), (a, middle, c)]
            continue
        # One corner is alone on its side.
        first = next(i for i in range(3) if signs.count(signs[i]) == 1)
        a, b, c = (corners[(first + i) % 3] for i in range(3))
        on_b, on_c = between(a, b), between(a, c)
        out += [(a, on_b, on_c), (on_b, b, c), (on_b, c, on_c)]
    return np.array(points), np.array(out), np.array(numbers)


def _snap(vertices: Array, triangles: Triangles, values: Array) -> tuple[Array, Array]:
    """Move vertices near the line onto it, along the edge that crosses it nearest to them."""
    vertices, values = vertices.copy(), values.copy()
    pairs = np.concatenate([triangles[:, [i, (i + 1) % 3]] for i in range(3)])
    crossing = pairs[values[pairs[:, 0]] * values[pairs[:, 1]] < 0]
    shares = values[crossing[:, 0]] / (values[crossing[:, 0]] - values[crossing[:, 1]])
    moved: set[int] = set()
    for number in np.argsort(np.minimum(shares, 1 - shares), kind="stable").tolist():
        share, (a, b) = float(shares[number]), crossing[number].tolist()
        near, other, part = (a, b, share) if share < 0.5 else (b, a, 1 - share)
        if part > _SNAP:
            break
        if near in moved or other in moved:
            continue
        vertices[near] += part * (vertices[other] - vertices[near])
        values[near] = 0.0
        moved.add(near)
    return vertices, values
