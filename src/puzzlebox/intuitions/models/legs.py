"""A trial as an observer of its published fields sees it: legs of a way, and what the agent could have gone to.

Picking up the key and opening the lock divide a trial into legs. Everything here can be read off the frames of a file:
places, pictures, colours, walls and pieces of the barrier. Nothing comes from the generator.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlebox.intuitions.episodes.planner import Planner, planner_for
from puzzlebox.intuitions.episodes.stimulus import Track, Trial
from puzzlebox.intuitions.grid import INNER, SPEED, Cell, Point

Numbers = NDArray[Any]
# The agent touches a thing whose square is at most this far from its own, in pixels, along each axis.
_SLACK = 2
# Frames from one place to the next between which lengths are measured.
_CHORD = 4


class Leg(NamedTuple):
    """A part of a trial in which what the agent can do does not change by its own doing.

    Attributes:
        first: the frame in which it begins.
        last: the frame in which it ends, which is the first frame of the next leg.
        carrying: whether the agent carries the key.
        blocked: blocked inner cells: walls, and the barrier as long as it is there.
        walls: blocked inner cells without the barrier.
    """

    first: int
    last: int
    carrying: bool
    blocked: frozenset[Cell]
    walls: frozenset[Cell]


def picked_up(trial: Trial) -> int | None:
    """Return the frame from which on the key moves with the agent; None if it stays where it is."""
    if trial.key is None:
        return None
    moves = np.flatnonzero(np.diff(trial.key.corners[: trial.key.until], axis=0).any(axis=1))
    return int(moves[0]) if len(moves) else None


def legs_of(trial: Trial) -> list[Leg]:
    """Return the legs of a trial: up to the key, up to the lock, and the rest; only one if the key stays."""
    walls = trial.walls.cells() & _INSIDE
    end = trial.frames - 1
    picked = picked_up(trial)
    if picked is None or trial.key is None or trial.key.until > end:
        opened = None
    else:
        opened = trial.key.until - 1
    # The last leg begins when the barrier has vanished: until then the agent can only wait.
    gone = int(trial.barrier.until.max()) if opened is not None and len(trial.barrier.until) else opened
    cuts = [(0, False)]
    cuts += [(picked, True)] if picked is not None else []
    cuts += [(min(gone or opened, end), False)] if opened is not None else []
    ends = [cut for cut, _ in cuts[1:]] + [end]
    if opened is not None:
        ends[-2] = opened
    return [
        Leg(first, last, carrying, walls | (trial.barrier.cells(first) & _INSIDE), walls)
        for (first, carrying), last in zip(cuts, ends, strict=True)
        if last > first
    ]


_INSIDE = frozenset(INNER)


def touches(trial: Trial, thing: Track, frame: int) -> bool:
    """Return whether the agent's square touches that of a thing in a frame in which the thing is there."""
    if frame >= thing.until:
        return False
    apart = np.abs(trial.agent.centres[frame] - thing.centres[frame]).max()
    return bool(apart <= trial.agent.half + thing.half + _SLACK)


def reached(trial: Trial, things: Sequence[Track], frame: int) -> Track | None:
    """Return the nearest of the things that the agent touches in a frame; None if it touches none."""
    here = [thing for thing in things if touches(trial, thing, frame)]
    place = trial.agent.centres[frame]
    return min(here, key=lambda thing: float(np.hypot(*(thing.centres[frame] - place))), default=None)


def distances(leg: Leg, thing: Track, places: Numbers) -> Numbers:
    """Return the length of the shortest way from each place (n x 2) to a thing in pixels; infinite if there is none."""
    return _lengths(leg.blocked, thing, leg.first, places)


def could_be_reached(leg: Leg, thing: Track, place: Numbers) -> bool:
    """Return whether there would be a way to a thing if the barrier were not there."""
    return bool(np.isfinite(_lengths(leg.walls, thing, leg.first, place[None]))[0])


def _lengths(blocked: frozenset[Cell], thing: Track, frame: int, places: Numbers) -> Numbers:
    planner = planner_for(blocked)
    field = planner.field(_standing(planner, thing, frame))
    unique, back = np.unique(places, axis=0, return_inverse=True)
    lengths = field.lengths(unique)
    # In published files an agent can be a pixel nearer to a wall than the planner allows.
    for number in np.flatnonzero(~np.isfinite(lengths) & ~planner.free(unique)):
        near = unique[number] + _NEARBY
        lengths[number] = field.lengths(near[planner.free(near)]).min(initial=np.inf)
    return np.asarray(lengths[back.ravel()])


def _standing(planner: Planner, thing: Track, frame: int) -> Point:
    """Return the place nearest to the centre of a thing at which an agent could stand."""
    centre = thing.centres[min(frame, thing.until - 1)]
    places = centre + _NEARBY
    free = planner.free(places)
    x, y = (places[int(np.argmax(free))] if free.any() else centre).tolist()
    return int(x), int(y)


def _nearby(reach: int) -> Numbers:
    around = range(-reach, reach + 1)
    places = np.array([(x, y) for x in around for y in around])
    return places[np.argsort(np.abs(places).sum(axis=1), kind="stable")]


_NEARBY = _nearby(6)


def travelled(leg: Leg, trial: Trial) -> tuple[Numbers, Numbers]:
    """Return what the agent spent in each frame of a leg, in pixels: length of its way, and waiting on it.

    A frame of rest after the first motion counts as the way of one frame, because the agent could have moved. Lengths
    are measured from every fourth place to the next: places are whole pixels, and a way at an angle is not a staircase.
    """
    places = trial.agent.centres[leg.first : leg.last + 1]
    moves = (np.diff(places, axis=0) != 0).any(axis=1)
    begun = np.maximum.accumulate(moves) if len(moves) else moves
    waits = np.concatenate((np.zeros(1), np.where(begun & ~moves, float(SPEED), 0.0).cumsum()))
    # The motion begins at its own frame, so that a still frame before it changes no length.
    start = int(np.argmax(moves)) if moves.any() else 0
    anchors = start + np.maximum(np.arange(len(places)) - start, 0) // _CHORD * _CHORD
    chords = np.hypot(*np.diff(places[start::_CHORD], axis=0).T)
    before = np.concatenate((np.zeros(1), chords.cumsum()))
    lengths = before[(anchors - start) // _CHORD] + np.hypot(*(places - places[anchors]).T)
    lengths[:start] = 0.0
    return lengths, waits
