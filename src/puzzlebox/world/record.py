"""An episode as data: task, arena, seed, rules and the actions so far. Whoever replays it gets the same bytes."""

import json
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from puzzlebox.schema import read, write
from puzzlebox.schema.models import Task
from puzzlebox.things import Rules

FORMAT = 1


@dataclass(frozen=True)
class Record:
    """All that is needed to play an episode again.

    Attributes:
        task: the task.
        arena: the position of the arena it started in.
        seed: what its chances were drawn from.
        rules: what it was played by.
        actions: what each agent did, step by step.
    """

    task: Task
    arena: int
    seed: int
    rules: Rules
    actions: tuple[tuple[int, ...], ...] = ()

    def to_json(self) -> str:
        """One line of text."""
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
        """Read what `to_json` wrote."""
        try:
            data: Any = json.loads(text)
        except ValueError:
            data = None
        if not isinstance(data, dict):
            raise ValueError("this is not a Record; it must be the text that `Record.to_json` wrote")
        if data.get("format") != FORMAT:
            raise ValueError(f"this record has format {data.get('format')!r}; this version reads format {FORMAT}")
        task = read(data["task"]).task
        if task is None:
            raise ValueError("the task of this record cannot be read")
        actions = tuple(tuple(map(int, each)) for each in data["actions"])
        return cls(task, data["arena"], data["seed"], Rules.named(data["rules"]), actions)


def check_start(task: Any, arena: Any, seed: Any) -> None:
    """Raise an error, with one sentence, where no episode can start from these."""
    if not isinstance(task, Task):
        raise TypeError(f"task is {task!r}; it must be a Task: puzzlebox.load_task reads one from a file or a name")
    if isinstance(seed, bool) or not isinstance(seed, Integral) or int(seed) < 0:
        raise ValueError(f"the seed is {seed!r}; it must be a whole number, 0 or more")
    if isinstance(arena, bool) or not isinstance(arena, Integral):
        raise TypeError(f"arena is {arena!r}; it must be the position of an arena, a whole number from 0")
    if not 0 <= int(arena) < len(task.arenas):
        raise ValueError(f"there is no arena at position {arena}; the task has {len(task.arenas)}")


def check_record(record: Any) -> None:
    """Raise a TypeError where something else is to be played again."""
    if not isinstance(record, Record):
        raise TypeError(f"record is {record!r}; it must be a Record, as `World.snapshot` returns")
