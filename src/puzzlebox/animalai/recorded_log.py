"""Recordings as the original's own log: its 23 columns, one row per physics step (docs/original/playing.md#log)."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from puzzlebox.animalai.log_rows import COLUMNS, log
from puzzlebox.csv_cells import CellReader
from puzzlebox.record import Episode, Store, StoreError
from puzzlebox.record.damage import Deleted
from puzzlebox.record.sheets import CsvSheet
from puzzlebox.record.store import NoEpisode

Progress = Callable[[int], None]

INDEX = ("file", "Episode", "episode", "task", "arena", "seed", "player", "agent", "started")
_BATCH = 1000
# Returns that differ by less are equal.
_TOLERANCE = 1e-6


def files(folder: Path, episodes: Sequence[Episode]) -> dict[Path, list[Episode]]:
    """Return the episodes of each file: one file for each task and player, oldest episode first."""
    by_file: dict[Path, list[Episode]] = {}
    for episode in sorted(episodes, key=lambda each: each.started):
        words = (episode.task or "task", episode.agent or episode.player, episode.task_hash[:8])
        name = "_".join(re.sub(r"[^A-Za-z0-9.-]+", "-", word).strip("-.")[:60] for word in words)
        by_file.setdefault(folder / f"Observations_{name}.csv", []).append(episode)
    return by_file


def index_of(folder: Path) -> Path:
    """Return the path of the file that lists which row belongs to which episode."""
    return folder / "Observations_index.csv"


def export(
    store: Store,
    episodes: Sequence[Episode],
    folder: Path,
    progress: Progress | None = None,
    warn: Callable[[str], None] | None = None,
    left_out: list[str] | None = None,
) -> list[Path]:
    """Replay episodes and write their logs, and an index of which episode is where.

    Args:
        store: the recordings.
        episodes: the episodes to write.
        folder: the folder of the logs, created if needed.
        progress: called repeatedly with the number of rows written since the last call.
        warn: called with a sentence for each episode that returns something else than when it was recorded.
        left_out: a sentence is added for each damaged episode, which is omitted. Default: an error is raised.

    Returns:
        The files; none if all episodes are omitted.
    """
    folder.mkdir(parents=True, exist_ok=True)
    index = CsvSheet(index_of(folder), INDEX)
    written = []
    try:
        for path, inside in files(folder, episodes).items():
            sheet = CsvSheet(path, COLUMNS)
            try:
                count = 0
                for episode in inside:
                    try:
                        total = _write(store, episode, count + 1, sheet, progress)
                    except NoEpisode:
                        if left_out is not None:
                            left_out.append(Deleted(episode.id))
                        continue
                    except (StoreError, ValueError) as problem:
                        if left_out is None:
                            raise
                        left_out.append(str(problem))
                        continue
                    count += 1
                    if warn is not None and abs(total - episode.total) > _TOLERANCE:
                        warn(f"episode {episode.id} returned {episode.total} when recorded, and {total} when replayed")
                    about = (episode.id, episode.task, episode.arena + 1, episode.seed)
                    index.write([(path.name, count, *about, episode.player, episode.agent, episode.started)])
                if count:
                    sheet.close()
                    written.append(path)
                else:  # all of its episodes are damaged
                    sheet.abandon()
            except BaseException:
                sheet.abandon()
                raise
        if episodes and not written:
            index.abandon()
            return []
        index.close()
    except BaseException:
        index.abandon()
        raise
    return [*written, index_of(folder)]


def _write(
    store: Store, episode: Episode, count: int, sheet: CsvSheet, progress: Callable[[int], None] | None
) -> float:
    """Write one episode and return its return in the replay."""
    columns = store.steps(episode.id)
    views = dict(zip(columns["step"], columns["view"], strict=True))
    rows: list[list[Any]] = []
    total = 0.0
    for world, row in log(store.record(episode.id), count, views):
        rows.append(row)
        total = world.animals[0].total
        if len(rows) == _BATCH:
            sheet.write(rows)
            if progress is not None:
                progress(_BATCH)
            rows = []
    sheet.write(rows)
    if progress is not None:
        progress(len(rows))
    return total


def read_log(path: Path) -> list[dict[str, str]]:
    """Return the rows of a log, the original's or ours, without the lines between them that are not rows."""
    with path.open(newline="", encoding="utf-8") as file:
        return [row for row in CellReader(file) if (row["Episode"] or "").isdigit()]
