"""The files of a built level: the manifest of its tasks, their solutions, and the archive of their texts."""

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, fields
from math import isfinite
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from puzzlebox.arena.testbed.solutions import Solution, actions_from, actions_text
from puzzlebox.arena.testbed.table import read_rows
from puzzlebox.batteries.testbed import ARCHIVE, ENDING, MANIFEST, forget_archives

SOLUTIONS = "solutions.csv"
_SOLUTION_COLUMNS = ("id", "seed", "decisions", "return", "actions")
# The oldest date that an archive can hold: its bytes do not depend on when it was written.
_DATE = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Entry:
    """A task of the manifest.

    Attributes:
        id: its name, such as `testbed/08-13-2`.
        template: the template it was made from.
        number: its number in the template.
        values: the values of all variables, as JSON.
        task_hash: the SHA-256 of its text.
        layout_hash: the SHA-256 of its layout, see `layout_of`.
        made_from: a hash of the template and the row, to see whether it must be made again.
    """

    id: str
    template: str
    number: int
    values: str
    task_hash: str
    layout_hash: str
    made_from: str


_COLUMNS = tuple(field.name for field in fields(Entry))


def values_text(values: Mapping[str, Any]) -> str:
    """Return values as one line of JSON."""
    return json.dumps(values, separators=(",", ":"), default=str)


def read_manifest(folder: Path) -> dict[str, Entry]:
    """Return the tasks of a built level by name; none if it was not built yet."""

    def entry(row: dict[str, str]) -> Entry:
        return Entry(**{**row, "number": int(row["number"])})  # type: ignore[arg-type]

    return {each.id: each for each in read_rows(folder / MANIFEST, _COLUMNS, entry)}


def read_solutions(folder: Path) -> dict[str, list[Solution]]:
    """Return the solutions of the tasks of a built level by the name of the task, each for one seed."""
    solutions: dict[str, list[Solution]] = {}
    for each in read_rows(folder / SOLUTIONS, _SOLUTION_COLUMNS, _solution):
        solutions.setdefault(each.id, []).append(each)
    return solutions


def _solution(row: dict[str, str]) -> Solution:
    actions, total = actions_from(row["actions"]), float(row["return"])
    if len(actions) != int(row["decisions"]):
        raise ValueError(f"{row['id']} has {len(actions)} actions, and should have {row['decisions']}")
    if not isfinite(total):
        raise ValueError(f"the return of {row['id']} is {row['return']}")
    return Solution(row["id"], int(row["seed"]), actions, total)


def write_level(
    folder: Path, entries: Iterable[Entry], solutions: Iterable[Solution], texts: Mapping[str, str]
) -> None:
    """Write manifest, solutions and archive; the bytes depend on their contents alone."""
    _write(folder / MANIFEST, _COLUMNS, (astuple(each) for each in sorted(entries, key=lambda each: each.id)))
    rows = (
        (each.id, each.seed, len(each.actions), f"{each.total:.6g}", actions_text(each.actions))
        for each in sorted(solutions, key=lambda each: (each.id, each.seed))
    )
    _write(folder / SOLUTIONS, _SOLUTION_COLUMNS, rows)
    data = io.BytesIO()
    with ZipFile(data, "w", ZIP_DEFLATED, compresslevel=9) as archive:
        for name, text in sorted(texts.items()):
            info = ZipInfo(f"{name}{ENDING}", _DATE)
            info.compress_type, info.create_system, info.external_attr = ZIP_DEFLATED, 3, 0o644 << 16
            archive.writestr(info, text)
    _replace(folder / ARCHIVE, data.getvalue())
    forget_archives()


def _write(path: Path, columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    _replace(path, text.getvalue().encode())


def _replace(path: Path, data: bytes) -> None:
    """Write a file so that it is whole at any time."""
    temporary = path.with_suffix(f"{path.suffix}.tmp")
    temporary.write_bytes(data)
    os.replace(temporary, path)
