"""Timing: the best of several runs, so that other work on the machine counts least."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Result:
    """A row of the table of results."""

    what: str
    measured: float
    unit: str
    goal: str = ""
    peer: float | None = None
    peer_name: str = ""


Clock = Callable[[], float]


def best_seconds(action: Callable[[], object], repeats: int = 5, clock: Clock = time.perf_counter) -> float:
    """Return the seconds of the fastest of several runs; `time.process_time` counts those of this process alone."""
    times = []
    for _ in range(repeats):
        start = clock()
        action()
        times.append(clock() - start)
    return min(times)


def best_microseconds(
    action: Callable[[], object], count: int, repeats: int = 5, clock: Clock = time.perf_counter
) -> float:
    """Return the microseconds of one call, in the fastest of several runs of `count` calls."""

    def calls() -> None:
        for _ in range(count):
            action()

    return best_seconds(calls, repeats, clock) / count * 1e6


class Others:
    """The number of cores that other processes have kept busy since this object was created."""

    def __init__(self) -> None:
        self._start = self._read()

    @staticmethod
    def _read() -> tuple[float, float, float] | None:
        """Return the time, the CPU seconds of all processes, and those of this one and its ended children."""
        try:
            with open("/proc/stat", encoding="ascii") as file:
                user, nice, system, _, _, interrupts, soft, steal = map(int, file.readline().split()[1:9])
        except (OSError, ValueError):
            return None
        busy = (user + nice + system + interrupts + soft + steal) / os.sysconf("SC_CLK_TCK")
        return time.perf_counter(), busy, sum(os.times()[:4])

    def cores(self) -> float | None:
        """Return the average number of cores; None where the system does not report it."""
        now = self._read()
        if now is None or self._start is None:
            return None
        elapsed, busy, own = (later - earlier for later, earlier in zip(now, self._start, strict=True))
        return max(0.0, (busy - own) / elapsed)
