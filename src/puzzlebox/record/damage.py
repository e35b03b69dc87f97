"""Checks of everything read from a file of recordings: damage raises one sentence and never gives a wrong value."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from math import isfinite
from pathlib import Path
from textwrap import shorten
from typing import Any

from puzzlebox.record.database import StoreError
from puzzlebox.record.entries import HUMAN, PLAYERS
from puzzlebox.record.episode import Episode
from puzzlebox.record.measures import seconds
from puzzlebox.wings import Wing, find_wing
from puzzlebox.wings.actions import actions_in, parse_actions
from puzzlebox.wings.protocols import OWN_RULES

RESCUE = "restore a backup, or write what can be read with `puzzlebox export`"
# The beginning of sentences about a file as a whole.
_OF_FILE = "the recordings in "
# Words in SQLite's messages that mean that the file itself is damaged.
_DAMAGE = ("malformed", "not a database", "corrupt", "no such table", "no such column", "decode", "too big")
# Characters of an SQLite message that are quoted at most.
_MOST_CHARACTERS = 120


# The columns of the query for an episode, in order.
EPISODE_ROW = (
    *("id", "task_hash", "task", "title", "arena", "seed", "rules", "player", "agent", "started", "decision_period"),
    *("steps", "total", "passed", "ended_by", "participant", "hidden_ms", "paused_ms", "wing", "step_seconds"),
    "error",
)


class Damaged(StoreError):
    """A file of recordings is damaged; the message says where, and what to do."""


@dataclass(frozen=True)
class Survey:
    """The readable and the damaged episodes of a file of recordings.

    Attributes:
        episodes: the episodes that can be read, newest first.
        damaged: one sentence for each part that cannot be read.
    """

    episodes: list[Episode]
    damaged: list[str]


class Deleted(str):
    """A sentence about an episode that was deleted while a command read the file; that is no damage."""

    __slots__ = ()

    def __new__(cls, id: str) -> "Deleted":
        """Make the sentence about the episode with an id."""
        return super().__new__(cls, f"the episode {id} was deleted meanwhile; it was left out")


class _BadRow(ValueError):
    """A row does not hold what `Store` writes; the message says why."""


def unreadable(path: Path, problem: Exception) -> StoreError:
    """Turn an error of SQLite while reading into one sentence: `Damaged` where the file itself is at fault."""
    text = _short_message(problem) if isinstance(problem, sqlite3.Error) else "its tables cannot be listed"
    if not isinstance(problem, sqlite3.Error) or any(word in text for word in _DAMAGE):
        return _damaged_file(path, text)
    return StoreError(f"the recordings in {path} cannot be read: {text}")


def _damaged_file(path: Path, why: str) -> Damaged:
    return Damaged(f"{_OF_FILE}{path} are damaged ({why}); {RESCUE}")


def is_about_file(sentence: str) -> bool:
    """Return whether a sentence about damage concerns the file as a whole, and not one episode."""
    return sentence.startswith(_OF_FILE)


def unreadable_part(path: Path, id: Any, part: str, problem: Exception) -> StoreError:
    """Turn an error of SQLite while reading the steps or events of one episode into one sentence."""
    fault = unreadable(path, problem)
    why = _short_message(problem)
    if isinstance(fault, Damaged) and isinstance(problem, sqlite3.Error) and "no such" not in why:
        return damaged_episode(path, id, f"its {part} cannot be read ({why})")
    return fault


def _short_message(problem: Exception) -> str:
    """Return SQLite's message on one line, shortened, because it may quote whole columns of the file."""
    return shorten(str(problem), _MOST_CHARACTERS, placeholder=" ...")


def damaged_episode(path: Path, id: Any, why: str) -> Damaged:
    """Return the error for one damaged episode; `why` is a clause such as "its task is missing"."""
    return Damaged(f"the episode {id!s:.40} in {path} is damaged: {why}; {RESCUE}")


# The numbers of episodes in a table, found one after the other in its index, without reading all of its rows.
_NUMBERS = """WITH RECURSIVE numbers(n) AS (
  SELECT min(episode) FROM {0} UNION ALL SELECT (SELECT min(episode) FROM {0} WHERE episode > n) FROM numbers
  WHERE n IS NOT NULL)
SELECT n FROM numbers WHERE n IS NOT NULL AND n NOT IN (SELECT number FROM episodes)"""


def orphans(connection: sqlite3.Connection, path: Path) -> list[str]:
    """Return a sentence if there are episodes that have steps or events, but no row in the table of episodes."""
    steps, events = (
        {number for (number,) in connection.execute(_NUMBERS.format(table))} for table in ("steps", "events")
    )
    if not steps and not events:
        return []
    count = len(steps | events)
    missing = "of an episode" if count == 1 else f"of {count} episodes"
    parts = "steps" if steps else "events"
    return [str(_damaged_file(path, f"the row {missing} with {parts} is missing"))]


def episode_of(row: Iterable[Any], path: Path) -> Episode:
    """Build an episode from a row of the file with the columns `EPISODE_ROW`.

    Raises:
        Damaged: a value is not one that `Store` writes.
    """
    values = dict(zip(EPISODE_ROW, row, strict=True))
    try:
        for name, fits in _EPISODE.items():
            if not fits(values[name]):
                raise _BadRow(f"its `{name}` is {values[name]!r:.60}")
        rules = _mapping(values["rules"], "rules")
        seed = int(values["seed"])
    except (_BadRow, ValueError) as problem:
        raise damaged_episode(path, values["id"], str(problem)) from None
    steps, period, length = values["steps"], values["decision_period"], values["step_seconds"]
    return Episode(
        **values
        | {
            "seed": seed,
            "rules": _rules_name(values["wing"], rules),
            "rules_fields": rules,
            "passed": None if values["passed"] is None else bool(values["passed"]),
            "agent": values["agent"] or (HUMAN if values["player"] == HUMAN else None),
            "decisions": -(-steps // period),
            "seconds": seconds(steps, length),
            "trajectory": values["id"],
        }
    )


def _rules_name(name: str, fields: Mapping[str, Any]) -> str:
    """Return the name of some rules; "" if their wing is not installed."""
    wing = find_wing(name)
    try:
        return "" if wing is None else wing.rules(fields).name
    except (ValueError, TypeError):  # the version that wrote the rules is not installed
        return OWN_RULES


def event_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Check an event of the file and parse its details.

    Raises:
        ValueError: a value is not one that `Store` writes; the message says which.
    """
    for name, fits in _EVENT.items():
        if not fits(values[name]):
            raise _BadRow(f"the `{name}` of an event is {values[name]!r:.60}")
    details = _mapping(values["details"], "details of an event")
    if not _is_number_or_none(details.get("latency")):
        raise _BadRow(f"the latency of an event is {details['latency']!r:.60}")
    return {**values, "details": details}


class StepCheck:
    """Checks the steps of one episode, batch by batch.

    Args:
        wing: the wing of the episode; None if it is not installed.
        period: the decision period: the most steps that may lie between two recorded ones.
    """

    def __init__(self, wing: Wing | None, period: int) -> None:
        self._wing = wing
        self._views = None if wing is None else ("", *wing.views)
        self._period = period
        self._reached = 0
        # Whether each text of actions is valid. Most episodes have only a few different texts.
        self._verdicts: dict[Any, bool] = {"": True}

    def check(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Check the next rows of `STEP_COLUMNS`.

        Raises:
            ValueError: a row is not one that `Store` writes, or rows are missing; the message says which.
        """
        period = self._period
        for row in rows:
            step, actions, view, flags, *numbers, more = row
            good = type(step) is int and step >= 0 and self._are_actions(actions) and _are_measures(more)
            good = good and type(flags) is int and flags >= 0 and self._is_view(view) and numbers[0] is not None
            if not good or not all(map(_is_number_or_none, numbers)):
                raise _BadRow(f"its step {step!r:.20} holds values that no step can have")
            if step - self._reached > period:
                raise _missing(self._reached)
            self._reached = step

    def _is_view(self, view: Any) -> bool:
        return type(view) is str if self._views is None else view in self._views

    def _are_actions(self, text: Any) -> bool:
        if type(text) is not str:
            return False
        if text not in self._verdicts:
            try:
                actions = actions_in(text)
                self._verdicts[text] = self._wing is None or all(map(self._wing.is_action, actions))
            except ValueError:
                self._verdicts[text] = False
        return self._verdicts[text]


def actions_of(rows: Iterable[tuple[Any, Any]], period: int, length: int | None) -> tuple[tuple[Any, ...], ...]:
    """Return the actions of an episode, checked for gaps.

    Args:
        rows: number and text of the actions of each recorded step, in order.
        period: the decision period: the most steps that may lie between two recorded ones.
        length: the number of steps of the episode; None if it is not over.

    Raises:
        ValueError: a row is damaged or missing; the message says which.
    """
    reached, texts = 0, []
    for step, text in rows:
        if type(step) is not int or not 0 <= step - reached <= period:
            raise _missing(reached)
        reached = step
        if text:
            texts.append(text)
    if length is not None and reached != length:
        raise _BadRow(f"it took {length} steps, and those after step {reached} are missing")
    return parse_actions(texts)


def _missing(reached: int) -> _BadRow:
    return _BadRow(f"steps are missing after step {reached}")


def _mapping(text: str, what: str) -> dict[str, Any]:
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise _BadRow(f"the {what} cannot be read as JSON") from None
    if not isinstance(value, dict):
        raise _BadRow(f"the {what} are {value!r:.60}")
    return value


def _refuse_constant(word: str) -> Any:
    raise ValueError(word)


def _is_text(value: Any) -> bool:
    return type(value) is str


def _is_text_or_none(value: Any) -> bool:
    return value is None or type(value) is str


def _is_number_or_none(value: Any) -> bool:
    return value is None or (type(value) in (int, float) and isfinite(value))


def _is_whole(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_whole_or_none(value: Any) -> bool:
    return value is None or type(value) is int


def _is_seed(value: Any) -> bool:
    # A seed above SQLite's largest integer is stored as text. Python converts no text of more than 4,300 digits.
    return _is_whole(value) or (type(value) is str and value.isdecimal() and len(value) < 4000)


def _is_moment(value: Any) -> bool:
    try:
        return type(value) is str and datetime.fromisoformat(value) is not None
    except ValueError:
        return False


def _are_measures(text: Any) -> bool:
    if text is None:
        return True
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, TypeError, RecursionError):
        return False
    return isinstance(value, dict) and all(map(_is_number_or_none, value.values()))


_EPISODE: Mapping[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("id", "task_hash", "task", "title", "rules", "wing"), _is_text),
    **dict.fromkeys(("agent", "participant", "ended_by", "error"), _is_text_or_none),
    **dict.fromkeys(("hidden_ms", "paused_ms"), _is_number_or_none),
    **dict.fromkeys(("arena", "steps"), _is_whole),
    "seed": _is_seed,
    "started": _is_moment,
    "player": lambda value: value in PLAYERS,
    "decision_period": lambda value: type(value) is int and 1 <= value <= 100,
    "step_seconds": lambda value: type(value) in (int, float) and 0 < value < 1e6,
    "total": lambda value: value is not None and _is_number_or_none(value),
    "passed": lambda value: value in (None, 0, 1),
}
_EVENT: Mapping[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("kind", "details"), _is_text),
    "name": _is_text_or_none,
    "step": _is_whole,
    **dict.fromkeys(("thing", "animal"), _is_whole_or_none),
}
