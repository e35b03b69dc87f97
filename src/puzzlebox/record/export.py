"""Export of recordings as tidy tables: one row per episode, one per step, one per event."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from puzzlebox.columns import Column
from puzzlebox.record.columns import episode_row, factor_columns, final_columns, tables
from puzzlebox.record.damage import Deleted
from puzzlebox.record.database import StoreError
from puzzlebox.record.episode import TABLE, Episode
from puzzlebox.record.measures import Idleness, seconds, with_conditions, with_events
from puzzlebox.record.sheets import CsvSheet, ParquetSheet, Row, Sheet
from puzzlebox.record.store import STEP_COLUMNS, NoEpisode, Store
from puzzlebox.record.writer import MEASURES
from puzzlebox.wings import ARENA, Wing, find_wing, wing_named
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
    warn: Callable[[str], None] | None = None,
) -> list[Path]:
    """Write the tables of some episodes. Memory use does not grow with the number of steps.

    Episodes of a wing that is not installed are written without what only the wing knows.

    Args:
        store: the store that holds the episodes.
        episodes: the episodes, in the order of the rows.
        folder: the folder of the tables; it is created if it does not exist.
        form: "csv" or "parquet".
        progress: a function called after every batch of steps with the number of steps in it.
        left_out: a list to which a sentence about each damaged episode is appended; the episode is then left out of
            all tables. Default: a damaged episode raises. Episodes that were deleted meanwhile are left out in any
            case; their sentences are `Deleted`.
        warn: a function called with a sentence about each wing that is not installed.

    Returns:
        The paths of the tables; none if all episodes are left out, and nothing is written.

    Raises:
        StoreError: an episode is damaged; nothing is written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = files(folder, form)
    sheets: list[Sheet] = []
    wings = _wings(store, episodes, warn)
    episodes = _with_conditions(store, episodes)
    factors = factor_columns(each.factors for each in episodes)
    table_columns = tables(wings.values(), factors.values())
    written = not episodes
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
                    _export_one(store, episode, wings, factors, sheets, progress)
                    written = True
            except NoEpisode:  # deleted before its first row was written
                if left_out is not None:
                    left_out.append(Deleted(episode.id))
        if not written:
            return []
        for sheet in sheets:
            sheet.finish()
        undo.pop_all()
        for sheet in sheets:
            sheet.close()
    return paths


def _with_conditions(store: Store, episodes: Sequence[Episode]) -> list[Episode]:
    """Return the episodes with the titles and factors of their arenas, which the texts of their tasks hold."""
    tasks: dict[tuple[str, str], Any] = {}
    for episode in episodes:
        key = (episode.wing, episode.task_hash)
        if key not in tasks:
            try:
                tasks[key] = store.task(episode)
            except (StoreError, NoEpisode, ValueError):  # damaged, deleted, or of a wing that is not installed
                tasks[key] = None
    return [with_conditions(episode, tasks[episode.wing, episode.task_hash]) for episode in episodes]


def _is_whole(store: Store, episode: Episode, left_out: list[str] | None) -> bool:
    try:
        store.require_whole(episode)
    except StoreError as problem:
        if left_out is None:
            raise
        left_out.append(str(problem))
        return False
    return True


def _wings(store: Store, episodes: Sequence[Episode], warn: Callable[[str], None] | None) -> dict[str, Wing]:
    """Return the wings of some episodes by name; if there is none the arena, so that an empty table has columns."""
    wings: dict[str, Wing] = {}
    for name in dict.fromkeys(episode.wing for episode in episodes) or [ARENA]:
        try:
            wings[name] = wing_named(name)
        except ValueError as problem:
            own = [episode for episode in episodes if episode.wing == name]
            wings[name] = _stand_in(store, name, own)
            if warn is not None:
                are, their = ("episode is", "its") if len(own) == 1 else ("episodes are", "their")
                warn(
                    f"{len(own)} {are} written without names of actions and rules, flags, goals, latency and idle "
                    f"time, which only {their} wing knows: {problem}"
                )
    return wings


def _stand_in(store: Store, name: str, episodes: Iterable[Episode]) -> Wing:
    """Return a wing in place of one that is not installed; it knows no more than the measures that were recorded."""
    from puzzlebox.wings.gymnasium_wing import GymnasiumWing  # imports Gymnasium, which takes a while

    measures: dict[str, None] = {}
    for episode in episodes:
        with suppress(StoreError, NoEpisode):  # a damaged or deleted episode is left out
            for batch in store.step_batches(episode.id):
                measures |= dict.fromkeys(measure for row in batch for measure in _measured(row))
    wing = GymnasiumWing()
    wing.name = name
    wing.measures = tuple(Column(each, "number", f"a measure of the wing {name}") for each in measures)
    return wing


def _measured(row: Row) -> dict[str, float | None]:
    """Return the measures of a row of the store by name, without empty ones that have a column of their own."""
    own = {name: row[_INDEX[name]] for name in MEASURES if row[_INDEX[name]] is not None}
    return own | (json.loads(row[-1]) if row[-1] else {})


def _export_one(
    store: Store,
    episode: Episode,
    wings: Mapping[str, Wing],
    factors: Mapping[str, Column],
    sheets: Sequence[Sheet],
    progress: Progress | None,
) -> None:
    episode_sheet, step_sheet, event_sheet = sheets
    wing, columns = wings[episode.wing], tables(wings.values())["steps"]
    events = store.events(episode.id)
    last: dict[str, Any] = {"time_ms": 0.0}
    idle = Idleness(episode, wing)
    for batch in _step_rows(store, episode, wing, columns, events, idle):
        step_sheet.write(batch)
        last = {column.name: cell for column, cell in zip(columns, batch[-1], strict=True)}
        if progress is not None:
            progress(len(batch))
    event_sheet.write([_event_row(episode, event) for event in events])
    # Whether a participant was idle is unknown without the wing.
    measured_idle = episode.by_person and find_wing(episode.wing) is not None
    complete = replace(
        with_events(episode, events, wing),
        events=(),  # they have their own table
        duration_ms=last["time_ms"],
        idle_ms=1000 * seconds(idle.steps, episode.step_seconds or 0.0) if measured_idle else None,
        measures={name: last.get(name) for name in final_columns([wing])},
    )
    episode_sheet.write([episode_row(complete, final_columns(wings.values()), factors)])


def _step_rows(
    store: Store,
    episode: Episode,
    wing: Wing,
    columns: Sequence[Column],
    events: list[dict[str, Any]],
    idle: Idleness,
) -> Iterator[list[Row]]:
    """Yield the rows of steps in batches, each row with the events since the one before; add the steps to `idle`."""
    remaining = iter(events)
    event = next(remaining, None)
    formatter = _StepFormatter(episode, wing, columns)
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

    def __init__(self, episode: Episode, wing: Wing, columns: Sequence[Column]) -> None:
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
