"""Export of recordings as tidy tables: one row per episode, one per step, one per event."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from puzzlebox.columns import Column
from puzzlebox.record.columns import tables
from puzzlebox.record.damage import Deleted
from puzzlebox.record.database import StoreError
from puzzlebox.record.episode import TABLE, Episode
from puzzlebox.record.measures import Idleness, seconds, with_events
from puzzlebox.record.sheets import CsvSheet, ParquetSheet, Row, Sheet
from puzzlebox.record.store import STEP_COLUMNS, NoEpisode, Store
from puzzlebox.wings import ARENA, Wing, wing_named, wing_names
from puzzlebox.wings.actions import actions_in

CSV, PARQUET = "csv", "parquet"
Progress = Callable[[int], None]
# The index of each column in a row of steps.
_INDEX = {name: index for index, name in enumerate(STEP_COLUMNS)}


def files(folder: Path, form: str = CSV) -> list[Path]:
    """Return the paths that `export` writes."""
    return [folder / f"{name}.{form}" for name in (TABLE, "steps", "events")]


def export(
    store: Store,
    episodes: Sequence[Episode],
    folder: Path,
    form: str = CSV,
    progress: Progress | None = None,
    left_out: list[str] | None = None,
) -> list[Path]:
    """Write the tables of some episodes. Memory use does not grow with the number of steps.

    Args:
        store: the store that holds the episodes.
        episodes: the episodes, in the order of the rows.
        folder: the folder of the tables; it is created if it does not exist.
        form: "csv" or "parquet".
        progress: a function called after every batch of steps with the number of steps in it.
        left_out: a list to which a sentence about each damaged episode is appended; the episode is then left out of
            all tables. Default: a damaged episode raises. Episodes that were deleted meanwhile are left out in any
            case; their sentences are `Deleted`.

    Returns:
        The paths of the tables.

    Raises:
        StoreError: an episode is damaged; nothing is written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = files(folder, form)
    sheets: list[Sheet] = []
    table_columns = tables(_wings(episodes))
    steps = table_columns["steps"]
    with ExitStack() as undo:
        for path, columns in zip(paths, table_columns.values(), strict=True):
            if form == CSV:
                sheet: Sheet = CsvSheet(path, [column.name for column in columns])
            else:
                sheet = ParquetSheet(path, columns)
            undo.callback(sheet.abandon)
            sheets.append(sheet)
        for episode in episodes:
            try:
                # Checked before anything of it is written, so that no table holds a part of a damaged episode.
                if _is_whole(store, episode, left_out):
                    _export_one(store, episode, sheets, steps, progress)
            except NoEpisode:  # deleted before its first row was written
                if left_out is not None:
                    left_out.append(Deleted(episode.id))
        for sheet in sheets:
            sheet.finish()
        undo.pop_all()
        for sheet in sheets:
            sheet.close()
    return paths


def _is_whole(store: Store, episode: Episode, left_out: list[str] | None) -> bool:
    try:
        store.require_whole(episode)
        store.wing_of(episode)
    except StoreError as problem:
        if left_out is None:
            raise
        left_out.append(str(problem))
        return False
    return True


def _wings(episodes: Sequence[Episode]) -> list[Wing]:
    """Return the installed wings of some episodes; if there is none the arena, so that an empty table has columns."""
    installed = wing_names()
    names = dict.fromkeys(episode.wing for episode in episodes if episode.wing in installed)
    return [wing_named(name) for name in names or [ARENA]]


def _export_one(
    store: Store, episode: Episode, sheets: Sequence[Sheet], columns: Sequence[Column], progress: Progress | None
) -> None:
    episode_sheet, step_sheet, event_sheet = sheets
    events = store.events(episode.id)
    last_ms, idle = 0.0, Idleness(episode)
    for batch in _step_rows(store, episode, columns, events, idle):
        step_sheet.write(batch)
        last_ms = batch[-1][3]
        if progress is not None:
            progress(len(batch))
    event_sheet.write([_event_row(episode, event) for event in events])
    idle_ms = 1000 * seconds(idle.steps, episode.step_seconds or 0.0) if episode.by_person else None
    # The events have their own table.
    complete = replace(with_events(episode, events), events=(), duration_ms=last_ms, idle_ms=idle_ms)
    episode_sheet.write([complete.row()])


def _step_rows(
    store: Store, episode: Episode, columns: Sequence[Column], events: list[dict[str, Any]], idle: Idleness
) -> Iterator[list[Row]]:
    """Yield the rows of steps in batches, each row with the events since the one before; add the steps to `idle`."""
    remaining = iter(events)
    event = next(remaining, None)
    formatter = _StepFormatter(episode, columns)
    for batch in store.step_batches(episode.id):
        rows: list[Row] = []
        for row in batch:
            kinds = []
            while event is not None and event["step"] <= row[_INDEX["step"]]:
                kinds.append(event["kind"])
                event = next(remaining, None)
            idle.add(row[_INDEX["step"]], row[_INDEX["actions"]], row[_INDEX["flags"]])
            rows.append(formatter.row(row, kinds))
        yield rows


class _StepFormatter:
    """Turns rows of the store into rows of the table of steps, for one episode."""

    def __init__(self, episode: Episode, columns: Sequence[Column]) -> None:
        wing = wing_named(episode.wing)
        self._wing, self._id, self._length = wing, episode.id, episode.step_seconds or 0.0
        self._bits = {flag.column.name: (flag.bit, flag.inverse) for flag in wing.flags}
        own = {column.name for column in wing.measures}
        # The columns after those of the action, without `events`, and the index of each in a row of the store.
        self._names = [column.name for column in columns[7:-1]]
        self._indices = {name: _INDEX[name] for name in own if name in _INDEX}
        self._indices |= {"reward": _INDEX["reward"], "return": _INDEX["total"], "view": _INDEX["view"]}
        self._action_cells: dict[str, tuple[Any, str, str]] = {"": (None, "", "")}

    def row(self, row: Row, kinds: list[str]) -> Row:
        text, flags = row[_INDEX["actions"]], row[_INDEX["flags"]]
        if text not in self._action_cells:
            first, *others = actions_in(text)
            self._action_cells[text] = (
                _cell(first),
                self._wing.action_name(first),
                ";".join(str(_cell(each)) for each in others),
            )
        step, more = row[_INDEX["step"]], row[-1]
        others = json.loads(more) if more else {}
        rest = [
            row[self._indices[name]]
            if name in self._indices
            else self._flag(name, flags)
            if name in self._bits
            else others.get(name)
            for name in self._names
        ]
        return (
            self._id,
            step,
            seconds(step, self._length),
            row[_INDEX["time_ms"]],
            *self._action_cells[text],
            *rest,
            ";".join(kinds),
        )

    def _flag(self, name: str, flags: int) -> bool:
        bit, inverse = self._bits[name]
        return bool(flags & bit) is not inverse


def _cell(action: Any) -> Any:
    """Return an action as a cell: a number, or a JSON list of numbers."""
    return action if isinstance(action, int) else json.dumps(action, separators=(",", ":"))


def _event_row(episode: Episode, event: dict[str, Any]) -> Row:
    cells = (event["kind"], event["thing"], event["name"], event["animal"])
    return (episode.id, event["step"], *cells, json.dumps(event["details"]) if event["details"] else "")
