"""What is recorded of an episode: how it starts, every step, how it ends."""

import hashlib
import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np

from puzzlebox.arena.rules import PRESETS, Rules
from puzzlebox.arena.schema import write
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.world import Event, Outcome, World

HUMAN = "human"
PLAYERS = (HUMAN, "agent")
# Before the names of tasks that are not bundled: the file the command line named, what was dropped onto a page.
FILE, UPLOAD = "file:", "upload:"
# What `flags` of a step are the sum of; the studio's frames carry the same.
LIGHT_ON, OVER, CANNOT_MOVE, HEALTH_STANDS, NOTIFICATION, PASSED, PAUSED, WAITING = (1 << bit for bit in range(8))
# What nobody has named.
UNNAMED_RULES = "own"
# What stands unchanged in a link, a table and a file name.
_PARTICIPANT = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass(frozen=True)
class Start:
    """How an episode starts; with the actions of its steps, all that is needed to play it again.

    Attributes:
        id: the name of the episode, found nowhere else.
        task_text: the task as YAML, as `puzzlebox.arena.schema.write` writes it.
        task_hash: the SHA-256 of that text.
        task: what the task is called: a bundled name, `file:NAME`, `upload:HASH`.
        title: its title for people.
        arena: the position of the arena it starts in.
        seed: what its chances are drawn from.
        rules: what it is played by, `Rules.as_dict()` as JSON.
        player: "human" or "agent".
        agent: the name of the agent; None for people.
        started: the moment, UTC, ISO 8601 (`2026-05-04T12:00:00.123Z`).
        decision_period: physics steps an action is held for.
        participant: the id of the person who plays; None for agents, and where nobody gave one.
    """

    id: str
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
        rules: str | Rules = "puzzlebox",
        player: str = HUMAN,
        agent: str | None = None,
        participant: str | None = None,
    ) -> "Start":
        """The start of an episode that begins now, under a new name."""
        text, chosen = write(task), Rules.named(rules)
        return cls(
            id=new_id(),
            task_text=text,
            task_hash=hash_of(text),
            task=name,
            title=task.metadata.title or name,
            arena=arena,
            seed=seed,
            rules=json.dumps(chosen.as_dict(), sort_keys=True),
            player=player,
            agent=agent,
            started=now(),
            decision_period=chosen.decision_period,
            participant=participant,
        )


@dataclass(frozen=True)
class Step:
    """One step: what was done, and how things are after it. Of several agents, the place and state are the first one's.

    Attributes:
        step: physics steps since the start of the episode, after this one (`World.clock`).
        actions: one number (0-8) for each agent; none for the moment before the first step, which may be recorded as
            step 0.
        time_ms: milliseconds since the episode started when the action was taken.
        position: x, y, z in metres.
        velocity: metres per second along x, y, z.
        heading: degrees, clockwise seen from above; 0 looks along z.
        reward: what this step brought.
        total: the return so far.
        health: 0 to 100.
        events: what happened; what happened while the arena was built comes with the first step.
        view: the camera it was played with: "first", "third" or "top"; "" where nobody looked.
        flags: the sum of LIGHT_ON, OVER and so on.
    """

    step: int
    actions: tuple[int, ...]
    time_ms: float
    position: tuple[float, float, float]
    velocity: tuple[float, float, float]
    heading: float
    reward: float
    total: float
    health: float
    events: Sequence[Event | Mapping[str, Any]] = ()
    view: str = ""
    flags: int = 0

    @classmethod
    def of(
        cls, world: World, outcome: Outcome | None, time_ms: float, view: str = "", *, extra_flags: int = 0
    ) -> "Step":
        """What a world's last step was; without an outcome, how things are before the first one."""
        animal = world.animals[0]
        vx, vy, vz = world.engine.velocity(animal.id)
        return cls(
            step=world.clock,
            actions=() if outcome is None else world.actions[-1],
            time_ms=time_ms,
            position=world.position_of(animal),
            velocity=(vx, vy, vz),
            heading=animal.heading,
            reward=0.0 if outcome is None else outcome.rewards[0],
            total=animal.total,
            health=animal.health,
            events=() if outcome is None else outcome.events,
            view=view,
            flags=flags_of(world) | extra_flags,
        )


@dataclass(frozen=True)
class End:
    """How an episode ended.

    Attributes:
        step: physics steps it took.
        total: its return.
        passed: whether it passed (`World.passed`); None where nothing decided it.
        ended_by: the cause the world gives ("completed", "health", "time", "error"), or "restart", "next", "left" where
            the player did not play to the end.
    """

    step: int
    total: float
    passed: bool | None
    ended_by: str

    @classmethod
    def of(cls, world: World, ended_by: str) -> "End":
        """The end of a world; what decided it comes before whoever left while the end was shown."""
        return cls(world.clock, world.animals[0].total, world.passed(), world.cause or ended_by)


@dataclass(frozen=True)
class Breaks:
    """How long an episode stood still because the person who plays could not see it or had the menu open.

    Attributes:
        hidden_ms: milliseconds its page was hidden or had no connection.
        paused_ms: milliseconds the menu was open.
    """

    hidden_ms: float
    paused_ms: float


@dataclass(frozen=True)
class Episode:
    """An episode in a store: its start, and how far it has come.

    Attributes:
        steps: physics steps stored so far.
        total: the return so far.
        passed: whether it passed; None until it is over, and where nothing decided it.
        ended_by: why it ended; None until it is over.
        participant: the id of the person who played; None for agents, and where nobody gave one.
        hidden_ms: milliseconds it stood still because its page was hidden or gone; None where no page played it.
        paused_ms: milliseconds it stood still because the menu was open; None where no page played it.
    """

    id: str
    task_hash: str
    task: str
    title: str
    arena: int
    seed: int
    rules: dict[str, Any] = field(hash=False)
    player: str
    agent: str | None
    started: str
    decision_period: int
    steps: int
    total: float
    passed: bool | None
    ended_by: str | None
    participant: str | None = None
    hidden_ms: float | None = None
    paused_ms: float | None = None

    @property
    def finished(self) -> bool:
        """Whether its end is recorded."""
        return self.ended_by is not None

    @property
    def rules_name(self) -> str:
        """The name of its rules, whatever the decision period; "own" where they have none."""
        return rules_name(self.rules)

    def as_dict(self) -> dict[str, Any]:
        """What the studio's page is told of it; numbers and words only."""
        plain = asdict(self)
        plain["return"] = plain.pop("total")
        return plain | {"rules": self.rules_name, "finished": self.finished}


def flags_of(world: World) -> int:
    """How things are now, as bits; whether the end is being shown only events tell."""
    animal = world.animals[0]
    bits = (
        (LIGHT_ON, world.lights),
        (OVER, world.over),
        (CANNOT_MOVE, bool(animal.held or animal.done)),
        (HEALTH_STANDS, bool(animal.spared)),
        (PASSED, world.passed(animal) is True),
    )
    return sum(bit for bit, true in bits if true)


def rules_name(rules: Mapping[str, Any]) -> str:
    """Which preset these are, whatever their decision period; a file of an older version lacks newer fields."""
    for name, preset in PRESETS.items():
        if all(value == preset.as_dict().get(field) for field, value in rules.items() if field != "decision_period"):
            return name
    return UNNAMED_RULES


def checked_participant(id: str) -> str:
    """An id, if a participant can have it.

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


def plain_event(event: Event | Mapping[str, Any]) -> dict[str, Any]:
    """An event as JSON can hold it."""
    plain = dict(event) if isinstance(event, Mapping) else asdict(event)
    plain["details"] = {name: _plain(value) for name, value in plain["details"].items()}
    return plain


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, np.generic):
        return value.item()
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)
