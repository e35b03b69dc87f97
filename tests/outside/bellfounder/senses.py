import numpy as np
from gymnasium import spaces

from puzzlebox.arena.senses import Cruising, Sense


class Compass(Sense):
    """Which of some directions the animal looks in: 1 for that one, 0 for the others, clockwise from the z axis."""

    name = "compass"
    cruising = Cruising.READS

    def __init__(self, points=4):
        self.space = spaces.Box(0.0, 1.0, (points,), np.float32)

    def read(self, world, animal_index, out):
        out[:] = 0.0
        out[round(world.animals[animal_index].heading / 360 * len(out)) % len(out)] = 1.0
