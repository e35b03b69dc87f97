"""Recordings as tidy tables: one row per episode, one per step, one per event."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from puzzlebox.arena.world import ACTIONS
from puzzlebox.arena.world.actions import NOOP
from puzzlebox.record import rows
from puzzlebox.record.columns import TABLES
from puzzlebox.record.measures import goals_among, latency_among, seconds
from puzzlebox.record.sheets import CsvSheet, ParquetSheet, Row, Sheet
from puzzlebox.record.store import STEP_COLUMNS, Episode, Store, StoreError

CSV, PARQUET = "csv", "parquet"
Progress = Callable[[int], None]

_STEP, _ACTIONS, _TIME = (STEP_COLUMNS.index(name) for name in ("step", "actions", "time_ms"))
# Physics steps (5 s) of doing nothing from which on a person is idle.
IDLE_STEPS = 250
_VIEW, _FLAGS = STEP_COLUMNS.index("view"), STEP_COLUMNS.index("flags")


def files(folder: Path, form: str = CSV) -> list[Path]:
    """What `export` writes."""
    return [folder / f"{name}.{form}" for name in TABLES]


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
    with ExitStack() as undo:
        for path, (_, columns) in zip(paths, TABLES.items(), strict=True):
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
            _export_one(store, episode, sheets, progress)
        for sheet in sheets:
            sheet.finish()
        undo.pop_all()
        for sheet in sheets:
            sheet.close()
    return paths


def _export_one(store: Store, episode: Episode, sheets: Sequence[Sheet], progress: Progress | None) -> None:
    of_episodes, of_steps, of_events = sheets
    happened = store.events(episode.id)
    last_ms, idle = 0.0, _Idle()
    for batch in _step_rows(store, episode, happened, idle):
        of_steps.write(batch)
        last_ms = batch[-1][3]
        if progress is not None:
            progress(len(batch))
    of_events.write([_event_row(episode, event) for event in happened])
    of_episodes.write([_episode_row(episode, last_ms, idle, goals_among(happened), latency_among(happened))])


class _Idle:
    """Counts the physics steps of long stretches in which the animal could move and nobody had it do anything."""

    def __init__(self) -> None:
        self._counted = self._stretch = self._before = 0

    def see(self, row: Row) -> None:
        step, actions, flags = row[_STEP], row[_ACTIONS], row[_FLAGS]
        quiet = actions[:1] == str(NOOP) and not flags & rows.CANNOT_MOVE
        if not quiet:
            self._counted, self._stretch = self.steps, 0
        else:
            self._stretch += step - self._before
        self._before = step

    @property
    def steps(self) -> int:
        return self._counted + (self._stretch if self._stretch >= IDLE_STEPS else 0)


def _episode_row(episode: Episode, duration_ms: float, idle: _Idle, goals: int, latency: float | None) -> Row:
    return (
        *(episode.id, episode.task, episode.title, episode.task_hash, episode.arena + 1, str(episode.seed)),
        *(episode.rules_name, json.dumps(episode.rules, sort_keys=True), episode.player, episode.agent),
        *(
            episode.participant,
            episode.started,
            episode.decision_period,
            episode.steps,
            seconds(episode.steps),
            latency,
            duration_ms,
            1000 * seconds(idle.steps) if episode.player == rows.HUMAN else None,
            episode.hidden_ms,
            episode.paused_ms,
        ),
        *(episode.total, episode.passed, episode.ended_by, goals),
    )


def _step_rows(store: Store, episode: Episode, happened: list[dict[str, Any]], idle: _Idle) -> Iterator[list[Row]]:
    """The steps, each with what happened since the one before it; `idle` sees them, too."""
    events = iter(happened)
    event = next(events, None)
    for batch in store.step_batches(episode.id):
        made: list[Row] = []
        for row in batch:
            kinds = []
            while event is not None and event["step"] <= row[_STEP]:
                kinds.append(event["kind"])
                event = next(events, None)
            idle.see(row)
            made.append(_step_row(episode.id, row, kinds))
        yield made


def _step_row(id: str, row: Row, kinds: list[str]) -> Row:
    actions, flags = row[_ACTIONS], row[_FLAGS]
    first = int(actions[0]) if actions else None
    return (
        *(id, row[_STEP], seconds(row[_STEP]), row[_TIME], first, "" if first is None else ACTIONS[first]),
        *(";".join(actions[1:]), *row[_TIME + 1 : _VIEW], row[_VIEW]),
        *(bool(flags & rows.LIGHT_ON), not flags & rows.CANNOT_MOVE, bool(flags & rows.NOTIFICATION)),
        ";".join(kinds),
    )


def _event_row(episode: Episode, event: dict[str, Any]) -> Row:
    what = (event["kind"], event["thing"], event["name"], event["animal"])
    return (episode.id, event["step"], *what, json.dumps(event["details"]) if event["details"] else "")
