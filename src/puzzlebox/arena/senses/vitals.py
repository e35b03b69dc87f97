"""Vitals: the health, velocity and position of an animal."""

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from puzzlebox._native import Cruise
from puzzlebox.arena.senses.sense import Cruising, Sense
from puzzlebox.arena.world import World
from puzzlebox.scene.scene import no_such_animal

NAMES = ("health", "velocity_right", "velocity_up", "velocity_forward", "x", "y", "z")
# Metres: the side of the largest arena, the top of the fence, and how far below the floor a body may fall.
_SIDE, _TOP, _DEPTH = 100.0, 200.0, 3.0
_MARGIN = 0.5
# Metres per second; no animal falls faster, even from the highest place.
_SPEED = 100.0

Floats = npt.NDArray[np.float32]
LOW: Floats = np.array((0, -_SPEED, -_SPEED, -_SPEED, -_MARGIN, -_DEPTH, -_MARGIN), np.float32)
HIGH: Floats = np.array((100, _SPEED, _SPEED, _SPEED, _SIDE + _MARGIN, _TOP, _SIDE + _MARGIN), np.float32)


# The divisors of scaled numbers: health 100, 20 m/s, 40 m.
SCALE: Floats = np.array((100, 20, 20, 20, 40, 40, 40), np.float32)


class Vitals(Sense):
    """Health (0-100), velocity to the right, up and forwards in m/s, and position x, y, z in metres: seven numbers.

    Args:
        scaled: whether, in observations, health is divided by 100, velocity by 20 m/s and position by 40 m.
    """

    name = "vitals"
    cruising = Cruising.JOINS
    size = len(NAMES)

    def __init__(self, scaled: bool = False) -> None:
        self.space = spaces.Box(LOW, HIGH, dtype=np.float32)
        self.scale = SCALE if scaled else None

    def read(self, world: World, animal_index: int, out: npt.NDArray[Any]) -> None:
        """Fill `out` with the seven numbers."""
        self.feel(world, animal_index, out)

    def feel(self, world: World, animal_index: int = 0, out: Floats | None = None) -> Floats:
        """Return the seven numbers, always within `LOW` and `HIGH`, even if the physics failed."""
        if out is None:
            out = np.empty(self.size, np.float32)
        try:
            animal = world.animals[animal_index]
        except (IndexError, TypeError):
            raise no_such_animal(animal_index, len(world.animals)) from None
        world.feel(animal, out)
        if world.error is not None:
            np.clip(np.nan_to_num(out), LOW, HIGH, out=out)
        return out

    def join(self, cruise: Cruise, world: World, out: npt.NDArray[Any]) -> None:
        """Make a cruise fill `out` with the seven numbers of its animal."""
        cruise.feel(out)
