"""Pictures for the video model: every tenth frame or so, painted once and kept on the device, one byte a number.

28,000 films at 64 pixels are 11 GB. The painter in three dimensions runs on the processor only, in several processes;
while its pictures are painted they lie in a temporary file. Flat pictures are painted by the device that holds the
films: a GPU has room to keep them, a processor paints them anew whenever they are needed.
"""

import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from puzzlebox.intuitions.episodes.stimulus import Stimulus
from puzzlebox.intuitions.grid import STILL_AFTER, STILL_BEFORE
from puzzlebox.intuitions.models.background import Part, Split
from puzzlebox.intuitions.models.films import Films
from puzzlebox.intuitions.models.painting import Painter
from puzzlebox.intuitions.parallel import in_parallel
from puzzlebox.intuitions.pictures.painters import painter_named

# Films that a process paints at a time.
_FILMS_A_PIECE = 50
# Pictures that a device paints at a time.
_PICTURES_AT_A_TIME = 4096


class PaintedFilms:
    """Films with a picture of every so many frames of each trial's motion.

    Attributes:
        films: the films as tensors.
        pictures: all pictures, n x size x size x 3 bytes.
        offset: where the pictures of each trial begin.
        every: frames from one picture to the next.
    """

    def __init__(self, films: Films, pictures: Tensor, offset: Tensor, every: int) -> None:
        self.films, self.pictures, self.offset, self.every = films, pictures, offset, every
        self.task, self.frames, self.motion = films.task, films.frames, films.motion

    def __len__(self) -> int:
        return len(self.films)

    def to(self, device: "str | torch.device") -> "PaintedFilms":
        """Return the films on another device."""
        return PaintedFilms(self.films.to(device), self.pictures.to(device), self.offset.to(device), self.every)

    def paint(self, trials: Tensor, frames: Tensor) -> Tensor:
        """Return pictures of frames that were painted, n x 3 x size x size, values from 0 to 1."""
        rows = self.offset[trials] + (frames - STILL_BEFORE) // self.every
        return self.pictures[rows].permute(0, 3, 1, 2).float() / 255

    @classmethod
    def of_split(cls, split: Split, view: str, size: int, every: int, workers: int) -> "PaintedFilms":
        """Paint the films of a split."""
        films = Films.of_split(split, workers)
        offset, count = _offsets(films, every)
        pieces = [piece for part in split.parts for piece in part.cut(_FILMS_A_PIECE)]
        firsts = np.cumsum([0, *(piece.stop - piece.start for piece in pieces)]) * (len(films.frames) // len(films))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "pictures"
            shape = (count, size, size, 3)
            pictures = np.memmap(path, np.uint8, "w+", shape=shape)
            places = offset.tolist()
            items = [(piece, places[first]) for piece, first in zip(pieces, firsts.tolist(), strict=False)]
            work = partial(_paint_piece, path, shape, view, every)
            for _ in in_parallel(work, items, workers if len(items) > 1 else 1):
                pass
            return cls(films, torch.from_numpy(np.array(pictures)), offset, every)

    @classmethod
    def flat(cls, films: Films, size: int, every: int) -> "PaintedFilms":
        """Paint films flat, on the device that holds them."""
        first, counts = _counts(films, every)
        offset = counts.cumsum(0) - counts
        trials = torch.repeat_interleave(counts)
        frames = first[trials] + every * (torch.arange(len(trials), device=films.device) - offset[trials])
        pictures = torch.empty(len(trials), size, size, 3, dtype=torch.uint8, device=films.device)
        painter = Painter(films, size)
        for rows in torch.arange(len(trials), device=films.device).split(_PICTURES_AT_A_TIME):
            painted = painter.paint(films.states(trials[rows], frames[rows]))
            pictures[rows] = (painted * 255).round().byte().permute(0, 2, 3, 1)
        return cls(films, pictures, offset, every)

    @classmethod
    def of_films(cls, stimuli: Sequence[Stimulus], view: str, size: int, every: int) -> "PaintedFilms":
        """Paint some films."""
        films = Films.of(stimuli)
        offset, _ = _offsets(films, every)
        pictures = [picture for each in stimuli for picture in _pictures(each, view, size, every)]
        return cls(films, torch.from_numpy(np.stack(pictures)), offset, every)


def _counts(films: Films, every: int) -> tuple[Tensor, Tensor]:
    """Return the first frame of each trial that is painted, and how many are: those of the motion and one beyond."""
    first, last = films.motion(torch.arange(len(films.frames), device=films.device))
    return first, (last - first) // every + 2


def _offsets(films: Films, every: int) -> tuple[Tensor, int]:
    _, counts = _counts(films, every)
    return counts.cumsum(0) - counts, int(counts.sum())


def _pictures(stimulus: Stimulus, view: str, size: int, every: int) -> list[Any]:
    painter = painter_named(view, size)
    return [
        painter.frame(trial, min(frame, trial.frames - 1))
        for trial in stimulus.trials
        for frame in range(STILL_BEFORE, max(trial.frames - 1 - STILL_AFTER, STILL_BEFORE + 1) + 1 + every, every)
    ]


def _paint_piece(path: Path, shape: tuple[int, ...], view: str, every: int, item: tuple[Part, int]) -> None:
    """Paint some films into the file, from a place on."""
    piece, place = item
    pictures = np.memmap(path, np.uint8, "r+", shape=shape)
    for film in piece.films():
        for picture in _pictures(film, view, shape[1], every):
            pictures[place] = picture
            place += 1
    pictures.flush()
