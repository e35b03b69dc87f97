"""Mixing: the signals of moving sources become one frame of sound for each ear.

Each source is convolved with the filters of its places at the start and at the end of the frame (and between, if it
turned far around the head), and the frame fades from one to the next without a jump. The sum over sources is made of
spectra, so that another source costs one transform of its signal and one for each of its new filters.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import acos, ceil, degrees, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.sound.head import Head, kemar_head, seen_from_the_middle
from puzzlebox.infant.sound.propagation import DistanceLaw, detours
from puzzlebox.infant.sound.rate import FRAME

Samples = NDArray[np.float32]
Spectrum = NDArray[np.complex64]
# A source that turns farther than this around the head in one frame gets filters between, up to so many.
_STEP_DEGREES, _MOST_STEPS = 10.0, 8
# A length in metres that stands for 0 where one divides by it.
_TINY = 1e-9


@dataclass
class Heard:
    """What the mixer remembers of a source from frame to frame.

    Attributes:
        past: the end of its signal so far.
        paths: its paths at the end of the last frame, as in `Sounding`; None if it was silent.
        spectra: the filters of these paths, if they are known.
    """

    past: Samples
    paths: NDArray[np.float64] | None = None
    spectra: Spectrum | None = None

    def snapshot(self) -> tuple[bytes, bytes | None]:
        """Return the state; the filters follow from it."""
        return self.past.tobytes(), None if self.paths is None else self.paths.tobytes()

    def restore(self, snapshot: tuple[bytes, bytes | None]) -> None:
        """Go back to a state."""
        past, paths = snapshot
        self.past = np.frombuffer(past, np.float32).copy()
        self.paths = None if paths is None else np.frombuffer(paths).reshape(-1, 4).copy()
        self.spectra = None


@dataclass(frozen=True)
class Sounding:
    """A source in one frame.

    Attributes:
        heard: what the mixer remembers of it, as its `new` made it.
        signal: its samples in this frame; None if it is silent.
        paths: at the end of the frame, a row for the source and for each of its images: where it is in the frame of the
            head (x forwards, y left, z up, from the middle between the ears, in metres), and its gain at 1 m.
    """

    heard: Any
    signal: Samples | None
    paths: NDArray[np.float64]


class Mixer:
    """Turns signals and places into sound at two ears."""

    def __init__(
        self,
        ears: NDArray[np.float64],
        law: DistanceLaw | None = None,
        longest_detour: int = 0,
        head: Head | None = None,
    ) -> None:
        """Prepare the transforms.

        Args:
            ears: the left and the right ear in the frame of the head (2 x 3), in metres.
            law: how the gain falls with distance.
            longest_detour: the largest delay of a reflection, in samples.
            head: the filters of the head. Default: KEMAR's.
        """
        self.ears, self.law, self.longest_detour = ears, law or DistanceLaw(), longest_detour
        self.head = head or kemar_head()
        self._length = _fast_length(FRAME + self.head.taps + self.head.latest + longest_detour)
        self.past = self._length - FRAME
        self._bins = self._length // 2 + 1
        self._root = int(np.ceil(np.sqrt(self._bins)))
        self._count = np.arange(self._root)

    def new(self) -> Heard:
        """Return the memory of a source that was silent so far."""
        return Heard(np.zeros(self.past, np.float32))

    def frame(self, sounding: list[Sounding]) -> Samples:
        """Return one frame for the left and the right ear (2 x 2,940); call it once a control step."""
        active: list[Sounding] = [each for each in sounding if each.signal is not None or each.heard.past.any()]
        for each in sounding:
            if each.signal is None and not each.heard.past.any():
                each.heard.paths = each.heard.spectra = None
        if not active:
            return np.zeros((2, FRAME), np.float32)
        steps = max(_steps(each.heard.paths, each.paths) for each in active)
        total = np.zeros((steps + 1, 2, self._bins), np.complex64)
        for each in active:
            self._add(each, total)
        waves = np.fft.irfft(total, self._length)[:, :, self.past :]
        return np.asarray((waves * _fades(steps)[:, None, :]).sum(axis=0), np.float32)

    def _add(self, sound: Sounding, total: Spectrum) -> None:
        """Add a source to the spectra of a frame, and remember it."""
        heard, steps = sound.heard, len(total) - 1
        block = np.zeros(self._length, np.float32)
        block[: self.past] = heard.past
        if sound.signal is not None:
            block[self.past :] = sound.signal
        spectrum = np.fft.rfft(block).astype(np.complex64, copy=False)
        start = heard.paths
        if start is None or heard.spectra is None:
            heard.spectra = self.spectra(sound.paths if start is None else start)
        total[0] += spectrum * heard.spectra
        if start is None or np.array_equal(start, sound.paths):
            total[1:] += spectrum * heard.spectra
        else:
            for step in range(1, steps + 1):
                paths = sound.paths if step == steps else _between(start, sound.paths, step / steps)
                heard.spectra = self.spectra(paths)
                total[step] += spectrum * heard.spectra
        heard.paths, heard.past = sound.paths.copy(), block[FRAME:].copy()

    def spectra(self, paths: NDArray[np.float64]) -> Spectrum:
        """Return the filters of both ears (2 x bins) for a source and its images."""
        places = paths[:, :3]
        late = detours(places, self.longest_detour).tolist()
        # The measured responses hold the difference between near and far ear, so the distance is that of the head.
        gains = [
            gain * self.law.gain(sqrt(float(place @ place)))
            for place, gain in zip(places, paths[:, 3].tolist(), strict=True)
        ]
        taps = np.empty((2, len(paths), self.head.taps), np.float32)
        delays = np.empty((2, len(paths)))
        for side, ear in enumerate(self.ears):
            for path, (place, gain, detour) in enumerate(zip(places, gains, late, strict=True)):
                response, delay = self.head.response(side, *seen_from_the_middle(place, ear))
                np.multiply(response, np.float32(gain), out=taps[side, path])
                delays[side, path] = delay + detour
        spectra = np.fft.rfft(taps, self._length).astype(np.complex64, copy=False)
        spectra *= self._turns(delays)
        return np.asarray(spectra[:, 0] if len(paths) == 1 else spectra.sum(axis=1))

    def _turns(self, delays: NDArray[np.float64]) -> Spectrum:
        """Return the spectra of delays in samples; powers of one number, as products of few."""
        angle = -2j * np.pi / self._length * delays[..., None]
        fine = np.exp(angle * self._count).astype(np.complex64)
        coarse = np.exp(angle * (self._root * self._count)).astype(np.complex64)
        grid = coarse[..., :, None] * fine[..., None, :]
        return np.asarray(grid.reshape(*delays.shape, -1)[..., : self._bins])


def _steps(start: NDArray[np.float64] | None, end: NDArray[np.float64]) -> int:
    """Return in how many steps a frame fades from one place of a source to the next."""
    if start is None:
        return 1
    one, two = start[0, :3], end[0, :3]
    cosine = float(one @ two) / max(sqrt(float(one @ one) * float(two @ two)), _TINY)
    turn = degrees(acos(min(max(cosine, -1.0), 1.0)))
    return min(max(ceil(turn / _STEP_DEGREES), 1), _MOST_STEPS)


def _between(start: NDArray[np.float64], end: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Return paths on the way: directions and distances change evenly, so that no turn cuts through the head."""
    lengths = [np.sqrt((each[:, :3] ** 2).sum(axis=1, keepdims=True)) for each in (start, end)]
    one, two = (each[:, :3] / np.maximum(size, _TINY) for each, size in zip((start, end), lengths, strict=True))
    mixed = (1.0 - share) * one + share * two
    out = (1.0 - share) * start + share * end
    out[:, :3] = mixed / np.maximum(np.sqrt((mixed**2).sum(axis=1, keepdims=True)), _TINY)
    out[:, :3] *= (1.0 - share) * lengths[0] + share * lengths[1]
    return out


@lru_cache(maxsize=_MOST_STEPS)
def _fades(steps: int) -> Samples:
    """Return the weight of each filter at each sample (steps + 1 x 2,940): they sum to 1."""
    time = np.arange(FRAME, dtype=np.float32) * np.float32(steps / FRAME)
    return np.asarray(np.maximum(0.0, 1.0 - np.abs(time - np.arange(steps + 1, dtype=np.float32)[:, None])))


def _fast_length(least: int) -> int:
    """Return the smallest even number from `least` on without prime factors above 5, for fast transforms."""
    length = least + least % 2
    while True:
        rest = length
        for prime in (2, 3, 5):
            while rest % prime == 0:
                rest //= prime
        if rest == 1:
            return length
        length += 2
