"""What a stimulus is: tracks of entities, trials, a stimulus of nine trials, and the pair of an episode.

All positions are aligned with the frames of the film: row `i` of an array is frame `i`. An entity that does not move
has an array whose rows share one place in memory. Generated stimuli and those read from files are the same class.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlebox.intuitions.grid import CELL, CELLS, FAMILIARISATION, Cell

Numbers = NDArray[Any]
RGB = tuple[int, int, int]
# The value of coordinates of an entity that is not there.
ABSENT = -1


@dataclass(frozen=True, eq=False)
class Track:
    """An entity in a trial: the agent, its home, an object, the key or the lock.

    Attributes:
        icon: the path of its picture, as files name it, such as `./shapes/train/objects/flag.png`.
        half: half the side of its square in pixels.
        color: red, green and blue, 0 to 255.
        corners: the lower left corner of its square in each frame, frames x 2.
        until: the number of frames it is there; after that it has vanished.
    """

    icon: str
    half: int
    color: RGB
    corners: Numbers
    until: int

    @property
    def shape(self) -> str:
        """Return the name of its shape: the last part of its icon without the suffix."""
        return self.icon.rpartition("/")[2].removesuffix(".png")

    @property
    def identity(self) -> tuple[str, RGB]:
        """Return what distinguishes it from others: its icon and its colour."""
        return self.icon, self.color

    @cached_property
    def centres(self) -> Numbers:
        """Return its centre in each frame, frames x 2; where it has vanished, its last place."""
        return np.asarray(self.corners + self.half)

    def same(self, other: "Track | None") -> bool:
        """Return whether another track is equal in every frame."""
        return (
            other is not None
            and (self.identity, self.half, self.until) == (other.identity, other.half, other.until)
            and np.array_equal(self.corners[: self.until], other.corners[: other.until])
        )


@dataclass(frozen=True, eq=False)
class Blocks:
    """Walls or pieces of a barrier: rectangles, each of which may vanish after some frames.

    Attributes:
        boxes: x, y, width and height of each in pixels, in the order of the file; duplicates are kept.
        until: the number of frames that each is there.
    """

    boxes: Numbers
    until: Numbers

    def cells(self, frame: int = 0) -> frozenset[Cell]:
        """Return the cells of the pieces that are there in a frame; pieces between two cells are none."""
        return self._all_cells if frame < self._vanishes_from else self._cells_from(frame)

    @cached_property
    def _vanishes_from(self) -> int:
        """Return the first frame in which not all pieces are there."""
        return int(self.until.min()) if len(self.until) else 0

    @cached_property
    def _all_cells(self) -> frozenset[Cell]:
        return self._cells_from(0)

    def _cells_from(self, frame: int) -> frozenset[Cell]:
        return frozenset(
            (x // CELL, y // CELL)
            for (x, y, _, _), until in zip(self.boxes.tolist(), self.until.tolist(), strict=True)
            if frame < until and x % CELL == 0 and y % CELL == 0
        )

    def same(self, other: "Blocks") -> bool:
        """Return whether other blocks are equal in every frame, whatever their order and how often each is listed."""
        return self._rows() == other._rows()

    def _rows(self) -> set[tuple[int, ...]]:
        return set(map(tuple, np.column_stack((self.boxes, self.until)).tolist()))


@dataclass(frozen=True, eq=False)
class Trial:
    """One trial: a scene that begins still, in which the agent moves, and which ends still."""

    frames: int
    walls: Blocks
    barrier: Blocks
    objects: tuple[Track, ...]
    agent: Track
    home: Track | None = None
    key: Track | None = None
    lock: Track | None = None

    @cached_property
    def steps(self) -> Numbers:
        """Return the displacement of the agent from each frame to the next, (frames - 1) x 2."""
        return np.diff(self.agent.corners, axis=0)

    @cached_property
    def moving(self) -> tuple[int, int]:
        """Return the numbers of still displacements before the first motion and up to and with the last one."""
        moves = np.flatnonzero(self.steps.any(axis=1))
        return (int(moves[0]), int(moves[-1]) + 1) if len(moves) else (len(self.steps), len(self.steps))

    @property
    def motion_frames(self) -> int:
        """Return the number of displacements from the first motion to the last, pauses between included."""
        first, last = self.moving
        return last - first

    @property
    def path(self) -> Numbers:
        """Return the centres of the agent from its start to its end, without the still frames around."""
        first, last = self.moving
        return np.asarray(self.agent.centres[min(first, self.frames - 1) : last + 1])

    def runs(self) -> list[tuple[int, int]]:
        """Return the runs of equal frames: first frame and number of frames of each."""
        changed = np.zeros(self.frames, bool)
        changed[0] = True
        for track in (self.agent, self.key, self.lock, self.home, *self.objects):
            if track is None:
                continue
            if track.corners.strides[0]:
                changed[1:] |= (track.corners[1:] != track.corners[:-1]).any(axis=1)
            if track.until < self.frames:
                changed[track.until] = True
        for blocks in (self.walls, self.barrier):
            changed[blocks.until[blocks.until < self.frames]] = True
        starts = np.flatnonzero(changed)
        counts = np.diff(np.append(starts, self.frames))
        return list(zip(starts.tolist(), counts.tolist(), strict=True))

    def reached(self) -> Track | None:
        """Return the object or key whose centre is nearest to the agent's last place, if the agent is at it."""
        end = self.agent.centres[-1]
        goals = [*self.objects, *([self.key] if self.key is not None else [])]
        if not goals:
            return None
        away = [float(np.hypot(*(goal.centres[goal.until - 1] - end))) for goal in goals]
        nearest = int(np.argmin(away))
        return goals[nearest] if away[nearest] <= goals[nearest].half + self.agent.half else None

    def same(self, other: "Trial") -> bool:
        """Return whether another trial is equal in every frame."""
        singles = ((self.home, other.home), (self.key, other.key), (self.lock, other.lock))
        return (
            self.frames == other.frames
            and self.agent.same(other.agent)
            and len(self.objects) == len(other.objects)
            and all(one.same(two) for one, two in zip(self.objects, other.objects, strict=True))
            and all(one is two or (one is not None and one.same(two)) for one, two in singles)
            and self.walls.same(other.walls)
            and self.barrier.same(other.barrier)
        )


class States(NamedTuple):
    """A stimulus as arrays of numbers for models; F frames in all, coordinates are centres in pixels, -1 if absent.

    Attributes:
        trial: F, the trial of each frame.
        agent: F x 2.
        objects: F x 2 x 2, up to two objects.
        key: F x 2.
        lock: F x 2.
        home: F x 2.
        walls: 9 x 10 x 10 truth values, by trial, row (upwards) and column.
        barrier: F x 10 x 10 truth values.
    """

    trial: Numbers
    agent: Numbers
    objects: Numbers
    key: Numbers
    lock: Numbers
    home: Numbers
    walls: Numbers
    barrier: Numbers


@dataclass(frozen=True, eq=False)
class Stimulus:
    """One film: eight trials of familiarisation and a test."""

    trials: tuple[Trial, ...]

    @property
    def familiarisation(self) -> tuple[Trial, ...]:
        """Return the trials before the test."""
        return self.trials[:FAMILIARISATION]

    @property
    def test(self) -> Trial:
        """Return the last trial."""
        return self.trials[-1]

    @property
    def frames(self) -> int:
        """Return the number of frames of the film."""
        return sum(trial.frames for trial in self.trials)

    def same(self, other: "Stimulus") -> bool:
        """Return whether another stimulus is equal in every frame."""
        return len(self.trials) == len(other.trials) and all(
            one.same(two) for one, two in zip(self.trials, other.trials, strict=True)
        )

    def states(self) -> States:
        """Return the stimulus as arrays of numbers, for models."""
        pieces = [_trial_states(number, trial) for number, trial in enumerate(self.trials)]
        walls = np.stack([_grid(trial.walls.cells()) for trial in self.trials])
        trial, agent, objects, key, lock, home, barrier = (np.concatenate(each) for each in zip(*pieces, strict=True))
        return States(trial, agent, objects, key, lock, home, walls, barrier)


def _grid(cells: frozenset[Cell]) -> Numbers:
    filled = np.zeros((CELLS, CELLS), bool)
    for column, row in cells:
        filled[row, column] = True
    return filled


def _places(track: Track | None, frames: int) -> Numbers:
    places = np.full((frames, 2), ABSENT, np.int16)
    if track is not None:
        places[: track.until] = track.centres[: track.until]
    return places


def _trial_states(number: int, trial: Trial) -> Iterator[Numbers]:
    frames = trial.frames
    yield np.full(frames, number, np.int8)
    yield _places(trial.agent, frames)
    objects = [*trial.objects[:2], None, None][:2]
    yield np.stack([_places(each, frames) for each in objects], axis=1)
    for track in (trial.key, trial.lock, trial.home):
        yield _places(track, frames)
    barrier = np.zeros((frames, CELLS, CELLS), bool)
    start = 0
    for stop in sorted({*trial.barrier.until.tolist(), frames}):
        barrier[start:stop] = _grid(trial.barrier.cells(start))
        start = stop
    yield barrier


@dataclass(frozen=True, eq=False)
class Pair:
    """An episode: an expected stimulus and, in an evaluation task, the unexpected one that it is compared with."""

    task: str
    number: int
    expected: Stimulus
    unexpected: Stimulus | None = None

    def members(self) -> Iterator[tuple[str, Stimulus]]:
        """Yield the last letter of the file name and the stimulus of each member."""
        yield "e", self.expected
        if self.unexpected is not None:
            yield "u", self.unexpected

    @property
    def kind(self) -> str:
        """Return the pair type, from what the films show: `i` or `ii` in the multi-agent task, else "".

        In type i the expected member shows the familiar agent, in type ii a new one.
        """
        agents = [trial.agent.identity for trial in self.expected.trials]
        if self.unexpected is None or self.unexpected.test.agent.identity == agents[-1]:
            return ""
        return "i" if agents[-1] in agents[:-1] else "ii"
