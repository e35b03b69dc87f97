"""A writer of MP4 films, with or without sound, through PyAV (the extra `video`)."""

from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
# Bits a second of the sound, for both channels.
_SOUND_BITS = 192_000


class Mp4File:
    """An H.264 film that is written picture by picture, a format that all browsers play.

    Args:
        path: the file.
        size: width and height in pixels, both even.
        fps: pictures a second.
        sound_rate: samples a second of a sound of two channels (AAC). Default: the film has no sound.
    """

    def __init__(self, path: Path, size: tuple[int, int], fps: float, sound_rate: int | None = None) -> None:
        try:
            self._av: Any = import_module("av")
        except ImportError:
            raise ModuleNotFoundError("MP4 needs PyAV; `pip install puzzlebox[video]` brings it") from None
        self._container = self._av.open(str(path), "w", format="mp4", options={"movflags": "+faststart"})
        self._stream = self._container.add_stream("libx264", rate=Fraction(fps).limit_denominator(1000))
        self._stream.width, self._stream.height = size
        self._stream.pix_fmt = "yuv420p"
        self._stream.options = {"crf": "20", "preset": "veryfast"}
        self._sound: Any = None
        self._rate, self._samples = sound_rate, 0
        if sound_rate is not None:
            self._sound = self._container.add_stream("aac", rate=sound_rate, layout="stereo")
            self._sound.bit_rate = _SOUND_BITS

    def add(self, image: Image) -> None:
        """Append a picture."""
        frame = self._av.VideoFrame.from_ndarray(image, format="rgb24")
        self._container.mux(self._stream.encode(frame))

    def add_sound(self, samples: NDArray[np.int16]) -> None:
        """Append samples of the sound, 2 x any number of them, the left channel first."""
        packed = np.ascontiguousarray(samples.T).reshape(1, -1)
        frame = self._av.AudioFrame.from_ndarray(packed, format="s16", layout="stereo")
        frame.sample_rate, frame.pts = self._rate, self._samples
        self._samples += samples.shape[1]
        self._container.mux(self._sound.encode(frame))

    def close(self) -> None:
        """Write the end of the file and close it."""
        self._container.mux(self._stream.encode(None))
        if self._sound is not None:
            self._container.mux(self._sound.encode(None))
        self._container.close()

    def abandon(self) -> None:
        """Close the file, which stays incomplete."""
        self._container.close()
