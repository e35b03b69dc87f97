"""The sense of balance: linear acceleration and rotation of the head, as the inner ears feel them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.body import Body


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

    def __init__(self, child: Body) -> None:
        self.child = child

    def read(self) -> Motion:
        """Return what the organs of balance feel now."""
        acceleration, rotation = self.child.motion()
        return Motion(acceleration.astype(np.float32), rotation.astype(np.float32))
