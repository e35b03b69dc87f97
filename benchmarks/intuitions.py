"""Measure the generation of stimuli: each task by itself, JSON alone, with films, in three dimensions.

The time of 1,000 pairs is extrapolated: a few pairs are written with two processes, and their time is multiplied; the
start of the processes is measured apart and counted once.
"""

import os
import tempfile
import time
from pathlib import Path

from benchmarks.measure import Result, best_microseconds
from puzzlebox.intuitions.catalogue import TASKS
from puzzlebox.intuitions.episodes import make_pair
from puzzlebox.intuitions.episodes.compact import CompactSet
from puzzlebox.intuitions.files.sets import FLAT, NO_FILMS, THREE_D, Options, write_set
from puzzlebox.intuitions.files.writing import stimulus_json
from puzzlebox.intuitions.pictures.flat import FlatPainter

WORKERS = 2
# The task with the most usual films, the one with the longest, and the one whose scenes take the most draws.
USUAL, LONGEST, RAREST = "preference", "instrumental_blocking_barrier", "efficiency_time"
# Pairs from which the time of 1,000 is extrapolated.
TEXTS, FILMS, SOLID_FILMS = 60, 40, 12


def _cost(task: str, episodes: int, films: str) -> tuple[float, float]:
    """Return the seconds that writing some pairs takes, and the seconds of processor time of all processes."""
    with tempfile.TemporaryDirectory() as folder:
        start, busy = time.perf_counter(), sum(os.times()[:4])
        write_set(Path(folder), [TASKS[task]], episodes, Options(seed=1, films=films), WORKERS)
        return time.perf_counter() - start, sum(os.times()[:4]) - busy


def _thousand(what: str, task: str, films: str, episodes: int, goal: str = "") -> list[Result]:
    """Return what 1,000 pairs take: the start of the processes, and the rest in proportion.

    On a machine that is busy with other work, half the processor time says what two free cores would need.
    """
    few, many = _cost(task, WORKERS, films), _cost(task, episodes, films)
    seconds, busy = (
        one + (other - one) / (episodes - WORKERS) * (1000 - WORKERS) for one, other in zip(few, many, strict=True)
    )
    return [
        Result(what, seconds, "s", goal),
        Result(f"{what}: processor time of two processes, half of it", busy / WORKERS, "s", goal),
    ]


def _processor_time(task: str, episodes: int = 50) -> Result:
    """Return the processor time that an episode takes: drawn, and made a text, but not written to the disk."""
    make_pair(task, 0, 2)
    start = time.process_time()
    for number in range(episodes):
        for _, stimulus in make_pair(task, number, 1).members():
            stimulus_json(stimulus)
    seconds = (time.process_time() - start) / episodes
    return Result(f"processor time of an episode of {task}, drawn and made a text", 1000 * seconds, "ms")


def run() -> list[Result]:
    """Measure the generator, its files and its pictures."""
    results = [_processor_time(task) for task in TASKS]
    for task in (USUAL, RAREST, LONGEST):
        frames = sum(make_pair(task, number, 1).expected.frames for number in range(20)) / 20 * 2000
        what = f"1,000 pairs of {task} ({frames / 1e6:.1f} million frames)"
        results += _thousand(f"{what}, JSON, extrapolated from {TEXTS}", task, NO_FILMS, TEXTS, "< 60")
        results += _thousand(f"{what}, JSON and MP4, extrapolated from {FILMS}", task, FLAT, FILMS, "< 600")
    solid = f"1,000 pairs of {USUAL}, JSON and MP4 in three dimensions, extrapolated from {SOLID_FILMS}"
    results += _thousand(solid, USUAL, THREE_D, SOLID_FILMS)
    numbers = iter(range(10**6))
    for task in (USUAL, LONGEST, "background/single_object"):
        microseconds = best_microseconds(lambda task=task: make_pair(task, next(numbers), 1), 20, 3)  # type: ignore[misc]
        results.append(Result(f"generate one episode of {task}", microseconds / 1000, "ms"))
    stimuli = CompactSet.generate("background/single_object", range(20), 1)
    painter, place = FlatPainter(64), iter(range(10**6))
    trials = [trial for stimulus in stimuli for trial in stimulus.trials]

    def paint() -> None:
        number = next(place)
        painter.frame(trials[number // 40 % len(trials)], 25 + number % 40)

    results.append(Result("paint a frame of 64 x 64 pixels", best_microseconds(paint, 1000, 3), "us"))
    return results


if __name__ == "__main__":
    for result in run():
        print(f"{result.what}: {result.measured:.4g} {result.unit} (goal {result.goal or '-'})")
