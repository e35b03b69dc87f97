"""What rays say, sorted by object, in the original's order of columns."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt


class RayCastObjects(IntEnum):
    """What rays can tell apart, by the column of a ray."""

    ARENA = 0
    IMMOVABLE = 1
    MOVABLE = 2
    GOODGOAL = 3
    GOODGOALMULTI = 4
    BADGOAL = 5
    GOALSPAWNER = 6
    DEATHZONE = 7
    HOTZONE = 8
    RAMP = 9
    SPAWNERBUTTON = 10
    PILLARBUTTON = 10
    SIGNBOARD = 11
    SIGNPOSTER = 11
    DECOYGOAL = 12
    DECOYGOALBOUNCE = 13
    HOLLOWBOX = 14
    BADGOALMULTI = 15
    DATAZONE = 16
    AGENT = 17


class RayCastParser:
    """Finds the objects somebody asks for in a row of ray numbers.

    A row for each object, a column for each ray: the distance (over 200 m) where the ray met it, otherwise 0. The
    columns are those of the original: left rays from the inside out, the middle, right rays from the outside in
    (animal-ai.md 6.8).
    """

    def __init__(self, listofObjects: Sequence[RayCastObjects], raysPerSide: int) -> None:
        self.listOfObjects = [RayCastObjects(each) for each in listofObjects]
        self.raysPerSide = int(raysPerSide)
        self.numberOfRays = 2 * self.raysPerSide + 1
        lefts, rights = list(range(2, self.numberOfRays, 2)), list(range(1, self.numberOfRays, 2))
        self._order = [*lefts, 0, *reversed(rights)]

    def parse(self, raycast: Any) -> npt.NDArray[np.float64]:
        """The distances, objects by rays."""
        raw = np.asarray(raycast, np.float64).reshape(-1)
        if raw.size % self.numberOfRays:
            raise ValueError(f"{raw.size} numbers cannot come from {self.numberOfRays} rays")
        rows = raw.reshape(self.numberOfRays, -1)[self._order]
        tags = rows.shape[1] - 2
        for each in self.listOfObjects:
            if each >= tags:
                raise ValueError(f"{each.name} is not among the {tags} objects these rays tell apart")
        columns = [int(each) for each in self.listOfObjects]
        return (rows[:, columns] * rows[:, -1:]).T

    def prettyPrint(self, raycast: Any) -> str:
        """The same, a line for each object."""
        lines = zip(self.listOfObjects, self.parse(raycast), strict=True)
        return "\n".join(f"{each.name}: {distances}" for each, distances in lines)
