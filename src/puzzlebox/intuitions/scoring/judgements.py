"""Files of judgements: written as a table, one line a pair, and read again."""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from puzzlebox.csv_cells import escape_cell
from puzzlebox.intuitions.catalogue import TASKS
from puzzlebox.intuitions.scoring.observer import READ_OUTS
from puzzlebox.intuitions.scoring.pairs import Judgement

_COLUMNS = (
    "observer",
    "run",
    "task",
    "kind",
    "number",
    *(f"{m}_{r}" for m in ("expected", "unexpected") for r in READ_OUTS),
)


def write_judgements(path: Path, observers: Iterable[tuple[str, int, Iterable[Judgement]]]) -> None:
    """Write judgements as a table: one line a pair, with the name of the observer and the number of its run."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_COLUMNS)
        for name, run, judgements in observers:
            for each in judgements:
                values = [
                    repr(member[read_out]) for member in (each.expected, each.unexpected) for read_out in READ_OUTS
                ]
                writer.writerow([escape_cell(name), run, each.task, each.kind, each.number, *values])


def read_judgements(path: Path) -> dict[str, list[list[Judgement]]]:
    """Read judgements: for each observer a list of its runs.

    Raises:
        ValueError: the file is no table of judgements, or a line of it is wrong.
    """
    found: dict[str, dict[int, list[Judgement]]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != _COLUMNS:
            raise ValueError(f"{path} is no table of judgements; its first line must be {','.join(_COLUMNS)}")
        for line, row in enumerate(reader, 2):
            try:
                judgement = _judgement(row)
                run = int(row["run"])
            except (TypeError, ValueError, KeyError) as problem:
                raise ValueError(f"{path}, line {line}: {problem}") from None
            found.setdefault(row["observer"], {}).setdefault(run, []).append(judgement)
    return {name: [runs[run] for run in sorted(runs)] for name, runs in found.items()}


def _judgement(row: dict[str, Any]) -> Judgement:
    if row["task"] not in TASKS:
        raise ValueError(f"there is no task {row['task']!r}")
    members = [{name: float(row[f"{member}_{name}"]) for name in READ_OUTS} for member in ("expected", "unexpected")]
    return Judgement(row["task"], row["kind"], int(row["number"]), *members)
