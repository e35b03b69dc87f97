"""Orders by chance: a shuffled range that is never stored, and parts of it that share nothing."""

from collections.abc import Sequence
from hashlib import blake2b

from puzzlebox.seeds import shuffle_keys, shuffle_rng

# Up to here a list is shuffled; beyond, numbers are enciphered one by one.
_SMALL = 1 << 16
_ROUNDS = 6


class Shuffle(Sequence[int]):
    """The numbers below `count` in an order drawn from a seed. Large ones cost no memory.

    A Feistel network is a one-to-one map of the numbers of 2 k bits; those it sends beyond `count` are sent on until
    they come back.
    """

    def __init__(self, count: int, seed: int | str) -> None:
        self._count = count
        self._list: list[int] | None = None
        if count <= _SMALL:
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
        """The number at a place."""
        if not 0 <= place < self._count:
            raise IndexError(place)
        if self._list is not None:
            return self._list[place]
        place = self._enciphered(place)
        while place >= self._count:
            place = self._enciphered(place)
        return place

    def place(self, number: int) -> int:
        """The place of a number."""
        if self._list is not None:
            if self._places is None:
                self._places = [0] * self._count
                for place, each in enumerate(self._list):
                    self._places[each] = place
            return self._places[number]
        number = self._deciphered(number)
        while number >= self._count:
            number = self._deciphered(number)
        return number

    def _mix(self, key: bytes, half: int) -> int:
        data = half.to_bytes(self._bytes, "little")
        return int.from_bytes(blake2b(data, key=key, digest_size=self._bytes).digest(), "little") & self._mask

    def _enciphered(self, number: int) -> int:
        left, right = number >> self._bits, number & self._mask
        for key in self._keys:
            left, right = right, left ^ self._mix(key, right)
        return left << self._bits | right

    def _deciphered(self, number: int) -> int:
        left, right = number >> self._bits, number & self._mask
        for key in reversed(self._keys):
            left, right = right ^ self._mix(key, left), left
        return left << self._bits | right


def shares(count: int, fractions: Sequence[float]) -> list[range]:
    """A range cut into parts of about the given fractions, rounded so that they cover it."""
    total, done, ranges = 0.0, 0, []
    for fraction in fractions:
        total += fraction
        end = min(count, round(total * count))
        ranges.append(range(done, end))
        done = end
    if ranges and abs(total - 1.0) < 1e-9:
        ranges[-1] = range(ranges[-1].start, count)
    return ranges
