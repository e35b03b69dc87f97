"""Reading of the episodes of a run, complete or not, and of the number of episodes in its schedule."""

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from puzzlebox.record.episode import TABLE as EPISODES_TABLE
from puzzlebox.report import words
from puzzlebox.report.cells import CannotRead, episodes_in
from puzzlebox.report.episodes import Remark, ReportEpisode, Source
from puzzlebox.run.journal import JOURNAL, episodes_so_far, trajectories
from puzzlebox.run.journal_lines import Line
from puzzlebox.run.plain_files import require_files
from puzzlebox.run.runs import MOST_RUN_EPISODES, SETTINGS
from puzzlebox.run.schedule import Slot, slots_from
from puzzlebox.run.trajectories import TRAJECTORIES

TABLE = f"{EPISODES_TABLE}.csv"
_NUMBER = int | float
# The types of the settings of a run that are read; each key may be missing.
_SHAPE: Mapping[str, Any] = {
    "episodes": int,
    "commands": [{"command": str}],
    "agents": [
        {
            "name": str,
            "options": dict | None,
            "senses": {"camera": int | None, "rays": int | None, "ray_degrees": _NUMBER},
        }
    ],
    "tasks": [
        {
            "name": str,
            "hash": str,
            "arenas": [{"position": int, "last": int, "time_limit": _NUMBER, "pass_mark": _NUMBER}],
        }
    ],
}


def of_run(folder: Path, remarks: list[str]) -> tuple[list[ReportEpisode], Source]:
    """Read the episodes of a run, in the order of its schedule.

    The journal has every finished episode; the table is written when the run is complete. So the table is read only if
    there is no journal, and for episodes that the journal lacks.
    """
    table = folder / TABLE
    try:
        require_files(*(folder / name for name in (SETTINGS, JOURNAL, TRAJECTORIES, TABLE)), links=False)
    except ValueError as problem:
        raise CannotRead(str(problem)) from None
    journal, damaged = episodes_so_far(folder)
    if not journal and not table.exists():
        raise CannotRead(_damaged(folder, damaged) if damaged else _no_run(folder))
    messages: list[str] = []
    settings = _settings(folder, messages)
    rows = [ReportEpisode.of(episode, folder) for episode in journal]
    schedule = _schedule(settings)
    if damaged:
        rows, sentence = _completed(rows, folder, damaged, remarks)
        messages.append(sentence)
    elif not journal:
        rows = episodes_in(table, folder, remarks)
        why = "has no whole line" if (folder / JOURNAL).exists() else "is missing"
        messages.append(f"{folder.resolve().name}: {JOURNAL} {why}; {TABLE} was read instead.")
    elif table.exists() and (more := _only_in_table(rows, folder, settings, schedule)):
        rows += more
        them = "it" if len(more) == 1 else "them"
        count = words.count(len(more), "episode")
        messages.append(f"{folder / JOURNAL} has no line about {count}; {table} was read for {them}.")
    elif table.exists() and (lines := _lines(table)) != len(rows):
        remarks.append(Remark(f"{table} has {lines} rows and the journal {len(rows)}; the journal was read.", ""))
    messages += _lost_trajectories(rows, folder)
    last = _last_arenas(settings)
    rows = [replace(row, last_arena=last.get((row.task, row.arena))) for row in rows]
    # Episodes finish in a different order each time; the report does not depend on it.
    rows.sort(key=lambda row: schedule.get(_slot(row), len(schedule)))
    missing = len(schedule.keys() - {_slot(row) for row in rows})
    # A run that is incomplete because it was interrupted lacks nothing that it had.
    lacks = (bool(damaged) and (missing > 0 or not schedule)) or (not journal and missing > 0)
    name, about = folder.resolve().name, tuple(messages)
    return rows, Source(name, folder, "run", settings, len(schedule), missing, about, lacks)


def _completed(
    rows: list[ReportEpisode], folder: Path, damaged: Sequence[Line], remarks: list[str]
) -> tuple[list[ReportEpisode], str]:
    """Complete the episodes of a damaged journal from the table; return them and a sentence that says so."""
    damage, table = _damaged(folder, damaged), folder / TABLE
    try:
        complete = episodes_in(table, folder, remarks) if table.exists() else []
    except CannotRead as problem:
        return rows, f"{damage}; so is the table ({problem})."
    in_journal = {_slot(row) for row in rows}
    more = [row for row in complete if _slot(row) not in in_journal]
    from_table = f"; {table} was read for {words.count(len(more), 'episode')} that the journal lacks" if more else ""
    return [*rows, *more], f"{damage}{from_table if table.exists() else '; there is no table to read instead'}."


def _only_in_table(
    rows: list[ReportEpisode], folder: Path, settings: Mapping[str, Any], schedule: Mapping[Slot, int]
) -> list[ReportEpisode]:
    """Return the whole rows of the table about episodes of the schedule that the journal lacks."""
    missing = schedule.keys() - {_slot(row) for row in rows}
    if not missing or type(settings.get("seed")) is not int:
        return []
    try:
        complete = episodes_in(folder / TABLE, folder, [])
    except CannotRead:
        return []
    hashes = {task["name"]: task.get("hash") for task in settings["tasks"]}
    return [
        row
        for row in complete
        if (slot := _slot(row)) in missing
        and row.seed == slot.seed(settings["seed"])
        and row.task_hash == hashes[slot.task]
        and row.steps is not None
        and row.ended_by
    ]


def _lost_trajectories(rows: Sequence[ReportEpisode], folder: Path) -> list[str]:
    """Return a sentence if trajectories that were kept cannot be read; the tables of the report do not need them."""
    path = folder / TRAJECTORIES
    kept = [name for row in rows if (name := row.trajectory.partition("#")[2])]
    if not kept:
        return []
    if not path.exists():
        return [f"{path} is missing, so the episodes of the run cannot be replayed."]
    readable = {name for name, _ in trajectories(folder)}
    lost = [name for name in kept if name not in readable]
    if not lost:
        return []
    which = f"the episode {lost[0]}" if len(lost) == 1 else f"{len(lost):,} episodes, the first of them {lost[0]}"
    return [f"{path} is damaged: it has no readable trajectory of {which}."]


def _damaged(folder: Path, lines: Sequence[Line]) -> str:
    first = lines[0]
    more = f" and {words.count(len(lines) - 1, 'more line')}" if len(lines) > 1 else ""
    return f"{folder / JOURNAL} is damaged in line {first.number} ({first.why}){more}"


def _no_run(folder: Path) -> str:
    if (folder / SETTINGS).exists() or (folder / JOURNAL).exists():
        return f"no episode of the run in {folder} is over yet; give its command again"
    names = sorted(each.name for each in folder.iterdir())[:5]
    holds = f"; it has {', '.join(names)}" if names else ""
    return f"{folder} is not the folder of a run: it has no {TABLE}{holds}"


def _lines(table: Path) -> int:
    """Return the number of rows of a table below its header, including an incomplete last one."""
    csv.field_size_limit(2**31 - 1)  # a cell may hold the events of a long episode
    with table.open(newline="", encoding="utf-8", errors="replace") as file:
        return max(0, sum(1 for _ in csv.reader(file)) - 1)


def _settings(folder: Path, messages: list[str]) -> dict[str, Any]:
    try:
        settings = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
        fault = "" if _fits(settings, _SHAPE) else "is damaged"
    except FileNotFoundError:
        fault = "is missing"
    except (OSError, ValueError, RecursionError):
        fault = "cannot be read"
    if fault:
        messages.append(f"{folder.resolve().name}: {SETTINGS} {fault}, so the settings of the run are unknown.")
        return {}
    return settings  # type: ignore[no-any-return]


def _fits(value: Any, shape: Any) -> bool:
    """Return whether a part of the settings has the given types; of a mapping, only existing keys are checked."""
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(_fits(value[key], each) for key, each in shape.items() if key in value)
    if isinstance(shape, list):
        return isinstance(value, list) and all(_fits(each, shape[0]) for each in value)
    return isinstance(value, shape)


def _schedule(settings: Mapping[str, Any]) -> dict[Slot, int]:
    """Return the index of each episode in the schedule of a run; empty if the settings do not determine it."""
    try:
        starts = {task["name"]: [arena["position"] for arena in task["arenas"]] for task in settings["tasks"]}
        agents = [agent["name"] for agent in settings["agents"]]
        if settings["episodes"] * len(agents) * sum(map(len, starts.values())) > MOST_RUN_EPISODES:  # a damaged number
            return {}
        return {slot: index for index, slot in enumerate(slots_from(starts, agents, settings["episodes"]))}
    except (KeyError, TypeError, AttributeError):
        return {}


def _last_arenas(settings: Mapping[str, Any]) -> dict[tuple[str, int], int]:
    """Return the last arena of the episodes that start in each arena; runs of earlier versions do not record it."""
    try:
        return {
            (task["name"], arena["position"]): arena["last"]
            for task in settings["tasks"]
            for arena in task["arenas"]
            if "last" in arena
        }
    except (KeyError, TypeError, AttributeError):
        return {}


def _slot(row: ReportEpisode) -> Slot:
    return Slot(row.task, row.arena, row.agent, row.repetition)
