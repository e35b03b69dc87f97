"""How sound gets from a source to the ears: the distance law and the reflections of a room.

The distance law is that of the paper on VECA (AAAI-22): a source at distance d is heard with the gain
min(1 / d^2, d_TH). Here d is the distance from the middle of the head, because the filters of the head already hold how
much louder the near ear hears. The paper calls d_TH a minimum audible distance and gives no value. Here it has this
meaning: a source nearer than `nearest` metres is as loud as one at `nearest`; d_TH is 1 / nearest^2, 4 for the default
of 0.5 m. The signal of a source is what is heard at 1 m, averaged over all directions.

Sound arrives at once, as in the paper; only the detours of reflections take time.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.sound.rate import SAMPLE_RATE, SPEED_OF_SOUND


@dataclass(frozen=True)
class DistanceLaw:
    """How the gain falls with distance.

    Attributes:
        nearest: the distance in metres below which a source gets no louder.
        exponent: 2 as in the paper; the pressure of a small source in the open falls with 1.
    """

    nearest: float = 0.5
    exponent: float = 2.0

    def __post_init__(self) -> None:
        """Raise a ValueError if a number makes no sense."""
        if not self.nearest > 0:
            raise ValueError(f"nearest is {self.nearest!r}; it must be more than 0 metres")
        if not self.exponent >= 0:
            raise ValueError(f"exponent is {self.exponent!r}; it must be 0 or more")

    def gain(self, distance: float) -> float:
        """Return the factor of the signal at a distance in metres."""
        return float(max(distance, self.nearest) ** -self.exponent)


@dataclass(frozen=True)
class Room:
    """A box whose walls, floor and ceiling reflect sound once.

    Attributes:
        low: the corner with the smallest coordinates, in metres in the axes of MuJoCo.
        high: the opposite corner.
        reflection: the share of the pressure that a wall reflects, 0 to 1.
    """

    low: tuple[float, float, float] = (-2.5, -2.5, 0.0)
    high: tuple[float, float, float] = (2.5, 2.5, 2.5)
    reflection: float = 0.6

    def __post_init__(self) -> None:
        """Raise a ValueError if a number makes no sense."""
        if not all(low < high for low, high in zip(self.low, self.high, strict=True)):
            raise ValueError(f"a room reaches from {self.low} to {self.high}; each number must be below its opposite")
        if not 0 <= self.reflection <= 1:
            raise ValueError(f"reflection is {self.reflection!r}; it must be 0 to 1")

    @property
    def longest_detour(self) -> int:
        """The largest delay of a reflection behind the direct sound, in samples, inside the room."""
        widths = np.subtract(self.high, self.low)
        return int(np.ceil(2.0 * widths.max() / SPEED_OF_SOUND * SAMPLE_RATE))

    def images(self, place: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mirror images of a place in the six walls (6 x 3)."""
        out = np.repeat(place[None, :], 6, axis=0)
        for axis in range(3):
            out[2 * axis, axis] = 2.0 * self.low[axis] - place[axis]
            out[2 * axis + 1, axis] = 2.0 * self.high[axis] - place[axis]
        return out

    def contains(self, place: NDArray[np.float64]) -> bool:
        """Return whether a place is in the room; a source outside has no reflections."""
        return bool((place >= self.low).all() and (place <= self.high).all())


def detours(places: NDArray[np.float64], longest: int) -> NDArray[np.float64]:
    """Return the delay of each path behind the first, in samples, from the places where they seem to start.

    Args:
        places: the source and its images in the frame of the head (paths x 3), in metres.
        longest: no delay is longer, in samples.
    """
    lengths = np.sqrt((places * places).sum(axis=1))
    return np.asarray(np.clip((lengths - lengths[0]) * (SAMPLE_RATE / SPEED_OF_SOUND), 0.0, longest))
