"""`gather`, which reads episodes from folders of runs, tables, and recordings of the studio."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from puzzlebox.record.entries import HUMAN
from puzzlebox.record.episode import TABLE
from puzzlebox.report import words
from puzzlebox.report.cells import CannotRead, episode_of, has_arena, rows_in
from puzzlebox.report.episodes import UNKNOWN_ARENA, Remark, ReportEpisode, Results, Source
from puzzlebox.report.recordings import are_exported, exported_table, of_export, of_store
from puzzlebox.report.runs import of_run
from puzzlebox.report.same_tasks import settle_arenas, with_hashes
from puzzlebox.run.journal import JOURNAL
from puzzlebox.run.player import LIMIT
from puzzlebox.run.runs import SETTINGS
from puzzlebox.run.trajectories import TRAJECTORIES
from puzzlebox.text import closest

__all__ = ["CannotRead", "gather"]

# Values of `ended_by` of episodes that were not played to the end, which are excluded.
LEFT = ("left", "restart", "next")
# The module in the import path of an agent: `package.module:`.
_MODULE = re.compile(r"^[\w.]+:(?=\w)")
# Kinds of sources, those with the best names of tasks first: recordings of uploaded files have generated names.
_NAMING = ("run", "table", "recordings")


class _TaskName(NamedTuple):
    """The name of a task in a source; the lowest is preferred, so that the order of the sources has no effect."""

    kind: int
    without_level: bool
    task: str
    level: str
    variant: str


def gather(places: Sequence[Path], people: str = "", watched: bool = False) -> Results:
    """Read all episodes of some runs, tables and files of recordings.

    Args:
        places: folders of runs, tables (CSV or Parquet) with the same columns, files of recordings, and folders that
            `puzzlebox export` wrote.
        people: the name of participants in the report; "" is `human`.
        watched: whether recordings of agents that played in the studio are included.
    """
    remarks: list[str] = []
    alone = len(places) == 1
    parts = [_with_people(*_read(place, people, watched, alone, remarks), people, remarks) for place in places]
    sources = [source for _, source in parts]
    parts = with_hashes(parts, remarks)
    rows = settle_arenas(_short_names(_unify_names(parts, remarks), remarks), remarks)
    broken = [row for row in rows if row.error or not isfinite(row.total)]
    failed = {id(row) for row in broken}
    left = [row for row in rows if id(row) not in failed and row.ended_by in LEFT]
    excluded = {id(row) for row in (*broken, *left)}
    if left:
        one = "episode was not played to the end and is excluded."
        remarks.append(words.count(len(left), one, "episodes were not played to the end and are excluded."))
    if broken:
        one, many = "episode failed for a technical reason and is excluded", "episodes failed for a technical reason"
        sentence = words.count(len(broken), one, f"{many} and are excluded")
        listed = "it is" if len(broken) == 1 else "they are"
        remarks.append(Remark(f"{sentence}; {listed} listed below.", f"{sentence}."))
    kept = [row for row in rows if id(row) not in excluded]
    if not rows:
        why = "".join(f"; {remark.removesuffix('.')}" for remark in remarks)
        raise CannotRead(f"there are no episodes in {', '.join(map(str, places))}{why}")
    stopped = sum(row.passed is None and row.ended_by == LIMIT for row in kept)
    if stopped:
        one = "episode was stopped at the limit of the run; it was neither passed nor failed."
        many = "episodes were stopped at the limit of the run; they were neither passed nor failed."
        remarks.append(words.count(stopped, one, many))
    return Results(kept, broken, sources, remarks)


def _read(
    place: Path, people: str, watched: bool, alone: bool, remarks: list[str]
) -> tuple[list[ReportEpisode], Source]:
    """Read the episodes of a run, table or file of recordings; `alone` if it is the only source."""
    if place.is_dir():
        exported = None if (place / SETTINGS).exists() else exported_table(place, remarks)
        if exported is None and _is_table_alone(place):
            rows, source = _read(place / f"{TABLE}.csv", people, watched, alone, remarks)
            return rows, replace(source, name=place.resolve().name, path=place)
        if exported is None:
            return of_run(place, remarks)
        rows = of_export(exported[1], exported[0], people, watched, remarks)
        return rows, Source(place.resolve().name, place, "table")
    if not place.exists():
        siblings = [str(each) for each in place.parent.iterdir()] if place.parent.is_dir() else []
        raise CannotRead(f"there is no file or folder {place}{closest(str(place), siblings)}")
    if place.suffix.lower() in (".csv", ".parquet"):
        table = rows_in(place, remarks)
        if are_exported(table):
            rows = of_export(table, place, people, watched, remarks)
        else:
            # A task of which nobody names an arena has only one.
            arena = 0 if alone and not any(map(has_arena, table)) else UNKNOWN_ARENA
            rows = [episode_of(row, place, line, place, arena) for line, row in enumerate(table, 2)]
        return rows, Source(place.stem, place, "table", columns=tuple(table[0]) if table else ())
    return of_store(place, people, watched, remarks), Source(place.stem, place, "recordings")


def _is_table_alone(folder: Path) -> bool:
    """Return whether a folder has a table of episodes and no other file of a run, as scores of models have."""
    parts = (SETTINGS, JOURNAL, TRAJECTORIES)
    return (folder / f"{TABLE}.csv").exists() and not any((folder / name).exists() for name in parts)


def _with_people(
    rows: list[ReportEpisode], source: Source, people: str, remarks: list[str]
) -> tuple[list[ReportEpisode], Source]:
    """Give participants that a table or a run calls `human` the name of the report; others keep the name they have."""
    if people in ("", HUMAN) or source.kind == "recordings":
        return rows, source
    groups = dict.fromkeys(row.agent for row in rows if row.person and row.agent not in (HUMAN, people))
    if groups:
        names = words.listed(list(groups))
        sentence = f"--people {people} does not rename {names}: {source.name} names these participants itself."
        remarks.append(Remark(sentence, ""))
    return [replace(row, agent=people) if row.person and row.agent == HUMAN else row for row in rows], source


def _unify_names(parts: Sequence[tuple[list[ReportEpisode], Source]], remarks: list[str]) -> list[ReportEpisode]:
    """Return all episodes, with one name and level for each task; tasks with the same hash are the same."""
    names_of: dict[str, set[_TaskName]] = {}
    distinct: dict[str, set[str]] = {}
    for rows, source in parts:
        own: dict[str, set[str]] = {}
        for task_hash, task, level, variant in {(row.task_hash, row.task, row.level, row.variant) for row in rows}:
            name = _TaskName(_NAMING.index(source.kind), not level, task, level, variant)
            names_of.setdefault(task_hash, set()).add(name)
            own.setdefault(task_hash, set()).add(task)
        for task_hash, tasks in own.items():
            # Equal files in one run are different tasks on purpose; the studio may name the same file twice.
            if len(tasks) > 1 and source.kind != "recordings":
                distinct.setdefault(task_hash, set()).update(tasks)
    names_of.pop("", None)
    chosen = {task_hash: _choose_names(names, distinct.get(task_hash, set())) for task_hash, names in names_of.items()}
    renamed = set()

    def rename(row: ReportEpisode) -> ReportEpisode:
        name = chosen.get(row.task_hash, {}).get(row.task)
        if name is None:
            return row
        if (row.task, row.level, row.variant) == (name.task, name.level, name.variant):
            return row
        if row.task != name.task:
            renamed.add((row.task, name.task))
        return replace(row, task=name.task, level=name.level, variant=name.variant)

    rows = [rename(row) for rows, _ in parts for row in rows]
    if renamed:
        pairs = words.listed([f"{old} is {new}" for old, new in sorted(renamed)])
        count = words.count(len(renamed), "task has", "tasks have")
        remarks.append(f"{count} another name in another source (the hash is the same): {pairs}.")
    return rows


def _choose_names(names: set[_TaskName], distinct: set[str]) -> dict[str, _TaskName]:
    """Return the name in the report for each name of one task: the preferred one, or one of the distinct ones."""
    ordered = sorted(names)
    kept = [name for name in ordered if name.task in distinct] or ordered[:1]
    level = next((name.level for name in ordered if name.level), "")

    def nearest(task: str) -> _TaskName:
        """Return the same name, or else one of the same file without its folders, or else the preferred one."""
        return min(kept, key=lambda name: (name.task != task, Path(name.task).name != Path(task).name))

    chosen = {task: nearest(task) for task in {name.task for name in ordered}}
    return {task: name._replace(level=name.level or level) for task, name in chosen.items()}


def _short_names(rows: list[ReportEpisode], remarks: list[str]) -> list[ReportEpisode]:
    """Shorten the import paths of agents to the name of their class, if no other agent has the same."""
    names = {row.agent for row in rows}
    short = {name: _MODULE.sub("", name) for name in names}
    counts = Counter(short.values())
    unique = {name: word for name, word in short.items() if word != name and counts[word] == 1}
    remarks += [f"{word} is {name}." for name, word in sorted(unique.items())]
    return [replace(row, agent=unique[row.agent]) if row.agent in unique else row for row in rows] if unique else rows
