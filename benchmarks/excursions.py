"""Measure how far bodies get beyond the fence and below the ground in random and hard arenas."""

import sys
from pathlib import Path

from benchmarks.measure import Result

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "helpers"))

_STEPS, _SEED = 20_000, 1


def run() -> list[Result]:
    """Print the excursions of each kind of thing; return the deepest and the longest."""
    import excursions

    tally = excursions.run(_STEPS, _SEED, surfaces=True)
    print(tally)
    return [
        Result("deepest excursion", tally.deepest, "m", f"at most {excursions.FAR}"),
        Result("longest excursion", tally.longest, "physics steps", "at most 3"),
        Result("bodies lost", len(tally.lost), "episodes", "0"),
    ]
