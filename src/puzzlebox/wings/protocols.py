"""What a wing offers to the rooms that all wings share: tasks, episodes in progress, and how they are played again."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from puzzlebox.columns import Column


# What tables call rules that have no name.
OWN_RULES = "own"


class Outcome(Protocol):
    """What one decision brought.

    Attributes:
        rewards: the reward of each body.
        events: what happened, oldest first: objects with the attributes `kind`, `step` and `details`.
    """

    @property
    def rewards(self) -> Sequence[float]: ...
    @property
    def events(self) -> Sequence[Any]: ...


class Task(Protocol):
    """What can be played: data that a researcher wrote.

    Attributes:
        wing: the name of its wing.
        text: the task as it is stored; equal tasks have equal texts.
        title: its title for people.
        starts: the positions an episode can start in: the arenas of a task file, the trials of an experiment.
        bodies: how many agents play it together.
    """

    @property
    def wing(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def starts(self) -> Sequence[int]: ...
    @property
    def bodies(self) -> int: ...

    def conditions(self, start: int) -> dict[str, Any]:
        """What an episode that starts there asks for, as plain data for the settings of a run: its time limit, ..."""


class Session(Protocol):
    """One episode while it is played.

    Attributes:
        clock: steps since its start, each `Wing.step_seconds` long.
        over: whether it has ended.
        actions: what each body did, decision by decision.
        total: the return of the first body so far.
        cause: why it ended; None while it lasts.
        error: what went wrong in the simulation; None where nothing did.
    """

    @property
    def clock(self) -> int: ...
    @property
    def over(self) -> bool: ...
    @property
    def actions(self) -> Sequence[Sequence[Any]]: ...
    @property
    def total(self) -> float: ...
    @property
    def cause(self) -> str | None: ...
    @property
    def error(self) -> str | None: ...

    def passed(self) -> bool | None:
        """Whether the episode is passed; None where nothing has decided it."""

    def measures(self) -> Mapping[str, float | None]:
        """The values of `Wing.measures` now."""

    def flags(self) -> int:
        """What is true now: the sum of bits, of which `Wing.flags` names some."""

    def record_json(self) -> str:
        """The episode so far as one JSON object, from which `Wing.read_record` makes a record."""


class Apparatus(Protocol):
    """What agents with certain senses play in; made once, and used for one episode after the other.

    Attributes:
        session: the episode that is being played.
    """

    @property
    def session(self) -> Session: ...

    def begin(self, task: Any, start: int, seed: int) -> Sequence[Any]:
        """Begin an episode; returns the events of its preparation."""

    def perceive(self) -> Mapping[int, tuple[Any, dict[str, Any]]]:
        """Observation and info of each body that acts next, by its number."""

    def act(self, actions: Mapping[int, Any]) -> Outcome:
        """Carry out one decision of each body that acts."""


class Flag(NamedTuple):
    """A truth value among the flags of a step.

    Attributes:
        column: how tables show it.
        bit: its bit.
        inverse: whether the column is true where the bit is not set.
    """

    column: Column
    bit: int
    inverse: bool = False


class Found(NamedTuple):
    """A task that was found by what somebody called it.

    Attributes:
        name: what it is called in results.
        task: the task.
        level: what tasks are compared by; "" where there is no such thing.
        variant: which of several forms of a task it is; "" where there is one.
    """

    name: str
    task: Any
    level: str = ""
    variant: str = ""


@dataclass(frozen=True)
class Ruling:
    """The rules of an episode, as every room can keep them.

    Attributes:
        name: what tables call them; "own" where they have no name.
        fields: all that decides how an episode goes, as plain data.
        decision_period: steps an action is held for.
    """

    name: str
    fields: Mapping[str, Any]
    decision_period: int = 1


class Wing(Protocol):
    """A kind of laboratory.

    Attributes:
        name: its name; its tasks are called NAME/... where they have no file.
        step_seconds: how long a step of its clock lasts, in seconds.
        measures: what is measured after each step, of the first body.
        flags: truth values among the flags of a step.
    """

    name: str
    step_seconds: float
    measures: Sequence[Column]
    flags: Sequence[Flag]

    def find(self, source: str, *, variations: int, seed: int) -> Iterator[Found]:
        """The tasks that somebody names: a file, a folder, a pattern, a bundled name.

        Args:
            source: the name, without that of the wing.
            variations: how many variations of each template.
            seed: what variations are drawn with.
        """

    def read(self, text: str) -> Any | None:
        """The task of a text that a task of this wing had; None where this version cannot read it."""

    def classify(self, name: str, task: Any) -> Found:
        """A task under a name, with its level and variant."""

    def rules(self, rules: Any) -> Ruling:
        """Rules by name, by what `Ruling.fields` holds, or as the wing's own objects.

        Raises:
            ValueError: there are none such; one sentence says what there is.
        """

    def named_rules(self, name: str, **changes: Any) -> Ruling:
        """Rules by name with single fields changed.

        Raises:
            ValueError: there are none such; one sentence says what there is.
        """

    def apparatus(self, rules: Ruling, senses: Mapping[str, Any], bodies: int) -> Apparatus:
        """What agents with these senses play in."""

    def senses(self, senses: Mapping[str, Any]) -> dict[str, Any]:
        """Every setting of what an agent perceives, also those it does not mention."""

    def record(self, text: str, start: int, seed: int, rules: Mapping[str, Any], actions: Sequence[Any]) -> Any:
        """All that is needed to play an episode again.

        Raises:
            ValueError, TypeError: no episode is like that; the message says why.
        """

    def read_record(self, text: str) -> Any:
        """The record of a text that `Session.record_json` wrote."""

    def play_again(self, record: Any) -> Iterator[tuple[Session, Outcome | None]]:
        """Play a recorded episode again: the session at its start and after each step of its clock."""

    def is_action(self, action: Any) -> bool:
        """Whether a body can do this at all; what a file holds may be damaged."""

    def is_idle(self, action: Any, flags: int) -> bool:
        """Whether a body that could act did nothing."""

    def action_name(self, action: Any) -> str:
        """An action in words; "" where it has none."""

    def goals(self, events: Sequence[Mapping[str, Any]]) -> int | None:
        """How many goals the first body collected; None where there are none in this wing."""

    def latency(self, events: Sequence[Mapping[str, Any]]) -> float | None:
        """Seconds from when the first body could act to the event that decided its episode; None where none did."""

