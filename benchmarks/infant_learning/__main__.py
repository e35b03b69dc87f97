"""Run jobs of learning in infant tasks; `python -m benchmarks.infant_learning --help` lists them."""

import argparse
import sys
import time
from pathlib import Path

import benchmarks.infant_learning as package
from benchmarks.infant_learning.jobs import BASELINES, JOBS
from puzzlebox.processes import cores
from puzzlebox.text import closest

RESULTS = Path(__file__).parents[1] / "results" / "infant-learning"
IMAGES = Path(__file__).parents[2] / "docs" / "images"
ALL, TABLE = "all", "table"


def main(arguments: list[str] | None = None) -> None:
    """Do the named jobs."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.infant_learning",
        description=package.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("jobs", nargs="+", metavar="JOB")
    parser.add_argument("--out", type=Path, default=RESULTS, help="the folder of all runs")
    parser.add_argument("--minutes", type=float, default=1e6, help="the most minutes; the same command resumes")
    parser.add_argument("--processes", type=int, default=cores(), help="runs side by side")
    parser.add_argument("--images", type=Path, default=IMAGES, help="where `table` puts its pictures")
    options = parser.parse_args(arguments)
    known = [*JOBS, *BASELINES, ALL, TABLE]
    for name in options.jobs:
        if name not in known:
            sys.exit(f"there is no job {name}; there are {', '.join(known)}{closest(name, known)}")
    names = [name for name in options.jobs if name not in (ALL, TABLE)]
    if ALL in options.jobs:
        names = [*BASELINES, *JOBS]
    if len(names) == 1:
        _one(names[0], options.out, options.minutes)
    elif names:
        from benchmarks.infant_learning.pool import run_all

        states = run_all(names, options.out, options.processes, options.minutes, _note)
        counts = [f"{sum(each.startswith(kind) for each in states.values())} {kind}" for kind in KINDS]
        _note(", ".join(counts))
        for name, state in states.items():
            if state.startswith("failed"):
                _note(f"{name}: {state}")
    if TABLE in options.jobs:
        from benchmarks.infant_learning.pages import draw, table

        print(table(options.out))
        for file in draw(options.out, options.images):
            _note(f"wrote {file}")


KINDS = ("finished", "unfinished", "failed")


def _one(name: str, out: Path, minutes: float) -> None:
    start = time.monotonic()
    if name in BASELINES:
        from benchmarks.infant_learning.baselines import measure

        measure(name, out / name)
        finished = True
    else:
        from benchmarks.infant_learning.learner import train

        finished = train(JOBS[name], out / name, 60 * minutes, _note)
    _note(f"{name}: {'finished' if finished else 'unfinished'} after {time.monotonic() - start:.0f} s")


def _note(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


if __name__ == "__main__":
    main()
