"""Values as bytes and back: None, bool, int, float, str, bytes, lists, tuples, mappings, NumPy arrays and numbers.

One byte says the kind of a value; lengths have four bytes; everything is little-endian. The bytes of an array are sent
as they are, after its type and shape. Only these kinds exist, so that bytes from a stranger can become nothing else,
and a length is compared with the bytes that are there before anything is allocated.
"""

from math import prod
from struct import Struct, error
from typing import Any

import numpy as np

MOST_DEPTH = 16
# Values in one message: a thousand times those of an observation.
MOST_VALUES = 100_000
_MOST_AXES = 8
_LONGEST_INT = 64
_LENGTH, _FLOAT = Struct("<I"), Struct("<d")
_TYPES = ("|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8")
_DTYPES = tuple(np.dtype(name) for name in _TYPES)
_CODES = {dtype: code for code, dtype in enumerate(_DTYPES)}
_NONE, _FALSE, _TRUE, _INT, _REAL, _STR, _BYTES, _LIST, _TUPLE, _DICT, _ARRAY, _NUMBER = b"NFTifsbltdan"


class EncodingError(ValueError):
    """A value that cannot be sent, or bytes that are no value; the message is one sentence."""


def encode(value: Any) -> bytes:
    """Return a value as bytes.

    Raises:
        EncodingError: it holds something of another kind, or is nested too deeply.
    """
    parts: list[bytes] = []
    _write(value, parts, 0)
    return b"".join(parts)


def _write(value: Any, parts: list[bytes], depth: int) -> None:
    if depth > MOST_DEPTH:
        raise EncodingError(f"a value is nested more than {MOST_DEPTH} levels deep")
    if value is None:
        parts.append(bytes([_NONE]))
    elif isinstance(value, np.ndarray | np.generic):
        _write_array(value, parts)
    elif isinstance(value, bool):
        parts.append(bytes([_TRUE if value else _FALSE]))
    elif isinstance(value, int):
        size = value.bit_length() // 8 + 1
        if size > _LONGEST_INT:
            raise EncodingError(f"a whole number has {size:,} bytes; at most {_LONGEST_INT} can be sent")
        parts.append(bytes([_INT, size]) + value.to_bytes(size, "little", signed=True))
    elif isinstance(value, float):
        parts.append(bytes([_REAL]) + _FLOAT.pack(value))
    elif isinstance(value, str | bytes):
        raw = value.encode("utf-8", "backslashreplace") if isinstance(value, str) else value
        parts += [_head(_STR if isinstance(value, str) else _BYTES, len(raw)), raw]
    elif isinstance(value, list | tuple):
        parts.append(_head(_LIST if isinstance(value, list) else _TUPLE, len(value)))
        for each in value:
            _write(each, parts, depth + 1)
    elif isinstance(value, dict):
        parts.append(_head(_DICT, len(value)))
        for name, each in value.items():
            if not isinstance(name, str):
                raise EncodingError(f"a key is {name!r}; only texts can be keys")
            raw = name.encode("utf-8", "backslashreplace")
            parts += [_LENGTH.pack(len(raw)), raw]
            _write(each, parts, depth + 1)
    else:
        raise EncodingError(f"{type(value).__name__} cannot be sent; plain values and NumPy arrays can")


def _head(kind: int, length: int) -> bytes:
    return bytes([kind]) + _LENGTH.pack(length)


def _write_array(value: Any, parts: list[bytes]) -> None:
    dtype = value.dtype.newbyteorder("<")
    if dtype not in _CODES or value.ndim > _MOST_AXES:
        raise EncodingError(f"an array of {value.dtype} with {value.ndim} axes cannot be sent")
    kind = _ARRAY if isinstance(value, np.ndarray) else _NUMBER
    parts.append(bytes([kind, _CODES[dtype], value.ndim]) + b"".join(_LENGTH.pack(size) for size in value.shape))
    parts.append(np.asarray(value).astype(dtype, order="C", copy=False).tobytes())


def decode(data: bytes | bytearray) -> Any:
    """Return the value that bytes stand for; arrays are new and writable.

    Raises:
        EncodingError: the bytes are no value, or more than one.
    """
    reader = _Reader(data)
    try:
        value = reader.value(0)
    except UnicodeDecodeError:
        raise EncodingError("a text is not UTF-8") from None
    except (IndexError, error):
        raise EncodingError("the message ends in the middle of a value") from None
    if reader.at != len(data):
        raise EncodingError(f"{len(data) - reader.at:,} bytes follow the end of the value")
    return value


class _Reader:
    """Reads values from bytes, from the first to the last."""

    def __init__(self, data: bytes | bytearray) -> None:
        self.data, self.at, self._values = memoryview(data), 0, 0

    def value(self, depth: int) -> Any:
        self._values += 1
        if depth > MOST_DEPTH:
            raise EncodingError(f"a value is nested more than {MOST_DEPTH} levels deep")
        if self._values > MOST_VALUES:
            raise EncodingError(f"the message has more than {MOST_VALUES:,} values")
        kind = self._byte()
        if kind in (_NONE, _FALSE, _TRUE):
            return {_NONE: None, _FALSE: False, _TRUE: True}[kind]
        if kind == _INT:
            size = self._byte()
            if not 1 <= size <= _LONGEST_INT:
                raise EncodingError(f"a whole number has {size} bytes; it must have 1 to {_LONGEST_INT}")
            return int.from_bytes(self._take(size), "little", signed=True)
        if kind == _REAL:
            return _FLOAT.unpack(self._take(8))[0]
        if kind == _STR:
            return str(self._take(self._length()), "utf-8")
        if kind == _BYTES:
            return bytes(self._take(self._length()))
        if kind in (_LIST, _TUPLE):
            found = [self.value(depth + 1) for _ in range(self._length())]
            return found if kind == _LIST else tuple(found)
        if kind == _DICT:
            return self._mapping(depth)
        if kind in (_ARRAY, _NUMBER):
            return self._array(kind)
        raise EncodingError(f"there is no kind of value {kind}")

    def _byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def _length(self) -> int:
        # Whatever is counted has at least one byte each.
        length: int = _LENGTH.unpack(self._take(4))[0]
        if length > len(self.data) - self.at:
            raise EncodingError(f"a length is {length:,}, but {len(self.data) - self.at:,} bytes are left")
        return length

    def _take(self, size: int) -> memoryview:
        if size > len(self.data) - self.at:
            raise EncodingError("the message ends in the middle of a value")
        self.at += size
        return self.data[self.at - size : self.at]

    def _mapping(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for _ in range(self._length()):
            name = str(self._take(self._length()), "utf-8")
            if name in found:
                raise EncodingError("a mapping has the same key twice")
            found[name] = self.value(depth + 1)
        return found

    def _array(self, kind: int) -> Any:
        code, axes = self._byte(), self._byte()
        if code >= len(_DTYPES) or axes > _MOST_AXES or (kind == _NUMBER and axes):
            raise EncodingError(f"there is no array of type {code} with {axes} axes")
        dtype = _DTYPES[code]
        shape = tuple(_LENGTH.unpack(self._take(4))[0] for _ in range(axes))
        # Also an array without elements has a bound, because NumPy multiplies the lengths of its axes.
        if prod(max(1, size) for size in shape) >= 2**31:
            raise EncodingError("an array is too large")
        raw = self._take(prod(shape) * dtype.itemsize)
        if dtype == np.bool_ and raw.nbytes and max(raw) > 1:
            raise EncodingError("an array of bool has other bytes than 0 and 1")
        array = np.frombuffer(raw, dtype).reshape(shape).copy()
        return array if kind == _ARRAY else array[()]
