"""The table of episodes, with the same columns for agents and participants; a wing may add some of its own."""

from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from puzzlebox.record.columns import episode_row, factor_columns, final_columns
from puzzlebox.record.database import StoreError
from puzzlebox.record.entries import FILE, HUMAN
from puzzlebox.record.episode import EPISODES, TABLE, Episode
from puzzlebox.record.measures import with_conditions, with_events
from puzzlebox.record.sheets import CsvSheet, ParquetSheet, Sheet
from puzzlebox.record.store import NoEpisode, Store
from puzzlebox.wings import find_wing, wing_named


def write_table(folder: Path, episodes: Sequence[Episode]) -> list[Path]:
    """Write the table of episodes as CSV, and as Parquet if pyarrow is installed.

    Returns:
        The paths of the files; each file appears when it is complete.
    """
    wings = filter(None, map(find_wing, dict.fromkeys(each.wing for each in episodes)))
    finals, factors = final_columns(wings), factor_columns(each.factors for each in episodes)
    columns = (*EPISODES, *factors.values(), *finals.values())
    path = folder / f"{TABLE}.csv"
    sheets: list[tuple[Path, Sheet]] = [(path, CsvSheet(path, [column.name for column in columns]))]
    if find_spec("pyarrow") is not None:
        path = folder / f"{TABLE}.parquet"
        sheets.append((path, ParquetSheet(path, columns)))
    rows = [episode_row(episode, finals, factors) for episode in episodes]
    for _, sheet in sheets:
        sheet.write(rows)
        sheet.close()
    return [path for path, _ in sheets]


def recorded_episodes(
    store: Store, episodes: Sequence[Episode], run: str = "recordings", left_out: list[str] | None = None
) -> list[Episode]:
    """Return the finished ones of some recorded episodes, with events, level and repetition as episodes of runs have.

    Args:
        store: the store that holds the episodes.
        episodes: the episodes.
        run: the value of the column `run`.
        left_out: a list to which a sentence about each damaged episode is appended; the episode is then left out.
            Default: a damaged episode raises.
    """
    completed: list[Episode] = []
    repetitions: dict[tuple[str, int, str | None, str | None], int] = {}
    for each in episodes:
        if not each.finished:
            continue
        try:
            store.require_whole(each)
            store.wing_of(each)
            complete = with_events(each, store.events(each.id))
        except NoEpisode:  # deleted meanwhile
            continue
        except StoreError as problem:
            if left_out is None:
                raise
            left_out.append(str(problem))
            continue
        name, task = each.task.removeprefix(FILE) or each.title, store.task(each)
        # None: a later version has written a task that this one cannot read.
        level, variant = ("", "") if task is None else wing_named(each.wing).classify(name, task)[2:4]
        key = (each.task_hash, each.arena, each.agent or HUMAN, each.participant)
        repetitions[key] = repetitions.get(key, -1) + 1
        complete = with_conditions(complete, task)
        completed.append(
            replace(complete, run=run, task=name, level=level, variant=variant, repetition=repetitions[key])
        )
    return completed
