"""An episode as data: task, arena, seed, rules and the actions so far. Whoever replays it gets the same bytes."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from puzzlebox.arena.rules import Rules
from puzzlebox.arena.schema import read, write
from puzzlebox.arena.schema.models import Task
from puzzlebox.seeds import check_seed

FORMAT = 1
_DIGITS = frozenset("012345678")


@dataclass(frozen=True)
class Record:
    """All that is needed to play an episode again.

    Attributes:
        task: the task.
        arena: the position of the arena it started in.
        seed: the seed of its random stream.
        rules: what it was played by.
        actions: what each agent did, step by step.
    """

    task: Task
    arena: int
    seed: int
    rules: Rules
    actions: tuple[tuple[int, ...], ...] = ()

    @property
    def wing(self) -> str:
        """The wing it was played in."""
        return self.task.wing

    def to_json(self) -> str:
        """The record as one line of JSON."""
        data = {
            "format": FORMAT,
            "task": write(self.task),
            "arena": self.arena,
            "seed": self.seed,
            "rules": self.rules.as_dict(),
            "actions": ["".join(map(str, each)) for each in self.actions],
        }
        return json.dumps(data, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> "Record":
        """Read what `to_json` wrote.

        Raises:
            ValueError: the text is no record, or one that something else has changed.
        """
        try:
            data: Any = json.loads(text)
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict):
            raise ValueError("this is not a Record; it must be the text that `Record.to_json` wrote")
        if data.get("format") != FORMAT:
            raise ValueError(f"this record has format {data.get('format')!r}; this version reads format {FORMAT}")
        for name, kind in _KINDS.items():
            if name not in data:
                raise ValueError(f"this record is damaged: it lacks {name!r}")
            if not isinstance(data[name], kind):
                raise ValueError(f"this record is damaged: {name!r} is {data[name]!r:.60}")
        task = read(data["task"]).task
        if task is None:
            raise ValueError("the task of this record cannot be read")
        try:
            check_start(task, data["arena"], data["seed"])
            rules, actions = Rules.named(data["rules"]), actions_of(data["actions"])
        except (ValueError, TypeError) as problem:
            raise ValueError(f"this record is damaged: {problem}") from None
        return cls(task, data["arena"], data["seed"], rules, actions)


# What a record holds beside its format, and what each of these is.
_KINDS = {"task": str, "arena": int, "seed": int, "rules": dict, "actions": list}


def actions_of(decisions: Iterable[Any]) -> tuple[tuple[int, ...], ...]:
    """The actions of an episode, each a number for every agent, or a text with a digit for every agent.

    Raises:
        ValueError: one of them is something else; the message says which.
    """
    found: list[tuple[int, ...]] = []
    for number, decision in enumerate(decisions, 1):
        digits = decision if isinstance(decision, str) else "".join(map(str, decision)) if _listed(decision) else ""
        if not digits or set(digits) - _DIGITS or (found and len(digits) != len(found[0])):
            raise ValueError(f"action {number} is {decision!r:.60}; it must be one digit from 0 to 8 for each agent")
        found.append(tuple(map(int, digits)))
    return tuple(found)


def _listed(decision: Any) -> bool:
    return isinstance(decision, list | tuple) and all(type(each) is int for each in decision)


def check_start(task: Any, arena: Any, seed: Any) -> None:
    """Raise an error, with one sentence, where no episode can start from these."""
    if not isinstance(task, Task):
        raise TypeError(f"task is {task!r}; it must be a Task: puzzlebox.load_task reads one from a file or a name")
    check_seed(seed)
    if isinstance(arena, bool) or not isinstance(arena, Integral):
        raise TypeError(f"arena is {arena!r}; it must be the position of an arena, a whole number from 0")
    if not 0 <= int(arena) < len(task.arenas):
        raise ValueError(f"there is no arena at position {arena}; the task has {len(task.arenas)}")


def check_record(record: Any) -> None:
    """Raise a TypeError where something else is to be played again."""
    if not isinstance(record, Record):
        raise TypeError(f"record is {record!r}; it must be a Record, as `World.snapshot` returns")
