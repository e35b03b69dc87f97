"""CSV files whose cells no spreadsheet takes for a formula, and that are read back exactly as they were.

A spreadsheet runs a cell that begins with `=`, `+`, `-`, `@`, a tab or a line break. Names, titles and whatever else
people can write get an apostrophe in front where they begin so; numbers stay numbers. A text that had apostrophes in
front of such a letter already gets one more, so that taking one away always gives the text back.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any

# Apostrophes, then what a spreadsheet may take for the beginning of a formula; also as wide letters.
_RISKY = re.compile("'*[=+\\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|[-+]?(inf|nan)", re.ASCII)


def neutral(value: Any) -> Any:
    """What is written for a value: the same, or a text with an apostrophe in front where a spreadsheet would run it."""
    if isinstance(value, str) and _RISKY.match(value) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def original(text: str) -> str:
    """The text that `neutral` was given."""
    return text[1:] if text.startswith("'") and _RISKY.match(text) else text


class CellWriter:
    """Writes rows of a CSV file (RFC 4180, lines end in a newline) with neutral cells."""

    def __init__(self, file: IO[str]) -> None:
        self._writer = csv.writer(file, lineterminator="\n")
        # Python quotes only the line ends that it writes itself, but every reader takes a carriage return for one.
        self._quoting_writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)

    def writerow(self, row: Iterable[Any]) -> None:
        """Write a row; None is an empty cell."""
        cells = [neutral(value) for value in row]
        returns = any(isinstance(cell, str) and "\r" in cell for cell in cells)
        (self._quoting_writer if returns else self._writer).writerow(cells)

    def writerows(self, rows: Iterable[Iterable[Any]]) -> None:
        """Write rows."""
        for row in rows:
            self.writerow(row)


class CellReader:
    """Reads what a CellWriter wrote, or any other CSV file, as mappings from the names of columns to texts.

    Attributes:
        fieldnames: the names of the columns; none where the file is empty.
    """

    def __init__(self, file: IO[str]) -> None:
        self._rows = csv.DictReader(file)
        if self._rows.fieldnames is not None:
            self._rows.fieldnames = [original(name) for name in self._rows.fieldnames]
        self.fieldnames: Sequence[str] = self._rows.fieldnames or ()

    def __iter__(self) -> Iterator[dict[Any, Any]]:
        for row in self._rows:
            yield {key: original(value) if isinstance(value, str) else value for key, value in row.items()}
