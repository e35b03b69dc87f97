"""Recordings of the studio as episodes: from the store itself, and from the tables `puzzlebox export` writes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from puzzlebox.record.entries import FILE, HUMAN
from puzzlebox.record.episode import TABLE
from puzzlebox.report import words
from puzzlebox.report.cells import CannotRead, episode_of, rows_in
from puzzlebox.report.played import Played, Remark

# What only the table of recordings has.
_OWN = {"player", "duration_ms"}
EXPORTED = tuple(f"{TABLE}.{ending}" for ending in ("csv", "parquet"))


class LeftOut(Remark):
    """A sentence about a recording that is damaged."""


def of_store(path: Path, people: str, watched: bool, remarks: list[str]) -> list[Played]:
    """The episodes of a file of recordings."""
    from puzzlebox.record.database import refuse_empty
    from puzzlebox.record.store import Store, StoreError
    from puzzlebox.record.tables import recorded_episodes

    try:
        refuse_empty(path)
        store = Store(path)
        survey = store.survey()
        episodes, damaged = survey.episodes[::-1], survey.damaged
        rows = [Played.of(each, path) for each in recorded_episodes(store, episodes, path.stem, damaged)]
    except StoreError as problem:
        raise CannotRead(str(problem)) from None
    for sentence in damaged:
        remarks.append(LeftOut(f"{sentence[0].upper()}{sentence[1:]}. It counts nowhere.", ""))
    unfinished = [each.player for each in episodes if not each.finished]
    kept = _kept(rows, unfinished, path, people, watched, remarks)
    last = {each.id: _last_arena(store.task(each), each.arena) for each in episodes}
    return [replace(row, last_arena=last[row.id]) for row in kept]


def _last_arena(task: Any, arena: int) -> int | None:
    """The position of the last arena of an episode that starts in one; None where the task cannot be read."""
    return task.conditions(arena)["last"] if task is not None and arena in task.starts else None


def are_exported(rows: Sequence[Mapping[str, str]]) -> bool:
    """Whether rows are those of the table of episodes that `puzzlebox export` writes."""
    return bool(rows) and rows[0].keys() >= _OWN and not rows[0].get("run")


def of_export(
    rows: Sequence[Mapping[str, str]], path: Path, people: str, watched: bool, remarks: list[str]
) -> list[Played]:
    """The episodes of an exported table."""
    over = [row for row in rows if row.get("ended_by")]
    repetitions: dict[tuple[str, ...], int] = {}
    known = []
    for number, row in enumerate(over, 2):
        own = tuple(row.get(name, "") for name in ("task_hash", "arena", "agent", "participant"))
        repetitions[own] = repetitions.get(own, -1) + 1
        named = {**row, "task": row["task"].removeprefix(FILE) or row.get("title", "")}
        named |= {"repetition": str(repetitions[own]), "run": path.parent.resolve().name}
        known.append(episode_of(named, path, number, path))
    unfinished = [row["player"] for row in rows if not row.get("ended_by")]
    return _kept(known, unfinished, path, people, watched, remarks)


def exported_table(folder: Path, remarks: list[str]) -> tuple[Path, list[dict[str, str]]] | None:
    """The table of episodes in a folder that `puzzlebox export` wrote, and its rows; None where there is none."""
    for name in EXPORTED:
        path = folder / name
        if path.exists():
            said: list[str] = []
            rows = rows_in(path, said)
            if are_exported(rows):
                remarks += said
                return path, rows
    return None


def _kept(
    rows: Sequence[Played], unfinished: Sequence[str], path: Path, people: str, watched: bool, remarks: list[str]
) -> list[Played]:
    """Recorded episodes that count: those of people, and of agents only where that is asked for."""
    waiting = sum(watched or player == HUMAN for player in unfinished)
    if waiting:
        one, many = "recording is not over and counts nowhere", "recordings are not over and count nowhere"
        sentence = words.count(waiting, one, many)
        remarks.append(Remark(f"{sentence} ({path}).", f"{sentence}."))
    # Agents are left out whether or not their recordings are over, and are not counted twice.
    agents = sum(row.player != HUMAN for row in rows) + sum(player != HUMAN for player in unfinished)
    if agents and not watched:
        one = "recording of an agent somebody watched is left out"
        many = "recordings of agents somebody watched are left out"
        sentence = words.count(agents, one, many)
        remarks.append(Remark(f"{sentence} ({path}); add --watched to count agents as well.", f"{sentence}."))
    return [
        replace(row, agent=people or HUMAN, person=True) if row.player == HUMAN else replace(row, person=False)
        for row in rows
        if watched or row.player == HUMAN
    ]
