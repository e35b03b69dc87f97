"""Fewer triangles: short edges are collapsed until each edge has about the length that is asked for at its place."""

import heapq
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Triangles = NDArray[np.int64]
# An edge is collapsed while it is shorter than this share of the length asked for, and no edge grows beyond that one.
_SHORT, _LONG = 0.80, 1.42
# A triangle may turn by at most about 70 degrees when an edge beside it is collapsed.
_LEAST_COSINE = 0.35


def coarsen(vertices: Array, triangles: Triangles, lengths: Array) -> tuple[Array, Triangles]:
    """Return the mesh with edges of about `lengths`, one length for each vertex, shortest edges first."""
    return _Collapse(vertices, triangles, lengths).run()


class _Collapse:
    def __init__(self, vertices: Array, triangles: Triangles, lengths: Array) -> None:
        self.points: list[Array] = list(vertices.copy())
        self.lengths = lengths.tolist()
        self.triangles = [list(map(int, each)) for each in triangles]
        self.alive = [True] * len(triangles)
        self.around: list[set[int]] = [set() for _ in vertices]
        for number, corners in enumerate(self.triangles):
            for corner in corners:
                self.around[corner].add(number)
        self.version = [0] * len(vertices)
        self.heap: list[tuple[float, int, int, int, int]] = []

    def neighbours(self, vertex: int) -> set[int]:
        return {each for number in self.around[vertex] for each in self.triangles[number]} - {vertex}

    def push(self, a: int, b: int) -> None:
        wanted = (self.lengths[a] + self.lengths[b]) / 2
        gap = self.points[a] - self.points[b]
        ratio = float(gap @ gap) ** 0.5 / wanted
        if ratio < _SHORT:
            a, b = min(a, b), max(a, b)
            heapq.heappush(self.heap, (ratio, a, b, self.version[a], self.version[b]))

    def run(self) -> tuple[Array, Triangles]:
        for a, b in {
            tuple(sorted(pair)) for c in self.triangles for pair in ((c[0], c[1]), (c[1], c[2]), (c[2], c[0]))
        }:
            self.push(a, b)
        while self.heap:
            _, a, b, version_a, version_b = heapq.heappop(self.heap)
            if self.version[a] == version_a and self.version[b] == version_b and self.around[a] and self.around[b]:
                self.collapse(a, b)
        kept = [corners for corners, alive in zip(self.triangles, self.alive, strict=True) if alive]
        used, numbers = np.unique(np.array(kept), return_inverse=True)
        return np.array([self.points[i] for i in used]), numbers.reshape(-1, 3)

    def collapse(self, a: int, b: int) -> None:
        near_a, near_b = self.neighbours(a), self.neighbours(b)
        shared = self.around[a] & self.around[b]
        # Otherwise the surface would touch itself.
        if len(near_a & near_b) != 2 or len(shared) != 2:
            return
        middle = (self.points[a] + self.points[b]) / 2
        length = (self.lengths[a] + self.lengths[b]) / 2
        for other in (near_a | near_b) - {a, b}:
            gap = self.points[other] - middle
            if float(gap @ gap) > (_LONG * (length + self.lengths[other]) / 2) ** 2:
                return
        for vertex in (a, b):
            for number in self.around[vertex] - shared:
                if not self.keeps_facing(number, vertex, middle):
                    return
        self.points[a], self.lengths[a] = middle, length
        for number in shared:
            self.alive[number] = False
            for corner in self.triangles[number]:
                self.around[corner].discard(number)
        for number in self.around[b]:
            corners = self.triangles[number]
            corners[corners.index(b)] = a
            self.around[a].add(number)
        self.around[b] = set()
        self.version[a] += 1
        self.version[b] += 1
        for other in self.neighbours(a):
            self.push(a, other)

    def keeps_facing(self, number: int, vertex: int, to: Array) -> bool:
        corners = self.triangles[number]
        before = [self.points[each] for each in corners]
        after = [to if each == vertex else self.points[each] for each in corners]
        one, two = _normal(before), _normal(after)
        least: float = _LEAST_COSINE * (_dot(one, one) * _dot(two, two)) ** 0.5
        return _dot(one, two) > least


def _normal(corners: list[Array]) -> tuple[float, float, float]:
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = (each.tolist() for each in corners)
    ux, uy, uz, vx, vy, vz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
    return (uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx)


def _dot(one: tuple[float, float, float], two: tuple[float, float, float]) -> float:
    return one[0] * two[0] + one[1] * two[1] + one[2] * two[2]


def edges_of(triangles: Triangles) -> Triangles:
    """Return each edge of a mesh once."""
    pairs = np.concatenate((triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]))
    return np.unique(np.sort(pairs, axis=1), axis=0)


def mean_of_neighbours(values: Array, edges: Triangles) -> Array:
    """Return for each vertex the mean of its neighbours' values."""
    total, count = np.zeros_like(values), np.zeros(len(values))
    for a, b in ((0, 1), (1, 0)):
        np.add.at(total, edges[:, a], values[edges[:, b]])
        np.add.at(count, edges[:, a], 1)
    return total / np.maximum(count, 1)[:, None]


def relax(
    vertices: Array,
    triangles: Triangles,
    onto: Callable[[Array], tuple[Array, Array]],
    rounds: int = 8,
) -> Array:
    """Return vertices moved along the surface towards the middle of their neighbours.

    Args:
        vertices: the positions.
        triangles: the mesh.
        onto: returns for positions their signed distance to the surface and its normals there.
        rounds: how often they are moved.
    """
    edges = edges_of(triangles)
    for _ in range(rounds):
        distance, normal = onto(vertices)
        vertices = vertices - distance[:, None] * normal
        step = mean_of_neighbours(vertices, edges) - vertices
        vertices = vertices + 0.6 * (step - (step * normal).sum(axis=1, keepdims=True) * normal)
    distance, normal = onto(vertices)
    return vertices - distance[:, None] * normal
