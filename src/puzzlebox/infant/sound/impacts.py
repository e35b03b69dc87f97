"""Things that ring when they are struck: a few damped vibrations for each material (modal synthesis).

A blow starts each vibration with an amplitude in proportion to its speed. The longer the two things touch, the fewer
high frequencies sound: soft things touch long, fast blows are short (the contact time falls with speed to the power of
1/5, after Hertz). The numbers of the materials are ours, chosen to be plausible and plausible, not measured.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.sound.rate import FRAME, SAMPLE_RATE
from puzzlebox.infant.sound.sources import Samples, Source
from puzzlebox.text import closest

# The size in metres of the thing for which the frequencies of `MATERIALS` hold; they fall in proportion to size.
_SIZE = 0.06
# Vibrations below this amplitude are over.
_SILENCE = 1e-6
_LOWEST, _HIGHEST = 40.0, 16_000.0


@dataclass(frozen=True)
class Material:
    """How things of a material sound.

    Attributes:
        hertz: the frequencies of the vibrations of a thing of 6 cm.
        seconds: the time in which each falls by a factor e.
        loudness: the amplitude at 1 m after a blow of 1 m/s, all vibrations together.
        contact: how long its surface touches in a blow of 1 m/s, in seconds.
    """

    hertz: tuple[float, ...]
    seconds: tuple[float, ...]
    loudness: float
    contact: float


MATERIALS: Mapping[str, Material] = {
    "wood": Material((720.0, 1610.0, 2890.0, 4300.0), (0.030, 0.020, 0.012, 0.008), 0.15, 0.00015),
    "plastic": Material((560.0, 1240.0, 2150.0, 3380.0), (0.022, 0.014, 0.009, 0.006), 0.12, 0.0003),
    "metal": Material((1180.0, 2760.0, 4920.0, 7810.0, 10400.0), (0.60, 0.42, 0.30, 0.20, 0.12), 0.15, 0.00005),
    "glass": Material((1740.0, 3950.0, 6620.0, 9700.0), (0.25, 0.16, 0.10, 0.06), 0.15, 0.00005),
    "rubber": Material((170.0, 390.0, 640.0), (0.020, 0.012, 0.008), 0.10, 0.003),
    "cloth": Material((120.0, 260.0), (0.010, 0.006), 0.03, 0.010),
    "skin": Material((110.0, 240.0), (0.012, 0.007), 0.04, 0.008),
    "floor": Material((95.0, 210.0, 380.0), (0.035, 0.022, 0.015), 0.12, 0.0005),
}


def material_named(name: str) -> Material:
    """Return a material by its name."""
    if name not in MATERIALS:
        raise ValueError(
            f"material {name!r} is not known; it must be one of {', '.join(MATERIALS)}{closest(name, list(MATERIALS))}"
        )
    return MATERIALS[name]


class Struck(Source):
    """A thing that rings when it is struck; blows add up.

    Args:
        material: the name of its material.
        size: its typical size in metres; larger things sound lower.
    """

    def __init__(self, material: str, size: float = _SIZE) -> None:
        super().__init__(1.0)
        if not size > 0:
            raise ValueError(f"size is {size!r}; it must be more than 0 metres")
        self.material = material_named(material)
        hertz = np.clip(np.array(self.material.hertz) * (_SIZE / size), _LOWEST, _HIGHEST)
        self._hertz = hertz
        # Each vibration over one frame, as a turning and shrinking number; the sound is its imaginary part.
        rate = (2j * np.pi * hertz - 1.0 / np.array(self.material.seconds)) / SAMPLE_RATE
        self._table: NDArray[np.complex128] = np.exp(rate[:, None] * np.arange(FRAME + 1))
        self._ringing = np.zeros(len(hertz), np.complex128)
        self._blows: list[tuple[int, tuple[float, ...]]] = []

    def strike(self, speed: float, by: Material | None = None, sample: int = 0) -> None:
        """Strike the thing in the next frame.

        Args:
            speed: of the blow in metres a second.
            by: the material of what strikes it. Default: the same.
            sample: when it strikes, 0 to 2,939.
        """
        if speed <= 0:
            return
        contact = (self.material.contact + (by or self.material).contact) / 2.0 * speed**-0.2
        shares = 1.0 / (1.0 + (np.pi * self._hertz * contact) ** 2) / len(self._hertz)
        self._blows.append((int(np.clip(sample, 0, FRAME - 1)), tuple(self.material.loudness * speed * shares)))

    def emit(self) -> Samples | None:
        """Return the next frame, or None if nothing rings."""
        if not self._blows and not self._ringing.any():
            return None
        out = self._sound(self._ringing, FRAME)
        ringing = self._ringing * self._table[:, FRAME]
        for start, amplitudes in self._blows:
            blow = np.array(amplitudes)
            out[start:] += self._sound(blow, FRAME - start)
            ringing += blow * self._table[:, FRAME - start]
        self._blows.clear()
        self._ringing = np.where(np.abs(ringing) < _SILENCE, 0.0, ringing)
        return np.asarray(out * self.level, np.float32)

    def _sound(self, amplitudes: NDArray[Any], samples: int) -> NDArray[np.float64]:
        """Return the sum of all vibrations from now on.

        A product of matrices would wake the threads of BLAS, which takes longer than this whole sum while other
        programs use the cores.
        """
        out = np.zeros(samples)
        for amplitude, wave in zip(amplitudes.tolist(), self._table[:, :samples], strict=True):
            out += amplitude.real * wave.imag
            if amplitude.imag:
                out += amplitude.imag * wave.real
        return out

    def reset(self) -> None:
        """Fall silent."""
        super().reset()
        self._blows.clear()
        self._ringing[:] = 0.0

    def snapshot(self) -> tuple[Any, ...]:
        """Return the state."""
        return (*super().snapshot(), self._ringing.tobytes(), tuple(self._blows))

    def restore(self, snapshot: tuple[Any, ...]) -> None:
        """Go back to a state."""
        super().restore(snapshot)
        self._ringing, self._blows = np.frombuffer(snapshot[2], np.complex128).copy(), list(snapshot[3])
