"""What a task of the toolkit is: the things in the room, a beginning, a reward, an end, and a script that solves it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import atan2, cos, hypot, pi, radians, sin
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.physics import CONTROL_STEP
from puzzlebox.infant.control.primitives import Primitive
from puzzlebox.infant.control.speeds import UNIT
from puzzlebox.infant.scenes.people import Person
from puzzlebox.infant.scenes.props import Prop
from puzzlebox.infant.scenes.room import Room
from puzzlebox.infant.senses.senses import SensesSettings
from puzzlebox.infant.sound.sources import Source
from puzzlebox.infant.tasks.settings import PRIMITIVES, Settings

if TYPE_CHECKING:
    from puzzlebox.infant.tasks.play import Play

Floats = NDArray[np.float64]
S = TypeVar("S", bound=Settings)


@dataclass
class Outcome:
    """The outcome of one control step.

    Attributes:
        rewards: the reward of each agent.
        over: whether the episode has ended, by success or failure.
        passed: whether it is passed; None while that is open.
    """

    rewards: list[float]
    over: bool = False
    passed: bool | None = None


class Task(ABC, Generic[S]):
    """A task of the toolkit. An instance belongs to one environment and keeps what changes in `memory`.

    Attributes:
        settings_class: the class of its settings, with their defaults and their meaning.
        control: what an action is: "primitives" or "joints".
        primitives: the primitives of an action.
        joints: the joints of an action.
        targets: the names of the one-hot code `target`.
        colours: the names of the one-hot code `colour`.
        reward: what is rewarded, in a sentence for tables.
        end: when an episode ends and is passed, in a sentence for tables.
        border: whether pictures from outside show where the field ends, in a room without walls.
        youngest: the age in months from which on the task can be played: its script passes most episodes, and doing
            nothing none (`python -m benchmarks.infant_ages`).
        why_youngest: why younger children cannot play it, as the end of a sentence.
        settings: the settings of this instance.
        memory: all that changes during an episode, besides the stage; plain values.
    """

    settings_class: ClassVar[type[Settings]] = Settings
    control: ClassVar[str] = PRIMITIVES
    primitives: ClassVar[Sequence[str]] = ("walk", "turn")
    joints: ClassVar[Sequence[str] | str] = "all"
    targets: ClassVar[Sequence[str]] = ()
    colours: ClassVar[Sequence[str]] = ()
    reward: ClassVar[str]
    end: ClassVar[str]
    border: ClassVar[bool] = False
    youngest: ClassVar[float]
    why_youngest: ClassVar[str]

    def __init__(self, settings: S) -> None:
        """Keep the settings.

        Raises:
            ValueError: the child is too young for the task, or a setting is one of the other kind of control.
        """
        if settings.age_months < self.youngest:
            raise ValueError(
                f"age_months is {settings.age_months:g}, but the youngest age for this task is {self.youngest:g} "
                f"months: {self.why_youngest}"
            )
        self._check_control(settings)
        self.settings = settings
        self.memory: dict[str, Any] = {}

    def _check_control(self, settings: S) -> None:
        """Raise a ValueError if a setting is one of the other kind of control, and would be ignored."""
        given = {name: getattr(settings, name) for name in ("primitives", "discrete", "joints")}
        strange = ("joints",) if self.control == PRIMITIVES else ("primitives", "discrete")
        for name in strange:
            if given[name] is not None and given[name] is not False:
                moves = "primitives, not joints" if self.control == PRIMITIVES else "joints, not primitives"
                raise ValueError(f"{name} is {given[name]!r}, but this task is controlled by {moves}; leave it out")
        if settings.discrete and settings.primitives is not None:
            raise ValueError(
                f"primitives is {settings.primitives!r}, but with discrete=True an action is one of forwards, left and "
                "right; leave one of them out"
            )

    @property
    def agents(self) -> int:
        """How many agents play together."""
        return 1

    @property
    def room(self) -> Room:
        """The room, with its walls."""
        return Room(19 * UNIT, 19 * UNIT)

    @abstractmethod
    def props(self) -> Sequence[Prop]:
        """Return all things that an episode can have; each has its own name."""

    def person(self, name: str, senses: SensesSettings, clothes: Mapping[str, Any] | None) -> Person:
        """Return the description of a child; a task of joints says how it sits or lies."""
        return Person(name, self.settings.age_months, pose="stand", senses=senses, clothes=clothes)

    def sounds(self) -> Mapping[str, tuple[Source, str]]:
        """Return all that sounds by name: the source, and the thing that carries it, or "" for a place in the room."""
        return {}

    @abstractmethod
    def begin(self, play: "Play") -> None:
        """Arrange things and agents for a new episode; all that is random comes from `play.rng`."""

    @abstractmethod
    def step(self, play: "Play") -> Outcome:
        """Judge the control step that has just passed."""

    @abstractmethod
    def script(self, play: "Play", agent: int) -> Any:
        """Return the next action of a script that knows everything; it shows that the task can be solved."""

    def target(self, agent: int) -> NDArray[np.float32] | None:
        """Return the one-hot code of what an agent looks for; None in tasks that name no target."""
        return one_hot(self.memory["target"], len(self.targets)) if self.targets else None

    def colour(self, agent: int) -> NDArray[np.float32] | None:
        """Return the one-hot code of the colour that an agent looks for; None in tasks that name none."""
        return one_hot(self.memory["colour"], len(self.colours)) if self.colours else None

    def grabs(self, play: "Play", agent: int) -> Sequence[str]:
        """Return the names of things that a child can grab."""
        return ()

    def uses(self, play: "Play", agent: int) -> Mapping[str, str]:
        """Return what `act` can do to which thing: one of `driver.USES` by the name of a thing."""
        return {}

    def forces(self, play: "Play") -> Mapping[str, Any]:
        """Return forces on things during the next step in newtons, by name."""
        return {}

    def measures(self, play: "Play") -> Mapping[str, float]:
        """Return numbers of the state that tables of episodes hold, by name."""
        return {}

    def reason(self, play: "Play") -> str:
        """Return why an episode that is over was not passed, as a sentence for people; "" if the task cannot say."""
        return ""

    def touches(self, play: "Play", agent: int) -> bool:
        """Return whether an agent touches a thing, for the sense `touch`."""
        return play.touches(agent)


def one_hot(number: int, count: int) -> NDArray[np.float32]:
    """Return a row of zeros with one 1."""
    out = np.zeros(count, np.float32)
    out[number] = 1.0
    return out


@dataclass
class Shaping:
    """Rewards a quantity that falls, such as a distance: the sum over an episode does not depend on the way."""

    before: float | None = None
    factor: float = field(default=1.0)

    def paid(self, value: float) -> float:
        """Return the reward for the change since the last call."""
        reward = 0.0 if self.before is None else self.factor * (self.before - value)
        self.before = value
        return reward


def difference(angle: float, other: float) -> float:
    """Return how far an angle must be turned to become another one, from -pi to pi."""
    return (other - angle + pi) % (2 * pi) - pi


def steer(play: "Play", agent: int, x: float, y: float, *, stop: float = 0.0) -> Floats:
    """Return all six primitives for a script that walks to a place.

    Args:
        play: the episode.
        agent: who walks.
        x: where to, in metres.
        y: where to, in metres.
        stop: how near is near enough, in metres.
    """
    walker = play.walker(agent)
    state = walker.state
    action = np.zeros(len(Primitive))
    away = hypot(x - state.x, y - state.y)
    turn = difference(state.heading, atan2(y - state.y, x - state.x))
    action[Primitive.TURN] = np.clip(turn / (radians(walker.speeds.turn) * CONTROL_STEP), -1.0, 1.0)
    if away > stop and abs(turn) < radians(50):
        speed = walker.speeds.walk if state.down == 0 else walker.speeds.crawl
        action[Primitive.WALK] = min(1.0, (away - stop) / (speed * CONTROL_STEP))
    return action


def detour(play: "Play", agent: int, x: float, y: float, others: Sequence[Any], apart: float) -> tuple[float, float]:
    """Return where a script should walk on its way to a place, so that it keeps away from others.

    Args:
        play: the episode.
        agent: who walks.
        x: where to, in metres.
        y: where to, in metres.
        others: places to keep away from.
        apart: how far to keep away, in metres.
    """
    state = play.walker(agent).state
    heading, away = atan2(y - state.y, x - state.x), hypot(x - state.x, y - state.y)
    for other_x, other_y, *_ in sorted(others, key=lambda each: hypot(each[0] - state.x, each[1] - state.y)):
        near = hypot(other_x - state.x, other_y - state.y)
        if near > min(apart + 0.43, away):
            break
        towards = atan2(other_y - state.y, other_x - state.x)
        aside = difference(towards, heading)
        # It passes on the side to which it goes anyway.
        if abs(aside) < radians(60):
            turned = towards + (1 if aside >= 0 else -1) * radians(95 if near < apart else 60)
            return state.x + cos(turned), state.y + sin(turned)
    return x, y
