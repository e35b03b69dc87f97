"""What is kept because making it takes a while: so many bytes of it, and what was used last stays longest."""

from collections import OrderedDict
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Kept(Generic[Key, Value]):
    """Values by their keys, up to a total size.

    Args:
        most: how many bytes all values together may hold. A single value that is larger is not kept.

    Attributes:
        held: how many bytes they hold now, by what `keep` was told.
    """

    def __init__(self, most: int) -> None:
        self._most, self.held = most, 0
        self._values: OrderedDict[Key, tuple[int, Value]] = OrderedDict()

    def __len__(self) -> int:
        """How many values are kept."""
        return len(self._values)

    def get(self, key: Key) -> Value | None:
        """The value of a key, if it is still kept."""
        if key not in self._values:
            return None
        self._values.move_to_end(key)
        return self._values[key][1]

    def keep(self, key: Key, value: Value, size: int) -> None:
        """Keep a value that holds so many bytes, instead of those that were not used for longest."""
        self.held -= self._values.pop(key, (0, None))[0]
        if size > self._most:
            return
        self.held += size
        self._values[key] = (size, value)
        while self.held > self._most:
            _, (gone, _) = self._values.popitem(last=False)
            self.held -= gone
