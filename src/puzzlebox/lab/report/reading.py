"""Episodes read from wherever they are: folders of runs, tables, and the studio's recordings of people."""

import csv
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import isfinite, nan
from pathlib import Path
from typing import Any

from puzzlebox.lab.report.played import Played, Results, Source
from puzzlebox.schema.messages import closest, nearest

TABLE = "episodes.csv"
SETTINGS = "run.json"
# An episode its player left says nothing about what they can do.
LEFT = ("left", "restart", "next")
_TESTBED = re.compile(r"(?:^|/)(\d{2})-(\d{2})-(\d{2})$")
# Columns as other tables call them.
_SYNONYMS = {"experiment": "task", "reward": "return", "score": "return", "pass": "passed", "player": "agent"}
# `package.module:` of an agent that is named by where to import it from.
_IMPORTED = re.compile(r"^[\w.]+:(?=\w)")
_NEEDED = ("task", "agent", "return")
# What the tasks of the published experiments need to be passed, where a table leaves it out.
_MARKS = {"foraging": 15.0, "operant": 0.0, "operant-chamber": 0.0, "what-where-when": 7.0}
_TRUE, _FALSE = ("true", "1", "1.0", "yes"), ("false", "0", "0.0", "no")


class CannotRead(ValueError):
    """What was named holds no episodes; the message says what is missing."""


def gather(places: Sequence[Path], people: str = "") -> Results:
    """All episodes of some runs, tables and stores of recordings.

    Args:
        places: folders of runs, CSV tables with the same columns, and files of recordings.
        people: the name recordings of people get; "" is `human`.
    """
    rows: list[Played] = []
    sources: list[Source] = []
    remarks: list[str] = []
    for place in places:
        found, source = _from(place, people, remarks)
        rows += found
        sources.append(source)
    rows = _short_names(rows, remarks)
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
        table = place / TABLE
        if not table.exists():
            here = sorted(each.name for each in place.iterdir())[:5]
            unfinished = " (the run is not over: give its command again)" if (place / SETTINGS).exists() else ""
            raise CannotRead(
                f"{place} is not the folder of a run: it has no {TABLE}{unfinished}"
                + (f"; it has {', '.join(here)}" if here and not unfinished else "")
            )
        return _table(table, place), Source(place.resolve().name, place, "run", _settings(place / SETTINGS, remarks))
    if not place.exists():
        siblings = [str(each) for each in place.parent.iterdir()] if place.parent.is_dir() else []
        raise CannotRead(f"there is no {place}{closest(str(place), siblings)}")
    if place.suffix.lower() == ".csv":
        return _table(place, place), Source(place.stem, place, "table")
    return _recordings(place, people, remarks), Source(place.stem, place, "recordings")


def _settings(path: Path, remarks: list[str]) -> dict[str, Any]:
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        remarks.append(f"{path} is not there, so the settings of the run are unknown.")
        return {}
    except (OSError, ValueError):
        remarks.append(f"{path} cannot be read, so the settings of the run are unknown.")
        return {}
    return settings if isinstance(settings, dict) else {}


def _table(path: Path, place: Path) -> list[Played]:
    csv.field_size_limit(2**31 - 1)  # events of a long episode
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            names = {name: _SYNONYMS.get(name, name) for name in reader.fieldnames or ()}
            for column in _NEEDED:
                if column not in names.values():
                    raise CannotRead(f"{path} has no column {column!r}{nearest(column, list(names))}")
            return [
                _played({names[key]: value or "" for key, value in row.items() if key in names}, path, line, place)
                for line, row in enumerate(reader, 2)
            ]
    except UnicodeDecodeError:
        raise CannotRead(f"{path} is no table: it is not text in UTF-8") from None
    except csv.Error as problem:
        raise CannotRead(f"{path} cannot be read as CSV: {problem}") from None


def _played(row: Mapping[str, str], path: Path, line: int, place: Path) -> Played:
    level, variant = _level(row["task"], row.get("level", ""), row.get("variant", ""))
    total = _number(row, "return", path, line)
    passed = _truth(row, "passed", path, line)
    error = row.get("error", "")
    if total is None and not error:
        raise CannotRead(f"{path}, line {line}: the return is empty, and no error says why")
    if passed is None and row["task"] in _MARKS and total is not None:
        passed = total >= _MARKS[row["task"]]
    steps, goals = _number(row, "steps", path, line), _number(row, "goals_collected", path, line)
    return Played(
        run=row.get("run", "") or place.stem,
        task=row["task"],
        agent=row["agent"] or "unnamed",
        total=nan if total is None else total,
        passed=passed,
        task_hash=row.get("task_hash", ""),
        variant=variant,
        level=level,
        arena=int(_number(row, "arena", path, line) or 0),
        episode=int(_number(row, "episode", path, line) or 0),
        seed=row.get("seed", ""),
        rules=row.get("rules", ""),
        steps=None if steps is None else int(steps),
        ended_by=row.get("ended_by", ""),
        goals=None if goals is None else int(goals),
        trajectory=f"{place}|{row['trajectory']}" if row.get("trajectory") else "",
        trained_on=_truth(row, "trained_on", path, line),
        error=error,
        time_limit=_number(row, "time_limit", path, line),
        participant=row.get("participant", ""),
    )


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
    plain = (
        {name: "" if value is None else str(value) for name, value in row.items()}
        for row in rows_of_recordings(store, episodes, path.stem)
    )
    rows = [_played(row, path, number, path) for number, row in enumerate(plain, 1)]
    return [_renamed(row, people) for row in rows] if people else rows


def _short_names(rows: list[Played], remarks: list[str]) -> list[Played]:
    """Agents named by where to import them from get the last word of it, where no other has the same."""
    names = {row.agent for row in rows}
    short = {name: _IMPORTED.sub("", name) for name in names}
    clear = {name: word for name, word in short.items() if word != name and list(short.values()).count(word) == 1}
    remarks += [f"{word} is {name}." for name, word in sorted(clear.items())]
    return [replace(row, agent=clear[row.agent]) if row.agent in clear else row for row in rows] if clear else rows


def _renamed(row: Played, people: str) -> Played:
    return replace(row, agent=people) if row.agent == "human" else row


def _level(task: str, level: str, variant: str) -> tuple[str, str]:
    """The testbed's own names tell level and variant."""
    named = _TESTBED.search(task)
    if named:
        level, variant = level or str(int(named[1])), variant or named[3]
    return (str(int(level)) if level.isdecimal() else level), variant


def _number(row: Mapping[str, str], column: str, path: Path, line: int) -> float | None:
    text = row.get(column, "").strip()
    if not text:
        return None
    try:
        return float(text)
    except ValueError:
        raise CannotRead(f"{path}, line {line}: {column} is {text!r}, which is no number") from None


def _truth(row: Mapping[str, str], column: str, path: Path, line: int) -> bool | None:
    text = row.get(column, "").strip().lower()
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    if not text:
        return None
    raise CannotRead(f"{path}, line {line}: {column} is {text!r}; it must be True, False or empty")


def _count(rows: Iterable[Played], one: str, many: str) -> str:
    number = sum(1 for _ in rows)
    return f"{number} {one if number == 1 else many}"
