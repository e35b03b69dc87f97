"""The flat painter: a trial from above, as the published films show it, in any size and anti-aliased.

What does not move is painted once; sprites of the agent and the key are laid over it. A sprite is the share of each
pixel that its shape covers, so a small picture is not a coarse one.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.intuitions.episodes.casting import BARRIER_COLOR, FLOOR_COLOR, WALL_COLOR
from puzzlebox.intuitions.episodes.stimulus import Stimulus, Track, Trial
from puzzlebox.intuitions.grid import SIZE
from puzzlebox.intuitions.pictures.shapes import mask_of

Image = NDArray[np.uint8]
Numbers = NDArray[Any]
# Points a side of a pixel at full size at which a shape is sampled.
_SAMPLES = 8


@lru_cache(maxsize=8192)
def _shares(left: float, width: float, samples: int) -> tuple[int, Numbers]:
    """Return the first pixel of a span, and the share of each pixel that each sample of the span covers."""
    first, last = int(np.floor(left + 1e-9)), int(np.ceil(left + width - 1e-9))
    edges = left + width * np.arange(samples + 1) / samples
    pixels = np.arange(first, max(last, first + 1))[:, None]
    covered = np.minimum(edges[None, 1:], pixels + 1) - np.maximum(edges[None, :-1], pixels)
    return first, np.maximum(covered, 0.0)


@lru_cache(maxsize=64)
def _samples_of(shape: str, samples: int) -> Numbers:
    return mask_of(shape, samples).astype(np.float64)


@lru_cache(maxsize=8192)
def sprite(shape: str, half: int, left: float, top: float, scale: float) -> tuple[int, int, Numbers]:
    """Return the cover of a shape: the first column and row, and the share of each pixel (rows x columns x 1).

    Args:
        shape: the name of the shape.
        half: half the side of its square in pixels of the full size.
        left: its left side in pixels of the picture.
        top: its top side in pixels of the picture, from the top.
        scale: pixels of the picture for each pixel of the full size.
    """
    samples = 2 * half * _SAMPLES
    mask = _samples_of(shape, samples)
    column, across = _shares(left, 2 * half * scale, samples)
    row, down = _shares(top, 2 * half * scale, samples)
    return column, row, np.asarray(down @ mask @ across.T)[..., None].astype(np.float32)


@lru_cache(maxsize=8)
def _reduction(size: int) -> Numbers:
    """Return the matrix that averages rows of the full size into rows of a picture of another size."""
    matrix = np.zeros((size, SIZE), np.float32)
    for pixel in range(size):
        first, shares = _shares(pixel * SIZE / size, SIZE / size, 1)
        matrix[pixel, first : first + len(shares)] = shares[:, 0] * size / SIZE
    return matrix


def _cover(boxes: bytes, size: int) -> Numbers:
    """Return the share of each pixel that some rectangles cover together: neighbours leave no seam."""
    mask = np.zeros((SIZE, SIZE), np.float32)
    for x, y, width, height in np.frombuffer(boxes, np.int16).reshape(-1, 4).tolist():
        top, bottom = max(0, SIZE - y - height), max(0, SIZE - y)
        mask[top:bottom, max(0, x) : max(0, x + width)] = 1.0
    if size % SIZE == 0:
        mask = mask.repeat(size // SIZE, 0).repeat(size // SIZE, 1)
    else:
        matrix = _reduction(size)
        mask = matrix @ mask @ matrix.T
    return mask[..., None]


@lru_cache(maxsize=128)
def _room(walls: bytes, barrier: bytes, size: int) -> Image:
    """Return floor, walls and barrier; many trials of an episode have the same."""
    image = np.full((size, size, 3), FLOOR_COLOR, np.float32)
    for boxes, color in ((walls, WALL_COLOR), (barrier, BARRIER_COLOR)):
        if boxes:
            image += (np.array(color, np.float32) - image) * _cover(boxes, size)
    return np.rint(image).astype(np.uint8)


class FlatPainter:
    """Paints the frames of trials as pictures of `size` x `size` pixels, 200 in the published films."""

    def __init__(self, size: int = SIZE) -> None:
        if not 8 <= size <= 2000:
            raise ValueError(f"a picture of {size} pixels a side; it can have 8 to 2000")
        self.size = size
        self._scale = size / SIZE
        # The scenery painted last: the trial, what of it is there, and the picture.
        self._scenery: tuple[Trial, tuple[Any, ...], Image] | None = None

    def frame(self, trial: Trial, frame: int) -> Image:
        """Return one frame of a trial, height x width x 3 bytes."""
        image = self._still(trial, frame).copy()
        for track in (trial.key, trial.agent):
            if track is not None and frame < track.until:
                self._put(image, track, frame)
        return image

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Return column and row, in pixels from the top left, of a place in pixels of a film."""
        return x * self._scale, (SIZE - y) * self._scale

    def pictures(self, trial: Trial, frames: Sequence[int]) -> Image:
        """Return some frames of a trial as one array, frames x height x width x 3 bytes, for a learner."""
        images = np.empty((len(frames), self.size, self.size, 3), np.uint8)
        for place, frame in enumerate(frames):
            images[place] = self.frame(trial, frame)
        return images

    def frames(self, stimulus: Stimulus) -> Iterator[tuple[Image, int]]:
        """Yield the distinct frames of a film in order, each with the number of frames for which it is shown."""
        for trial in stimulus.trials:
            for start, count in trial.runs():
                yield self.frame(trial, start), count

    def _still(self, trial: Trial, frame: int) -> Image:
        """Return the picture of everything but the agent and the key."""
        there = (
            (trial.walls.until > frame).tobytes(),
            (trial.barrier.until > frame).tobytes(),
            *(frame < each.until for each in (trial.home, trial.lock, *trial.objects) if each is not None),
        )
        if self._scenery is not None and self._scenery[0] is trial and self._scenery[1] == there:
            return self._scenery[2]
        walls, barrier = (each.boxes[each.until > frame] for each in (trial.walls, trial.barrier))
        image = _room(walls.astype(np.int16).tobytes(), barrier.astype(np.int16).tobytes(), self.size).copy()
        for track in (trial.home, *trial.objects, trial.lock):
            if track is not None and frame < track.until:
                self._put(image, track, frame)
        self._scenery = (trial, there, image)
        return image

    def _put(self, image: Image, track: Track, frame: int) -> None:
        x, y = track.corners[frame].tolist()
        left, top = x * self._scale, (SIZE - y - 2 * track.half) * self._scale
        # Sprites are kept by their place within a pixel.
        column, row = floor(left), floor(top)
        _, _, cover = sprite(track.shape, track.half, round(left - column, 6), round(top - row, 6), self._scale)
        height, width, _ = cover.shape
        # Whatever lies outside the picture is cut off.
        first, last = max(0, row), max(0, min(self.size, row + height))
        start, stop = max(0, column), max(0, min(self.size, column + width))
        target = image[first:last, start:stop]
        if not target.size:
            return
        cover = cover[first - row : last - row, start - column : stop - column]
        color = np.array(track.color, np.float32)
        target[...] = np.rint(target + (color - target) * cover)
