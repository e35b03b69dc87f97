"""Episodes read from wherever they are: folders of runs, tables, and the studio's recordings of people."""

import re
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from puzzlebox.report import words
from puzzlebox.report.cells import CannotRead, episode_of, rows_in
from puzzlebox.report.played import Played, Remark, Results, Source
from puzzlebox.report.recordings import are_exported, exported_table, of_export, of_store
from puzzlebox.report.runs import of_run
from puzzlebox.run.player import LIMIT
from puzzlebox.run.runs import SETTINGS
from puzzlebox.text import closest

__all__ = ["CannotRead", "gather"]

# An episode its player left says nothing about what they can do.
LEFT = ("left", "restart", "next")
# `package.module:` of an agent that is named by where to import it from.
_IMPORTED = re.compile(r"^[\w.]+:(?=\w)")
# Whose names of tasks are taken: those of files somebody wrote before those a page made up.
_NAMING = ("run", "table", "recordings")


class _Call(NamedTuple):
    """What a source calls a task; the lowest is the best, so that the order of the sources means nothing."""

    kind: int
    without_level: bool
    task: str
    level: str
    variant: str


def gather(places: Sequence[Path], people: str = "", watched: bool = False) -> Results:
    """All episodes of some runs, tables and stores of recordings.

    Args:
        places: folders of runs, tables (CSV or Parquet) with the same columns, files of recordings, and folders that
            `puzzlebox export` wrote.
        people: the name recordings of people get; "" is `human`.
        watched: whether recordings of agents, which somebody watched in the studio, count as well.
    """
    remarks: list[str] = []
    found = [_from(place, people, watched, remarks) for place in places]
    sources = [source for _, source in found]
    rows = _short_names(_one_name_a_task(found, remarks), remarks)
    broken = [row for row in rows if row.error or not isfinite(row.total)]
    failed = {id(row) for row in broken}
    left = [row for row in rows if id(row) not in failed and row.ended_by in LEFT]
    aside = {id(row) for row in (*broken, *left)}
    if left:
        one = "episode was not played to the end and counts nowhere."
        remarks.append(words.count(len(left), one, "episodes were not played to the end and count nowhere."))
    if broken:
        one, many = "episode failed for a technical reason and counts nowhere", "episodes failed for a technical reason"
        told = words.count(len(broken), one, f"{many} and count nowhere")
        listed = "it is" if len(broken) == 1 else "they are"
        remarks.append(Remark(f"{told}; {listed} listed below.", f"{told}."))
    kept = [row for row in rows if id(row) not in aside]
    if not rows:
        why = "".join(f"; {remark.removesuffix('.')}" for remark in remarks)
        raise CannotRead(f"there are no episodes in {', '.join(map(str, places))}{why}")
    cut = sum(row.passed is None and row.ended_by == LIMIT for row in kept)
    if cut:
        one = "episode was cut off at the longest the run allows; it was neither passed nor failed."
        many = "episodes were cut off at the longest the run allows; they were neither passed nor failed."
        remarks.append(words.count(cut, one, many))
    return Results(kept, broken, sources, remarks)


def _from(place: Path, people: str, watched: bool, remarks: list[str]) -> tuple[list[Played], Source]:
    if place.is_dir():
        exported = None if (place / SETTINGS).exists() else exported_table(place, remarks)
        if exported is None:
            return of_run(place, remarks)
        rows = of_export(exported[1], exported[0], people, watched, remarks)
        return rows, Source(place.resolve().name, place, "table")
    if not place.exists():
        siblings = [str(each) for each in place.parent.iterdir()] if place.parent.is_dir() else []
        raise CannotRead(f"there is no {place}{closest(str(place), siblings)}")
    if place.suffix.lower() in (".csv", ".parquet"):
        table = rows_in(place, remarks)
        if are_exported(table):
            rows = of_export(table, place, people, watched, remarks)
        else:
            rows = [episode_of(row, place, line, place) for line, row in enumerate(table, 2)]
        return rows, Source(place.stem, place, "table")
    return of_store(place, people, watched, remarks), Source(place.stem, place, "recordings")


def _one_name_a_task(found: Sequence[tuple[list[Played], Source]], remarks: list[str]) -> list[Played]:
    """All episodes, those of one task under one name and level, whatever their files call it: its hash tells."""
    calls: dict[str, set[_Call]] = {}
    apart: dict[str, set[str]] = {}
    for rows, source in found:
        own: dict[str, set[str]] = {}
        for row in rows:
            call = _Call(_NAMING.index(source.kind), not row.level, row.task, row.level, row.variant)
            calls.setdefault(row.task_hash, set()).add(call)
            own.setdefault(row.task_hash, set()).add(row.task)
        for task_hash, names in own.items():
            # Two equal files of a run are two tasks on purpose; a page names what it is given by chance.
            if len(names) > 1 and source.kind != "recordings":
                apart.setdefault(task_hash, set()).update(names)
    calls.pop("", None)
    chosen = {task_hash: _chosen(given, apart.get(task_hash, set())) for task_hash, given in calls.items()}
    renamed = set()

    def named(row: Played) -> Played:
        call = chosen.get(row.task_hash, {}).get(row.task)
        if call is None:
            return row
        if row.task != call.task:
            renamed.add((row.task, call.task))
        return replace(row, task=call.task, level=call.level, variant=call.variant)

    rows = [named(row) for rows, _ in found for row in rows]
    if renamed:
        told = words.listed([f"{old} is {new}" for old, new in sorted(renamed)])
        many = words.count(len(renamed), "name stands", "names stand")
        remarks.append(f"{many} for a task another file calls otherwise (the hash is the same): {told}.")
    return rows


def _chosen(given: set[_Call], apart: set[str]) -> dict[str, _Call]:
    """What each name that sources give one task becomes: the best of them, or one of those that must stay apart."""
    calls = sorted(given)
    kept = [call for call in calls if call.task in apart] or calls[:1]
    level = next((call.level for call in calls if call.level), "")

    def nearest(name: str) -> _Call:
        """The same name, or else the same file without its folders, or else the best."""
        return min(kept, key=lambda call: (call.task != name, Path(call.task).name != Path(name).name))

    found = {name: nearest(name) for name in {call.task for call in calls}}
    return {name: call._replace(level=call.level or level) for name, call in found.items()}


def _short_names(rows: list[Played], remarks: list[str]) -> list[Played]:
    """Agents named by where to import them from get the last word of it, where no other has the same."""
    names = {row.agent for row in rows}
    short = {name: _IMPORTED.sub("", name) for name in names}
    clear = {name: word for name, word in short.items() if word != name and list(short.values()).count(word) == 1}
    remarks += [f"{word} is {name}." for name, word in sorted(clear.items())]
    return [replace(row, agent=clear[row.agent]) if row.agent in clear else row for row in rows] if clear else rows
