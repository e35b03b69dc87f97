"""A cache with a limit in bytes; the value that was not used for longest is removed first."""

from collections import OrderedDict
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class BoundedCache(Generic[Key, Value]):
    """Values by key, up to a total size; the least recently used are removed first.

    Args:
        max_bytes: the size of all values together. A single value that is larger is not stored.

    Attributes:
        total_bytes: the size of the values stored now, as given to `put`.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes, self.total_bytes = max_bytes, 0
        self._values: OrderedDict[Key, tuple[int, Value]] = OrderedDict()

    def __len__(self) -> int:
        """Return the number of values stored."""
        return len(self._values)

    def get(self, key: Key) -> Value | None:
        """Return the value of a key, or None if it is not stored (any more)."""
        if key not in self._values:
            return None
        self._values.move_to_end(key)
        return self._values[key][1]

    def put(self, key: Key, value: Value, size: int) -> None:
        """Store a value of `size` bytes, and remove the least recently used ones if the limit requires it."""
        self.total_bytes -= self._values.pop(key, (0, None))[0]
        if size > self._max_bytes:
            return
        self.total_bytes += size
        self._values[key] = (size, value)
        while self.total_bytes > self._max_bytes:
            _, (removed, _) = self._values.popitem(last=False)
            self.total_bytes -= removed
