"""Films as tensors on one device, from which models draw states of any frame in batches.

Only what changes is stored for each frame: the place of the agent. 28,000 episodes take about 150 MB, so that a GPU
holds them all and no worker has to feed it; `painting` makes pictures of the states there.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from puzzlebox.intuitions.episodes.stimulus import Blocks, Stimulus, Track, Trial
from puzzlebox.intuitions.grid import CELL, CELLS, SIZE, STILL_AFTER, STILL_BEFORE, TRIALS
from puzzlebox.intuitions.models.background import Part, Split
from puzzlebox.intuitions.parallel import in_parallel

# The entities of a trial, in the order in which they are painted.
HOME, OBJECT, OTHER, LOCK, KEY, AGENT = range(6)
SLOTS = 6
# Pieces of a barrier lie on a grid of half cells.
HALVES = 2 * CELLS
_HALF_CELL = CELL // 2
# Films that a process packs at a time.
_FILMS_A_PIECE = 200
# Columns with one whole number for each trial.
_NUMBERS = ("frames", "first", "moves", "offset", "carried", "barrier")
# Shape, half side and colour.
Look = tuple[str, int, tuple[int, int, int]]


class States(NamedTuple):
    """The states of some frames; n is any number of frames.

    Attributes:
        corners: n x 6 x 2, the lower left corner of each entity in pixels, y upwards.
        present: n x 6, whether an entity is there.
        looks: n x 6, the number of its look (shape, size and colour); equal for equal looks.
        walls: n x 10 x 10 truth values, by row (upwards) and column.
        barrier: n x 20 x 20 truth values, by row (upwards) and column of half cells.
        trial: n, the number of the trial in the set.
    """

    corners: Tensor
    present: Tensor
    looks: Tensor
    walls: Tensor
    barrier: Tensor
    trial: Tensor


@dataclass
class Films:
    """The trials of a set of films; T trials, nine for each film, in order.

    Attributes:
        frames: T, the number of frames.
        first: T, the last frame before the motion.
        moves: T, the number of moving frames.
        offset: T, where the places of the trial begin in `places`.
        places: the corner of the agent before its motion and in each moving frame.
        corners: T x 6 x 2, corners at the start.
        until: T x 6, the number of frames that an entity is there; 0 if it is not in the trial.
        looks: T x 6, numbers of looks.
        carried: T, the last frame before the key moves with the agent; -1 if it never does.
        walls: T x 10 x 10.
        barrier: T, the row of `barriers`; 0 for none.
        barriers: for each half cell, the number of frames that a barrier is there.
        task: one number for each film: where it came from.
        table: the looks: shape, half side and colour, by number.
    """

    frames: Tensor
    first: Tensor
    moves: Tensor
    offset: Tensor
    places: Tensor
    corners: Tensor
    until: Tensor
    looks: Tensor
    carried: Tensor
    walls: Tensor
    barrier: Tensor
    barriers: Tensor
    task: Tensor
    table: "list[Look]"

    @classmethod
    def of(cls, films: Iterable[Stimulus], tasks: Sequence[int] | None = None) -> "Films":
        """Return the tensors of some films; `tasks`: a number for each."""
        return _join([_pack(films)], tasks)

    @classmethod
    def of_split(cls, split: Split, workers: int = 1) -> "Films":
        """Return the tensors of the films of a split, packed by several processes."""
        pieces = [piece for part in split.parts for piece in part.cut(_FILMS_A_PIECE)]
        found = dict(in_parallel(_pack_part, pieces, workers if len(pieces) > workers else 1))
        return _join([found[piece] for piece in pieces], split.tasks())

    def to(self, device: "str | torch.device") -> "Films":
        """Return the films on another device."""
        moved = {each.name: getattr(self, each.name).to(device) for each in fields(self) if each.name != "table"}
        return Films(**moved, table=self.table)

    def __len__(self) -> int:
        return len(self.task)

    @property
    def device(self) -> torch.device:
        """Return where the tensors are."""
        return self.frames.device

    def agent(self, trial: Tensor, frame: Tensor) -> Tensor:
        """Return the corner of the agent in a frame of a trial; both are tensors of one shape."""
        step = (frame - self.first[trial]).clamp(min=0)
        step = torch.minimum(step, self.moves[trial])
        return self.places[self.offset[trial] + step]

    def states(self, trial: Tensor, frame: Tensor) -> States:
        """Return the states of some frames, one for each trial (n) and frame (n)."""
        corners = self.corners[trial].clone()
        corners[:, AGENT] = self.agent(trial, frame)
        carried = self.carried[trial]
        gripped = self.agent(trial, carried.clamp(min=0))
        moved = (carried >= 0) & (frame > carried)
        corners[:, KEY] += torch.where(moved[:, None], corners[:, AGENT] - gripped, 0)
        present = frame[:, None] < self.until[trial]
        barrier = self.barriers[self.barrier[trial]] > frame[:, None, None]
        return States(corners, present, self.looks[trial], self.walls[trial], barrier, trial)

    def motion(self, trial: Tensor) -> tuple[Tensor, Tensor]:
        """Return the first and last frame that published models look at: without 30 still frames and 83 at the end."""
        first = torch.full_like(self.frames[trial], STILL_BEFORE)
        return first, torch.maximum(self.frames[trial] - 1 - STILL_AFTER, first + 1)

    def action(self, trial: Tensor, frame: Tensor, ahead: int = 10) -> Tensor:
        """Return the published action: the mean displacement of some frames to come, divided by the speed of 2."""
        until = torch.minimum(frame + ahead, self.frames[trial] - 1)
        moved = (self.agent(trial, until) - self.agent(trial, frame)).float()
        return moved / (2 * (until - frame).clamp(min=1))[..., None]


def trials_of(films: Tensor) -> Tensor:
    """Return the numbers of the nine trials of each film, ... x 9."""
    return films[..., None] * TRIALS + torch.arange(TRIALS, device=films.device)


class _Packed(NamedTuple):
    """The columns of some films as arrays, without the empty barrier; looks, places and barriers count from 0."""

    columns: dict[str, Any]
    table: "list[Look]"


def _pack_part(part: Part) -> _Packed:
    return _pack(part.films())


def _pack(films: Iterable[Stimulus]) -> _Packed:
    rows: dict[str, list[Any]] = {name: [] for name in (*_NUMBERS, "corners", "until", "looks", "walls")}
    places: list[Any] = [np.zeros((0, 2), np.int16)]
    barriers: list[Any] = []
    table: dict[Look, int] = {}
    walls_seen: dict[bytes, Any] = {}
    used = 0
    for film in films:
        for trial in film.trials:
            first, last = trial.moving
            first, last = min(first, trial.frames - 1), min(last, trial.frames - 1)
            rows["frames"].append(trial.frames)
            rows["first"].append(first)
            rows["moves"].append(last - first)
            rows["offset"].append(used)
            path = np.asarray(trial.agent.corners[first : last + 1])
            used += len(path)
            places.append(path)
            slots = _slots(trial)
            rows["corners"].append([(0, 0) if each is None else each.corners[0] for each in slots])
            rows["until"].append([0 if each is None else each.until for each in slots])
            rows["looks"].append([-1 if each is None else _look(table, each) for each in slots])
            rows["carried"].append(_carried(trial))
            rows["walls"].append(_walls(trial.walls, walls_seen))
            if len(trial.barrier.boxes):
                barriers.append(_halves(trial.barrier))
            rows["barrier"].append(len(barriers) if len(trial.barrier.boxes) else 0)
    columns: dict[str, Any] = {name: np.array(rows[name], np.int64) for name in _NUMBERS}
    columns["corners"] = np.array(rows["corners"], np.int16).reshape(-1, SLOTS, 2)
    columns["until"] = np.array(rows["until"], np.int16).reshape(-1, SLOTS)
    columns["looks"] = np.array(rows["looks"], np.int64).reshape(-1, SLOTS)
    columns["walls"] = np.array(rows["walls"], bool).reshape(-1, CELLS, CELLS)
    columns["barriers"] = np.array(barriers, np.int16).reshape(-1, HALVES, HALVES)
    columns["places"] = np.concatenate(places).astype(np.int16)
    return _Packed(columns, list(table))


def _join(parts: Sequence[_Packed], tasks: Sequence[int] | None) -> Films:
    table: dict[Look, int] = {}
    places, barriers = 0, 0
    found: dict[str, list[Any]] = {"barriers": [np.zeros((1, HALVES, HALVES), np.int16)]}
    for columns, looks in parts:
        # One more number for an entity that is not there, which has look -1.
        numbers = np.array([*(table.setdefault(look, len(table)) for look in looks), -1])
        moved = {
            **columns,
            "looks": numbers[columns["looks"]],
            "offset": columns["offset"] + places,
            "barrier": np.where(columns["barrier"] > 0, columns["barrier"] + barriers, 0),
        }
        for name, values in moved.items():
            found.setdefault(name, []).append(values)
        places += len(columns["places"])
        barriers += len(columns["barriers"])
    tensors = {name: torch.from_numpy(np.concatenate(values)) for name, values in found.items()}
    count = len(tensors["frames"]) // TRIALS
    tensors["task"] = torch.tensor(list(tasks) if tasks is not None else [0] * count)
    return Films(**tensors, table=list(table))


def _slots(trial: Trial) -> list[Track | None]:
    """Return the entities of a trial by slot; of more than two objects the first two."""
    return [trial.home, *[*trial.objects[:2], None, None][:2], trial.lock, trial.key, trial.agent]


def _look(table: dict[Look, int], track: Track) -> int:
    return table.setdefault((track.shape, track.half, track.color), len(table))


def _carried(trial: Trial) -> int:
    if trial.key is None:
        return -1
    moves = np.flatnonzero(np.diff(trial.key.corners[: trial.key.until], axis=0).any(axis=1))
    return int(moves[0]) if len(moves) else -1


def _walls(walls: Blocks, seen: dict[bytes, Any]) -> Any:
    name = walls.boxes.tobytes()
    if name not in seen:
        filled = np.zeros((CELLS, CELLS), bool)
        for column, row in walls.cells():
            if 0 <= column < CELLS and 0 <= row < CELLS:
                filled[row, column] = True
        seen[name] = filled
    return seen[name]


def _halves(barrier: Blocks) -> Any:
    until = np.zeros((HALVES, HALVES), np.int16)
    for (x, y, width, height), end in zip(barrier.boxes.tolist(), barrier.until.tolist(), strict=True):
        left, bottom = max(x, 0) // _HALF_CELL, max(y, 0) // _HALF_CELL
        right, top = min(x + width, SIZE) // _HALF_CELL, min(y + height, SIZE) // _HALF_CELL
        part = until[bottom:top, left:right]
        np.maximum(part, end, out=part)
    return until
