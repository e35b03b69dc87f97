"""Measure how long it takes to refuse hostile text, in milliseconds."""

from benchmarks.measure import Result, best_seconds
from puzzlebox.arena.schema import read

_LINES = zip("abcdefgh", "bcdefghi", strict=True)
HOSTILE = {
    "400 kB of nested [": "[" * 400_000,
    "400 kB of nested {a: ": "{a: " * 100_000,
    "alias bomb, 10^9 values": "a: &a [1,1,1,1,1,1,1,1,1,1]\n"
    + "".join(f"{name}: &{name} [{','.join(['*' + previous] * 10)}]\n" for previous, name in _LINES),
    "60,000 %TAG lines": "".join(f"%TAG !a{i}! b\n" for i in range(60_000)),
}


def run() -> list[Result]:
    """Return a result for each text."""
    results = []
    for what, text in HOSTILE.items():
        assert read(text).task is None
        results.append(Result(f"refuse {what}", best_seconds(lambda text=text: read(text)) * 1e3, "ms", "< 10"))
    return results
