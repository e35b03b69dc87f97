"""A message of values, written as bytes."""

import struct
from collections.abc import Sequence


class OutgoingMessage:
    """Writes values one after the other.

    Attributes:
        buffer: the bytes so far.
    """

    def __init__(self) -> None:
        self.buffer = bytearray()

    def write_bool(self, b: bool) -> None:
        """Append True or False."""
        self.buffer += struct.pack("<?", b)

    def write_int32(self, i: int) -> None:
        """Append a whole number."""
        self.buffer += struct.pack("<i", i)

    def write_float32(self, f: float) -> None:
        """Append a number."""
        self.buffer += struct.pack("<f", f)

    def write_float32_list(self, float_list: Sequence[float]) -> None:
        """Append a list of numbers."""
        self.buffer += struct.pack(f"<i{len(float_list)}f", len(float_list), *float_list)

    def write_string(self, s: str) -> None:
        """Append a text."""
        text = s.encode()
        self.write_int32(len(text))
        self.buffer += text

    def set_raw_bytes(self, buffer: bytes | bytearray) -> None:
        """Replace the whole message by these bytes."""
        self.buffer = bytearray(buffer)
