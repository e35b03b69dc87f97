"""One episode, whoever played it and wherever it is kept: in a store, a journal, a table or a report.

The fields of `Episode` are the columns of `episodes.csv`, and this is the only place where they are named, typed and
explained. Programs count arenas from 0; tables, which people read, from 1.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

from puzzlebox.columns import Column, Kind
from puzzlebox.record.entries import HUMAN
from puzzlebox.wings import ARENA

# The name of the table of episodes, in whatever folder it is.
TABLE = "episodes"


def _column(
    kind: Kind, meaning: str, *, name: str = "", unit: str = "", default: Any = MISSING, hashed: bool = True
) -> Any:
    """A field that is a column; its name in tables is `name` where the field cannot be called so."""
    made: dict[str, Any] = {"metadata": {"kind": kind, "meaning": meaning, "name": name, "unit": unit}, "hash": hashed}
    if default is not MISSING:
        made["default"] = default
    return field(**made)


@dataclass(frozen=True)
class Episode:
    """An episode that was played, or is being played; None is what nobody knows."""

    id: str = _column(
        "text",
        "the id of the recording, or what the episode is called in its run: TASK/ARENA/AGENT/REPETITION",
        name="episode",
    )
    task: str = _column("text", "the name of the task; of a template, with `@` and the number of the variation")
    agent: str | None = _column("text", "who played, as asked for; `human` for people", default=None)
    total: float = _column("number", "the sum of all rewards", name="return", default=0.0)
    passed: bool | None = _column(
        "truth", "whether it passed; empty while it lasts, and where nothing decided it", default=None
    )
    run: str = _column("text", "the folder of the run, or the file of recordings", default="")
    wing: str = _column("text", "the wing it was played in", default=ARENA)
    title: str = _column("text", "the title of the task", default="")
    task_hash: str = _column("text", "SHA-256 of the task as text; equal tasks have equal ones", default="")
    variant: str = _column(
        "text", "which form of the task: the testbed's variant, or the number of a variation", default=""
    )
    level: str = _column(
        "text", "the testbed's level, or what the task's metadata say, or the folder it is in", default=""
    )
    arena: int = _column("whole", "which arena of the task it started in, counted from 1", default=0)
    player: str = _column("text", "`human` or `agent`", default="agent")
    participant: str | None = _column(
        "text", "the id of the person who played; empty for agents, and where none was given", default=None
    )
    repetition: int = _column("whole", "which repetition, from 0; of people with an id, each one's own", default=0)
    seed: int | None = _column(
        "text", "the seed of all randomness in it; text, for it may have more digits than a table keeps", default=None
    )
    rules: str = _column("text", "the name of the rules, or `own`", default="")
    rules_fields: Mapping[str, Any] = _column("text", "all fields of the rules, as JSON", default=None, hashed=False)
    started: str = _column(
        "text", "when it started, UTC; a person starts it with the first action or with Start", default=""
    )
    decision_period: int | None = _column("whole", "steps each action was held for", default=None)
    step_seconds: float | None = _column("number", "how long a step lasts", unit="s", default=None)
    steps: int | None = _column("whole", "steps it took, each `step_seconds` long", default=None)
    decisions: int | None = _column("whole", "actions that were taken", default=None)
    seconds: float | None = _column("number", "how long it took, in time of the simulation", unit="s", default=None)
    latency: float | None = _column(
        "number",
        "time from when the animal could first move to the event that decided the episode",
        unit="s",
        default=None,
    )
    duration_ms: float | None = _column("number", "time it took the player", unit="ms", default=None)
    idle_ms: float | None = _column(
        "number",
        "simulated time in which the person did nothing: stretches of 5 s or more in which no key was held though the "
        "animal could move; empty for agents",
        unit="ms",
        default=None,
    )
    hidden_ms: float | None = _column(
        "number",
        "time it stood still because its page was hidden or had lost its connection, or because too much was not saved "
        "yet; part of `duration_ms`; empty where no page played it",
        unit="ms",
        default=None,
    )
    paused_ms: float | None = _column(
        "number",
        "time it stood still because the menu was open; part of `duration_ms`; empty where no page played it",
        unit="ms",
        default=None,
    )
    ended_by: str | None = _column(
        "text",
        "`completed`, `health`, `time`, `error`; `limit`: longer than the run allows; or how the player left; empty "
        "while it lasts",
        default=None,
    )
    goals: int | None = _column("whole", "goals the animal collected, of any kind", default=None)
    events: Sequence[Mapping[str, Any]] = _column(
        "text",
        "what happened, as JSON: a list of events; of recordings in a table of their own",
        default=(),
        hashed=False,
    )
    trajectory: str | None = _column(
        "text", "what `puzzlebox replay` takes, beside the folder of the run; empty where none is kept", default=None
    )
    trained_on: bool | None = _column(
        "truth", "whether the agent was trained on this task; empty where nobody knows", default=None
    )
    error: str | None = _column(
        "text",
        "what went wrong, where something did, with file and line where it was in the agent's code",
        default=None,
    )

    @property
    def finished(self) -> bool:
        """Whether its end is known."""
        return self.ended_by is not None

    @property
    def by_person(self) -> bool:
        """Whether a person played it."""
        return self.player == HUMAN

    def row(self) -> list[Any]:
        """Its cells in the order of `EPISODES`, as tables hold them."""
        return [_cell(column, getattr(self, name)) for name, column in FIELDS.items()]

    def plain(self) -> dict[str, Any]:
        """Its columns by name, as JSON holds them; arenas by position. Columns that are empty are left out."""
        values = {column.name: getattr(self, name) for name, column in FIELDS.items()}
        return {name: value for name, value in values.items() if value not in (None, "", ())}

    @classmethod
    def of_plain(cls, values: Mapping[str, Any]) -> "Episode":
        """The episode that `plain` was written from."""
        return cls(**{_NAMES[name]: value for name, value in values.items()})

    def summary(self) -> dict[str, Any]:
        """What the pages of the studio show of it: numbers and words only."""
        left_out = ("events", "rules_fields", "step_seconds", "error", "trained_on", "run", "level", "variant")
        values = {column.name: getattr(self, name) for name, column in FIELDS.items() if name not in left_out}
        values["id"] = values.pop("episode")
        return values | {"finished": self.finished}


def _columns() -> dict[str, Column]:
    made = {}
    for each in fields(Episode):
        about = each.metadata
        made[each.name] = Column(about["name"] or each.name, about["kind"], about["meaning"], about["unit"])
    return made


def _cell(column: Column, value: Any) -> Any:
    if value is None:
        return None
    if column.name == "arena":
        return value + 1
    if column.name in ("events", "rules_fields"):
        return json.dumps(value, separators=(",", ":"), sort_keys=column.name == "rules_fields") if value else None
    return str(value) if column.kind == "text" else value


# The columns by the names of the fields, and the fields by the names of the columns.
FIELDS = _columns()
_NAMES = {column.name: name for name, column in FIELDS.items()}
EPISODES: tuple[Column, ...] = tuple(FIELDS.values())
