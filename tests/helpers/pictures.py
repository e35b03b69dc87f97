"""PNG files: reading those that Puzzlebox writes, and small ones in the place of figures."""

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from puzzlebox.scene.png import png


def pixels_of(data: bytes) -> Any:
    """Return the pixels of a PNG file that `puzzlebox.scene.png` wrote, as height x width x 3 bytes."""
    width, height = struct.unpack(">II", data[16:24])
    length = struct.unpack(">I", data[33:37])[0]
    rows = np.frombuffer(zlib.decompress(data[41 : 41 + length]), np.uint8).reshape(height, -1)
    return rows[:, 1:].reshape(height, width, 3)


@contextmanager
def figures_unpainted() -> Iterator[None]:
    """Write one grey pixel in the place of each figure: painting takes most of the time of a report."""
    from puzzlebox.report.figures import looks

    pixel = png(np.full((1, 1, 3), 128, np.uint8))

    def save(drawing: looks.Drawing, folder: Path) -> tuple[bytes, list[Path]]:
        paths = [folder / f"{drawing.name}.{ending}" for ending in ("png", "pdf")]
        for path in paths:
            path.write_bytes(pixel)
        return pixel, paths

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(looks, "save", save)
        yield
