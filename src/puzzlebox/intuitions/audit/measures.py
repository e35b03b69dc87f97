"""Measures of single trials: which object was chosen, how direct the way was, how much a test repeats."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlebox.intuitions.episodes.motion import path_length
from puzzlebox.intuitions.episodes.planner import Field, planner_for
from puzzlebox.intuitions.episodes.stimulus import Track, Trial
from puzzlebox.intuitions.grid import CELL, INNER, Cell, Point, reachable

Numbers = NDArray[Any]
# Points along a path at which two paths are compared.
_POINTS = 16
_INNER = frozenset(INNER)


def cell_of(place: Numbers) -> Cell:
    """Return the cell in which a point lies."""
    x, y = place.tolist()
    return int(x) // CELL, int(y) // CELL


def blocked_cells(trial: Trial, frame: int = 0) -> frozenset[Cell]:
    """Return the inner cells in which a wall or a piece of the barrier is."""
    return (trial.walls.cells(frame) | trial.barrier.cells(frame)) & _INNER


def inner_walls(trial: Trial) -> frozenset[Cell]:
    """Return the wall cells inside the border."""
    return trial.walls.cells() & _INNER


def can_reach(trial: Trial, target: Track, frame: int = 0) -> bool:
    """Return whether the agent's start and a target are in the same connected part of the free space."""
    start, goal = cell_of(trial.agent.centres[0]), cell_of(target.centres[0])
    return goal in reachable(start, blocked_cells(trial, frame))


def distances(trial: Trial) -> list[float]:
    """Return the distance of each object from the agent's start, as the crow flies, in pixels."""
    start = trial.agent.centres[0]
    return [float(np.hypot(*(each.centres[0] - start))) for each in trial.objects]


def chose_nearer(trial: Trial) -> bool | None:
    """Return whether the agent went to the nearer of two objects; None without two, or if both are as near."""
    reached = trial.reached()
    if len(trial.objects) != 2 or reached not in trial.objects:
        return None
    one, two = distances(trial)
    return None if one == two else (trial.objects[0] is reached) is (one < two)


@lru_cache(maxsize=256)
def _field(blocked: frozenset[Cell], start: Point) -> Field:
    return planner_for(blocked).field(start)


def shortest_way(trial: Trial, target: Track) -> float:
    """Return the length of the shortest way from the agent's start to a target's centre; infinite without one."""
    x, y = trial.agent.centres[0].tolist()
    goal_x, goal_y = target.centres[0].tolist()
    return _field(blocked_cells(trial), (int(x), int(y))).path((int(goal_x), int(goal_y)))[0]


def detour(trial: Trial, target: Track) -> float:
    """Return the length of the way to a target relative to the shortest one; infinite if there is no way.

    The way counts up to the target's centre. Steps of whole pixels make a straight way up to 3 % longer.
    """
    shortest = shortest_way(trial, target)
    if not np.isfinite(shortest) or not shortest:
        return float("inf")
    rest = float(np.hypot(*(target.centres[0] - trial.agent.centres[-1])))
    return (path_length(trial.path) + rest) / shortest


def _resampled(path: Numbers) -> Numbers:
    along = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(path, axis=0).T)))) if len(path) > 1 else np.zeros(1)
    at = np.linspace(0.0, along[-1], _POINTS)
    return np.column_stack([np.interp(at, along, path[:, axis]) for axis in (0, 1)])


def difference(test: Trial, familiar: Iterable[Trial]) -> float:
    """Return the mean distance in pixels of a test's path from the most similar familiar path."""
    path = _resampled(test.path)
    return min(float(np.hypot(*(path - _resampled(each.path)).T).mean()) for each in familiar)


class Unlocking(NamedTuple):
    """When a key was used: the frames in which the agent first moves it, and in which the lock vanishes."""

    carried: int
    opened: int


def unlocking(trial: Trial) -> Unlocking | None:
    """Return when the key of a trial was used; None if it was not."""
    if trial.key is None or trial.lock is None or trial.lock.until >= trial.frames:
        return None
    moves = np.flatnonzero((np.diff(trial.key.corners[: trial.key.until], axis=0)).any(axis=1))
    return Unlocking(int(moves[0]) + 1, trial.lock.until) if len(moves) else None
