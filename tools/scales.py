"""Write `src/puzzlebox/batteries/arena/scales.csv`: the ends of the fixed scale of returns for all bundled tasks.

.venv/bin/puzzlebox run $(.venv/bin/python tools/scales.py --tasks) --agent random --episodes 50 -o build/scales
.venv/bin/python tools/scales.py build/scales
"""

import argparse
import csv
import io
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from puzzlebox.arena.scale import TABLE, best_return
from puzzlebox.arena.schema import load_task
from puzzlebox.batteries import bundled_names
from puzzlebox.record.entries import hash_of
from puzzlebox.report.sources import gather

COLUMNS = ("task", "arena", "task_hash", "random", "episodes", "best")


def table(run: Path) -> str:
    """Return the table as text: the mean return of the random agent in a run, and the best return of each arena."""
    totals = defaultdict(list)
    for row in gather([run]).rows:
        totals[row.task_hash, row.arena].append(row.total)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for name in bundled_names():
        task = load_task(name)
        digest = hash_of(task.text)
        for start in task.starts:
            own, best = totals[digest, start], best_return(task, start)
            if not own:
                print(f"{run} has no episode of {name}, arena {start + 1}", file=sys.stderr)
                continue
            shown = "" if best is None else f"{best:.6g}"
            writer.writerow((name, start + 1, digest, f"{np.mean(own):.6f}", len(own), shown))
    return text.getvalue()


def main() -> None:
    """Print the names of all bundled tasks, or write the table from a run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", nargs="?", type=Path, help="the folder of the run")
    parser.add_argument("--tasks", action="store_true", help="print the names of all bundled tasks")
    options = parser.parse_args()
    if options.tasks or options.run is None:
        print(*bundled_names())
    else:
        TABLE.write_text(table(options.run), encoding="utf-8")


if __name__ == "__main__":
    main()
