"""Reading of episodes from tables (CSV, Parquet); errors name the file and the line."""

import csv
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from math import isfinite, isinf, nan
from pathlib import Path
from typing import Any

from puzzlebox.columns import Column
from puzzlebox.csv_cells import CellReader
from puzzlebox.record.columns import FACTOR
from puzzlebox.record.entries import HUMAN
from puzzlebox.record.episode import FIELDS
from puzzlebox.report.episodes import LeftOut, ReportEpisode
from puzzlebox.text import nearest
from puzzlebox.wings import ARENA, wing_named

# Names that tables of other programs have for our columns.
_SYNONYMS = {
    **{"experiment": "task", "reward": "return", "score": "return", "pass": "passed", "player": "agent"},
    "goals_collected": "goals",
}
_REQUIRED = ("task", "agent", "return")
# Pass marks of the published experiments, for tables without `passed`.
_PASS_MARKS = {"foraging": 15.0, "operant": 0.0, "operant-chamber": 0.0, "what-where-when": 7.0}
_NOTHING: dict[str, Any] = dict.fromkeys(FIELDS)
_TRUE, _FALSE = ("true", "t", "1", "1.0", "yes"), ("false", "f", "0", "0.0", "no")
# Cells that other programs write for a missing value.
_MISSING = ("na", "n/a", "nan", "null", "none")
# Characters that separate the cells of other tables, by name.
_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}
# The name of a task or an agent that has none.
_UNNAMED = "unnamed"
# Digits of a level at most that is a number.
_MOST_DIGITS = 9


class CannotRead(ValueError):
    """A path holds no episodes that can be read; the message says why."""


def episodes_in(path: Path, origin: Path, remarks: list[str]) -> list[ReportEpisode]:
    """Read the episodes of a table; `origin` is the run or file that holds their trajectories."""
    rows = rows_in(path, remarks)
    return [episode_of(row, path, line, origin) for line, row in enumerate(rows, 2)]


def rows_in(path: Path, remarks: list[str]) -> list[dict[str, str]]:
    """Read the rows of a table of episodes as text, with our column names and with arenas counted from 0."""
    rows = _parquet(path) if path.suffix.lower() == ".parquet" else _csv(path, remarks)
    names = _names(path, list(rows[0]) if rows else [])
    if "repetition" not in names and all(row.get("episode", "x").isdecimal() for row in rows):
        names["episode"] = "repetition"  # its name in runs of earlier versions and in other programs
    return _with_arenas_from_0([{names[key]: value for key, value in row.items()} for row in rows])


def _names(path: Path, header: Sequence[str]) -> dict[str, str]:
    """Return our name for each column of a table."""
    given = [name.strip() for name in header]
    for name in given:
        if name and given.count(name) > 1:
            raise CannotRead(f"{path} has two columns {name!r}")
    ours = [name if _SYNONYMS.get(name) in given else _SYNONYMS.get(name, name) for name in given]
    names = dict(zip(header, ours, strict=True))
    for column in _REQUIRED if header else ():
        if column not in names.values():
            for sign, word in _SEPARATORS.items() if len(header) == 1 else ():
                if sign in header[0]:
                    raise CannotRead(f"{path} has cells separated by {word}; they must be separated by commas")
            raise CannotRead(f"{path} has no column {column!r}{nearest(column, header)}")
    return names


def _with_arenas_from_0(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return rows with arenas counted from 0: our tables count from 1, those of other programs may count from 0."""
    arenas = {row["arena"].strip() for row in rows if has_arena(row)}
    if arenas & {"0", "0.0"} or not all(each.isdecimal() for each in arenas):
        return rows
    return [{**row, "arena": str(int(row["arena"]) - 1)} if has_arena(row) else row for row in rows]


def has_arena(row: Mapping[str, str]) -> bool:
    """Return whether a row of a table says in which arena its episode was played."""
    return row.get("arena", "").strip().lower() not in ("", *_MISSING)


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
    csv.field_size_limit(2**31 - 1)  # a cell may hold the events of a long episode
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = CellReader(file)
            header = reader.fieldnames
            if not header:
                raise CannotRead(f"{path} is empty; a table of episodes begins with the names of its columns")
            _names(path, header)
            rows = list(reader)
    except UnicodeDecodeError:
        raise CannotRead(f"{path} is not a table: it is not text in UTF-8") from None
    except csv.Error as problem:
        raise CannotRead(f"{path} cannot be read as CSV: {problem}") from None
    if rows and None in rows[-1].values() and not path.read_bytes().endswith(b"\n"):
        # Its last number may have lost digits.
        rows.pop()
        remarks.append(LeftOut(f"{path} ends in the middle of a row; that row is excluded.", ""))
    for line, row in enumerate(rows, 2):
        if any(row.get(None, ())):
            many = len(header) + len(row[None])
            raise CannotRead(
                f"{path}, line {line} has {many} cells, but there are {len(header)} columns; a comma within a cell "
                "needs quotation marks around the cell, and numbers need decimal points"
            )
    return [{key: value or "" for key, value in row.items() if key is not None} for row in rows]


def episode_of(row: Mapping[str, str], path: Path, line: int, origin: Path, without_arena: int = 0) -> ReportEpisode:
    """Build the episode of a row of a table; errors name the file and the line.

    Args:
        row: the cells by name.
        path: the table.
        line: the line of the row.
        origin: the run or file that holds the trajectories of the table.
        without_arena: the arena of an episode for which the row has none.
    """
    # Most columns of most tables are empty.
    given = {name: _value(column, row, path, line) for name, column in FIELDS.items() if row.get(column.name)}
    present: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    values = _NOTHING | present
    total, error = values["total"], row.get("error", "")
    if total is None and not error:
        raise CannotRead(f"{path}, line {line}: the return is empty, and no error says why")
    passed = values["passed"]
    task = values["task"] or _UNNAMED
    if passed is None and task in _PASS_MARKS and total is not None:
        passed = total >= _PASS_MARKS[task]
    # Tables of other programs may have no column `player`, but one that states whether a person played.
    agent = row["agent"].strip() or row.get("player", "").strip() or _UNNAMED
    person = _truth(row, "person", path, line)
    if person is None:
        person = row["player"] == HUMAN if row.get("player") else agent == HUMAN or bool(row.get("participant"))
    # Nor may they have the latency of an episode or the length of a step.
    no_latency = "latency" not in row
    steps, step_seconds = values["steps"], values["step_seconds"] or wing_named(ARENA).step_seconds
    latency = None if steps is None else steps * step_seconds
    level, variant = _level(task, values["level"] or "", values["variant"] or "")
    own = {
        "id": row.get("episode", ""),
        "run": row.get("run", "") or origin.stem,
        "task": task,
        "agent": agent,
        "total": nan if total is None else total,
        "passed": passed,
        "level": level,
        "variant": variant,
        "trajectory": f"{origin}|{row['trajectory']}" if row.get("trajectory") else "",
        "latency": latency if no_latency else values["latency"],
        "player": row.get("player", "") or (HUMAN if person else "agent"),
    }
    factors = {
        name.removeprefix(FACTOR): _factor(text.strip())
        for name, text in row.items()
        if name.startswith(FACTOR) and name != FACTOR and _is_value(text.strip())
    }
    if not has_arena(row):
        own["arena"] = without_arena
    more = {
        "factors": factors,
        "person": person,
        "whole_time": no_latency,
        "time_limit": _number(row, "time_limit", path, line),
    }
    return ReportEpisode(**present | own | more)


def _value(column: Column, row: Mapping[str, str], path: Path, line: int) -> Any:
    """Return a cell as a value of its column's kind; None if it is empty."""
    text = row.get(column.name, "").strip()
    if column.kind == "truth":
        return _truth(row, column.name, path, line)
    if column.kind in ("number", "whole"):
        number = _number(row, column.name, path, line)
        return _whole(number, row, column.name, path, line) if column.kind == "whole" else number
    if column.name == "seed":
        return int(text) if text.isdecimal() else None
    if column.name in ("rules_fields", "events"):
        return _rules(text) if column.name == "rules_fields" else _events(text)
    return text or None


def _is_value(text: str) -> bool:
    """Return whether a cell of a factor holds a value: not one that is missing, and no infinite number."""
    with suppress(ValueError):
        return isfinite(float(text))
    return bool(text) and text.lower() not in _MISSING


def _factor(text: str) -> Any:
    """Return the value of a factor: a number, a truth value, or the text itself."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


@lru_cache(256)
def _rules(text: str) -> dict[str, Any] | None:
    """Return the rules of a cell; None if it holds none. Most rows of a table have the same."""
    rules = _json(text)
    return rules if isinstance(rules, dict) else None


def _events(text: str) -> list[dict[str, Any]] | None:
    """Return the events of a cell; None if it holds none."""
    events = _json(text)
    return events if isinstance(events, list) and all(isinstance(each, dict) for each in events) else None


def _json(text: str) -> Any:
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    return None


@lru_cache(100_000)
def _level(task: str, level: str, variant: str) -> tuple[str, str]:
    """Complete level and variant from the name of the task, which includes them in the testbed."""
    named = wing_named(ARENA).level_of(task)
    if named is not None:
        level, variant = level or named[0], variant or named[1]
    return (str(int(level)) if level.isdecimal() and len(level) <= _MOST_DIGITS else level), variant


def _number(row: Mapping[str, str], column: str, path: Path, line: int) -> float | None:
    text = row.get(column, "").strip()
    if not text or (text.lower() in _MISSING and column != "return"):
        return None
    try:
        number = nan if text.lower() in _MISSING else float(text)
    except ValueError:
        raise CannotRead(f"{path}, line {line}: {column} is {text!r}, which is not a number") from None
    if isinf(number) and column != "return":
        raise CannotRead(f"{path}, line {line}: {column} is {text!r}; it must be finite")
    return number


def _whole(number: float | None, row: Mapping[str, str], column: str, path: Path, line: int) -> int | None:
    """Return a number as a whole number."""
    if number is not None and (number < 0 or number != int(number)):
        raise CannotRead(f"{path}, line {line}: {column} is {row[column]!r}; it must be a whole number, 0 or more")
    return None if number is None else int(number)


def _truth(row: Mapping[str, str], column: str, path: Path, line: int) -> bool | None:
    text = row.get(column, "").strip().lower()
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    if not text or text in _MISSING:
        return None
    raise CannotRead(f"{path}, line {line}: {column} is {text!r}; it must be True, False or empty")
