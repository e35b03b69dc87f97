"""The entries recorded while an episode is played: its start, every step, breaks, its end."""

import hashlib
import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from math import isfinite
from typing import Any

import numpy as np

from puzzlebox.wings import Outcome, Session, Task, wing_named

HUMAN = "human"
PLAYERS = (HUMAN, "agent")
# Prefixes of the names of tasks that are not bundled: a file named on the command line, a file uploaded to the studio.
FILE, UPLOAD = "file:", "upload:"
# These characters need no escaping in a link, a table or a file name.
_PARTICIPANT = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass(frozen=True)
class Start:
    """The start of an episode; together with the actions of its steps, all that is needed to replay it.

    Attributes:
        id: the unique id of the episode.
        wing: the name of the wing it is played in.
        task_text: the text of the task; in the arena, YAML.
        task_hash: the SHA-256 of that text.
        task: the name of the task: a bundled name, `file:NAME`, `upload:HASH`.
        title: the title of the task.
        arena: the index of the arena it starts in, from 0.
        seed: the seed of all randomness in it.
        rules: the fields of its rules, as JSON.
        player: "human" or "agent".
        agent: the name of the agent; None if a participant plays.
        started: the start time, UTC, ISO 8601 (`2026-05-04T12:00:00.123Z`).
        decision_period: the number of steps an action is held for.
        step_seconds: the length of a step in seconds of simulated time.
        participant: the id of the participant; None for agents, and for participants without an id.
    """

    id: str
    wing: str
    task_text: str
    task_hash: str
    task: str
    title: str
    arena: int
    seed: int
    rules: str
    player: str
    agent: str | None
    started: str
    decision_period: int
    step_seconds: float
    participant: str | None = None

    def __post_init__(self) -> None:
        """Refuse values with which the episode could not be found or replayed."""
        if self.player not in PLAYERS:
            raise ValueError(f"player is {self.player!r}; it must be one of {', '.join(map(repr, PLAYERS))}")
        if not self.id or self.id == "last" or not all(c.isalnum() or c in "-_" for c in self.id):
            raise ValueError(f"{self.id!r} is not a name for an episode; it has letters, digits, - and _ only")
        if self.task_hash != hash_of(self.task_text):
            raise ValueError(f"task_hash is {self.task_hash!r}, which is not the SHA-256 of task_text")
        if self.participant is not None:
            checked_participant(self.participant)
            if self.player != HUMAN:
                raise ValueError("an agent plays, so there is no participant; leave one of the two out")

    @classmethod
    def of(
        cls,
        task: Task,
        *,
        name: str = "",
        arena: int = 0,
        seed: int = 0,
        rules: Any = None,
        player: str = HUMAN,
        agent: str | None = None,
        participant: str | None = None,
    ) -> "Start":
        """Describe an episode that starts now, under a new id.

        Args:
            task: the task.
            name: the name of the task.
            arena: the index of the arena it starts in, from 0.
            seed: the seed of all randomness in it.
            rules: the name of a preset, or rules of the task's wing. Default: the wing's default rules.
            player: "human" or "agent".
            agent: the name of the agent.
            participant: the id of the participant.
        """
        wing = wing_named(task.wing)
        checked_rules = wing.rules(rules)
        text = task.text
        return cls(
            id=new_id(),
            wing=wing.name,
            task_text=text,
            task_hash=hash_of(text),
            task=name,
            title=task.title or name,
            arena=arena,
            seed=seed,
            rules=json.dumps(checked_rules.fields, sort_keys=True),
            player=player,
            agent=agent,
            started=now(),
            decision_period=checked_rules.decision_period,
            step_seconds=wing.step_seconds,
            participant=participant,
        )


@dataclass(frozen=True)
class Step:
    """One recorded step: the actions, and the state after them. With several animals, measures are the first one's.

    All numbers must be finite, also those in the details of events; a measure may be NaN, which is stored as empty.

    Attributes:
        step: the number of steps since the start of the episode, including this one.
        actions: the action of each animal; empty for step 0, the moment before the first action.
        time_ms: real time from the start of the episode to this action, in milliseconds.
        reward: the reward of this step.
        total: the return so far.
        measures: the values of the wing's measures, by name.
        events: the events of this step; those of building the arena come with the first recorded step.
        view: the camera a participant played with: "first", "third" or "top"; "" for agents.
        flags: a sum of bits (`puzzlebox.wings.flags`).
    """

    step: int
    actions: Sequence[Any]
    time_ms: float
    reward: float
    total: float
    measures: Mapping[str, float | None]
    events: Sequence[Any] = ()
    view: str = ""
    flags: int = 0

    def __post_init__(self) -> None:
        """Refuse numbers that readers of the recording would take for damage."""
        for name in ("time_ms", "reward", "total"):
            if not _is_finite(getattr(self, name)):
                raise _not_finite(f"{name} of step {self.step}", getattr(self, name))
        for name, value in self.measures.items():
            if not _is_finite(value) and value == value:
                raise _not_finite(f"the measure {name!r} of step {self.step}", value)
        for event in self.events:
            details = event.get("details", {}) if isinstance(event, Mapping) else event.details
            for name, value in details.items():
                if not _is_finite(value):
                    raise _not_finite(f"{name!r} of an event of step {self.step}", value)

    @classmethod
    def of(
        cls, session: Session, outcome: Outcome | None, time_ms: float, view: str = "", *, extra_flags: int = 0
    ) -> "Step":
        """Describe the last step of a session; without an outcome, the state before the first one."""
        return cls(
            step=session.clock,
            actions=() if outcome is None else session.actions[-1],
            time_ms=time_ms,
            reward=0.0 if outcome is None else outcome.rewards[0],
            total=session.total,
            # A body that the physics lost may be nowhere, in the last step of an episode that ends with an error.
            measures={name: value if _is_finite(value) else None for name, value in session.measures().items()},
            events=() if outcome is None else outcome.events,
            view=view,
            flags=session.flags() | extra_flags,
        )


@dataclass(frozen=True)
class End:
    """The end of an episode.

    Attributes:
        step: the number of steps of the episode.
        total: its return.
        passed: whether it passed; None if it was neither passed nor failed.
        ended_by: the cause that the session reports (in the arena "completed", "health", "time", "error"), or
            "restart", "next", "left" if the participant did not play to the end.
        error: the error of the simulation that ended it; None if there was none.
    """

    step: int
    total: float
    passed: bool | None
    ended_by: str
    error: str | None = None

    def __post_init__(self) -> None:
        """Refuse a return that readers of the recording would take for damage."""
        if not _is_finite(self.total):
            raise _not_finite("total of the end", self.total)

    @classmethod
    def of(cls, session: Session, ended_by: str) -> "End":
        """Describe the end of a session; `ended_by` counts only if the session itself reports no cause."""
        if session.error is not None:
            return cls(session.clock, session.total, None, "error", session.error)
        return cls(session.clock, session.total, session.passed(), session.cause or ended_by)


@dataclass(frozen=True)
class Breaks:
    """The time for which an episode was stopped because the participant could not see it or had the menu open.

    Attributes:
        hidden_ms: milliseconds for which the page was hidden or disconnected.
        paused_ms: milliseconds for which the menu was open.
    """

    hidden_ms: float
    paused_ms: float


def checked_participant(id: str) -> str:
    """Return the id of a participant unchanged, if it is valid.

    Raises:
        ValueError: it is not valid; the message says what an id may be.
    """
    if not _PARTICIPANT.fullmatch(id):
        shown = id if len(id) <= 64 else f"{id[:64]}…"
        raise ValueError(
            f"{shown!r} is not a participant id; it may have 1 to 64 letters (A to Z, a to z), digits, dots, - and _"
        )
    return id


def hash_of(text: str) -> str:
    """Return the SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def new_id() -> str:
    """Return a new random id for an episode: 12 hexadecimal digits."""
    return secrets.token_hex(6)


def now() -> str:
    """Return the current time as it is stored: UTC, ISO 8601, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _is_finite(value: Any) -> bool:
    """Return whether a value, or each value in a list, is anything but an infinite number or NaN."""
    if type(value) is float:
        return isfinite(value)
    if isinstance(value, tuple | list):
        return all(map(_is_finite, value))
    return not isinstance(value, np.floating) or isfinite(value)


def _not_finite(what: str, value: Any) -> ValueError:
    return ValueError(f"{what} is {value}; it must be a finite number")


def plain_event(event: Any) -> dict[str, Any]:
    """Convert an event to plain values that JSON can hold."""
    plain = dict(event) if isinstance(event, Mapping) else asdict(event)
    plain["details"] = {name: _plain(value) for name, value in plain.get("details", {}).items()}
    return plain


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, np.generic):
        return value.item()
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)
