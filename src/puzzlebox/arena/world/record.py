"""An episode as data: task, arena, seed, rules and the actions so far. Replaying it gives the same bytes."""

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
    """Everything that is needed to play an episode again.

    Attributes:
        task: the task.
        arena: the position of the first arena in the task, from 0.
        seed: the seed of the episode's random stream.
        rules: the rules of the episode.
        actions: one tuple for each decision, with the action of each agent.
    """

    task: Task
    arena: int
    seed: int
    rules: Rules
    actions: tuple[tuple[int, ...], ...] = ()

    @property
    def wing(self) -> str:
        """Return the name of the wing the episode belongs to."""
        return self.task.wing

    def to_json(self) -> str:
        """Return the record as one line of JSON."""
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
            ValueError: the text is not a record, or a damaged one.
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


# The keys of a record, except its format, with the type of each.
_KINDS = {"task": str, "arena": int, "seed": int, "rules": dict, "actions": list}


def actions_of(decisions: Iterable[Any]) -> tuple[tuple[int, ...], ...]:
    """Return the actions of an episode, given as tuples of numbers or as texts of digits, one for each agent.

    Raises:
        ValueError: an action is neither; the message gives its number.
    """
    actions: list[tuple[int, ...]] = []
    for number, decision in enumerate(decisions, 1):
        digits = decision if isinstance(decision, str) else "".join(map(str, decision)) if _is_ints(decision) else ""
        if not digits or set(digits) - _DIGITS or (actions and len(digits) != len(actions[0])):
            raise ValueError(f"action {number} is {decision!r:.60}; it must be one digit from 0 to 8 for each agent")
        actions.append(tuple(map(int, digits)))
    return tuple(actions)


def _is_ints(decision: Any) -> bool:
    return isinstance(decision, list | tuple) and all(type(each) is int for each in decision)


def check_start(task: Any, arena: Any, seed: Any) -> None:
    """Raise an error with one sentence if no episode can start from these arguments."""
    if not isinstance(task, Task):
        raise TypeError(f"task is {task!r}; it must be a Task: puzzlebox.load_task reads one from a file or a name")
    check_seed(seed)
    if isinstance(arena, bool) or not isinstance(arena, Integral):
        raise TypeError(f"arena is {arena!r}; it must be the position of an arena, a whole number from 0")
    if not 0 <= int(arena) < len(task.arenas):
        raise ValueError(f"there is no arena at position {arena}; the task has {len(task.arenas)}")


def check_record(record: Any) -> None:
    """Raise a TypeError unless the argument is a `Record`."""
    if not isinstance(record, Record):
        raise TypeError(f"record is {record!r}; it must be a Record, as `World.snapshot` returns")
