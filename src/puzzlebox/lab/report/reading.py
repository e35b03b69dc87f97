"""Episodes read from wherever they are: folders of runs, tables, and the studio's recordings of people."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path

from puzzlebox.lab.report import words
from puzzlebox.lab.report.cells import CannotRead, as_text, episode_of, episodes_in
from puzzlebox.lab.report.played import Played, Results, Source
from puzzlebox.lab.report.runs import of_run
from puzzlebox.schema.messages import closest

__all__ = ["CannotRead", "gather"]

# An episode its player left says nothing about what they can do.
LEFT = ("left", "restart", "next")
# `package.module:` of an agent that is named by where to import it from.
_IMPORTED = re.compile(r"^[\w.]+:(?=\w)")
# Whose names of tasks are taken: those of files somebody wrote before those a page made up.
_NAMING = ("run", "table", "recordings")


def gather(places: Sequence[Path], people: str = "") -> Results:
    """All episodes of some runs, tables and stores of recordings.

    Args:
        places: folders of runs, CSV tables with the same columns, and files of recordings.
        people: the name recordings of people get; "" is `human`.
    """
    remarks: list[str] = []
    found = [_from(place, people, remarks) for place in places]
    sources = [source for _, source in found]
    rows = _short_names(_one_name_a_task(found, remarks), remarks)
    broken = [row for row in rows if row.error or not isfinite(row.total)]
    failed = {id(row) for row in broken}
    left = [row for row in rows if id(row) not in failed and row.ended_by in LEFT]
    aside = {id(row) for row in (*broken, *left)}
    if left:
        remarks.append(f"{_count(left, 'episode was', 'episodes were')} not played to the end and count nowhere.")
    if broken:
        remarks.append(
            f"{_count(broken, 'episode', 'episodes')} failed for a technical reason and count nowhere; "
            "they are listed below."
        )
    kept = [row for row in rows if id(row) not in aside]
    if not rows:
        raise CannotRead(f"there are no episodes in {', '.join(map(str, places))}")
    return Results(kept, broken, sources, remarks)


def _from(place: Path, people: str, remarks: list[str]) -> tuple[list[Played], Source]:
    if place.is_dir():
        return of_run(place, remarks)
    if not place.exists():
        siblings = [str(each) for each in place.parent.iterdir()] if place.parent.is_dir() else []
        raise CannotRead(f"there is no {place}{closest(str(place), siblings)}")
    if place.suffix.lower() == ".csv":
        return episodes_in(place, place, remarks), Source(place.stem, place, "table")
    return _recordings(place, people, remarks), Source(place.stem, place, "recordings")


def _recordings(path: Path, people: str, remarks: list[str]) -> list[Played]:
    from puzzlebox.lab.results import rows_of_recordings
    from puzzlebox.lab.store import Store, StoreError

    try:
        store = Store(path)
        episodes = store.episodes()[::-1]
    except StoreError as problem:
        raise CannotRead(str(problem)) from None
    unfinished = sum(not each.finished for each in episodes)
    if unfinished:
        many = "recording is" if unfinished == 1 else "recordings are"
        remarks.append(f"{unfinished} {many} not over and count nowhere ({path}).")
    rows = [
        episode_of(as_text(row), path, number, path)
        for number, row in enumerate(rows_of_recordings(store, episodes, path.stem), 1)
    ]
    return [_renamed(row, people) for row in rows] if people else rows


def _one_name_a_task(found: Sequence[tuple[list[Played], Source]], remarks: list[str]) -> list[Played]:
    """All episodes, those of one task under one name and level, whatever their files call it: its hash tells."""
    known: dict[str, dict[str, Played]] = {}
    for rows, source in sorted(found, key=lambda each: _NAMING.index(each[1].kind)):
        own: dict[str, dict[str, Played]] = {}
        for row in rows:
            names = own.setdefault(row.task_hash, {})
            # Within a run two equal files are two tasks on purpose; a page names what it is given by chance.
            if not names or source.kind != "recordings":
                names.setdefault(row.task, row)
        known = own | known
    known.pop("", None)
    renamed: dict[str, str] = {}

    def named(row: Played) -> Played:
        names = known.get(row.task_hash, {row.task: row})
        first = names.get(row.task) or next(iter(names.values()))
        if row.task != first.task:
            renamed[row.task] = first.task
        return replace(row, task=first.task, level=first.level, variant=first.variant)

    rows = [named(row) for rows, _ in found for row in rows]
    if renamed:
        told = words.listed([f"{old} is {new}" for old, new in sorted(renamed.items())])
        many = words.count(len(renamed), "name stands", "names stand")
        remarks.append(f"{many} for a task another file calls otherwise (the hash is the same): {told}.")
    return rows


def _short_names(rows: list[Played], remarks: list[str]) -> list[Played]:
    """Agents named by where to import them from get the last word of it, where no other has the same."""
    names = {row.agent for row in rows}
    short = {name: _IMPORTED.sub("", name) for name in names}
    clear = {name: word for name, word in short.items() if word != name and list(short.values()).count(word) == 1}
    remarks += [f"{word} is {name}." for name, word in sorted(clear.items())]
    return [replace(row, agent=clear[row.agent]) if row.agent in clear else row for row in rows] if clear else rows


def _renamed(row: Played, people: str) -> Played:
    return replace(row, agent=people) if row.agent == "human" else row


def _count(rows: Iterable[Played], one: str, many: str) -> str:
    number = sum(1 for _ in rows)
    return f"{number} {one if number == 1 else many}"
