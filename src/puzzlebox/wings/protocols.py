"""What a wing offers to the rooms that all wings share: tasks, episodes in progress, and how they are played again."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from puzzlebox.columns import Column, Kind

# `puzzlebox --help` imports this module; importing numpy would double its time.
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Image: TypeAlias = "NDArray[np.uint8]"

# What tables call rules that have no name.
OWN_RULES = "own"


class Outcome(Protocol):
    """What one decision brought.

    Attributes:
        rewards: the reward of each body.
        events: what happened, oldest first: objects with the attributes `kind`, `step` and `details`.
    """

    @property
    def rewards(self) -> Sequence[float]:  # noqa: D102
        ...
    @property
    def events(self) -> Sequence[Any]:  # noqa: D102
        ...


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
    def wing(self) -> str:  # noqa: D102
        ...
    @property
    def text(self) -> str:  # noqa: D102
        ...
    @property
    def title(self) -> str:  # noqa: D102
        ...
    @property
    def starts(self) -> Sequence[int]:  # noqa: D102
        ...
    @property
    def bodies(self) -> int:  # noqa: D102
        ...

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
    def clock(self) -> int:  # noqa: D102
        ...
    @property
    def over(self) -> bool:  # noqa: D102
        ...
    @property
    def actions(self) -> Sequence[Sequence[Any]]:  # noqa: D102
        ...
    @property
    def total(self) -> float:  # noqa: D102
        ...
    @property
    def cause(self) -> str | None:  # noqa: D102
        ...
    @property
    def error(self) -> str | None:  # noqa: D102
        ...

    def passed(self) -> bool | None:
        """Whether the episode is passed; None where nothing has decided it."""

    def measures(self) -> Mapping[str, float | None]:
        """The values of `Wing.measures` now."""

    def flags(self) -> int:
        """What is true now: the sum of bits, of which `Wing.flags` names some."""

    def snapshot(self) -> Any:
        """The episode so far: what `Wing.record` makes."""


class Apparatus(Protocol):
    """What agents with certain senses play in; made once, and used for one episode after the other.

    Attributes:
        session: the episode that is being played.
    """

    @property
    def session(self) -> Session:  # noqa: D102
        ...

    def begin(self, task: Any, start: int, seed: int) -> Sequence[Any]:
        """Begin an episode; returns the events of its preparation."""

    def perceive(self) -> Mapping[int, tuple[Any, dict[str, Any]]]:
        """Observation and info of each body that acts next, by its number."""

    def act(self, actions: Mapping[int, Any]) -> Outcome:
        """Carry out one decision of each body that acts."""


class Camera(Protocol):
    """Paints a session again and again from one view."""

    def paint(self, session: Any) -> Image:
        """A picture of the session as it is now, as height x width x 3 bytes."""


class Leg(NamedTuple):
    """The part of an episode that was played in one arena.

    Attributes:
        arena: the position of the arena.
        picture: the arena from above when the episode came there; None where nobody wanted it.
        way: column and row in the picture, moment by moment.
        went_on: whether the episode went on to the next arena from here.
    """

    arena: int
    picture: "Image | None"
    way: "NDArray[np.float64]"
    went_on: bool


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


class Bundled(NamedTuple):
    """A bundled task as `puzzlebox tasks` lists it.

    Attributes:
        name: what every command calls it.
        parts: what it consists of, such as "2 arenas" or "1 trial".
        level: what tasks are compared by; "" where there is no such thing.
        title: its title for people.
        tags: words that describe it.
        data: what `puzzlebox tasks --json` prints.
    """

    name: str
    parts: str
    level: str
    title: str
    tags: Sequence[str]
    data: Mapping[str, Any]


class LogFormat(Protocol):
    """A module that writes recorded episodes as another system logs them."""

    def files(self, folder: Path, episodes: Sequence[Any]) -> Mapping[Path, Sequence[Any]]:
        """Return the files that `export` writes into a folder, each with its episodes; without the index."""

    def index_of(self, folder: Path) -> Path:
        """Return the file that says which part of which log is which episode."""

    def export(
        self,
        store: Any,
        episodes: Sequence[Any],
        folder: Path,
        progress: Callable[[int], None] | None = None,
        warn: Callable[[str], None] | None = None,
        left_out: list[str] | None = None,
    ) -> Sequence[Path]:
        """Write the logs of some episodes.

        Args:
            store: the store that holds the episodes.
            episodes: the episodes to write.
            folder: the folder of the logs; it is made if there is none.
            progress: called with the number of steps written since the last call.
            warn: called with a sentence about an episode that replays differently from how it was recorded.
            left_out: receives a sentence about each damaged episode, which is then left out. Default: raise.

        Returns:
            The files.
        """


class Wing(Protocol):
    """A kind of laboratory.

    Attributes:
        name: its name; its tasks are called NAME/... where they have no file.
        step_seconds: how long a step of its clock lasts, in seconds.
        action_kind: what an action is in a table: "whole" where each is one number, else "text".
        has_pictures: whether its episodes can be painted.
        measures: what is measured after each step, of the first body.
        flags: truth values among the flags of a step.
        logs: formats in which other systems log such episodes: the name of each, and the module that writes it, which
            is a `LogFormat`.
    """

    name: str
    step_seconds: float
    action_kind: Kind
    has_pictures: bool
    measures: Sequence[Column]
    flags: Sequence[Flag]
    logs: Mapping[str, str]

    def bundled(self) -> Iterator[Bundled]:
        """Yield each bundled task, in the order of their names."""

    def inventory(self) -> str:
        """Return in words how much is bundled, as in "36 things, 52 bundled tasks".

        Raises:
            ValueError: something bundled is broken; one sentence says what.
        """

    def places(self, source: str) -> Iterator[tuple[str, str]]:
        """The name and the place of each task that somebody names: by a file, a folder, a pattern, a bundled name.

        Raises:
            FileNotFoundError: nothing has that name.
        """

    def load(self, name: str, place: str, *, variations: int, seed: int) -> Iterator[Found]:
        """The task at a place, or the variations of the template there.

        Args:
            name: what it is called.
            place: where it is.
            variations: how many variations of a template.
            seed: what variations are drawn with.

        Raises:
            ValueError: it has mistakes.
        """

    def level_of(self, name: str) -> tuple[str, str] | None:
        """The level and the variant that the name of a task says by itself; None where it says none."""

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
        """The record of a text that `record_json` wrote.

        Raises:
            ValueError: the text is no record of this wing; the message says why.
        """

    def play_again(self, record: Any) -> Iterator[tuple[Session, Outcome | None]]:
        """Play a recorded episode again: the session at its start and after each step of its clock."""

    def length(self, record: Any) -> int:
        """How many steps a recorded episode has at most; fewer where it ended within its last decision."""

    def camera(self, view: str, size: tuple[int, int], *, fine: bool = False) -> Camera:
        """A camera for films and pictures.

        Args:
            view: one of the wing's views, in the arena "first", "third" or "top".
            size: width and height in pixels.
            fine: as beautiful as it gets, which is slow.

        Raises:
            ValueError: there is no such view, or no picture at all; one sentence says so.
        """

    def path_picture(self, record: Any, size: tuple[int, int]) -> Image:
        """A picture of where the bodies of an episode went."""

    def legs(self, record: Any, pixels: int, wanted: Callable[[int], bool]) -> list[Leg]:
        """The way of the first body until its episode was decided, arena by arena, for the figures of a report.

        Args:
            record: the episode.
            pixels: width and height of the pictures.
            wanted: whether a picture of the arena of a position is wanted.
        """

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
