"""Which points are near each other, by cells of a grid."""

from itertools import product

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Array = NDArray[np.float64]


def links_between(points: Array, reaches: Array) -> tuple[Integers, Integers, Array]:
    """Return, for each point, all other points that are nearer than its own reach in metres.

    Returns:
        Of each link the point, the other point and the distance, in the order of the points.
    """
    found = [_links(points, np.flatnonzero(reaches == reach), float(reach)) for reach in np.unique(reaches)]
    one, two, distance = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.lexsort((two, one))
    return one[order], two[order], distance[order]


def _links(points: Array, rows: Integers, reach: float) -> tuple[Integers, Integers, Array]:
    """Return the links of some of the points, which all have the same reach."""
    if reach <= 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
    cells = np.floor((points - points.min(axis=0)) / reach).astype(np.int64) + 1
    size = cells.max(axis=0) + 2
    keys = (cells[:, 0] * size[1] + cells[:, 1]) * size[2] + cells[:, 2]
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    ones, twos, distances = [], [], []
    for shift in product((-1, 0, 1), repeat=3):
        wanted = keys[rows] + (shift[0] * size[1] + shift[1]) * size[2] + shift[2]
        first, last = np.searchsorted(ordered, wanted, "left"), np.searchsorted(ordered, wanted, "right")
        number = last - first
        own = np.repeat(rows, number)
        within = np.arange(len(own)) - np.repeat(np.cumsum(number) - number, number)
        other = order[np.repeat(first, number) + within]
        away = np.linalg.norm(points[own] - points[other], axis=1)
        keep = (away < reach) & (own != other)
        ones.append(own[keep])
        twos.append(other[keep])
        distances.append(away[keep])
    return np.concatenate(ones), np.concatenate(twos), np.concatenate(distances)
