"""Hearing without direction: both ears hear a signal alike, as loud as its distance from the head allows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.sound.mixer import Sounding
from puzzlebox.infant.sound.propagation import DistanceLaw
from puzzlebox.infant.sound.rate import FRAME

Samples = NDArray[np.float32]


@dataclass
class PlainHeard:
    """The gain of a source at the end of the last frame; None if it was silent."""

    gain: float | None = None

    def snapshot(self) -> tuple[bytes, bytes | None]:
        """Return the state."""
        return b"", None if self.gain is None else np.float64(self.gain).tobytes()

    def restore(self, snapshot: tuple[bytes, bytes | None]) -> None:
        """Go back to a state."""
        self.gain = None if snapshot[1] is None else float(np.frombuffer(snapshot[1])[0])


class PlainMixer:
    """Turns signals and distances into the same sound at two ears."""

    def __init__(self, law: DistanceLaw | None = None) -> None:
        self.law = law or DistanceLaw()

    def new(self) -> PlainHeard:
        """Return the memory of a source that was silent so far."""
        return PlainHeard()

    def frame(self, sounding: list[Sounding]) -> Samples:
        """Return one frame for the left and the right ear (2 x 2,940); call it once a control step."""
        total = np.zeros(FRAME, np.float32)
        for each in sounding:
            heard: PlainHeard = each.heard
            if each.signal is None:
                heard.gain = None
                continue
            place, factor = each.paths[0, :3], float(each.paths[0, 3])
            gain = factor * self.law.gain(float(np.sqrt(place @ place)))
            before = gain if heard.gain is None else heard.gain
            total += each.signal * np.linspace(before, gain, FRAME, endpoint=False, dtype=np.float32)
            heard.gain = gain
        return np.stack((total, total))
