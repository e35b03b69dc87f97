"""How things are timed: the best of several runs, so that other work on the machine counts least."""

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Result:
    """One line of the table."""

    what: str
    measured: float
    unit: str
    goal: str = ""
    peer: float | None = None
    peer_name: str = ""


def best_seconds(action: Callable[[], object], repeats: int = 5) -> float:
    """Seconds of the quickest of several runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)
