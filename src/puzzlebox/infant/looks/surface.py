"""From distances on a grid to triangles: surface nets, one vertex in each cell that the surface passes through."""

import numpy as np
from numpy.typing import NDArray

_CORNERS = np.array([(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)])
# The twelve edges of a cell, as pairs of corners that differ in one bit.
_EDGES = [(a, b) for a in range(8) for b in range(a + 1, 8) if bin(a ^ b).count("1") == 1]


def surface_of(
    grid: NDArray[np.float32], low: NDArray[np.float64], spacing: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return vertices and triangles of the surface where the grid is 0; triangles are anticlockwise seen from outside.

    Args:
        grid: signed distances, negative inside.
        low: the position of the grid's first point.
        spacing: the distance between its points.
    """
    inside = grid < 0
    cells = tuple(size - 1 for size in grid.shape)
    count = sum(
        inside[i : i + cells[0], j : j + cells[1], k : k + cells[2]].astype(np.int8) for i, j, k in _CORNERS.tolist()
    )
    active = np.argwhere((count > 0) & (count < 8))
    values = np.stack([grid[tuple((active + corner).T)] for corner in _CORNERS], axis=1).astype(np.float64)
    total, crossings = np.zeros((len(active), 3)), np.zeros(len(active))
    for a, b in _EDGES:
        cut = (values[:, a] < 0) != (values[:, b] < 0)
        share = values[cut, a] / (values[cut, a] - values[cut, b])
        total[cut] += _CORNERS[a] + share[:, None] * (_CORNERS[b] - _CORNERS[a])
        crossings[cut] += 1
    vertices = low + spacing * (active + total / crossings[:, None])
    index = np.full(cells, -1, np.int64)
    index[tuple(active.T)] = np.arange(len(active))
    faces = []
    for axis in range(3):
        one, two = [other for other in range(3) if other != axis]
        step = np.eye(3, dtype=int)[axis]
        ahead = inside[tuple(slice(step[i], None) for i in range(3))]
        here = inside[tuple(slice(0, grid.shape[i] - step[i]) for i in range(3))]
        edges = np.argwhere(here != ahead)
        edges = edges[(edges[:, one] > 0) & (edges[:, two] > 0)]
        first, second = np.eye(3, dtype=int)[one], np.eye(3, dtype=int)[two]
        quad = [index[tuple((edges - shift).T)] for shift in (0 * first, first, first + second, second)]
        outwards = here[tuple(edges.T)] == (axis != 1)
        a, b, c, d = (np.where(outwards, quad[i], quad[j]) for i, j in ((0, 0), (1, 3), (2, 2), (3, 1)))
        faces += [np.stack((a, b, c), axis=1), np.stack((a, c, d), axis=1)]
    return vertices, np.concatenate(faces)
