"""The lines of a run's journal: each has a checksum, and a damaged one is read with the reason."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from zlib import crc32

from puzzlebox.columns import Column
from puzzlebox.record.episode import EPISODES, FACTORS, MEASURES, Episode
from puzzlebox.run.schedule import Slot
from puzzlebox.text import closest

_COLUMNS: Mapping[str, Column] = {column.name: column for column in EPISODES}
# Columns that every row has: those that identify an episode, and its result.
_REQUIRED = ("task", "arena", "agent", "repetition", "task_hash", "seed", "rules", "steps", "return", "ended_by")
# Columns that earlier versions called differently.
_FORMER_NAMES = {"episode": "repetition", "goals_collected": "goals"}
# Columns that identify an episode and are never empty.
_IDENTITY = ("task", "arena", "agent", "repetition")
_KINDS: Mapping[str, tuple[str, tuple[type, ...]]] = {
    "text": ("a text", (str,)),
    "whole": ("a whole number", (int,)),
    "number": ("a number", (int, float)),
    "truth": ("true or false", (bool,)),
}
# Columns whose type in JSON differs from that in a table.
_IN_JSON: Mapping[str, tuple[str, tuple[type, ...]]] = {
    "seed": ("a whole number", (int,)),
    "rules_fields": ("an object", (dict,)),
    "events": ("a list", (list,)),
    MEASURES: ("an object", (dict,)),
    FACTORS: ("an object", (dict,)),
}
_JSON_NAMES = {list: "a list", str: "a text", bool: "a truth value", int: "a number", float: "a number"}
_ENTRY = ("trajectories", "on_disk", "trajectory_crc32", "crc32", "row")
_MOST_SHOWN = 40


@dataclass(frozen=True)
class Line:
    """A line of a journal.

    Attributes:
        number: the number of the line in the file, from 1.
        raw: its bytes, without the newline.
        row: the values of its episode by column; empty if the line is damaged.
        trajectories: the length of the file of trajectories in bytes when it was written.
        on_disk: how many of these bytes were on the disk for certain.
        trajectory_crc32: the CRC-32 of the bytes of its trajectory; None without one, and in runs of earlier versions.
        checked: whether the line has a checksum; runs of earlier versions have none.
        why: what is wrong with the line; "" if it is not damaged.
    """

    number: int
    raw: bytes
    row: dict[str, Any] = field(default_factory=dict)
    trajectories: int = 0
    on_disk: int = 0
    trajectory_crc32: int | None = None
    checked: bool = False
    why: str = ""

    @property
    def slot(self) -> Slot:
        """The slot of the episode in the schedule of the run."""
        return Slot(*(self.row[name] for name in _IDENTITY))

    @property
    def episode(self) -> Episode:
        """The episode of the line."""
        return Episode.of_plain(self.row)

    def as_damaged(self, why: str) -> "Line":
        """Return the line marked as damaged, with a reason."""
        return replace(self, why=why)


@dataclass(frozen=True)
class Lines:
    """All lines of a journal.

    Attributes:
        good: the undamaged lines, in order.
        damaged: the damaged lines, in order.
        whole: the number of bytes up to the end of the last line; the rest is an interrupted write.
        ended: whether the last line has its newline.
    """

    good: list[Line]
    damaged: list[Line]
    whole: int
    ended: bool = True


class _BadLine(ValueError):
    """A line is damaged; the message is a clause whose subject is the line, such as "it is empty"."""


def encode_line(episode: Episode, trajectories: int, on_disk: int, trajectory_crc32: int | None = None) -> bytes:
    """Return the line of an episode, with its newline."""
    row = episode.plain()
    entry: dict[str, Any] = {"trajectories": trajectories, "on_disk": on_disk}
    if trajectory_crc32 is not None:
        entry["trajectory_crc32"] = trajectory_crc32
    entry |= {"crc32": checksum(row), "row": row}
    return json.dumps(entry, separators=(",", ":")).encode() + b"\n"


def read_lines(path: Path) -> Lines:
    """Read a journal; an unreadable last line without a newline is an interrupted write and not damage."""
    data = path.read_bytes()
    *complete, rest = data.split(b"\n")
    lines = [_line(number, raw) for number, raw in enumerate(complete, 1)]
    whole, ended = len(data) - len(rest), True
    if rest and not (last := _line(len(lines) + 1, rest)).why:
        # Only the newline is missing.
        lines.append(last)
        whole, ended = len(data), False
    lines = _mark_duplicates(_mark_unchecked(lines))
    good, damaged = [each for each in lines if not each.why], [each for each in lines if each.why]
    return Lines(good, damaged, whole, ended)


def last_episodes(lines: Iterable[Line]) -> dict[Slot, Episode]:
    """Return the last result of each episode; one that failed and was played again has several."""
    return {line.slot: line.episode for line in lines}


def _line(number: int, raw: bytes) -> Line:
    try:
        entry = _entry(raw)
    except _BadLine as problem:
        return Line(number, raw, why=str(problem))
    # Runs of earlier versions have no `on_disk`.
    on_disk = entry.get("on_disk", entry["trajectories"])
    return Line(
        number, raw, entry["row"], entry["trajectories"], on_disk, entry.get("trajectory_crc32"), "crc32" in entry
    )


def _entry(raw: bytes) -> dict[str, Any]:
    if not raw.strip():
        raise _BadLine("it is empty")
    if b"\0" in raw:
        raise _BadLine("it holds NUL bytes, as a loss of power leaves them")
    try:
        entry = json.loads(raw.decode())
    except UnicodeDecodeError:
        raise _BadLine("it is not text in UTF-8") from None
    except RecursionError:
        raise _BadLine("it is not JSON of a journal: its brackets are nested too deeply") from None
    except ValueError as problem:
        why = f"{problem.msg}, column {problem.colno}" if isinstance(problem, json.JSONDecodeError) else str(problem)
        raise _BadLine(f"it is not JSON ({why})") from None
    _require_keys("it", entry, _ENTRY, ("trajectories", "row"))
    for name in ("trajectories", "on_disk", "trajectory_crc32", "crc32"):
        value = entry.get(name, 0)
        if type(value) is not int or value < 0:
            raise _BadLine(f"its `{name}` is {_shown(value)}; it must be a whole number, 0 or more")
    row = _rename_columns(entry["row"])
    _require_row(row)
    # Runs of earlier versions have no checksums.
    if "crc32" in entry and entry["crc32"] != checksum(entry["row"]):
        raise _BadLine("its checksum does not fit: something in it was changed")
    return {**entry, "row": row}


def _rename_columns(row: Any) -> Any:
    """Return a row of an earlier version with current column names, events as a list, and no empty values."""
    if not isinstance(row, dict) or "goals_collected" not in row:
        return row
    named = {_FORMER_NAMES.get(name, name): value for name, value in row.items() if value not in (None, "")}
    if isinstance(named.get("events"), str):
        try:
            named["events"] = json.loads(named["events"])
        except ValueError:
            raise _BadLine("the `events` of its row are not JSON") from None
    if not all(name in named for name in _IDENTITY) or type(named["arena"]) is not int:
        return named
    return {**named, "episode": Slot(*(named[name] for name in _IDENTITY)).name}


def _require_keys(what: str, value: Any, known: Sequence[str], required: Sequence[str]) -> None:
    if not isinstance(value, dict):
        raise _BadLine(f"{what} is {_JSON_NAMES.get(type(value), 'null')}, not an object")
    for name in value:
        if name not in known:
            raise _BadLine(f"{what} has an unknown key {_shown(name)}{closest(name, list(known))}")
    for name in required:
        if name not in value:
            raise _BadLine(f"{what} lacks `{name}`")


def _require_row(row: Any) -> None:
    _require_keys("its `row`", row, (*_COLUMNS, MEASURES, FACTORS), _REQUIRED)
    for name, value in row.items():
        word, kinds = _IN_JSON.get(name) or _KINDS[_COLUMNS[name].kind]
        fits = isinstance(value, kinds) and (isinstance(value, bool) == (kinds == (bool,)))
        if not fits and (value is not None or name in _IDENTITY):
            raise _BadLine(f"`{name}` of its row is {_shown(value)}; it must be {word}")
    for name in ("arena", "repetition"):
        if row[name] < 0:
            raise _BadLine(f"`{name}` of its row is {row[name]}; it must be 0 or more")


def _mark_unchecked(lines: Sequence[Line]) -> list[Line]:
    """Mark lines without a checksum as damaged if others have one: one version writes all lines of a run."""
    if not any(line.checked for line in lines):
        return list(lines)
    return [line if line.checked or line.why else line.as_damaged("its checksum is missing") for line in lines]


def _mark_duplicates(lines: Sequence[Line]) -> list[Line]:
    """Mark lines of an episode that already has a result as damaged; only failed episodes may have several lines."""
    by_slot: dict[Slot, list[Line]] = {}
    for line in lines:
        if not line.why:
            by_slot.setdefault(line.slot, []).append(line)
    reasons: dict[int, str] = {}
    for slot, own in by_slot.items():
        done = [line for line in own if not line.row.get("error")]
        if not done:
            continue
        first = done[0]
        alike = all(line.row == first.row for line in done)
        if not alike:
            others = " and ".join(str(line.number) for line in done[:2])
            reasons |= {
                line.number: f"lines {others} hold different results of the episode {slot.name}" for line in done
            }
        for line in own:
            if line.number > first.number and line.number not in reasons:
                reasons[line.number] = f"the episode {slot.name} is in line {first.number} already"
    return [line.as_damaged(reasons[line.number]) if line.number in reasons else line for line in lines]


def checksum(row: Mapping[str, Any]) -> int:
    """Return the checksum of the row of a line."""
    return crc32(json.dumps(row, separators=(",", ":")).encode())


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
