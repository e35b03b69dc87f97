"""A message as bytes, read as values."""

import struct
from typing import Any


class IncomingMessage:
    """Reads values in the order they were written; at the end of the bytes, it returns the defaults."""

    def __init__(self, buffer: bytes | bytearray, offset: int = 0) -> None:
        self.buffer = bytes(buffer)
        self.offset = offset

    def _read(self, form: str, default: Any) -> Any:
        if self.offset >= len(self.buffer):
            return default
        (value,) = struct.unpack_from(form, self.buffer, self.offset)
        self.offset += struct.calcsize(form)
        return value

    def read_bool(self, default_value: bool = False) -> bool:
        """Read True or False."""
        return bool(self._read("<?", default_value))

    def read_int32(self, default_value: int = 0) -> int:
        """Read a whole number."""
        return int(self._read("<i", default_value))

    def read_float32(self, default_value: float = 0.0) -> float:
        """Read a number."""
        return float(self._read("<f", default_value))

    def read_float32_list(self, default_value: list[float] | None = None) -> list[float]:
        """Read a list of numbers."""
        count = self._read("<i", None)
        return (default_value or []) if count is None else [self.read_float32() for _ in range(count)]

    def read_string(self, default_value: str = "") -> str:
        """Read a text."""
        count = self._read("<i", None)
        return default_value if count is None else str(self._read(f"{count}s", b"").decode())

    def get_raw_bytes(self) -> bytes:
        """Return the whole message."""
        return self.buffer
