"""Things that sound: a tone, noise, a rattle, a recording. Each is a function of how many samples it has played.

A source gives the sound pressure at 1 m, where 1 is the largest number a frame can hold. A change of its level is
spread over a frame, so that nothing clicks. The state of a source is small and can be stored.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.sound.rate import FRAME, SAMPLE_RATE
from puzzlebox.seeds import rng_from

Samples = NDArray[np.float32]
# Noise repeats after this many samples: 6 seconds.
_NOISE = 6 * SAMPLE_RATE
# A click of a bead in a rattle: its decay in seconds and its pitch in hertz, lowest and highest.
_BEAD_DECAY, _BEAD_LOW, _BEAD_HIGH = 0.004, 2500.0, 6000.0


class Source(ABC):
    """Something that sounds.

    Attributes:
        level: the loudness at 1 m; 0 is silence. It may be set at any time.
    """

    def __init__(self, level: float) -> None:
        self.level = level
        self._before = level
        self._initial = level

    @abstractmethod
    def emit(self) -> Samples | None:
        """Return the next frame of 2,940 samples, or None if all are 0."""

    def reset(self) -> None:
        """Start again, at the start of an episode."""
        self.level = self._before = self._initial

    def snapshot(self) -> tuple[Any, ...]:
        """Return the state."""
        return (self.level, self._before)

    def restore(self, snapshot: tuple[Any, ...]) -> None:
        """Go back to a state."""
        self.level, self._before = snapshot[:2]

    def _levels(self) -> Samples | None:
        """Return the level at each sample of the next frame: it moves evenly from the last one; None for silence."""
        before, self._before = self._before, self.level
        if before == 0 and self.level == 0:
            return None
        return np.linspace(before, self.level, FRAME, endpoint=False, dtype=np.float32)


class Endless(Source):
    """A source that sounds all the time, as a function of the sample that comes next."""

    def __init__(self, level: float) -> None:
        super().__init__(level)
        self.position = 0

    @abstractmethod
    def wave(self, samples: NDArray[np.int64]) -> Samples:
        """Return the samples with these numbers, at a level of 1."""

    def emit(self) -> Samples | None:
        """Return the next frame, or None if the level is 0."""
        samples = np.arange(self.position, self.position + FRAME)
        self.position += FRAME
        levels = self._levels()
        return None if levels is None else levels * self.wave(samples)

    def reset(self) -> None:
        """Start again at the first sample."""
        super().reset()
        self.position = 0

    def snapshot(self) -> tuple[Any, ...]:
        """Return the state."""
        return (*super().snapshot(), self.position)

    def restore(self, snapshot: tuple[Any, ...]) -> None:
        """Go back to a state."""
        super().restore(snapshot)
        self.position = snapshot[2]


class Tone(Endless):
    """A pure tone.

    Args:
        hertz: its frequency, 20 to 20,000.
        level: its amplitude at 1 m.
    """

    def __init__(self, hertz: float = 440.0, level: float = 0.1) -> None:
        super().__init__(level)
        if not 20 <= hertz <= 20_000:
            raise ValueError(f"hertz is {hertz!r}; it must be 20 to 20,000")
        self.hertz = hertz

    def wave(self, samples: NDArray[np.int64]) -> Samples:
        """Return a sine."""
        turns = np.mod(samples * (self.hertz / SAMPLE_RATE), 1.0)
        return np.asarray(np.sin(2.0 * np.pi * turns), np.float32)


class Noise(Endless):
    """White noise, the same for the same seed; it repeats every 6 seconds.

    Args:
        level: its root mean square at 1 m.
        seed: which noise.
    """

    def __init__(self, level: float = 0.05, seed: int = 0) -> None:
        super().__init__(level)
        self._table = rng_from(seed).standard_normal(_NOISE, np.float32)

    def wave(self, samples: NDArray[np.int64]) -> Samples:
        """Return noise."""
        return np.asarray(self._table[samples % _NOISE])


class Rattle(Endless):
    """Beads in a box: short clicks at random times, as loud as the rattle is shaken (`level`).

    Args:
        level: the amplitude of the loudest clicks at 1 m; 0 until it is shaken.
        clicks: how many beads hit the box each second.
        seed: which clicks.
    """

    def __init__(self, level: float = 0.0, clicks: float = 40.0, seed: int = 0) -> None:
        super().__init__(level)
        rng = rng_from(seed)
        count = round(clicks * _NOISE / SAMPLE_RATE)
        time = np.arange(round(8 * _BEAD_DECAY * SAMPLE_RATE)) / SAMPLE_RATE
        self._table = np.zeros(_NOISE, np.float32)
        starts = rng.integers(0, _NOISE, count).tolist()
        for start, hertz, loud in zip(
            starts, rng.uniform(_BEAD_LOW, _BEAD_HIGH, count), rng.uniform(0.3, 1.0, count), strict=True
        ):
            click = loud * np.exp(-time / _BEAD_DECAY) * np.sin(2.0 * np.pi * hertz * time)
            self._table[(start + np.arange(len(time))) % _NOISE] += click.astype(np.float32)

    def wave(self, samples: NDArray[np.int64]) -> Samples:
        """Return the clicks."""
        return np.asarray(self._table[samples % _NOISE])


class Recording(Source):
    """Samples that are played once for each call of `play`, or again and again.

    Args:
        samples: at 44,100 a second, from -1 to 1.
        level: the factor of the samples at 1 m.
        repeat: whether it starts at once and never ends.
    """

    def __init__(self, samples: Any, level: float = 1.0, *, repeat: bool = False) -> None:
        super().__init__(level)
        self._samples = np.asarray(samples, np.float32)
        if self._samples.ndim != 1 or not len(self._samples) or not np.isfinite(self._samples).all():
            raise ValueError(f"a recording has the shape {self._samples.shape}; it must be a row of finite numbers")
        self.repeat = repeat
        # The sample that comes next; -1 while it does not play.
        self.position = 0 if repeat else -1

    def play(self) -> None:
        """Start at the first sample with the next frame."""
        self.position = 0

    def emit(self) -> Samples | None:
        """Return the next frame, or None if nothing plays."""
        levels = self._levels()
        if self.position < 0:
            return None
        rows = np.arange(self.position, self.position + FRAME)
        out = self._samples[rows % len(self._samples)]
        if not self.repeat:
            out[rows >= len(self._samples)] = 0.0
        self.position += FRAME
        if self.position >= len(self._samples):
            self.position = self.position % len(self._samples) if self.repeat else -1
        return None if levels is None else out * levels

    def reset(self) -> None:
        """Stop, or start again if it repeats."""
        super().reset()
        self.position = 0 if self.repeat else -1

    def snapshot(self) -> tuple[Any, ...]:
        """Return the state."""
        return (*super().snapshot(), self.position)

    def restore(self, snapshot: tuple[Any, ...]) -> None:
        """Go back to a state."""
        super().restore(snapshot)
        self.position = snapshot[2]
