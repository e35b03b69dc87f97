"""What a learner gets of the senses: short vectors, and small pictures where the child has eyes.

- Ears: the decimal logarithm of the power in 12 bands from 300 Hz to 16 kHz, as the mean of both ears and their
  difference; the last three frames. VECA's learners had 250 bins of each ear up to 3.75 kHz of one frame.
- Skin: of each of the 24 bones of both hands the strongest taxel and the mean; VECA's learners had 1,182 taxels.
- Joints: angle, velocity and present target of the joints that the learner moves.
- What was done last.
- Target: the one-hot code.
- Eyes: both pictures of 32 x 32 pixels, as six channels.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.bones import JOINT_NAMES
from puzzlebox.infant.envs.perception import taxels_of
from puzzlebox.infant.senses.taxels import spread_taxels
from puzzlebox.infant.sound.rate import FRAME, SAMPLE_RATE
from puzzlebox.infant.tasks.settings import Settings

Vector = NDArray[np.float32]
BANDS, FRAMES = 12, 3
_LOWEST, _HIGHEST, _FLOOR = 300.0, 16_000.0, 1e-10


@cache
def _edges() -> NDArray[np.intp]:
    """Return the first bin of each band of the spectrum of a frame, and the bin after the last."""
    hertz = np.geomspace(_LOWEST, _HIGHEST, BANDS + 1)
    return np.rint(hertz * FRAME / SAMPLE_RATE).astype(np.intp)


def hear(wave: NDArray[np.float32]) -> Vector:
    """Return the bands of a frame of two ears (2 x 2,940): 12 means of both ears, then 12 times left minus right."""
    if not wave.any():
        return np.repeat(np.float32((np.log10(_FLOOR), 0.0)), BANDS)
    edges = _edges()
    power = np.abs(np.fft.rfft(wave, axis=1)[:, : edges[-1]]) ** 2
    bands = np.add.reduceat(power, edges[:-1], axis=1) / np.diff(edges) / FRAME
    left, right = np.log10(bands + _FLOOR)
    return np.concatenate(((left + right) / 2, left - right)).astype(np.float32)


class Touch:
    """Pools the taxels of hands by their bones."""

    def __init__(self, settings: Settings) -> None:
        bone = spread_taxels(settings.taxels).bone[taxels_of(settings)]
        self._order = np.argsort(bone, kind="stable")
        self.bones, self._starts, self._counts = np.unique(bone[self._order], return_index=True, return_counts=True)

    def feel(self, skin: Vector) -> Vector:
        """Return the strongest taxel of each bone, then the mean of each."""
        ordered = skin[self._order]
        return np.concatenate(
            (np.maximum.reduceat(ordered, self._starts), np.add.reduceat(ordered, self._starts) / self._counts)
        ).astype(np.float32)


def joint_rows(names: tuple[str, ...]) -> NDArray[np.intp]:
    """Return where the angles of some joints, then their velocities, are in the sense `joints`."""
    rows = np.array([JOINT_NAMES.index(name) for name in names])
    return np.concatenate((rows, rows + len(JOINT_NAMES)))


class Features:
    """Turns the observations of one child into a vector; it remembers the last frames of its ears.

    Attributes:
        size: the length of the vector.
    """

    def __init__(self, settings: Settings, actions: int, joints: tuple[str, ...], targets: int) -> None:
        chosen = settings.chosen_senses
        self._touch = Touch(settings) if "skin" in chosen else None
        self._rows = joint_rows(joints) if "joints" in chosen else None
        self._frames = np.zeros((FRAMES, 2 * BANDS), np.float32) if "ears" in chosen else None
        self.size = actions + targets * ("target" in chosen)
        self.size += 0 if self._frames is None else self._frames.size
        self.size += 0 if self._touch is None else 2 * len(self._touch.bones)
        self.size += 0 if self._rows is None else len(self._rows)

    def of(self, observation: dict[str, NDArray[Any]], done: NDArray[Any], *, first: bool) -> Vector:
        """Return the vector of an observation.

        Args:
            observation: that of one child.
            done: its last action; for joints, their present targets.
            first: whether an episode begins.
        """
        parts: list[Any] = [done]
        if self._rows is not None:
            parts.append(observation["joints"][self._rows])
        if self._touch is not None:
            parts.append(self._touch.feel(observation["skin"]))
        if self._frames is not None:
            heard = hear(observation["ears"])
            self._frames[:-1] = heard if first else self._frames[1:].copy()
            self._frames[-1] = heard
            parts.append(self._frames.reshape(-1))
        if "target" in observation:
            parts.append(observation["target"])
        return np.concatenate(parts).astype(np.float32)
