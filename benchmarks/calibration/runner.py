"""The command `python -m benchmarks calibration`: repeat designs in several processes and print a table."""

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from math import ceil

from benchmarks.calibration import Calibration, Design, Outcome, all_designs
from puzzlebox.text import nearest

# Repetitions that a worker does at a time: few enough that all workers finish at about the same time.
_BATCH = 10
_HEADS = ("design", "quantity", "allowed", "value", "SE", "repetitions")


def main(arguments: Sequence[str]) -> None:
    """Run the designs named on the command line, or all, and print their results as a Markdown table."""
    designs = all_designs()
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks calibration",
        description="Simulate experiments whose truth is known and count how often the pages of reports are right.",
        epilog="Designs: " + "; ".join(f"{design.name} ({design.about})" for design in designs.values()),
    )
    parser.add_argument("designs", nargs="*", metavar="DESIGN", help="the designs to run (default: all)")
    parser.add_argument("--repetitions", type=int, default=500, help="repetitions of each design (default: 500)")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes (default: one per core)")
    parsed = parser.parse_args(arguments)
    for name in parsed.designs:
        if name not in designs:
            sys.exit(f"there is no design {name}{nearest(name, designs)}")
    if parsed.repetitions < 1 or parsed.workers < 1:
        sys.exit("--repetitions and --workers must be at least 1")
    print("| " + " | ".join(_HEADS) + " |\n|" + "---|" * len(_HEADS))
    wrong = 0
    chosen = [designs[name] for name in parsed.designs or designs]
    for result in calibrate(chosen, parsed.repetitions, parsed.workers):
        print("| " + " | ".join(cells(result)) + " |", flush=True)
        wrong += not result.right
    sys.exit(f"{wrong} of {len(chosen)} designs are out of their range" if wrong else 0)


def calibrate(designs: Sequence[Design], repetitions: int, workers: int) -> Iterator[Calibration]:
    """Yield the results of designs, in order; the number of workers has no effect on them."""
    # Several threads of a linear algebra library in each of several processes slow each other down.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    if workers == 1:
        for design in designs:
            start = time.perf_counter()
            outcomes = [design.repetition(number) for number in range(repetitions)]
            _tell(design, start)
            yield Calibration.of(design, outcomes)
        return
    with ProcessPoolExecutor(workers) as pool:
        for design in designs:
            start = time.perf_counter()
            batches = [
                range(index * _BATCH, min(repetitions, (index + 1) * _BATCH))
                for index in range(ceil(repetitions / _BATCH))
            ]
            parts = pool.map(_batch, [design.name] * len(batches), batches)
            outcomes = [outcome for part in parts for outcome in part]
            _tell(design, start)
            yield Calibration.of(design, outcomes)


def cells(result: Calibration) -> tuple[str, ...]:
    """Return the cells of a row of the table, in the order of its headings."""
    low, high = result.design.range
    allowed = f"at most {_decimals(high, 2)}" if low == 0 else f"{_decimals(low, 2)}-{_decimals(high, 2)}"
    if result.design.quantity == "power" and result.design.allowed is None:
        allowed = "any"
    times = f"{result.repetitions:,}"
    if result.answers < result.repetitions:
        times += f" ({result.repetitions - result.answers:,} without an answer)"
    mark = "" if result.right else " (out of range)"
    return (
        result.design.about,
        result.design.quantity,
        allowed,
        f"{_decimals(result.value)}{mark}",
        _decimals(result.error),
        times,
    )


def _decimals(value: float, digits: int = 3) -> str:
    return f"{value:.{digits}f}".removeprefix("0")


def _batch(name: str, numbers: range) -> list[Outcome]:
    design = all_designs()[name]
    return [design.repetition(number) for number in numbers]


def _tell(design: Design, start: float) -> None:
    print(f"{design.name}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
