"""Which points are near each other, by cells of a grid."""

from itertools import product

import numpy as np
from numpy.typing import NDArray


def links_between(
    points: NDArray[np.float64], reach: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return all pairs of points that are nearer than `reach` metres.

    Returns:
        For each point the first of its links (and at the end their number), then of each link the other point, and
        the distance.
    """
    count = len(points)
    if reach <= 0 or not count:
        return np.zeros(count + 1, np.int64), np.zeros(0, np.int64), np.zeros(0)
    cells = np.floor((points - points.min(axis=0)) / reach).astype(np.int64) + 1
    size = cells.max(axis=0) + 2
    keys = (cells[:, 0] * size[1] + cells[:, 1]) * size[2] + cells[:, 2]
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    ones, twos = [], []
    for shift in product((-1, 0, 1), repeat=3):
        wanted = keys + (shift[0] * size[1] + shift[1]) * size[2] + shift[2]
        first, last = np.searchsorted(ordered, wanted, "left"), np.searchsorted(ordered, wanted, "right")
        number = last - first
        own = np.repeat(np.arange(count), number)
        within = np.arange(len(own)) - np.repeat(np.cumsum(number) - number, number)
        other = order[np.repeat(first, number) + within]
        near = np.linalg.norm(points[own] - points[other], axis=1) < reach
        keep = near & (own != other)
        ones.append(own[keep])
        twos.append(other[keep])
    one, two = np.concatenate(ones), np.concatenate(twos)
    order = np.lexsort((two, one))
    one, two = one[order], two[order]
    start = np.searchsorted(one, np.arange(count + 1))
    return start, two, np.linalg.norm(points[one] - points[two], axis=1)
