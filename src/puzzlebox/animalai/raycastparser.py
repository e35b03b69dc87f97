"""The distances of rays by object, in the original's order of columns."""

import sys
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt


class RayCastObjects(Enum):
    """The objects that rays distinguish, by the column of a ray; builds up to 4.3 have the first 12, older ones 6."""

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


class RayCastParser:
    """Finds objects in the numbers of all rays, of any build.

    Args:
        listOfObjects: the objects to look for.
        numberOfRays: the number of all rays, which is 2 * raysPerSide + 1.

    Attributes:
        numberOfObjects: the number of objects to look for.
        listofObjectVals: their columns.
        numberDetectableObjects: the number of tags of the rays parsed last.
    """

    def __init__(self, listOfObjects: Sequence[RayCastObjects], numberOfRays: int) -> None:
        for each in listOfObjects:
            if not isinstance(each, RayCastObjects):
                raise ValueError(f"{each!r} is not a member of RayCastObjects")
        whole = isinstance(numberOfRays, int | np.integer) and not isinstance(numberOfRays, bool)
        if not whole or numberOfRays < 1:
            raise ValueError(f"numberOfRays is {numberOfRays!r}; it must be a whole number, 1 or more")
        self.numberOfRays = int(numberOfRays)
        self.listOfObjects = list(listOfObjects)
        self.listofObjectVals = [each.value for each in listOfObjects]
        self.numberOfObjects = len(self.listOfObjects)
        self.numberDetectableObjects = len(RayCastObjects)

    def parse(self, raycast: Any) -> npt.NDArray[np.float64]:
        """Return the distance (over 200 m) of each object on each ray, objects by rays; 0 where a ray hit another.

        Args:
            raycast: the numbers of all rays as list or array, or a dictionary of observations with the key `rays`.
                An object without a column is never found.
        """
        raw = self._numbers(raycast)
        rows = raw.reshape(self.numberOfRays, -1)
        self.numberDetectableObjects = tags = rows.shape[1] - 2
        distances = np.zeros((self.numberOfObjects, self.numberOfRays))
        for row, column in enumerate(self.listofObjectVals):
            if column < tags:
                distances[row] = self.reorderRow(np.where(rows[:, column] == 1, rows[:, -1], 0.0))
        return distances

    def _numbers(self, raycast: Any) -> npt.NDArray[np.float64]:
        numbers = raycast.get("rays") if isinstance(raycast, Mapping) else raycast
        if not isinstance(numbers, list | np.ndarray):
            raise TypeError(f"rays are a list, an array or a dictionary with the key `rays`, not {raycast!r}")
        raw = np.asarray(numbers, np.float64).reshape(-1)
        if not raw.size:
            raise ValueError("there are no ray numbers; make the environment with useRayCasts=True")
        if raw.size % self.numberOfRays or raw.size < 2 * self.numberOfRays:
            raise ValueError(f"{raw.size} numbers cannot come from {self.numberOfRays} rays")
        return raw

    def reorderRow(self, row: Any) -> npt.NDArray[Any]:
        """Put one number per ray, given from the middle outwards, in the original's order from left to right.

        On each side that order mirrors the rays, and scripts rely on it: of five rays it gives the near left, the far
        left, the middle, the far right, the near right one.
        """
        row = np.asarray(row)
        return np.concatenate([row[2::2], row[:1], row[1::2][::-1]])

    def prettyPrint(self, raycast: Any) -> None:
        """Print the distances, a line for each object; an error in the rays is printed, not raised."""
        try:
            for each, distances in zip(self.listOfObjects, self.parse(raycast), strict=True):
                print(f"{each.name}: {np.array2string(distances, max_line_width=sys.maxsize)}")
        except (TypeError, ValueError) as problem:
            print(f"error: {problem}")
