"""Hearing without direction: both ears hear the same, and only distance matters."""

import numpy as np

from puzzlebox.infant import EarsSettings, Infant
from puzzlebox.infant.sound.sources import Noise


def loudness(direction: bool, place: tuple[float, float, float]) -> np.ndarray:
    infant = Infant(skin=False, ears=EarsSettings(direction=direction))
    infant.ears.attach("noise", Noise(level=0.05), at=place)  # type: ignore[union-attr]
    infant.reset(pose="stand")
    return np.sqrt((infant.step()["ears"] ** 2).mean(axis=1))


def test_plain_ears_hear_no_direction() -> None:
    left, right = (loudness(False, (0.05, side, 0.74)) for side in (1.5, -1.5))
    assert left[0] == left[1]
    np.testing.assert_allclose(left, right, rtol=0.02)
    far = loudness(False, (0.05, 3.0, 0.74))
    np.testing.assert_allclose(left / far, 4.0, rtol=0.05)
    real = loudness(True, (0.05, 1.5, 0.74))
    assert real[0] > 1.5 * real[1]
