"""Recordings as tidy tables: one row per episode, one per step, one per event."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from puzzlebox.columns import Column
from puzzlebox.record.columns import tables
from puzzlebox.record.episode import TABLE, Episode
from puzzlebox.record.measures import Idleness, seconds, with_events
from puzzlebox.record.sheets import CsvSheet, ParquetSheet, Row, Sheet
from puzzlebox.record.store import STEP_COLUMNS, Store, StoreError
from puzzlebox.wings import ARENA, Wing, wing_named
from puzzlebox.wings.actions import actions_in

CSV, PARQUET = "csv", "parquet"
Progress = Callable[[int], None]
_PLACE = {name: place for place, name in enumerate(STEP_COLUMNS)}


def files(folder: Path, form: str = CSV) -> list[Path]:
    """What `export` writes."""
    return [folder / f"{name}.{form}" for name in (TABLE, "steps", "events")]


def export(
    store: Store,
    episodes: Sequence[Episode],
    folder: Path,
    form: str = CSV,
    progress: Progress | None = None,
    left_out: list[str] | None = None,
) -> list[Path]:
    """Write the tables of some episodes; a million steps take time, not memory.

    Args:
        store: where they are.
        episodes: which, and in which order.
        folder: where the tables go; it is made if there is none.
        form: "csv" or "parquet".
        progress: is told the number of steps written by each of many small pieces of the work.
        left_out: gets a sentence about each episode that is damaged, which is then left out of all tables. Default: a
            damaged episode raises.

    Returns:
        The files.

    Raises:
        StoreError: an episode is damaged; nothing is written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = files(folder, form)
    sheets: list[Sheet] = []
    made = tables(_wings(episodes))
    steps = made["steps"]
    with ExitStack() as undo:
        for path, columns in zip(paths, made.values(), strict=True):
            if form == CSV:
                sheet: Sheet = CsvSheet(path, [column.name for column in columns])
            else:
                sheet = ParquetSheet(path, columns)
            undo.callback(sheet.abandon)
            sheets.append(sheet)
        for episode in episodes:
            try:
                # Before any of it is written, so that no part of a damaged one is in a table.
                store.require_whole(episode)
            except StoreError as problem:
                if left_out is None:
                    raise
                left_out.append(str(problem))
                continue
            _export_one(store, episode, sheets, steps, progress)
        for sheet in sheets:
            sheet.finish()
        undo.pop_all()
        for sheet in sheets:
            sheet.close()
    return paths


def _wings(episodes: Sequence[Episode]) -> list[Wing]:
    """The wings that some episodes were played in; of none, the arena, so that an empty table has its columns."""
    return [wing_named(name) for name in dict.fromkeys(episode.wing for episode in episodes)] or [wing_named(ARENA)]


def _export_one(
    store: Store, episode: Episode, sheets: Sequence[Sheet], columns: Sequence[Column], progress: Progress | None
) -> None:
    of_episodes, of_steps, of_events = sheets
    happened = store.events(episode.id)
    last_ms, idle = 0.0, Idleness(episode)
    for batch in _step_rows(store, episode, columns, happened, idle):
        of_steps.write(batch)
        last_ms = batch[-1][3]
        if progress is not None:
            progress(len(batch))
    of_events.write([_event_row(episode, event) for event in happened])
    idle_ms = 1000 * seconds(idle.steps, episode.step_seconds or 0.0) if episode.by_person else None
    # The events have a table of their own.
    whole = replace(with_events(episode, happened), events=(), duration_ms=last_ms, idle_ms=idle_ms)
    of_episodes.write([whole.row()])


def _step_rows(
    store: Store, episode: Episode, columns: Sequence[Column], happened: list[dict[str, Any]], idle: Idleness
) -> Iterator[list[Row]]:
    """The steps, each with what happened since the one before it; `idle` sees them, too."""
    events = iter(happened)
    event = next(events, None)
    form = _StepForm(episode, columns)
    for batch in store.step_batches(episode.id):
        made: list[Row] = []
        for row in batch:
            kinds = []
            while event is not None and event["step"] <= row[_PLACE["step"]]:
                kinds.append(event["kind"])
                event = next(events, None)
            idle.see(row[_PLACE["step"]], row[_PLACE["actions"]], row[_PLACE["flags"]])
            made.append(form.row(row, kinds))
        yield made


class _StepForm:
    """Makes rows of the table of steps from rows of the store, for one episode."""

    def __init__(self, episode: Episode, columns: Sequence[Column]) -> None:
        wing = wing_named(episode.wing)
        self._wing, self._id, self._length = wing, episode.id, episode.step_seconds or 0.0
        self._bits = {flag.column.name: (flag.bit, flag.inverse) for flag in wing.flags}
        own = {column.name for column in wing.measures}
        # Columns after the action: where each value is found.
        self._names = [column.name for column in columns[7:-1]]
        self._places = {name: _PLACE[name] for name in own if name in _PLACE}
        self._places |= {"reward": _PLACE["reward"], "return": _PLACE["total"], "view": _PLACE["view"]}
        self._words: dict[str, tuple[Any, str, str]] = {"": (None, "", "")}

    def row(self, row: Row, kinds: list[str]) -> Row:
        text, flags = row[_PLACE["actions"]], row[_PLACE["flags"]]
        if text not in self._words:
            first, *others = actions_in(text)
            self._words[text] = (
                _cell(first),
                self._wing.action_name(first),
                ";".join(str(_cell(each)) for each in others),
            )
        step, more = row[_PLACE["step"]], row[-1]
        others = json.loads(more) if more else {}
        rest = [
            row[self._places[name]]
            if name in self._places
            else self._flag(name, flags)
            if name in self._bits
            else others.get(name)
            for name in self._names
        ]
        return (
            self._id,
            step,
            seconds(step, self._length),
            row[_PLACE["time_ms"]],
            *self._words[text],
            *rest,
            ";".join(kinds),
        )

    def _flag(self, name: str, flags: int) -> bool:
        bit, inverse = self._bits[name]
        return bool(flags & bit) is not inverse


def _cell(action: Any) -> Any:
    """An action as a cell: a number, or a JSON list of numbers."""
    return action if isinstance(action, int) else json.dumps(action, separators=(",", ":"))


def _event_row(episode: Episode, event: dict[str, Any]) -> Row:
    what = (event["kind"], event["thing"], event["name"], event["animal"])
    return (episode.id, event["step"], *what, json.dumps(event["details"]) if event["details"] else "")
