"""Moving pictures as GIF files, in the few lines that takes: any player shows them, and no package is needed."""

import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

# Colours of one picture, and the number that stands for "as before".
_COLOURS, _SAME = 255, 255
# Bits of a channel when colours are counted.
_BITS = 5
_LONGEST_CODE = 12


class GifFile:
    """A GIF that is written picture by picture.

    Each has the 255 colours that suit it best, and leaves out what has not changed.

    Args:
        path: the file.
        size: width and height.
        fps: pictures a second; GIF counts in hundredths of a second, so the nearest number of them is taken.
    """

    def __init__(self, path: Path, size: tuple[int, int], fps: float) -> None:
        self._file = path.open("wb")
        self._delay = max(2, round(100 / fps))
        self._before: Image | None = None
        # No colours for all; then the block by which players repeat it for ever.
        self._file.write(b"GIF89a" + struct.pack("<HHBBB", *size, 0x70, 0, 0))
        self._file.write(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")

    def add(self, image: Image) -> None:
        """One more picture."""
        height, width, _ = image.shape
        palette, indices = quantized(image)
        if self._before is not None:
            same = np.all(image == self._before, axis=2)
            indices = np.where(same, np.uint8(_SAME), indices)
        self._before = image
        head = struct.pack("<BBBBHBB", 0x21, 0xF9, 4, 0x05, self._delay, _SAME, 0)
        place = struct.pack("<BHHHHB", 0x2C, 0, 0, width, height, 0x87)
        self._file.write(head + place + palette.tobytes() + _blocks(packed(indices.tobytes())))

    def close(self) -> None:
        """It is complete."""
        self._file.write(b"\x3b")
        self._file.close()

    def abandon(self) -> None:
        """It will never be."""
        self._file.close()


def quantized(image: Image) -> tuple[Image, Image]:
    """A palette of 256 colours for a picture, the last unused, and the picture in its numbers: by median cut."""
    coarse = (image >> (8 - _BITS)).astype(np.int32)
    keys = (coarse[..., 0] << 2 * _BITS) | (coarse[..., 1] << _BITS) | coarse[..., 2]
    found, counts = np.unique(keys, return_counts=True)
    mask = (1 << _BITS) - 1
    colours = np.stack((found >> 2 * _BITS, (found >> _BITS) & mask, found & mask), axis=1)
    boxes = [np.arange(len(found))]
    widths = [_width(colours, counts, boxes[0])]
    while len(boxes) < _COLOURS:
        widest = int(np.argmax(widths))
        if widths[widest] <= 0:
            break
        box = boxes[widest]
        channel = int(np.argmax(np.ptp(colours[box], axis=0)))
        box = box[np.argsort(colours[box, channel], kind="stable")]
        below = np.cumsum(counts[box])
        cut = int(np.clip(np.searchsorted(below, below[-1] / 2), 1, len(box) - 1))
        boxes[widest], other = box[:cut], box[cut:]
        boxes.append(other)
        widths[widest] = _width(colours, counts, boxes[widest])
        widths.append(_width(colours, counts, other))
    number = np.zeros(1 << 3 * _BITS, np.uint8)
    for index, box in enumerate(boxes):
        number[found[box]] = index
    indices = number[keys]
    # A colour of the palette is the mean of what it stands for.
    flat, palette = indices.reshape(-1), np.zeros((256, 3), np.uint8)
    shares = np.maximum(np.bincount(flat, minlength=256), 1)
    for channel in range(3):
        sums = np.bincount(flat, weights=image[..., channel].reshape(-1), minlength=256)
        palette[:, channel] = np.rint(sums / shares)
    return palette, indices


def _width(colours: NDArray[np.int32], counts: NDArray[np.int64], box: NDArray[np.int64]) -> float:
    """How much a box of colours asks to be cut: it is wide, and much of the picture."""
    if len(box) < 2:
        return 0.0
    return float(np.ptp(colours[box], axis=0).max() * np.sqrt(counts[box].sum()))


def packed(data: bytes) -> bytes:
    """Bytes as codes of growing length (LZW), as GIF has them."""
    clear, end = 256, 257
    first = {bytes((value,)): value for value in range(256)}
    table, following, bits = dict(first), end + 1, 9
    # Codes are gathered in one number, the first in its lowest bits, and handed on when it grows long.
    out, gathered, length = bytearray(), clear, 9
    word = b""
    for value in data:
        longer = word + bytes((value,))
        if longer in table:
            word = longer
            continue
        gathered |= table[word] << length
        length += bits
        table[longer] = following
        following += 1
        if following > 1 << bits:
            if bits < _LONGEST_CODE:
                bits += 1
            else:
                gathered |= clear << length
                length += bits
                table, following, bits = dict(first), end + 1, 9
        word = bytes((value,))
        if length > 512:
            whole = length // 8
            out += (gathered & ((1 << 8 * whole) - 1)).to_bytes(whole, "little")
            gathered >>= 8 * whole
            length -= 8 * whole
    gathered |= table[word] << length
    length += bits
    if following + 1 > 1 << bits and bits < _LONGEST_CODE:
        bits += 1
    gathered |= end << length
    length += bits
    return bytes(out) + gathered.to_bytes((length + 7) // 8, "little")


def _blocks(data: bytes) -> bytes:
    """In pieces of at most 255 bytes, as GIF has them."""
    pieces = (data[start : start + 255] for start in range(0, len(data), 255))
    return b"\x08" + b"".join(bytes((len(piece),)) + piece for piece in pieces) + b"\x00"
