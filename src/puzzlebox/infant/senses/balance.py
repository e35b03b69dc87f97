"""The sense of balance: linear acceleration and rotation of the head, as the inner ears feel them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.child import Child


class Motion(NamedTuple):
    """What the organs of balance feel at one moment, in the frame of the head: x forwards, y left, z up.

    Attributes:
        acceleration: in metres a second squared; a head at rest feels 9.81 upwards, because gravity is held up.
        rotation: in radians a second, by the right-hand rule.
    """

    acceleration: NDArray[np.float32]
    rotation: NDArray[np.float32]


class Balance:
    """The sense of balance of one child."""

    shape = (6,)

    def __init__(self, child: Child) -> None:
        self.child = child
        sensors = (child.model.sensor("acceleration"), child.model.sensor("rotation"))
        self._slices = [slice(int(each.adr[0]), int(each.adr[0]) + 3) for each in sensors]

    def read(self) -> Motion:
        """Return what the organs of balance feel now."""
        acceleration, rotation = (self.child.data.sensordata[each].astype(np.float32) for each in self._slices)
        return Motion(acceleration, rotation)
