"""An episode as data: task, arena, seed, rules and the actions so far. Whoever replays it gets the same bytes."""

import json
from dataclasses import dataclass
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
        data: dict[str, Any] = json.loads(text)
        if data.get("format") != FORMAT:
            raise ValueError(f"this record has format {data.get('format')!r}; this version reads format {FORMAT}")
        task = read(data["task"]).task
        if task is None:
            raise ValueError("the task of this record cannot be read")
        actions = tuple(tuple(map(int, each)) for each in data["actions"])
        return cls(task, data["arena"], data["seed"], Rules.named(data["rules"]), actions)
