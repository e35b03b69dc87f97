"""Benchmarks of speed: `make bench` runs all of them, `python -m benchmarks NAME...` some.

With `--docs`, the tables of docs/concepts/performance.md that have the names of these benchmarks are rewritten.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import (
    camera,
    copies,
    envs,
    excursions,
    help_time,
    infant,
    infant_tasks,
    intuitions,
    learner,
    page,
    peers,
    reading,
    refusing,
    report,
    running,
    slopes,
    soak,
    step,
    studio,
    vary,
    world,
)
from benchmarks.measure import Others, Result
from puzzlebox.arena.envs.speed import machine

BENCHMARKS = {
    "envs": envs.run,
    "step": step.run,
    "peers": peers.run,
    "world": world.run,
    "copies": copies.run,
    "camera": camera.run,
    "reading": reading.run,
    "refusing": refusing.run,
    "help": help_time.run,
    "slopes": slopes.run,
    "excursions": excursions.run,
    "studio": studio.run,
    "page": page.run,
    "vary": vary.run,
    "running": running.run,
    "infant": infant.run,
    "infant_tasks": infant_tasks.run,
    "intuitions": intuitions.run,
    "learner": learner.run,
}
# Run only by name: it takes ten minutes.
ON_REQUEST = {"soak": soak.run}
# Cores that other processes may use before a run counts as disturbed.
_QUIET_CORES = 0.2
RESULTS = Path(__file__).parent / "results" / "latest.json"


def main() -> None:
    """Run the benchmarks named on the command line, print the results and store them."""
    names = [name for name in sys.argv[1:] if name != "--docs"] or list(BENCHMARKS)
    all_benchmarks = BENCHMARKS | ON_REQUEST
    unknown = [name for name in names if name not in all_benchmarks]
    if unknown:
        sys.exit(f"there is no benchmark {unknown[0]}; there are {', '.join([*all_benchmarks, 'calibration'])}")
    about = machine()
    results: dict[str, list[Result]] = {}
    others = Others()
    for name in names:
        print(f"running {name} ...", file=sys.stderr)
        results[name] = all_benchmarks[name]()
    about["others"] = others.cores()
    about["busy"] |= (about["others"] or 0.0) > _QUIET_CORES
    show([result for each in results.values() for result in each], about)
    store(results, about)
    if "--docs" in sys.argv[1:]:
        report.write(results, about)


def show(results: list[Result], about: dict[str, Any]) -> None:
    """Print all results as one table."""
    table = Table(
        "what", "measured", "goal", "peer in the same run", "ratio to peer", title=report.describe_machine(about)
    )
    for result in results:
        table.add_row(*report.cells(result))
    Console(width=None if sys.stdout.isatty() else 160, highlight=False, markup=False).print(table)


def store(results: dict[str, list[Result]], about: dict[str, Any]) -> None:
    """Write all results as JSON."""
    RESULTS.parent.mkdir(exist_ok=True)
    data = {
        "time": time.strftime("%Y-%m-%dT%H:%M:%S"),
        "machine": about,
        "results": [{"benchmark": name, **vars(result)} for name, each in results.items() for result in each],
    }
    RESULTS.write_text(json.dumps(data, indent=1) + "\n")
