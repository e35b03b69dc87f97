"""How things are timed: the best of several runs, so that other work on the machine counts least."""

import os
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


def best_microseconds(action: Callable[[], object], count: int, repeats: int = 5) -> float:
    """Microseconds of one call, in the quickest of several runs of so many calls."""

    def calls() -> None:
        for _ in range(count):
            action()

    return best_seconds(calls, repeats) / count * 1e6


class Others:
    """How many cores other processes kept busy since this was made; None where the system does not tell."""

    def __init__(self) -> None:
        self._start = self._read()

    @staticmethod
    def _read() -> tuple[float, float, float] | None:
        """Now; seconds all processes have worked; seconds this one and those it has waited for have."""
        try:
            with open("/proc/stat", encoding="ascii") as file:
                user, nice, system, _, _, interrupts, soft, steal = map(int, file.readline().split()[1:9])
        except (OSError, ValueError):
            return None
        worked = (user + nice + system + interrupts + soft + steal) / os.sysconf("SC_CLK_TCK")
        return time.perf_counter(), worked, sum(os.times()[:4])

    def cores(self) -> float | None:
        """On average."""
        now = self._read()
        if now is None or self._start is None:
            return None
        passed, worked, own = (after - before for after, before in zip(now, self._start, strict=True))
        return max(0.0, (worked - own) / passed)
