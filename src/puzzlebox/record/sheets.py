"""Tables written row by row, as CSV or Parquet; a file gets its name once it is complete."""

from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Protocol

from puzzlebox.columns import Column
from puzzlebox.csv_cells import CellWriter

Row = Sequence[Any]


class Sheet(Protocol):
    """A table that rows are written to."""

    def write(self, rows: Sequence[Row]) -> None:
        """Add rows; None is an empty cell."""

    def finish(self) -> None:
        """Write all rows that are still in memory to the temporary file."""

    def close(self) -> None:
        """Finish the table, and rename the temporary file to its final name."""

    def abandon(self) -> None:
        """Delete the temporary file."""


class CsvSheet:
    """A CSV file (RFC 4180, UTF-8); truth values are True and False, and no cell can be read as a formula."""

    def __init__(self, path: Path, header: Sequence[str]) -> None:
        self._path, self._draft = path, _draft(path)
        self._file: IO[str] = self._draft.open("w", newline="", encoding="utf-8")
        self._writer = CellWriter(self._file)
        self._writer.writerow(header)

    def write(self, rows: Sequence[Row]) -> None:
        """Add rows."""
        self._writer.writerows(rows)

    def finish(self) -> None:
        """Write all rows that are still in memory to the temporary file."""
        self._file.close()

    def close(self) -> None:
        """Finish the table, and rename the temporary file to its final name."""
        self.finish()
        self._draft.replace(self._path)

    def abandon(self) -> None:
        """Delete the temporary file."""
        with suppress(OSError):  # on a full disk, rows that are still in memory cannot be written
            self._file.close()
        self._draft.unlink(missing_ok=True)


class ParquetSheet:
    """A Parquet file, written in groups of rows, so that memory use does not grow with its length."""

    _GROUP_ROWS = 65_536

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        try:
            arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
        except ImportError:
            raise ModuleNotFoundError("Parquet needs pyarrow; `pip install puzzlebox[tables]` brings it") from None
        kinds = {
            "text": arrow.string(),
            "whole": arrow.int64(),
            "number": arrow.float64(),
            "truth": arrow.bool_(),
        }
        self._path, self._draft, self._arrow = path, _draft(path), arrow
        self._schema = arrow.schema([(column.name, kinds[column.kind]) for column in columns])
        self._writer = parquet.ParquetWriter(self._draft, self._schema, compression="zstd")
        self._waiting: list[Row] = []

    def write(self, rows: Sequence[Row]) -> None:
        """Add rows."""
        self._waiting += rows
        if len(self._waiting) >= self._GROUP_ROWS:
            self._flush()

    def finish(self) -> None:
        """Write all rows that are still in memory to the temporary file."""
        if self._writer.is_open:
            self._flush()
            self._writer.close()

    def close(self) -> None:
        """Finish the table, and rename the temporary file to its final name."""
        self.finish()
        self._draft.replace(self._path)

    def abandon(self) -> None:
        """Delete the temporary file."""
        with suppress(OSError):  # on a full disk, rows that are still in memory cannot be written
            self._writer.close()
        self._draft.unlink(missing_ok=True)

    def _flush(self) -> None:
        columns = zip(*self._waiting, strict=True) if self._waiting else [()] * len(self._schema)
        arrays = [self._arrow.array(values, kind) for values, kind in zip(columns, self._schema.types, strict=True)]
        self._writer.write_table(self._arrow.Table.from_arrays(arrays, schema=self._schema))
        self._waiting = []


def _draft(path: Path) -> Path:
    return path.with_name(path.name + ".part")
