"""`demands`: what each task of the testbed demands, as a table beside its manifest."""

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from puzzlebox.arena.demands import DIMENSIONS
from puzzlebox.arena.demands import demands as read_off
from puzzlebox.arena.schema import load_task
from puzzlebox.arena.testbed.demands import DEMANDS, read_demands
from puzzlebox.arena.testbed.manifest import read_manifest

# Digits after the point; more would only differ between processors.
_DIGITS = 4


def write_demands(folders: Iterable[Path], fresh: bool = False) -> None:
    """Write the table of each level; tasks that are in it with the same text are only read again if `fresh`."""
    names = [column.name for column in DIMENSIONS]
    for folder in folders:
        known = read_demands(folder)
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["id", "task_hash", *names])
        for name, entry in read_manifest(folder).items():
            found, demands = known.get(name, ("", {}))
            if fresh or found != entry.task_hash or list(demands) != names:
                measured = read_off(load_task(name))
                demands = {each: round(measured[each], _DIGITS) + 0.0 for each in names}
            writer.writerow([name, entry.task_hash, *(f"{demands[each]:g}" for each in names)])
        (folder / DEMANDS).write_text(text.getvalue(), encoding="utf-8")
