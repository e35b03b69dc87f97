"""The table of episodes: one row for each, the same columns for every agent, for people, and for every wing."""

from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from puzzlebox.record.entries import FILE, HUMAN
from puzzlebox.record.episode import EPISODES, TABLE, Episode
from puzzlebox.record.measures import with_events
from puzzlebox.record.sheets import CsvSheet, ParquetSheet, Sheet
from puzzlebox.record.store import Store, StoreError
from puzzlebox.wings import wing_named


def write_table(folder: Path, episodes: Sequence[Episode]) -> list[Path]:
    """Write the table as CSV, and as Parquet where pyarrow is installed; each file appears once it is complete."""
    path = folder / f"{TABLE}.csv"
    sheets: list[tuple[Path, Sheet]] = [(path, CsvSheet(path, [column.name for column in EPISODES]))]
    if find_spec("pyarrow") is not None:
        path = folder / f"{TABLE}.parquet"
        sheets.append((path, ParquetSheet(path, EPISODES)))
    rows = [episode.row() for episode in episodes]
    for _, sheet in sheets:
        sheet.write(rows)
        sheet.close()
    return [path for path, _ in sheets]


def recorded_episodes(
    store: Store, episodes: Sequence[Episode], run: str = "recordings", left_out: list[str] | None = None
) -> list[Episode]:
    """Recorded episodes that are over, with their events, levels and repetitions, so that they stand beside runs.

    Args:
        store: where they are.
        episodes: which.
        run: what the table calls them.
        left_out: gets a sentence about each episode that is damaged, which is then left out. Default: it raises.
    """
    found: list[Episode] = []
    seen: dict[tuple[str, int, str | None, str | None], int] = {}
    for each in episodes:
        if not each.finished:
            continue
        try:
            store.require_whole(each)
            store.task_text(each.id)
            whole = with_events(each, store.events(each.id))
        except StoreError as problem:
            if left_out is None:
                raise
            left_out.append(str(problem))
            continue
        name, task = each.task.removeprefix(FILE) or each.title, store.task(each)
        # A later version may have written what this one cannot read.
        level, variant = ("", "") if task is None else wing_named(each.wing).classify(name, task)[2:]
        place = (each.task_hash, each.arena, each.agent or HUMAN, each.participant)
        seen[place] = seen.get(place, -1) + 1
        found.append(replace(whole, run=run, task=name, level=level, variant=variant, repetition=seen[place]))
    return found
