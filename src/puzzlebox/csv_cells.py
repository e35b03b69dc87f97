"""CSV files whose cells no spreadsheet takes for formulas, and that are read back exactly.

A spreadsheet runs a cell that begins with `=`, `+`, `-`, `@`, a tab or a line break. Texts that begin so get an
apostrophe in front; numbers stay numbers. A text that already has apostrophes in front of such a character gets one
more, so that removing one always restores the text.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any

# Apostrophes, then a character that may begin a formula, full-width forms included.
_RISKY = re.compile("'*[=+\\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|[-+]?(inf|nan)", re.ASCII)


def escape_cell(value: Any) -> Any:
    """Return the cell for a value: a text that a spreadsheet would run gets an apostrophe in front."""
    if isinstance(value, str) and _RISKY.match(value) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def unescape_cell(text: str) -> str:
    """Return the text from which `escape_cell` made a cell."""
    return text[1:] if text.startswith("'") and _RISKY.match(text) else text


class CellWriter:
    """A writer of CSV files (RFC 4180, lines end in a newline) with escaped cells."""

    def __init__(self, file: IO[str]) -> None:
        self._writer = csv.writer(file, lineterminator="\n")
        # Python quotes only the line ends it writes itself, but every reader takes a carriage return for a line end.
        self._quoting_writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)

    def writerow(self, row: Iterable[Any]) -> None:
        """Write a row; None is an empty cell."""
        cells = [escape_cell(value) for value in row]
        returns = any(isinstance(cell, str) and "\r" in cell for cell in cells)
        (self._quoting_writer if returns else self._writer).writerow(cells)

    def writerows(self, rows: Iterable[Iterable[Any]]) -> None:
        """Write rows."""
        for row in rows:
            self.writerow(row)


class CellReader:
    """A reader of the files of CellWriter, or of any other CSV file, as mappings from column names to texts.

    Attributes:
        fieldnames: the names of the columns; none if the file is empty.
    """

    def __init__(self, file: IO[str]) -> None:
        self._rows = csv.DictReader(file)
        if self._rows.fieldnames is not None:
            self._rows.fieldnames = [unescape_cell(name) for name in self._rows.fieldnames]
        self.fieldnames: Sequence[str] = self._rows.fieldnames or ()

    def __iter__(self) -> Iterator[dict[Any, Any]]:
        for row in self._rows:
            yield {key: unescape_cell(value) if isinstance(value, str) else value for key, value in row.items()}
