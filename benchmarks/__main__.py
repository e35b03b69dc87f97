"""Run every benchmark: `make bench`, or `python -m benchmarks NAME...` for some of them."""

import json
import platform
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import camera, help_time, reading, refusing, slopes, world
from benchmarks.measure import Result

BENCHMARKS = {
    "world": world.run,
    "camera": camera.run,
    "reading": reading.run,
    "refusing": refusing.run,
    "help": help_time.run,
    "slopes": slopes.run,
}
RESULTS = Path(__file__).parent / "results" / "latest.json"


def main() -> None:
    """Run, show, store."""
    asked = sys.argv[1:] or list(BENCHMARKS)
    unknown = [name for name in asked if name not in BENCHMARKS]
    if unknown:
        sys.exit(f"there is no benchmark {unknown[0]}; there are {', '.join(BENCHMARKS)}")
    results: list[Result] = []
    for name in asked:
        print(f"running {name} ...", file=sys.stderr)
        results += BENCHMARKS[name]()
    table = Table(
        "what", "measured", "goal", "peer in the same run", "ratio to peer", title=platform.processor() or None
    )
    for result in results:
        ratio = f"{result.measured / result.peer:.2f}" if result.peer else ""
        peer = f"{result.peer:.4g} {result.unit} ({result.peer_name})" if result.peer else ""
        table.add_row(result.what, f"{result.measured:.4g} {result.unit}", result.goal, peer, ratio)
    Console(width=None if sys.stdout.isatty() else 140).print(table)
    RESULTS.parent.mkdir(exist_ok=True)
    data = {
        "time": time.strftime("%Y-%m-%dT%H:%M:%S"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "results": [vars(result) for result in results],
    }
    RESULTS.write_text(json.dumps(data, indent=1) + "\n")


main()
