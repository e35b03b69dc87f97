"""Reading of recorded episodes: from a file of recordings, and from the tables that `puzzlebox export` writes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from puzzlebox.record.entries import FILE, HUMAN
from puzzlebox.record.episode import TABLE
from puzzlebox.report import words
from puzzlebox.report.cells import CannotRead, episode_of, rows_in
from puzzlebox.report.episodes import LeftOut, Remark, ReportEpisode

# Columns by which exported tables are recognised.
_EXPORT_COLUMNS = {"player", "duration_ms"}
EXPORTED = tuple(f"{TABLE}.{ending}" for ending in ("csv", "parquet"))


def of_store(path: Path, people: str, watched: bool, remarks: list[str]) -> list[ReportEpisode]:
    """Read the episodes of a file of recordings."""
    from puzzlebox.record import Store, StoreError
    from puzzlebox.record.damage import is_about_file
    from puzzlebox.record.database import refuse_empty
    from puzzlebox.record.tables import recorded_episodes

    try:
        refuse_empty(path)
        store = Store(path)
        survey = store.survey()
        episodes, damaged = survey.episodes[::-1], survey.damaged
        rows = [ReportEpisode.of(each, path) for each in recorded_episodes(store, episodes, path.stem, damaged)]
    except StoreError as problem:
        raise CannotRead(str(problem)) from None
    for sentence in damaged:
        outcome = "What can be read is included" if is_about_file(sentence) else "It is excluded"
        remarks.append(LeftOut(f"{sentence[0].upper()}{sentence[1:]}. {outcome}.", ""))
    unfinished = [each.player for each in episodes if not each.finished]
    kept = _kept(rows, unfinished, path, people, watched, remarks)
    # Only of those that are kept: the task of a damaged episode may be unreadable.
    try:
        return [replace(row, last_arena=_last_arena(store.task(row), row.arena)) for row in kept]
    except StoreError as problem:
        raise CannotRead(str(problem)) from None


def _last_arena(task: Any, arena: int) -> int | None:
    """Return the index of the last arena of an episode that starts in one; None if the task cannot be read."""
    return task.conditions(arena)["last"] if task is not None and arena in task.starts else None


def are_exported(rows: Sequence[Mapping[str, str]]) -> bool:
    """Return whether rows are those of a table of episodes that `puzzlebox export` wrote."""
    return bool(rows) and rows[0].keys() >= _EXPORT_COLUMNS and not rows[0].get("run")


def of_export(
    rows: Sequence[Mapping[str, str]], path: Path, people: str, watched: bool, remarks: list[str]
) -> list[ReportEpisode]:
    """Build the episodes of an exported table."""
    finished = [row for row in rows if row.get("ended_by")]
    repetitions: dict[tuple[str, ...], int] = {}
    episodes = []
    for number, row in enumerate(finished, 2):
        own = tuple(row.get(name, "") for name in ("task_hash", "arena", "agent", "participant"))
        repetitions[own] = repetitions.get(own, -1) + 1
        named = {**row, "task": row["task"].removeprefix(FILE) or row.get("title", "")}
        named |= {"repetition": str(repetitions[own]), "run": path.parent.resolve().name}
        episodes.append(episode_of(named, path, number, path))
    unfinished = [row["player"] for row in rows if not row.get("ended_by")]
    return _kept(episodes, unfinished, path, people, watched, remarks)


def exported_table(folder: Path, remarks: list[str]) -> tuple[Path, list[dict[str, str]]] | None:
    """Find the table of episodes in a folder that `puzzlebox export` wrote; return its path and rows, or None."""
    for name in EXPORTED:
        path = folder / name
        if path.exists():
            table_remarks: list[str] = []
            rows = rows_in(path, table_remarks)
            if are_exported(rows):
                remarks += table_remarks
                return path, rows
    return None


def _kept(
    rows: Sequence[ReportEpisode], unfinished: Sequence[str], path: Path, people: str, watched: bool, remarks: list[str]
) -> list[ReportEpisode]:
    """Return the recorded episodes of participants, and with `watched` those of agents; append remarks on the rest."""
    in_progress = sum(watched or player == HUMAN for player in unfinished)
    if in_progress:
        one, many = "recording is not over and is excluded", "recordings are not over and are excluded"
        sentence = words.count(in_progress, one, many)
        remarks.append(Remark(f"{sentence} ({path}).", f"{sentence}."))
    # Recordings of agents are excluded whether or not they are over, and counted once.
    agents = sum(row.player != HUMAN for row in rows) + sum(player != HUMAN for player in unfinished)
    if agents and not watched:
        one = "recording of an agent is excluded"
        many = "recordings of agents are excluded"
        sentence = words.count(agents, one, many)
        remarks.append(Remark(f"{sentence} ({path}); add --watched to include them.", f"{sentence}."))
    return [
        replace(row, agent=people or HUMAN, person=True) if row.player == HUMAN else replace(row, person=False)
        for row in rows
        if watched or row.player == HUMAN
    ]
