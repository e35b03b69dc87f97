"""What an item is: a scene, trials made of events over time, and a score of 0, 1 or 2.

An item is written as a class with a few attributes and methods; `session.Session` runs it, and `scoring.score` scores
it from its log. Nothing but the log is read for scoring.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from puzzlebox.infant.items.chance import blocks_needed
from puzzlebox.infant.scenes.log import Log
from puzzlebox.infant.scenes.people import Person
from puzzlebox.infant.scenes.stage import Stage

if TYPE_CHECKING:
    from puzzlebox.infant.items.session import Session


class Mode(Enum):
    """How an agent moves the child."""

    JOINTS = "joints"  # a target for each of the 82 joints
    PRIMITIVES = "primitives"  # six numbers: walk, turn, head pitch, head yaw, grab, act


class Verb(Enum):
    """What an event does."""

    SHOW = "show"  # a thing appears
    HIDE = "hide"  # a thing vanishes
    PLACE = "place"  # a thing is put somewhere at once: `value` is the place
    GLOW = "glow"  # a thing glows (`value` True) or not
    LAMP = "lamp"  # the light becomes `value`, 0 to 1
    SOUND = "sound"  # the level of a source becomes `value`
    SAY = "say"  # the caregiver speaks: `value` is a text and a tone
    LOOK = "look"  # the caregiver looks at `thing`, or ahead
    POINT = "point"  # the caregiver points at `thing` for `value` seconds
    PUT = "put"  # the caregiver puts `thing` at the place `value`
    GIVE = "give"  # the caregiver hands `thing` over and lets go after `value` seconds
    LAY = "lay"  # the caregiver presses `thing` into the palm of the hand `value`
    LET_GO = "let go"  # `thing` is held no longer
    CUE = "cue"  # nothing


@dataclass(frozen=True)
class Event:
    """Something that happens in a trial.

    Attributes:
        at: seconds after the start of the trial.
        verb: what happens.
        thing: to which thing, source or person.
        value: see `Verb`.
    """

    at: float
    verb: Verb
    thing: str = ""
    value: Any = None


@dataclass(frozen=True)
class Trial:
    """One trial.

    Attributes:
        kind: such as `test` or `blank`.
        seconds: how long it lasts at most.
        events: what happens in it, in order.
        facts: what scoring needs to know; plain values.
        opens: seconds after its start at which responses begin to count.
    """

    kind: str
    seconds: float
    events: tuple[Event, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    opens: float = 0.0


@dataclass(frozen=True)
class Outcome:
    """What came of one trial.

    Attributes:
        kind: that of the trial.
        values: what `Item.outcome` found; plain values.
    """

    kind: str
    values: Mapping[str, Any]


class Item(ABC):
    """An item of the battery.

    Attributes:
        number: its number.
        name: its name.
        domain: the code of its domain.
        months: the ages of emergence and mastery.
        paradigm: the study it is modelled on.
        senses: the senses it needs, by their names in a state.
        sees: whether scoring needs to know what the eyes see.
        emerging: successes and trials of a block for a score of 1.
        mastery: the same for a score of 2.
        guess: the probability that a guess is right, for the chance guard; 0 for no guard.
        least_blocks: the least number of blocks, if random actions pass more often than guesses by that rate.
        pause: seconds between two trials.
        modes: how agents can move the child.
        watch: the things that the log holds.
    """

    number: ClassVar[int]
    name: ClassVar[str]
    domain: ClassVar[str]
    months: ClassVar[tuple[float, float]]
    paradigm: ClassVar[str]
    senses: ClassVar[tuple[str, ...]]
    sees: ClassVar[bool] = False
    emerging: ClassVar[tuple[int, int]]
    mastery: ClassVar[tuple[int, int]]
    guess: ClassVar[float] = 0.5
    least_blocks: ClassVar[int] = 1
    pause: ClassVar[float] = 1.0
    modes: ClassVar[tuple[Mode, ...]] = (Mode.JOINTS, Mode.PRIMITIVES)
    watch: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def for_age(cls, age_months: float) -> "Item":
        """Return the item for a child of some age; where things are may depend on it."""
        return cls()

    @property
    def code(self) -> str:
        """Its number in two digits."""
        return f"{self.number:02d}"

    @property
    def blocks(self) -> int:
        """How many blocks of trials the chance guard asks for."""
        guarded = blocks_needed(self.emerging, self.mastery, self.guess) if self.guess else 1
        return max(guarded, self.least_blocks)

    @abstractmethod
    def stage(self, child: Person) -> Stage:
        """Return the scene with a child in it."""

    @abstractmethod
    def block(self, rng: np.random.Generator, number: int) -> list[Trial]:
        """Return the trials of a block, balanced and in random order."""

    @abstractmethod
    def outcome(self, facts: Mapping[str, Any], window: Log) -> dict[str, Any]:
        """Return what came of a trial, from its log and the facts of the trial.

        Args:
            facts: those of the trial, with its `kind`.
            window: the steps in which responses count.
        """

    @abstractmethod
    def judge(self, outcomes: Sequence[Outcome]) -> int:
        """Return the score, 0, 1 or 2, from the outcomes of all trials."""

    def decided(self, facts: Mapping[str, Any], window: Log) -> bool:
        """Return whether the rest of a trial cannot change its outcome, so that it ends now."""
        return False

    @abstractmethod
    def oracle(self, session: "Session") -> Any:
        """Return the next action of a script that knows everything and scores 2."""


def enough(outcomes: Sequence[Outcome], kind: str, name: str, share: tuple[int, int]) -> bool:
    """Return whether at least a share of the trials of a kind, of which there are some, have an outcome."""
    values = [bool(each.values[name]) for each in outcomes if each.kind == kind]
    return bool(values) and sum(values) * share[1] >= share[0] * len(values)


def at_most(outcomes: Sequence[Outcome], kind: str, name: str, share: tuple[int, int]) -> bool:
    """Return whether at most a share of the trials of a kind have an outcome."""
    values = [bool(each.values[name]) for each in outcomes if each.kind == kind]
    return sum(values) * share[1] <= share[0] * len(values)


def balanced(rng: np.random.Generator, values: Sequence[Any], count: int) -> list[Any]:
    """Return a list in random order in which each value occurs equally often, give or take one."""
    full = [values[number % len(values)] for number in range(count)]
    return [full[row] for row in rng.permutation(count).tolist()]
