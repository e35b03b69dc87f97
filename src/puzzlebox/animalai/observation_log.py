"""The log that the original's program writes, `ObservationLogs/Observations_<time>.csv`, on request."""

from datetime import datetime
from io import StringIO
from os import PathLike
from pathlib import Path
from typing import Any

from puzzlebox.animalai.log_rows import COLUMNS, log
from puzzlebox.arena.senses.rays import Rays
from puzzlebox.arena.world import Record
from puzzlebox.csv_cells import CellWriter


class ObservationLog:
    """Writes episodes to a file, which is created with the first one.

    Args:
        folder: the parent of the folder `ObservationLogs`.
        rays: the rays of the ray column. Default: those of the original's own recorded runs.
    """

    def __init__(self, folder: "str | PathLike[str]", rays: Rays | None = None) -> None:
        self._folder, self._rays = Path(folder), rays
        self._path: Path | None = None
        self._episodes = 0

    def __deepcopy__(self, memo: dict[int, Any]) -> "ObservationLog":
        """Return a log with its own file, since rows of two environments in one file would be mixed up."""
        return ObservationLog(self._folder, self._rays)

    def write(self, record: Record) -> None:
        """Replay an episode and add its rows; an episode without actions is skipped."""
        if not record.actions:
            return
        if self._path is None:
            self._path = self._new_file()
        self._episodes += 1
        rows, positive, before = StringIO(), 0, 0
        writer = CellWriter(rows)
        for world, row in log(record, self._episodes, rays=self._rays):
            writer.writerow(row)
            now = world.animals[0].collected  # starts from 0 in each arena of a merged episode
            positive += now - before if now >= before else now
            before = now
        rows.write(f"Positive Goals Collected: {positive}\n")
        with self._path.open("a", newline="", encoding="utf-8") as file:
            file.write(rows.getvalue())

    def _new_file(self) -> Path:
        """Create the file with its header, named after the time; add a number if that name is taken."""
        folder = self._folder / "ObservationLogs"
        folder.mkdir(parents=True, exist_ok=True)
        stem, number = f"Observations_{datetime.now():%d-%m-%y_%H%M%S}", 1
        while True:
            path = folder / (f"{stem}.csv" if number == 1 else f"{stem}_{number}.csv")
            try:
                with path.open("x", newline="", encoding="utf-8") as file:
                    file.write(",".join(COLUMNS) + "\n")
            except FileExistsError:
                number += 1
            else:
                return path
