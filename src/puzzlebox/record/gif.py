"""A writer of animated GIF files that needs no package besides numpy."""

import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

# The number of colours of one picture, and the palette index that means "unchanged".
_COLOURS, _SAME = 255, 255
# Bits kept of each channel when colours are counted.
_BITS = 5
# Bits of the longest LZW code that GIF allows.
_LONGEST_CODE = 12


class GifFile:
    """A GIF that is written picture by picture.

    Each picture has its own palette of 255 colours; pixels that have not changed are transparent.

    Args:
        path: the file.
        size: width and height in pixels.
        fps: pictures a second; the delay is rounded to hundredths of a second, the unit of GIF.
    """

    def __init__(self, path: Path, size: tuple[int, int], fps: float) -> None:
        self._file = path.open("wb")
        self._delay = max(2, round(100 / fps))
        self._before: Image | None = None
        # A header without a global palette, then the block that makes players repeat the film for ever.
        self._file.write(b"GIF89a" + struct.pack("<HHBBB", *size, 0x70, 0, 0))
        self._file.write(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")

    def add(self, image: Image) -> None:
        """Append a picture."""
        height, width, _ = image.shape
        palette, indices = quantize(image)
        if self._before is not None:
            same = np.all(image == self._before, axis=2)
            indices = np.where(same, np.uint8(_SAME), indices)
        self._before = image
        head = struct.pack("<BBBBHBB", 0x21, 0xF9, 4, 0x05, self._delay, _SAME, 0)
        place = struct.pack("<BHHHHB", 0x2C, 0, 0, width, height, 0x87)
        self._file.write(head + place + palette.tobytes() + _blocks(compress(indices.tobytes())))

    def close(self) -> None:
        """Write the end of the file and close it."""
        self._file.write(b"\x3b")
        self._file.close()

    def abandon(self) -> None:
        """Close the file, which stays incomplete."""
        self._file.close()


def quantize(image: Image) -> tuple[Image, Image]:
    """Reduce a picture to 255 colours by median cut.

    Returns:
        A palette of 256 colours, the last one unused, and the index of each pixel's colour in it.
    """
    coarse = (image >> (8 - _BITS)).astype(np.int32)
    keys = (coarse[..., 0] << 2 * _BITS) | (coarse[..., 1] << _BITS) | coarse[..., 2]
    unique, counts = np.unique(keys, return_counts=True)
    mask = (1 << _BITS) - 1
    colours = np.stack((unique >> 2 * _BITS, (unique >> _BITS) & mask, unique & mask), axis=1)
    boxes = [np.arange(len(unique))]
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
        number[unique[box]] = index
    indices = number[keys]
    # A colour of the palette is the mean of the pixels it replaces.
    flat, palette = indices.reshape(-1), np.zeros((256, 3), np.uint8)
    shares = np.maximum(np.bincount(flat, minlength=256), 1)
    for channel in range(3):
        sums = np.bincount(flat, weights=image[..., channel].reshape(-1), minlength=256)
        palette[:, channel] = np.rint(sums / shares)
    return palette, indices


def _width(colours: NDArray[np.int32], counts: NDArray[np.int64], box: NDArray[np.int64]) -> float:
    """Return the priority of a box for being cut: its width times the square root of its pixels."""
    if len(box) < 2:
        return 0.0
    return float(np.ptp(colours[box], axis=0).max() * np.sqrt(counts[box].sum()))


def compress(data: bytes) -> bytes:
    """Compress bytes by LZW with codes of growing length, as GIF requires."""
    clear, end = 256, 257
    first = {bytes((value,)): value for value in range(256)}
    table, following, bits = dict(first), end + 1, 9
    # Codes are collected in one integer, the first in its lowest bits, and written out when it has over 512 bits.
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
    """Split data into sub-blocks of at most 255 bytes, as GIF requires."""
    pieces = (data[start : start + 255] for start in range(0, len(data), 255))
    return b"\x08" + b"".join(bytes((len(piece),)) + piece for piece in pieces) + b"\x00"
