"""The protocols that a wing implements for the packages that all wings share: tasks, sessions, apparatus, records."""

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

# The name, in tables, of rules that are not a preset.
OWN_RULES = "own"


class Outcome(Protocol):
    """The outcome of one decision.

    Attributes:
        rewards: the reward of each body.
        events: the events, oldest first: objects with the attributes `kind`, `step` and `details`.
    """

    @property
    def rewards(self) -> Sequence[float]:  # noqa: D102
        ...
    @property
    def events(self) -> Sequence[Any]:  # noqa: D102
        ...


class Task(Protocol):
    """A task: data that a researcher wrote, and that can be played.

    Attributes:
        wing: the name of its wing.
        text: the text of the task, as it is stored; equal for equal tasks.
        title: its title.
        starts: the indices of the starts an episode can have: the arenas of a task file, the trials of an experiment.
        bodies: the number of bodies that play it together.
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
        """Return the conditions of a start, such as its time limit, as plain values for `run.json`.

        `title`, if there is one, is what reports call the start, and `factors` is a mapping of its experimental
        factors, such as `condition` with the values `control` and `test`: columns of tables, by which reports compare.
        """


class Session(Protocol):
    """One episode while it is played.

    Attributes:
        clock: the number of steps since its start, each `Wing.step_seconds` long.
        over: whether it has ended.
        actions: the actions of all bodies for each decision.
        total: the return of the first body so far.
        cause: why it ended; None while it lasts.
        error: an error of the simulation; None if there is none.
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
        """Return whether the episode is passed; None if it is neither passed nor failed so far."""

    def measures(self) -> Mapping[str, float | None]:
        """Return the current values of `Wing.measures`."""

    def flags(self) -> int:
        """Return the current flags, a sum of bits (`puzzlebox.wings.flags`)."""

    def snapshot(self) -> Any:
        """Return the record of the episode so far, as `Wing.record` builds it."""


class Apparatus(Protocol):
    """The environment of agents with certain senses, used for one episode after the other.

    Attributes:
        session: the current episode.
    """

    @property
    def session(self) -> Session:  # noqa: D102
        ...

    def begin(self, task: Any, start: int, seed: int) -> Sequence[Any]:
        """Begin an episode, and return the events of its preparation."""

    def perceive(self) -> Mapping[int, tuple[Any, dict[str, Any]]]:
        """Return observation and info of each body that acts next, by the number of the body."""

    def act(self, actions: Mapping[int, Any]) -> Outcome:
        """Carry out one decision of each body that acts."""


class Camera(Protocol):
    """A camera that paints sessions from one view."""

    def paint(self, session: Any) -> Image:
        """Paint the current state of a session, as height x width x 3 bytes."""


class Leg(NamedTuple):
    """The part of an episode that was played in one arena.

    Attributes:
        arena: the index of the arena, from 0.
        picture: the arena from above when the episode reached it; None if it was not requested.
        way: the path of the first body: column and row in the picture after each step.
        went_on: whether the episode continued in the next arena.
    """

    arena: int
    picture: "Image | None"
    way: "NDArray[np.float64]"
    went_on: bool


class Flag(NamedTuple):
    """A truth value among the flags of a step.

    Attributes:
        column: its column in tables.
        bit: its bit.
        inverse: whether the column is true if the bit is not set.
    """

    column: Column
    bit: int
    inverse: bool = False


class Found(NamedTuple):
    """A task with its name, level and variant.

    Attributes:
        name: its name in results.
        task: the task.
        level: the group in which results are compared; "" if there is none.
        variant: the variant, if the task has several; otherwise "".
        factors: the experimental factors of all its starts, by name: what a template drew for it.
    """

    name: str
    task: Any
    level: str = ""
    variant: str = ""
    factors: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Ruling:
    """The rules of an episode in a form that does not depend on the wing.

    Attributes:
        name: the name of the preset; "own" for other rules.
        fields: all fields of the rules, as plain values.
        decision_period: the number of steps an action is held for.
    """

    name: str
    fields: Mapping[str, Any]
    decision_period: int = 1


class Bundled(NamedTuple):
    """A bundled task as `puzzlebox tasks` lists it.

    Attributes:
        name: what every command calls it.
        parts: what it consists of, such as "2 arenas" or "1 trial".
        level: what tasks are compared by; "" if there is no such thing.
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
        """Return the file that lists which part of which log belongs to which episode."""

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
        name: its name; the names of its tasks without a file begin with `NAME/`.
        step_seconds: the length of a step in seconds of simulated time.
        action_kind: the kind of the column `action`: "whole" if each action is one integer, otherwise "text".
        views: the views in which its episodes can be painted, the default first; empty if there are no pictures.
        paths: whether `path_picture` paints the ways that bodies took.
        pages: the class of its pages in the studio, as `module:Class` (a `puzzlebox.studio.pages.Pages`), or None.
        measures: the columns of the values measured after each step, of the first body.
        final_measures: whether tables of episodes have the last value of each measure, as `final_NAME`.
        flags: the truth values among the flags of a step that have a column.
        logs: formats in which other systems log such episodes: the name of each, and the module that writes it, which
            is a `LogFormat`.
        dimensions: the demands of its tasks that `demands` returns, for measurement layouts; empty if there are none.
    """

    name: str
    step_seconds: float
    action_kind: Kind
    views: Sequence[str]
    paths: bool
    pages: str | None
    measures: Sequence[Column]
    final_measures: bool
    flags: Sequence[Flag]
    logs: Mapping[str, str]
    dimensions: Sequence[Column]

    def bundled(self) -> Iterator[Bundled]:
        """Yield each bundled task, in the order of their names."""

    def inventory(self) -> str:
        """Return a text with the numbers of what is bundled, as in "36 things, 52 bundled tasks".

        Raises:
            ValueError: something bundled is broken; the message states what.
        """

    def places(self, source: str) -> Iterator[tuple[str, str]]:
        """Yield the name and the place of each task of a source: a file, a folder, a pattern or a bundled name.

        Raises:
            FileNotFoundError: there is no such source.
        """

    def load(self, name: str, place: str, *, variations: int, seed: int) -> Iterator[Found]:
        """Load the task at a place, or variations of the template there.

        Args:
            name: the name that `places` gave.
            place: the place that `places` gave.
            variations: the number of variations of a template.
            seed: the seed with which variations are drawn.

        Raises:
            ValueError: the task or template is not valid.
        """

    def level_of(self, name: str) -> tuple[str, str] | None:
        """Return the level and the variant that follow from the name of a task alone; None if none do."""

    def read(self, text: str) -> Any | None:
        """Parse the text of a task; return None if this version cannot read it."""

    def classify(self, name: str, task: Any) -> Found:
        """Return a task under a name, with its level and variant."""

    def rules(self, rules: Any) -> Ruling:
        """Return rules given by name, as `Ruling.fields`, or as the wing's own objects; for None, the default ones.

        Raises:
            ValueError: there are no such rules; the message says which there are.
        """

    def named_rules(self, name: str, **changes: Any) -> Ruling:
        """Return the rules with a name, with single fields changed.

        Raises:
            ValueError: there are no such rules; the message says which there are.
        """

    def demands(self, task: Any, start: int, rules: Ruling) -> Mapping[str, float]:
        """Return what an episode demands, by the names of `dimensions`: at least 0, and 0 for nothing of the kind."""

    def apparatus(self, rules: Ruling, senses: Mapping[str, Any], bodies: int) -> Apparatus:
        """Make the apparatus for agents with these senses."""

    def senses(self, senses: Mapping[str, Any]) -> dict[str, Any]:
        """Return all settings of the senses, defaults included."""

    def record(self, text: str, start: int, seed: int, rules: Mapping[str, Any], actions: Sequence[Any]) -> Any:
        """Build the record of an episode: all that is needed to replay it.

        Raises:
            ValueError, TypeError: the values are not those of an episode; the message says why.
        """

    def read_record(self, text: str) -> Any:
        """Parse a text of `record_json`.

        Raises:
            ValueError: the text is not a record of this wing; the message says why.
        """

    def replay(self, record: Any) -> Iterator[tuple[Session, Outcome | None]]:
        """Replay a recorded episode; yield the session and the outcome at its start and after each step."""

    def length(self, record: Any) -> int:
        """Return the most steps a recorded episode can have; it has fewer if it ended within its last decision."""

    def camera(self, view: str, size: tuple[int, int], *, fine: bool = False) -> Camera:
        """Make a camera for films and pictures.

        Args:
            view: one of the wing's views, in the arena "first", "third" or "top".
            size: width and height in pixels.
            fine: paint in the best quality, which is slow.

        Raises:
            ValueError: there is no such view, or the wing has no pictures.
        """

    def messages(self, episode: Any, record: Any) -> Iterator[bytes | str]:
        """Yield the messages (docs/reference/studio-protocol.md) that show an episode step by step.

        Raises:
            ValueError: episodes of this wing cannot be shown step by step.
        """

    def path_picture(self, record: Any, size: tuple[int, int]) -> Image:
        """Paint the paths of the bodies of an episode, as height x width x 3 bytes.

        Raises:
            ValueError: this wing has no `paths`.
        """

    def legs(self, record: Any, pixels: int, wanted: Callable[[int], bool]) -> list[Leg]:
        """Return the path of the first body until its episode was decided, arena by arena, for figures of a report.

        Args:
            record: the episode.
            pixels: width and height of the pictures.
            wanted: a function that returns, for the index of an arena, whether its picture is needed.
        """

    def is_action(self, action: Any) -> bool:
        """Return whether a value is an action of this wing; one read from a file may be damaged."""

    def is_idle(self, action: Any, flags: int) -> bool:
        """Return whether a body that could act did nothing."""

    def action_name(self, action: Any) -> str:
        """Return the name of an action; "" if it has none."""

    def goals(self, events: Sequence[Mapping[str, Any]]) -> int | None:
        """Return the number of goals that the first body collected; None in a wing without goals."""

    def latency(self, events: Sequence[Mapping[str, Any]]) -> float | None:
        """Return the seconds from when the first body could act to the event that decided the episode; None without."""
