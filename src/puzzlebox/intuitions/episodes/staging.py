"""Trials from cells and paths: still frames, motion, still frames, and the key, lock and barrier between."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlebox.intuitions.episodes.casting import HOME, Look
from puzzlebox.intuitions.episodes.motion import Places
from puzzlebox.intuitions.episodes.stimulus import Blocks, Track, Trial
from puzzlebox.intuitions.grid import (
    AGENT_HALF,
    BORDER,
    CELL,
    HOME_HALF,
    KEY_HALF,
    OBJECT_HALF,
    STILL_AFTER,
    STILL_BEFORE,
    Cell,
    Point,
    centre,
    corner,
)

# Frames from one piece of a barrier to the next while it vanishes.
FRAMES_A_PIECE = 1
_NO_BOXES = np.zeros((0, 4), np.int16)


class Mechanism(NamedTuple):
    """A key, its lock and a barrier.

    Attributes:
        key: look and place of the key.
        lock: look and place of the lock.
        barrier: the cells of the barrier, in order around what they enclose; empty if there is none.
    """

    key: tuple[Look, Cell]
    lock: tuple[Look, Cell]
    barrier: tuple[Cell, ...] = ()


class Unlocking(NamedTuple):
    """The times at which a key is used, in frames after the start of the motion.

    Attributes:
        picked: the agent touches the key.
        unlocked: the agent touches the lock with the key.
    """

    picked: int
    unlocked: int


def stage(
    walls: Iterable[Cell],
    start: Cell,
    agent: Look,
    objects: Sequence[tuple[Look, Cell]],
    places: Places,
    mechanism: Mechanism | None = None,
    unlocking: Unlocking | None = None,
) -> Trial:
    """Return the trial in which the agent moves from the centre of the start cell through some places.

    Args:
        walls: the wall cells inside the border.
        start: the cell of the agent's home.
        agent: the look of the agent.
        objects: look and cell of each object.
        places: the centre of the agent in each frame after its start.
        mechanism: key, lock and barrier, if the scene has them.
        unlocking: when the key is picked up and used; None if it stays where it is.
    """
    frames = 1 + STILL_BEFORE + len(places) + STILL_AFTER
    centres = np.empty((frames, 2), np.int16)
    centres[: STILL_BEFORE + 1] = centre(start)
    if places:
        centres[STILL_BEFORE + 1 : frames - STILL_AFTER] = places
    centres[frames - STILL_AFTER :] = places[-1] if places else centre(start)
    boxes = _wall_boxes(frozenset(walls))
    key = lock = None
    barrier = Blocks(_NO_BOXES, np.zeros(0, np.int32))
    if mechanism is not None:
        key, lock, barrier = _mechanism(mechanism, unlocking, centres, frames)
    return Trial(
        frames=frames,
        walls=Blocks(boxes, _constant(frames, len(boxes))),
        barrier=barrier,
        objects=tuple(_still(look, OBJECT_HALF, centre(cell), frames) for look, cell in objects),
        agent=Track(agent.icon, AGENT_HALF, agent.color, centres - np.int16(AGENT_HALF), frames),
        home=_still(HOME, HOME_HALF, centre(start), frames),
        key=key,
        lock=lock,
    )


def waiting_frames(barrier: Sequence[Cell]) -> int:
    """Return how many frames a barrier takes to vanish once its lock is open."""
    return FRAMES_A_PIECE * len(_pieces(barrier))


def _still(look: Look, half: int, middle: Point, frames: int, until: int | None = None) -> Track:
    place = np.array([middle], np.int16) - np.int16(half)
    corners = np.broadcast_to(place, (frames, 2))
    return Track(look.icon, half, look.color, corners, frames if until is None else until)


def _constant(value: int, count: int) -> NDArray[Any]:
    return np.full(count, value, np.int32)


@lru_cache(maxsize=512)
def _wall_boxes(walls: frozenset[Cell]) -> NDArray[Any]:
    return np.array([(*corner(cell), CELL, CELL) for cell in (*BORDER, *sorted(walls))], np.int16)


def _pieces(barrier: Sequence[Cell]) -> list[Point]:
    """Return the corners of a barrier's pieces: its cells, and a piece over the joint of each two neighbours."""
    corners = [corner(cell) for cell in barrier]
    around = [*pairwise(barrier), *([(barrier[-1], barrier[0])] if len(barrier) > 2 else [])]
    joints = [
        (corner(one)[0] + corner(two)[0], corner(one)[1] + corner(two)[1])
        for one, two in around
        if abs(one[0] - two[0]) + abs(one[1] - two[1]) == 1
    ]
    return corners + [(x // 2, y // 2) for x, y in joints]


def _mechanism(
    mechanism: Mechanism, unlocking: Unlocking | None, centres: NDArray[Any], frames: int
) -> tuple[Track, Track, Blocks]:
    (key_look, key_cell), (lock_look, lock_cell) = mechanism.key, mechanism.lock
    pieces = _pieces(mechanism.barrier)
    until = _constant(frames, len(pieces))
    boxes = np.array([(x, y, CELL, CELL) for x, y in pieces], np.int16).reshape(-1, 4)
    lock_at = centre(lock_cell)
    if unlocking is None:
        key = _still(key_look, KEY_HALF, centre(key_cell), frames)
        return key, _still(lock_look, KEY_HALF, lock_at, frames), Blocks(boxes, until)
    picked, opened = STILL_BEFORE + unlocking.picked, STILL_BEFORE + unlocking.unlocked
    corners = np.empty((frames, 2), np.int16)
    corners[:] = np.array(centre(key_cell), np.int16) - np.int16(KEY_HALF)
    corners[picked:] += centres[picked:] - centres[picked]
    # The barrier burns away from the lock.
    away = [(x + CELL // 2 - lock_at[0]) ** 2 + (y + CELL // 2 - lock_at[1]) ** 2 for x, y in pieces]
    for rank, piece in enumerate(sorted(range(len(pieces)), key=lambda each: (away[each], each)), 1):
        until[piece] = opened + 1 + FRAMES_A_PIECE * (rank - 1)
    key = Track(key_look.icon, KEY_HALF, key_look.color, corners, opened + 1)
    return key, _still(lock_look, KEY_HALF, lock_at, frames, opened + 1), Blocks(boxes, until)
