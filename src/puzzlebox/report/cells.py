"""A table's cells as episodes: what each must be, and where it stands if it is not."""

import csv
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from math import nan
from pathlib import Path
from typing import Any

from puzzlebox.columns import Column
from puzzlebox.csv_cells import CellReader
from puzzlebox.record.entries import HUMAN
from puzzlebox.record.episode import FIELDS
from puzzlebox.report.played import Played, Remark
from puzzlebox.text import nearest
from puzzlebox.wings import ARENA, wing_named

# Columns as other tables call them, where they have none of our name.
_SYNONYMS = {
    **{"experiment": "task", "reward": "return", "score": "return", "pass": "passed", "player": "agent"},
    "goals_collected": "goals",
}
_NEEDED = ("task", "agent", "return")
# What the tasks of the published experiments need to be passed, where a table leaves it out.
_MARKS = {"foraging": 15.0, "operant": 0.0, "operant-chamber": 0.0, "what-where-when": 7.0}
_TRUE, _FALSE = ("true", "1", "1.0", "yes"), ("false", "0", "0.0", "no")


class CannotRead(ValueError):
    """What was named holds no episodes; the message says what is missing."""


def episodes_in(path: Path, place: Path, remarks: list[str]) -> list[Played]:
    """The episodes of a table; `place` is what their trajectories are beside."""
    rows = rows_in(path, remarks)
    return [episode_of(row, path, line, place) for line, row in enumerate(rows, 2)]


def rows_in(path: Path, remarks: list[str]) -> list[dict[str, str]]:
    """The rows of a table of episodes, CSV or Parquet, as texts under our names of columns, arenas by position."""
    rows = _parquet(path) if path.suffix.lower() == ".parquet" else _csv(path, remarks)
    names = _names(path, list(rows[0]) if rows else [])
    if "repetition" not in names and all(row.get("episode", "x").isdecimal() for row in rows):
        names["episode"] = "repetition"  # as runs of earlier versions, and other programs, call it
    return _with_positions([{names[key]: value for key, value in row.items()} for row in rows])


def _names(path: Path, there: Sequence[str]) -> dict[str, str]:
    """Our name for each column of a table."""
    names = {name: name if _SYNONYMS.get(name) in there else _SYNONYMS.get(name, name) for name in there}
    for column in _NEEDED if there else ():
        if column not in names.values():
            raise CannotRead(f"{path} has no column {column!r}{nearest(column, there)}")
    return names


def _with_positions(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Rows whose arenas are positions: tables count them from 1, and those of other programs from 0."""
    arenas = {row.get("arena", "").strip() for row in rows}
    if arenas & {"0", "0.0"} or not all(each.isdecimal() for each in arenas - {""}):
        return rows
    return [{**row, "arena": str(int(row["arena"]) - 1)} if row.get("arena", "").strip() else row for row in rows]


def _parquet(path: Path) -> list[dict[str, str]]:
    try:
        parquet = import_module("pyarrow.parquet")
    except ImportError:
        raise CannotRead(f"{path} needs pyarrow; `pip install puzzlebox[tables]` brings it") from None
    try:
        rows = parquet.read_table(path).to_pylist()
    except (ValueError, OSError) as problem:
        raise CannotRead(f"{path} cannot be read as Parquet: {str(problem).splitlines()[0]}") from None
    return [{name: "" if value is None else str(value) for name, value in row.items()} for row in rows]


def _csv(path: Path, remarks: list[str]) -> list[dict[str, str]]:
    csv.field_size_limit(2**31 - 1)  # events of a long episode
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = CellReader(file)
            there = reader.fieldnames
            if not there:
                raise CannotRead(f"{path} is empty; a table of episodes begins with the names of its columns")
            _names(path, there)
            rows = list(reader)
    except UnicodeDecodeError:
        raise CannotRead(f"{path} is no table: it is not text in UTF-8") from None
    except csv.Error as problem:
        raise CannotRead(f"{path} cannot be read as CSV: {problem}") from None
    if rows and None in rows[-1].values() and not path.read_bytes().endswith(b"\n"):
        # Its last number may have lost digits, so that none of it can be trusted.
        rows.pop()
        remarks.append(Remark(f"{path} ends in the middle of a row; that row counts nowhere.", ""))
    return [{key: value or "" for key, value in row.items() if key in there} for row in rows]


def episode_of(row: Mapping[str, str], path: Path, line: int, place: Path) -> Played:
    """The episode of a row of a table; what is wrong with it is said with file and line."""
    values = {name: _value(column, row, path, line) for name, column in FIELDS.items()}
    known: dict[str, Any] = {name: value for name, value in values.items() if value is not None}
    total, error = values["total"], row.get("error", "")
    if total is None and not error:
        raise CannotRead(f"{path}, line {line}: the return is empty, and no error says why")
    passed = values["passed"]
    if passed is None and row["task"] in _MARKS and total is not None:
        passed = total >= _MARKS[row["task"]]
    # Tables of other programs may name agents only, and say in another column whether a person played.
    agent = row["agent"] or row.get("player", "") or "unnamed"
    person = _truth(row, "person", path, line)
    if person is None:
        person = row["player"] == HUMAN if row.get("player") else agent == HUMAN or bool(row.get("participant"))
    # Nor do they say when an episode was decided, or how long a step lasts.
    whole = "latency" not in row
    steps, step_seconds = values["steps"], values["step_seconds"] or wing_named(ARENA).step_seconds
    latency = None if steps is None else steps * step_seconds
    level, variant = _level(row["task"], row.get("level", ""), row.get("variant", ""))
    own = {
        "id": row.get("episode", ""),
        "run": row.get("run", "") or place.stem,
        "agent": agent,
        "total": nan if total is None else total,
        "passed": passed,
        "level": level,
        "variant": variant,
        "trajectory": f"{place}|{row['trajectory']}" if row.get("trajectory") else "",
        "latency": latency if whole else values["latency"],
        "player": row.get("player", "") or (HUMAN if person else "agent"),
    }
    more = {"person": person, "whole_time": whole, "time_limit": _number(row, "time_limit", path, line)}
    return Played(**known | own | more)


def _value(column: Column, row: Mapping[str, str], path: Path, line: int) -> Any:
    """A cell as the value of its column; None where it is empty."""
    text = row.get(column.name, "").strip()
    if column.kind == "truth":
        return _truth(row, column.name, path, line)
    if column.kind in ("number", "whole"):
        number = _number(row, column.name, path, line)
        return int(number) if number is not None and column.kind == "whole" else number
    if column.name == "seed":
        return int(text) if text.isdecimal() else None
    if column.name in ("rules_fields", "events"):
        with suppress(ValueError, RecursionError):
            return json.loads(text)
        return None
    return text or None


def _level(task: str, level: str, variant: str) -> tuple[str, str]:
    """The testbed's own names tell level and variant."""
    place = wing_named(ARENA).level_of(task)
    if place is not None:
        level, variant = level or place[0], variant or place[1]
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
