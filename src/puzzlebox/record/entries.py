"""What is recorded while an episode is played: how it starts, every step, how it ends."""

import hashlib
import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from puzzlebox.wings import Outcome, Session, Task, wing_named

HUMAN = "human"
PLAYERS = (HUMAN, "agent")
# Before the names of tasks that are not bundled: the file the command line named, what was dropped onto a page.
FILE, UPLOAD = "file:", "upload:"
# What stands unchanged in a link, a table and a file name.
_PARTICIPANT = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass(frozen=True)
class Start:
    """How an episode starts; with the actions of its steps, all that is needed to play it again.

    Attributes:
        id: the name of the episode, found nowhere else.
        wing: the name of the wing it is played in.
        task_text: the task as it is stored; of the arena, as YAML.
        task_hash: the SHA-256 of that text.
        task: what the task is called: a bundled name, `file:NAME`, `upload:HASH`.
        title: its title for people.
        arena: the position it starts in.
        seed: the seed of all randomness in it.
        rules: the fields of its rules, as JSON.
        player: "human" or "agent".
        agent: the name of the agent; None for people.
        started: the moment, UTC, ISO 8601 (`2026-05-04T12:00:00.123Z`).
        decision_period: steps an action is held for.
        step_seconds: how long a step lasts, in seconds.
        participant: the id of the person who plays; None for agents, and where nobody gave one.
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
        """Refuse what could not be found or played again."""
        if self.player not in PLAYERS:
            raise ValueError(f"player is {self.player!r}; it must be one of {', '.join(map(repr, PLAYERS))}")
        if not self.id or self.id == "last" or not all(c.isalnum() or c in "-_" for c in self.id):
            raise ValueError(f"{self.id!r} is no name for an episode; it has letters, digits, - and _ only")
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
        """The start of an episode that begins now, under a new name.

        Args:
            task: the task.
            name: what the task is called.
            arena: the position it starts in.
            seed: the seed of all randomness in it.
            rules: a name of rules, or rules of the task's wing. Default: the wing's own.
            player: "human" or "agent".
            agent: the name of the agent.
            participant: the id of the person who plays.
        """
        wing = wing_named(task.wing)
        ruling = wing.rules(rules)
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
            rules=json.dumps(ruling.fields, sort_keys=True),
            player=player,
            agent=agent,
            started=now(),
            decision_period=ruling.decision_period,
            step_seconds=wing.step_seconds,
            participant=participant,
        )


@dataclass(frozen=True)
class Step:
    """One step: what was done, and how things are after it. Of several bodies, the measures are the first one's.

    Attributes:
        step: steps of the wing's clock since the start of the episode, after this one.
        actions: what each body did; none for the moment before the first step, which may be recorded as step 0.
        time_ms: milliseconds since the episode started when the action was taken.
        reward: what this step brought.
        total: the return so far.
        measures: the values of the wing's measures, by their names.
        events: what happened; what happened while the episode was prepared comes with the first step.
        view: the camera it was played with: "first", "third" or "top"; "" where nobody looked.
        flags: the sum of bits (`puzzlebox.wings.flags`).
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

    @classmethod
    def of(
        cls, session: Session, outcome: Outcome | None, time_ms: float, view: str = "", *, extra_flags: int = 0
    ) -> "Step":
        """What a session's last step was; without an outcome, how things are before the first one."""
        return cls(
            step=session.clock,
            actions=() if outcome is None else session.actions[-1],
            time_ms=time_ms,
            reward=0.0 if outcome is None else outcome.rewards[0],
            total=session.total,
            measures=session.measures(),
            events=() if outcome is None else outcome.events,
            view=view,
            flags=session.flags() | extra_flags,
        )


@dataclass(frozen=True)
class End:
    """How an episode ended.

    Attributes:
        step: steps it took.
        total: its return.
        passed: whether it passed; None where nothing decided it.
        ended_by: the cause the session gives (in the arena "completed", "health", "time", "error"), or "restart",
            "next", "left" where the player did not play to the end.
    """

    step: int
    total: float
    passed: bool | None
    ended_by: str

    @classmethod
    def of(cls, session: Session, ended_by: str) -> "End":
        """The end of a session; what decided it comes before whoever left while the end was shown."""
        return cls(session.clock, session.total, session.passed(), session.cause or ended_by)


@dataclass(frozen=True)
class Breaks:
    """How long an episode stood still because the person who plays could not see it or had the menu open.

    Attributes:
        hidden_ms: milliseconds its page was hidden or had no connection.
        paused_ms: milliseconds the menu was open.
    """

    hidden_ms: float
    paused_ms: float


def checked_participant(id: str) -> str:
    """Return an id, if a participant can have it.

    Raises:
        ValueError: one sentence about what an id is.
    """
    if not _PARTICIPANT.fullmatch(id):
        shown = id if len(id) <= 64 else f"{id[:64]}…"
        raise ValueError(
            f"{shown!r} is no participant id; it may have 1 to 64 letters (A to Z, a to z), digits, dots, - and _"
        )
    return id


def hash_of(text: str) -> str:
    """The SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def new_id() -> str:
    """A name for an episode; its first letters are enough to find it."""
    return secrets.token_hex(6)


def now() -> str:
    """This moment, as it is stored."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def plain_event(event: Any) -> dict[str, Any]:
    """An event as JSON can hold it."""
    plain = dict(event) if isinstance(event, Mapping) else asdict(event)
    plain["details"] = {name: _plain(value) for name, value in plain.get("details", {}).items()}
    return plain


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, np.generic):
        return value.item()
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)
