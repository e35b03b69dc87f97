"""Pictures of many frames at once, painted on the device that holds the films.

A sprite is the share of each pixel of the full size that its shape covers. Reduced to a smaller picture it is the
product of three matrices, so that a batch of sprites is a batch of products, which is what a GPU is good at.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from puzzlebox.intuitions.episodes.casting import BARRIER_COLOR, FLOOR_COLOR, WALL_COLOR
from puzzlebox.intuitions.grid import SIZE
from puzzlebox.intuitions.models.films import AGENT, HALVES, HOME, KEY, LOCK, OBJECT, OTHER, Films, States
from puzzlebox.intuitions.pictures.shapes import mask_of

# The side of the largest sprite in pixels, and the points a side of a pixel at which a shape is sampled.
_SIDE, _SAMPLES = 20, 8


def _reduction(size: int, parts: int) -> Tensor:
    """Return the matrix that averages `parts` equal spans into `size` pixels, size x parts."""
    edges, pixels = np.arange(parts + 1) / parts * size, np.arange(size)[:, None]
    covered = np.minimum(edges[None, 1:], pixels + 1) - np.maximum(edges[None, :-1], pixels)
    return torch.from_numpy(np.maximum(covered, 0.0).astype(np.float32))


def _sprite(shape: str, half: int) -> Any:
    side = 2 * half
    cover = mask_of(shape, side * _SAMPLES).reshape(side, _SAMPLES, side, _SAMPLES).mean(axis=(1, 3))
    sprite = np.zeros((_SIDE, _SIDE), np.float32)
    shown = min(side, _SIDE)
    sprite[:shown, :shown] = cover[:shown, :shown]
    return sprite


class Painter:
    """Paints states as pictures of `size` x `size` pixels.

    Args:
        films: the films whose states are painted; their looks are drawn once.
        size: pixels a side.
    """

    def __init__(self, films: Films, size: int) -> None:
        device = films.device
        self.size = size
        looks = films.table
        self._sprites = torch.from_numpy(np.stack([_sprite(shape, half) for shape, half, _ in looks])).to(device)
        self._sides = torch.tensor([2 * half for _, half, _ in looks], device=device)
        self._colors = torch.tensor([color for _, _, color in looks], dtype=torch.float32, device=device) / 255
        # Room on either side, for a sprite that reaches beyond the picture.
        matrix = torch.zeros(SIZE + 2 * _SIDE, size)
        matrix[_SIDE : _SIDE + SIZE] = _reduction(size, SIZE).T
        self._matrix = matrix.to(device)
        self._halves = _reduction(size, HALVES).to(device)
        self._floor, self._wall, self._green = (
            torch.tensor(color, dtype=torch.float32, device=device)[:, None, None] / 255
            for color in (FLOOR_COLOR, WALL_COLOR, BARRIER_COLOR)
        )
        self._along = torch.arange(_SIDE, device=device)

    def paint(self, states: States) -> Tensor:
        """Return pictures, n x 3 x size x size, values from 0 to 1, the top row first."""
        count = len(states.trial)
        picture = self._floor.expand(count, 3, self.size, self.size).clone()
        picture = self._lay(picture, states, HOME)
        # Walls and barrier share sides, where both cover a part of a pixel: their covers add up.
        walls = states.walls.repeat_interleave(2, 1).repeat_interleave(2, 2) & ~states.barrier
        under = picture.clone()
        for blocks, color in ((walls, self._wall), (states.barrier, self._green)):
            cover = self._halves @ blocks.flip(1).float() @ self._halves.T
            picture += (color - under) * cover[:, None]
        for slot in (OBJECT, OTHER, LOCK, KEY, AGENT):
            picture = self._lay(picture, states, slot)
        return picture

    def _lay(self, picture: Tensor, states: States, slot: int) -> Tensor:
        """Lay the sprite of an entity over the pictures in which it is there."""
        there = states.present[:, slot].nonzero()[:, 0]
        if not len(there):
            return picture
        looks = states.looks[there, slot]
        corners = states.corners[there, slot].long()
        left = corners[:, 0].clamp(-_SIDE, SIZE)
        top = (SIZE - corners[:, 1] - self._sides[looks]).clamp(-_SIDE, SIZE)
        across = self._matrix[left[:, None] + _SIDE + self._along]
        down = self._matrix[top[:, None] + _SIDE + self._along]
        cover = down.transpose(1, 2) @ self._sprites[looks] @ across
        under = picture[there]
        color = self._colors[looks][:, :, None, None]
        picture[there] = under + (color - under) * cover[:, None]
        return picture
