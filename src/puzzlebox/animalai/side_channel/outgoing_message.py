"""Values as bytes of a message."""

import struct
from collections.abc import Sequence


class OutgoingMessage:
    """Takes values one after the other.

    Attributes:
        buffer: what it is so far.
    """

    def __init__(self) -> None:
        self.buffer = bytearray()

    def write_bool(self, b: bool) -> None:
        """Add True or False."""
        self.buffer += struct.pack("<?", b)

    def write_int32(self, i: int) -> None:
        """Add a whole number."""
        self.buffer += struct.pack("<i", i)

    def write_float32(self, f: float) -> None:
        """Add a number."""
        self.buffer += struct.pack("<f", f)

    def write_float32_list(self, float_list: Sequence[float]) -> None:
        """Add numbers."""
        self.buffer += struct.pack(f"<i{len(float_list)}f", len(float_list), *float_list)

    def write_string(self, s: str) -> None:
        """Add a text."""
        text = s.encode()
        self.write_int32(len(text))
        self.buffer += text

    def set_raw_bytes(self, buffer: bytes | bytearray) -> None:
        """Be these bytes."""
        self.buffer = bytearray(buffer)
