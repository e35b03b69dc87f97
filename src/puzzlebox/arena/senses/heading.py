"""Heading: the direction an animal faces."""

from math import cos, radians, sin
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from puzzlebox.arena.senses.sense import Cruising, Sense
from puzzlebox.arena.world import World


class Heading(Sense):
    """The sine and cosine of the direction the animal faces, clockwise from the z axis."""

    name = "heading"
    cruising = Cruising.READS

    def __init__(self) -> None:
        self.space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def read(self, world: World, animal_index: int, out: npt.NDArray[Any]) -> None:
        """Fill `out` with the sine and the cosine of the heading."""
        angle = radians(world.animals[animal_index].heading)
        out[0], out[1] = sin(angle), cos(angle)
