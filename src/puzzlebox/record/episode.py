"""The one description of an episode, used by the store, the journals of runs, tables and reports.

The fields of `Episode` are the columns of `episodes.csv`, and this is the only place where they are named, typed and
explained; only experimental factors, which tasks declare, and the last values of a wing's own measures have columns
that depend on the episodes (`columns.py`). Code counts arenas from 0, tables from 1.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

from puzzlebox.columns import Column, Kind
from puzzlebox.record.entries import HUMAN
from puzzlebox.wings import ARENA

# The file name of the table of episodes, without its suffix.
TABLE = "episodes"
# The fields of `Episode` that are no columns.
MEASURES, FACTORS = "measures", "factors"


def _column(
    kind: Kind, meaning: str, *, name: str = "", unit: str = "", default: Any = MISSING, hashed: bool = True
) -> Any:
    """Declare a field that is a column; `name` is its name in tables if it differs from the field's."""
    arguments: dict[str, Any] = {
        "metadata": {"kind": kind, "meaning": meaning, "name": name, "unit": unit},
        "hash": hashed,
    }
    if default is not MISSING:
        arguments["default"] = default
    return field(**arguments)


@dataclass(frozen=True)
class Episode:
    """An episode that is over or in progress; None means unknown or not applicable."""

    id: str = _column(
        "text",
        "the id of the recording, or the name of the episode in its run: TASK/ARENA/AGENT/REPETITION",
        name="episode",
    )
    task: str = _column("text", "the name of the task; for a template, followed by `@` and the number of the variation")
    agent: str | None = _column(
        "text", "the agent as named on the command line; `human` for participants", default=None
    )
    total: float = _column("number", "the sum of all rewards", name="return", default=0.0)
    passed: bool | None = _column(
        "truth", "whether it passed; empty while it lasts, and if it was neither passed nor failed", default=None
    )
    run: str = _column("text", "the folder of the run, or the file of recordings", default="")
    wing: str = _column("text", "the wing it was played in", default=ARENA)
    title: str = _column("text", "the title of the task", default="")
    task_hash: str = _column("text", "SHA-256 of the text of the task; equal for equal tasks", default="")
    variant: str = _column(
        "text", "the variant of the task: that of the testbed, or the number of a variation", default=""
    )
    level: str = _column(
        "text", "the level: that of the testbed, or of the task's metadata, or the name of its folder", default=""
    )
    arena: int = _column("whole", "the arena of the task it started in, counted from 1", default=0)
    arena_title: str = _column("text", "the title of that arena; empty if it has none", default="")
    player: str = _column("text", "`human` or `agent`", default="agent")
    participant: str | None = _column(
        "text", "the id of the participant; empty for agents, and for participants without an id", default=None
    )
    repetition: int = _column(
        "whole", "the number of the repetition, from 0; counted for each participant with an id", default=0
    )
    seed: int | None = _column(
        "text",
        "the seed of all randomness in it; as text, because it may be too large for a number of a table",
        default=None,
    )
    rules: str = _column("text", "the name of the preset, or `own` for other rules", default="")
    rules_fields: Mapping[str, Any] = _column("text", "all fields of the rules, as JSON", default=None, hashed=False)
    started: str = _column(
        "text", "the start time, UTC; a participant starts it with the first action or with Start", default=""
    )
    decision_period: int | None = _column("whole", "the number of steps each action was held for", default=None)
    step_seconds: float | None = _column("number", "the length of a step, in simulated time", unit="s", default=None)
    steps: int | None = _column("whole", "the number of steps, each `step_seconds` long", default=None)
    decisions: int | None = _column("whole", "the number of decisions: actions that were taken", default=None)
    seconds: float | None = _column("number", "the length of the episode, in simulated time", unit="s", default=None)
    latency: float | None = _column(
        "number",
        "simulated time from when the animal could first move to the event that decided the episode",
        unit="s",
        default=None,
    )
    duration_ms: float | None = _column("number", "the real time the episode took", unit="ms", default=None)
    idle_ms: float | None = _column(
        "number",
        "simulated time for which the participant was idle: stretches of 5 s or more in which no key was held although "
        "the animal could move; empty for agents",
        unit="ms",
        default=None,
    )
    hidden_ms: float | None = _column(
        "number",
        "real time for which the episode was stopped because its page was hidden or disconnected, or because too much "
        "was not saved yet; part of `duration_ms`; empty for episodes played outside the studio",
        unit="ms",
        default=None,
    )
    paused_ms: float | None = _column(
        "number",
        "real time for which the episode was stopped because the menu was open; part of `duration_ms`; empty for "
        "episodes played outside the studio",
        unit="ms",
        default=None,
    )
    ended_by: str | None = _column(
        "text",
        "`completed`, `health`, `time`, `error`; `limit`: longer than the run allows; `restart`, `next` or `left`: the "
        "participant did not play to the end; empty while it lasts",
        default=None,
    )
    goals: int | None = _column("whole", "the number of goals the animal collected, of any kind", default=None)
    events: Sequence[Mapping[str, Any]] = _column(
        "text",
        "the list of events, as JSON; in exports of recordings empty, because events have a table of their own",
        default=(),
        hashed=False,
    )
    trajectory: str | None = _column(
        "text",
        "the name under which `puzzlebox replay` finds the episode in the run; empty if no trajectory is kept",
        default=None,
    )
    trained_on: bool | None = _column(
        "truth", "whether the agent was trained on this task; empty if unknown", default=None
    )
    error: str | None = _column(
        "text",
        "the error that ended the episode, with file and line if it arose in the agent's code; otherwise empty",
        default=None,
    )

    # The last values of those of the wing's measures that tables of episodes have; no column by itself.
    measures: Mapping[str, float | None] = field(default_factory=dict, hash=False)
    # The values of experimental factors: texts, numbers and truth values; each has a column `factor_NAME`.
    factors: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def finished(self) -> bool:
        """Whether the episode is over."""
        return self.ended_by is not None

    @property
    def by_person(self) -> bool:
        """Whether a participant played it."""
        return self.player == HUMAN

    def row(self) -> list[Any]:
        """Return the cells of the episode's row in a table, in the order of `EPISODES`."""
        return [_cell(column, getattr(self, name)) for name, column in FIELDS.items()]

    def plain(self) -> dict[str, Any]:
        """Return the values by column name, for JSON; the arena counts from 0, and empty values are left out."""
        values = {column.name: getattr(self, name) for name, column in FIELDS.items()}
        plain = {name: value for name, value in values.items() if value not in (None, "", ())}
        more = {MEASURES: dict(self.measures), FACTORS: dict(self.factors)}
        return plain | {name: values for name, values in more.items() if values}

    @classmethod
    def of_plain(cls, values: Mapping[str, Any]) -> "Episode":
        """Build an episode from the values that `plain` returned."""
        return cls(**{_NAMES.get(name, name): value for name, value in values.items()})

    def summary(self) -> dict[str, Any]:
        """Return the values that the pages of the studio show."""
        left_out = {"events", "rules_fields", "step_seconds", "error", "trained_on", "run", "level", "variant"}
        left_out.add("arena_title")  # unknown to the store, whose tasks have it
        values = {column.name: getattr(self, name) for name, column in FIELDS.items() if name not in left_out}
        values["id"] = values.pop("episode")
        return values | {"finished": self.finished}


def _columns() -> dict[str, Column]:
    columns = {}
    for each in fields(Episode):
        about = each.metadata
        if about:
            columns[each.name] = Column(about["name"] or each.name, about["kind"], about["meaning"], about["unit"])
    return columns


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
