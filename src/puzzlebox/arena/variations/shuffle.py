"""Random orders: a shuffled range that is never stored, and disjoint parts of a range."""

from collections.abc import Sequence
from hashlib import blake2b

from puzzlebox.seeds import shuffle_keys, shuffle_rng

# Up to this length a list is shuffled; in longer ranges each number is enciphered on access.
_LONGEST_LIST = 1 << 16
_ROUNDS = 6


class Shuffle(Sequence[int]):
    """The numbers below `count` in an order drawn from a seed; long ranges take no memory.

    A Feistel network maps the numbers of 2 k bits one to one; a result beyond `count` is mapped again.
    """

    def __init__(self, count: int, seed: int | str) -> None:
        self._count = count
        self._list: list[int] | None = None
        if count <= _LONGEST_LIST:
            self._list = list(range(count))
            shuffle_rng(seed).shuffle(self._list)
            self._places: list[int] | None = None
        else:
            self._bits = ((count - 1).bit_length() + 1) // 2
            self._mask = (1 << self._bits) - 1
            self._bytes = (self._bits + 7) // 8
            self._keys = shuffle_keys(seed, _ROUNDS)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: int) -> int:  # type: ignore[override]
        """Return the number at a position."""
        if not 0 <= place < self._count:
            raise IndexError(place)
        if self._list is not None:
            return self._list[place]
        place = self._encipher(place)
        while place >= self._count:
            place = self._encipher(place)
        return place

    def place(self, number: int) -> int:
        """Return the position of a number."""
        if self._list is not None:
            if self._places is None:
                self._places = [0] * self._count
                for place, each in enumerate(self._list):
                    self._places[each] = place
            return self._places[number]
        number = self._decipher(number)
        while number >= self._count:
            number = self._decipher(number)
        return number

    def _mix(self, key: bytes, half: int) -> int:
        data = half.to_bytes(self._bytes, "little")
        return int.from_bytes(blake2b(data, key=key, digest_size=self._bytes).digest(), "little") & self._mask

    def _encipher(self, number: int) -> int:
        left, right = number >> self._bits, number & self._mask
        for key in self._keys:
            left, right = right, left ^ self._mix(key, right)
        return left << self._bits | right

    def _decipher(self, number: int) -> int:
        left, right = number >> self._bits, number & self._mask
        for key in reversed(self._keys):
            left, right = right ^ self._mix(key, left), left
        return left << self._bits | right


def split_range(count: int, fractions: Sequence[float]) -> list[range]:
    """Return a range cut into parts of about the given fractions, rounded so that they cover it."""
    total, start, ranges = 0.0, 0, []
    for fraction in fractions:
        total += fraction
        end = min(count, round(total * count))
        ranges.append(range(start, end))
        start = end
    if ranges and abs(total - 1.0) < 1e-9:
        ranges[-1] = range(ranges[-1].start, count)
    return ranges
