"""The random numbers of .NET, in which Unity games are written: Knuth's subtractive generator (TAOCP 3.2.2)."""

_MODULUS = 2**31 - 1
_SEED = 161803398
_LONG, _SHORT = 55, 34
# The stride by which the first table is filled, and how often it is mixed.
_SCATTER, _STIRS = 21, 4


class DotNetRandom:
    """The sequence of numbers that `System.Random(seed).NextDouble()` gives, from 0 to below 1.

    Each is the difference of two earlier ones, modulo 2**31 - 1. Seeds go up to 161,803,398; beyond, .NET's sums
    overflow differently.
    """

    def __init__(self, seed: int) -> None:
        if not 0 <= seed <= _SEED:
            raise ValueError(f"the seed is {seed}; it must be from 0 to {_SEED}")
        late, early = _SEED - seed, 1
        table = [0] * (_LONG + 1)  # counted from 1
        table[_LONG] = late
        for step in range(1, _LONG):
            place = _SCATTER * step % _LONG
            table[place] = early
            late, early = early, (late - early) % _MODULUS
        for _ in range(_STIRS):
            for place in range(1, _LONG + 1):
                table[place] = (table[place] - table[1 + (place + 30) % _LONG]) % _MODULUS
        self._table = table
        self._place, self._other = 0, _LONG - _SHORT

    def next_double(self) -> float:
        """Return the next number."""
        self._place, self._other = self._place % _LONG + 1, self._other % _LONG + 1
        number = (self._table[self._place] - self._table[self._other]) % _MODULUS
        self._table[self._place] = number
        return number / _MODULUS
