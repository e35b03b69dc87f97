"""The tables of a built level: CSV files that are written by a build and never by hand."""

import csv
from collections.abc import Collection
from pathlib import Path

from puzzlebox.batteries.testbed import broken


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
            rows = list(reader)
    except (UnicodeDecodeError, csv.Error):
        raise broken(f"{path} is damaged") from None
    # A row that is too long has its rest under the name None.
    if not {*columns} <= {*(reader.fieldnames or ())} or not all(None not in row and all(row.values()) for row in rows):
        raise broken(f"{path} is damaged")
    return rows
