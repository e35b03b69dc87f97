"""Sound files: frames of both ears as a WAV file of 16 bits."""

import wave
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.sound.rate import SAMPLE_RATE

# The integer that stands for 1.
FULL_SCALE = 32_768


def to_integers(samples: Any) -> NDArray[np.int16]:
    """Return samples from -1 to 1 as integers of 16 bits; what is louder is clipped."""
    return np.clip(np.rint(np.asarray(samples, np.float32) * FULL_SCALE), -FULL_SCALE, FULL_SCALE - 1).astype(np.int16)


def write_wav(path: str | Path, samples: Any) -> None:
    """Write a WAV file.

    Args:
        path: the file.
        samples: from -1 to 1: one channel (a row), or channels x samples, the left ear first.

    Raises:
        ValueError: the samples are neither.
    """
    channels = np.atleast_2d(np.asarray(samples, np.float32))
    if channels.ndim != 2 or len(channels) > 2:
        raise ValueError(f"the samples have the shape {channels.shape}; it must be one row, or two for two ears")
    with Path(path).open("wb") as plain, wave.open(plain, "wb") as file:
        file.setnchannels(len(channels))
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE)
        file.writeframes(to_integers(channels).T.astype("<i2").tobytes())
