"""The tables of a built level: CSV files that are written by a build and never by hand."""

import csv
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TypeVar

from puzzlebox.batteries.testbed import broken

Row = TypeVar("Row")


def read_rows(path: Path, columns: Collection[str], read: Callable[[dict[str, str]], Row]) -> list[Row]:
    """Return what a function makes of each row of a table; nothing if there is no such file.

    Raises:
        OSError: the table is damaged, or the function raised a ValueError for a row.
    """
    found = []
    for number, row in enumerate(read_table(path, columns)):
        try:
            found.append(read(row))
        except ValueError as problem:
            raise broken(f"{path} is damaged: line {number + 2}: {problem}") from None
    return found


def read_table(path: Path, columns: Collection[str]) -> list[dict[str, str]]:
    """Return the rows of a table; none if there is no such file.

    Args:
        path: the file.
        columns: columns that it must have.

    Raises:
        OSError: the table is damaged: it is no text, or a column or a cell is missing.
    """
    if not path.is_file():
        return []
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            names, rows = reader.fieldnames or (), list(reader)
    except (UnicodeDecodeError, csv.Error):
        raise broken(f"{path} is damaged") from None
    # A row that is too long has its rest under the name None.
    if not {*columns} <= {*names} or not all(None not in row and all(row.values()) for row in rows):
        raise broken(f"{path} is damaged")
    return rows
