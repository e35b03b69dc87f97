"""Recordings of the studio as episodes: from the store itself, and from the tables `puzzlebox export` writes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from puzzlebox.record.rows import FILE, HUMAN
from puzzlebox.report import words
from puzzlebox.report.cells import CannotRead, as_text, episode_of, rows_in
from puzzlebox.report.played import Played, Remark
from puzzlebox.run.results import TABLE

if TYPE_CHECKING:
    from puzzlebox.record.store import Store

# What only the table of recordings has.
_OWN = {"player", "duration_ms"}
EXPORTED = tuple(f"{TABLE}.{ending}" for ending in ("csv", "parquet"))


class LeftOut(Remark):
    """A sentence about a recording that is damaged."""


def of_store(path: Path, people: str, watched: bool, remarks: list[str]) -> list[Played]:
    """The episodes of a file of recordings."""
    from puzzlebox.record.database import refuse_empty
    from puzzlebox.record.store import Store, StoreError
    from puzzlebox.run.results import rows_of_recordings

    try:
        refuse_empty(path)
        store = Store(path)
        survey = store.survey()
        episodes, damaged = survey.episodes[::-1], survey.damaged
        rows = [as_text(row) for row in rows_of_recordings(store, episodes, path.stem, damaged)]
    except StoreError as problem:
        raise CannotRead(str(problem)) from None
    for sentence in damaged:
        remarks.append(LeftOut(f"{sentence[0].upper()}{sentence[1:]}. It counts nowhere.", ""))
    by_id = {each.id: each.player for each in episodes}
    players = [by_id[row["trajectory"]] for row in rows]
    unfinished = [each.player for each in episodes if not each.finished]
    kept = _kept(rows, players, unfinished, path, people, watched, remarks)
    return _with_last_arenas(store, kept)


def _with_last_arenas(store: "Store", rows: Sequence[Played]) -> list[Played]:
    """Episodes with the last arena that merges into each, which the recorded tasks say."""
    from puzzlebox.arena.schema import read

    # A later version may have written what this one cannot read.
    tasks = {row.task_hash: row.trajectory.rpartition("|")[2] for row in rows}
    known = {task_hash: read(store.task_text(episode)).task for task_hash, episode in tasks.items()}
    found = []
    for row in rows:
        task = known[row.task_hash]
        there = task is not None and row.arena < len(task.arenas)
        found.append(replace(row, last_arena=task.last(row.arena)) if task and there else row)
    return found


def are_exported(rows: Sequence[Mapping[str, str]]) -> bool:
    """Whether rows are those of the table of episodes that `puzzlebox export` writes."""
    return bool(rows) and rows[0].keys() >= _OWN


def of_export(
    rows: Sequence[Mapping[str, str]], path: Path, people: str, watched: bool, remarks: list[str]
) -> list[Played]:
    """The episodes of an exported table."""
    over = [row for row in rows if row.get("ended_by")]
    repetitions: dict[tuple[str, ...], int] = {}
    known = []
    for row in over:
        own = tuple(row.get(name, "") for name in ("task_hash", "arena", "agent", "participant"))
        repetitions[own] = repetitions.get(own, -1) + 1
        task = row["task"].removeprefix(FILE) or row.get("title", "")
        known.append(
            {**row, "task": task, "episode": str(repetitions[own]), "goals_collected": row.get("goals", "")}
            | {"run": path.parent.resolve().name, "person": str(row["player"] == HUMAN)}
        )
    players = [row["player"] for row in over]
    unfinished = [row["player"] for row in rows if not row.get("ended_by")]
    return _kept(known, players, unfinished, path, people, watched, remarks)


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
    rows: Sequence[Mapping[str, str]],
    players: Sequence[str],
    unfinished: Sequence[str],
    path: Path,
    people: str,
    watched: bool,
    remarks: list[str],
) -> list[Played]:
    """Recorded episodes that count: those of people, and of agents only where that is asked for."""
    waiting = sum(watched or player == HUMAN for player in unfinished)
    if waiting:
        one, many = "recording is not over and counts nowhere", "recordings are not over and count nowhere"
        told = words.count(waiting, one, many)
        remarks.append(Remark(f"{told} ({path}).", f"{told}."))
    # Agents are left out whether or not their recordings are over, and are not counted twice.
    aside = 0 if watched else sum(player != HUMAN for player in (*players, *unfinished))
    if aside:
        one = "recording of an agent somebody watched is left out"
        many = "recordings of agents somebody watched are left out"
        told = words.count(aside, one, many)
        remarks.append(Remark(f"{told} ({path}); add --watched to count agents as well.", f"{told}."))
    episodes = []
    for number, (row, player) in enumerate(zip(rows, players, strict=True), 2):
        played = episode_of(row, path, number, path)
        if player == HUMAN:
            episodes.append(replace(played, agent=people or HUMAN, person=True))
        elif watched:
            episodes.append(replace(played, person=False))
    return episodes
