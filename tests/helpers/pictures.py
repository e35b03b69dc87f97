"""Reading the PNG files that Puzzlebox writes."""

import struct
import zlib
from typing import Any

import numpy as np


def pixels_of(data: bytes) -> Any:
    """Return the pixels of a PNG file that `puzzlebox.scene.png` wrote, as height x width x 3 bytes."""
    width, height = struct.unpack(">II", data[16:24])
    length = struct.unpack(">I", data[33:37])[0]
    rows = np.frombuffer(zlib.decompress(data[41 : 41 + length]), np.uint8).reshape(height, -1)
    return rows[:, 1:].reshape(height, width, 3)
