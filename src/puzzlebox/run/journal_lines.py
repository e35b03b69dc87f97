"""The lines of a run's journal: written with a checksum, and read with a reason wherever one cannot be trusted."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from zlib import crc32

from puzzlebox.columns import Column
from puzzlebox.record.episode import EPISODES, Episode
from puzzlebox.run.schedule import Slot
from puzzlebox.text import closest

_COLUMNS: Mapping[str, Column] = {column.name: column for column in EPISODES}
# What every row has: what tells an episode, and what came of it.
_NEEDED = ("task", "arena", "agent", "repetition", "task_hash", "seed", "rules", "steps", "return", "ended_by")
# What versions before there was one table for all episodes called columns.
_FORMER = {"episode": "repetition", "goals_collected": "goals"}
# What tells an episode, and is never empty.
_IDENTITY = ("task", "arena", "agent", "repetition")
_KINDS: Mapping[str, tuple[str, tuple[type, ...]]] = {
    "text": ("a text", (str,)),
    "whole": ("a whole number", (int,)),
    "number": ("a number", (int, float)),
    "truth": ("true or false", (bool,)),
}
# Columns that JSON holds as something else than a table does.
_IN_JSON: Mapping[str, tuple[str, tuple[type, ...]]] = {
    "seed": ("a whole number", (int,)),
    "rules_fields": ("an object", (dict,)),
    "events": ("a list", (list,)),
}
_JSON_NAMES = {list: "a list", str: "a text", bool: "a truth value", int: "a number", float: "a number"}
_ENTRY = ("trajectories", "on_disk", "crc32", "row")
_MOST_SHOWN = 40


@dataclass(frozen=True)
class Line:
    """A line of a journal.

    Attributes:
        number: which line of the file it is, from 1.
        raw: its bytes, without the newline.
        row: the row of results it holds; empty where the line is damaged.
        trajectories: how many bytes of trajectories there were when it was written.
        on_disk: how many of these were on the disk for certain.
        why: what is wrong with it; "" where nothing is.
    """

    number: int
    raw: bytes
    row: dict[str, Any] = field(default_factory=dict)
    trajectories: int = 0
    on_disk: int = 0
    why: str = ""

    @property
    def slot(self) -> Slot:
        """The episode it tells of."""
        return Slot(*(self.row[name] for name in _IDENTITY))

    @property
    def episode(self) -> Episode:
        """The episode itself."""
        return Episode.of_plain(self.row)

    def blamed(self, why: str) -> "Line":
        """The same line as a damaged one."""
        return replace(self, why=why)


@dataclass(frozen=True)
class Lines:
    """All lines of a journal.

    Attributes:
        good: those that can be trusted, in their order.
        damaged: the others, in their order.
        whole: how many bytes of the file are lines; what follows is a write that was cut off.
        ended: whether the last line has its newline.
    """

    good: list[Line]
    damaged: list[Line]
    whole: int
    ended: bool = True


class _Wrong(ValueError):
    """What is wrong with a line, as the end of a sentence that begins with it."""


def written(episode: Episode, trajectories: int, on_disk: int) -> bytes:
    """The line of an episode, with its newline."""
    row = episode.plain()
    entry = {"trajectories": trajectories, "on_disk": on_disk, "crc32": _checksum(row), "row": row}
    return json.dumps(entry, separators=(",", ":")).encode() + b"\n"


def read_lines(path: Path) -> Lines:
    """Read a journal; a last line without a newline that cannot be read is a write that was cut off, not damage."""
    data = path.read_bytes()
    *complete, rest = data.split(b"\n")
    lines = [_line(number, raw) for number, raw in enumerate(complete, 1)]
    whole, ended = len(data) - len(rest), True
    if rest and not (last := _line(len(lines) + 1, rest)).why:
        # Only its newline was cut off.
        lines.append(last)
        whole, ended = len(data), False
    lines = _each_once(lines)
    good, damaged = [each for each in lines if not each.why], [each for each in lines if each.why]
    return Lines(good, damaged, whole, ended)


def last_episodes(lines: Iterable[Line]) -> dict[Slot, Episode]:
    """Each episode once: one that failed and was played again counts as it went the last time."""
    return {line.slot: line.episode for line in lines}


def _line(number: int, raw: bytes) -> Line:
    try:
        entry = _entry(raw)
    except _Wrong as problem:
        return Line(number, raw, why=str(problem))
    # Runs of earlier versions did not write down what was on the disk.
    on_disk = entry.get("on_disk", entry["trajectories"])
    return Line(number, raw, entry["row"], entry["trajectories"], on_disk)


def _entry(raw: bytes) -> dict[str, Any]:
    if not raw.strip():
        raise _Wrong("it is empty")
    if b"\0" in raw:
        raise _Wrong("it holds NUL bytes, as a loss of power leaves them")
    try:
        entry = json.loads(raw.decode())
    except UnicodeDecodeError:
        raise _Wrong("it is not text in UTF-8") from None
    except RecursionError:
        raise _Wrong("it is not JSON of a journal: its brackets are nested too deeply") from None
    except ValueError as problem:
        said = f"{problem.msg}, column {problem.colno}" if isinstance(problem, json.JSONDecodeError) else str(problem)
        raise _Wrong(f"it is not JSON ({said})") from None
    _require_keys("it", entry, _ENTRY, ("trajectories", "row"))
    for name in ("trajectories", "on_disk", "crc32"):
        value = entry.get(name, 0)
        if type(value) is not int or value < 0:
            raise _Wrong(f"its `{name}` is {_shown(value)}; it must be a whole number, 0 or more")
    row = _renamed(entry["row"])
    _require_row(row)
    # Earlier versions wrote no checksum.
    if "crc32" in entry and entry["crc32"] != _checksum(entry["row"]):
        raise _Wrong("its checksum does not fit: something in it was changed")
    return {**entry, "row": row}


def _renamed(row: Any) -> Any:
    """A row of an earlier version under the names of today, its events as a list and without empty values."""
    if not isinstance(row, dict) or "goals_collected" not in row:
        return row
    named = {_FORMER.get(name, name): value for name, value in row.items() if value not in (None, "")}
    if isinstance(named.get("events"), str):
        try:
            named["events"] = json.loads(named["events"])
        except ValueError:
            raise _Wrong("the `events` of its row are not JSON") from None
    if not all(name in named for name in _IDENTITY) or type(named["arena"]) is not int:
        return named
    return {**named, "episode": Slot(*(named[name] for name in _IDENTITY)).name}


def _require_keys(what: str, value: Any, known: Sequence[str], needed: Sequence[str]) -> None:
    if not isinstance(value, dict):
        raise _Wrong(f"{what} is {_JSON_NAMES.get(type(value), 'null')}, not an object")
    for name in value:
        if name not in known:
            raise _Wrong(f"{what} has an unknown key {_shown(name)}{closest(name, list(known))}")
    for name in needed:
        if name not in value:
            raise _Wrong(f"{what} lacks `{name}`")


def _require_row(row: Any) -> None:
    _require_keys("its `row`", row, tuple(_COLUMNS), _NEEDED)
    for name, value in row.items():
        word, kinds = _IN_JSON.get(name) or _KINDS[_COLUMNS[name].kind]
        fits = isinstance(value, kinds) and (isinstance(value, bool) == (kinds == (bool,)))
        if not fits and (value is not None or name in _IDENTITY):
            raise _Wrong(f"`{name}` of its row is {_shown(value)}; it must be {word}")
    for name in ("arena", "repetition"):
        if row[name] < 0:
            raise _Wrong(f"`{name}` of its row is {row[name]}; it must be 0 or more")


def _each_once(lines: Sequence[Line]) -> list[Line]:
    """Blame lines that tell of an episode another line has told of; only one that failed may be there again."""
    told: dict[Slot, list[Line]] = {}
    for line in lines:
        if not line.why:
            told.setdefault(line.slot, []).append(line)
    blamed: dict[int, str] = {}
    for slot, own in told.items():
        done = [line for line in own if not line.row.get("error")]
        if not done:
            continue
        first = done[0]
        alike = all(line.row == first.row for line in done)
        if not alike:
            others = " and ".join(str(line.number) for line in done[:2])
            blamed |= {line.number: f"lines {others} tell different things of the episode {slot.name}" for line in done}
        for line in own:
            if line.number > first.number and line.number not in blamed:
                blamed[line.number] = f"the episode {slot.name} is in line {first.number} already"
    return [line.blamed(blamed[line.number]) if line.number in blamed else line for line in lines]


def _checksum(row: Mapping[str, Any]) -> int:
    return crc32(json.dumps(row, separators=(",", ":")).encode())


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
