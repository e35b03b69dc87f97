"""What a person does with keys or a gamepad, and which action of a task that is.

A task of primitives has one control for each of its primitives. In a task at a table the keys move both hands, and
the arms follow; in BabyRun they drive the gait on hands and knees.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.bones import LEFT, RIGHT
from puzzlebox.infant.body.physics import CONTROL_STEP
from puzzlebox.infant.control.primitives import PrimitiveControl
from puzzlebox.infant.tasks.baby_run import SHARPEST, BabyRun
from puzzlebox.infant.tasks.play import Play
from puzzlebox.infant.tasks.two_hands import TwoHandsTask

Floats = NDArray[np.float64]
# Values of controls are multiples of this, so that they are short as text.
FINEST = 1 / 128
# Metres a second at which hands are moved, and how far apart from the middle each palm may be.
_HAND_SPEED, _FARTHEST = 0.16, 0.22
# How far the wanted place of a palm may be ahead of the palm, in metres; what is between the palms is pressed then.
_AHEAD = 0.06
# Palms cross no farther than this, in metres from the middle, so that fingers do not hook into each other.
_CROSSED = 0.02
# How far above the table the middle of a palm stays, in metres: as high as the side of a hand that lies on it.
_ABOVE = 0.03
# By how much the swing of a gait may change in a step.
_SWING = 0.34


@dataclass(frozen=True)
class Control:
    """One thing that a person can do, in two directions: a number from -1 to 1.

    Attributes:
        name: its name.
        more: what 1 does, in a few words.
        less: what -1 does; "" if it does nothing.
        more_keys: the keys of 1, by their place on the keyboard (`KeyboardEvent.code`).
        less_keys: the keys of -1.
        axis: the axis of a gamepad in its standard layout that is -1 for `more`; None: none.
        more_buttons: the buttons of a gamepad for 1.
        less_buttons: the buttons for -1.
    """

    name: str
    more: str
    less: str
    more_keys: tuple[str, ...]
    less_keys: tuple[str, ...]
    axis: int | None = None
    more_buttons: tuple[int, ...] = ()
    less_buttons: tuple[int, ...] = ()

    def plain(self) -> dict[str, Any]:
        """Return the control as plain values for the page."""
        return asdict(self)


# fmt: off
_WALKING = ("KeyW", "ArrowUp"), ("KeyS", "ArrowDown"), 1, (12,), (13,)
_TURNING = ("KeyA", "ArrowLeft"), ("KeyD", "ArrowRight"), 0, (14,), (15,)
PRIMITIVES: dict[str, Control] = {each.name: each for each in (
    Control("walk", "forwards", "backwards", *_WALKING),
    Control("turn", "turn left", "turn right", *_TURNING),
    Control("head_pitch", "look up", "look down", ("KeyR",), ("KeyF",), 3),
    Control("head_yaw", "look left", "look right", ("KeyQ",), ("KeyE",), 2),
    Control("grab", "grab", "put down", ("KeyG",), ("KeyB",), None, (0,), (1,)),
    Control("act", "act (kick, press, get up, speak)", "get down on hands and knees", ("Space",), ("KeyC",),
            None, (2, 7), (3,)),
)}
HANDS: tuple[Control, ...] = (
    Control("forwards", "hands forwards", "hands back", *_WALKING),
    Control("left", "hands left", "hands right", *_TURNING),
    Control("up", "hands up", "hands down", ("KeyR",), ("KeyF",), 3),
    Control("together", "hands together", "hands apart", ("Space",), ("KeyX",), None, (0, 7), (1, 6)),
)
CRAWL: tuple[Control, ...] = (
    Control("gallop", "gallop forwards", "gallop backwards", *_WALKING),
    Control("steer", "steer left", "steer right", *_TURNING),
)
# fmt: on


class Steering(ABC):
    """Turns the values of controls into actions of the first child.

    Attributes:
        controls: what a person can do.
        hint: how to use them, in a sentence.
    """

    controls: Sequence[Control]
    hint: str

    def __init__(self, play: Play) -> None:
        self._play = play

    def begin(self) -> None:
        """Start from the state that the episode is in now."""
        return

    @abstractmethod
    def action(self, values: Sequence[float]) -> NDArray[np.float32]:
        """Return the action of a control step in which the controls have some values."""


class PrimitiveSteering(Steering):
    """Each control is a primitive of the task."""

    hint = "The child moves as long as you hold a key, a button or the stick of a gamepad."

    def __init__(self, play: Play) -> None:
        super().__init__(play)
        assert isinstance(play.control, PrimitiveControl)
        self.controls = tuple(PRIMITIVES[name] for name in play.control.names)

    def action(self, values: Sequence[float]) -> NDArray[np.float32]:
        """Return the values: they are the action."""
        return np.asarray(values, np.float32)


class HandSteering(Steering):
    """The controls move both palms, and the arms follow; what is between the palms can be pressed.

    Hands stay above the table and beyond its near edge: once they are below it, the table stops them on every way
    that a person sees.
    """

    controls = HANDS
    hint = "You move both hands; all joints of the arms follow. Hold “hands together” to press what is between them."

    def __init__(self, play: Play, task: TwoHandsTask) -> None:
        super().__init__(play)
        self._task = task
        self._middle, self._aside = np.zeros(3), 0.0
        table = play.stage["table"].prop
        self._lowest = np.array((table.at[0] - table.forms[0].reach[0], -np.inf, table.at[2] + _ABOVE))

    def _hands(self) -> tuple[Floats, float]:
        """Return the place between both palms, and how far each is from it, in metres."""
        palms = self._task.palms(self._play)
        return (palms[LEFT] + palms[RIGHT]) / 2, float(palms[LEFT][1] - palms[RIGHT][1]) / 2

    def begin(self) -> None:
        """Start where the palms are."""
        self._middle, self._aside = self._hands()

    def action(self, values: Sequence[float]) -> NDArray[np.float32]:
        """Return targets of the arms, a little ahead of where the hands are."""
        middle, aside = self._hands()
        moved = self._middle + _HAND_SPEED * CONTROL_STEP * np.asarray(values[:3], np.float64)
        self._middle = np.maximum(middle + np.clip(moved - middle, -_AHEAD, _AHEAD), self._lowest)
        apart = self._aside - _HAND_SPEED * CONTROL_STEP * values[3]
        self._aside = float(np.clip(apart, max(-_CROSSED, aside - _AHEAD), min(_FARTHEST, aside + _AHEAD)))
        return np.asarray(self._task.reach(self._play, self._middle, self._aside), np.float32)


class CrawlSteering(Steering):
    """The controls drive a gait on hands and knees; one side may swing farther, which steers."""

    controls = CRAWL
    hint = "Hold “gallop forwards”: a gait moves all joints. Steering lengthens the stride of a side. It falls easily."

    def __init__(self, play: Play, task: BabyRun) -> None:
        super().__init__(play)
        self._task, self._strides, self._swing = task, 0.0, 0.0

    def begin(self) -> None:
        """Start with a new stride."""
        self._strides = self._swing = 0.0

    def action(self, values: Sequence[float]) -> NDArray[np.float32]:
        """Return the targets of all joints at the next moment of the gait; without a key the limbs come to rest."""
        gallop, steer = values
        self._strides += gallop * self._task.strides * CONTROL_STEP
        # Limbs begin and cease to swing within three steps.
        self._swing += float(np.clip(abs(gallop) - self._swing, -_SWING, _SWING))
        return np.asarray(self._task.gait(self._play, self._strides, SHARPEST * steer, self._swing), np.float32)


def steering_of(play: Play) -> Steering:
    """Return how a person steers the first child of a task.

    Raises:
        ValueError: the task has joints that no keys move.
    """
    task = play.task
    if isinstance(play.control, PrimitiveControl):
        return PrimitiveSteering(play)
    if isinstance(task, TwoHandsTask):
        return HandSteering(play, task)
    if isinstance(task, BabyRun):
        return CrawlSteering(play, task)
    raise ValueError(f"{type(task).__name__} cannot be played by a person: no keys move its joints")


def checked_values(values: Any, count: int) -> list[float]:
    """Return the values of controls that a page has sent, rounded to multiples of `FINEST`.

    Raises:
        ValueError: they are not as many numbers from -1 to 1 as there are controls.
    """
    allowed = isinstance(values, list) and len(values) == count
    if not allowed or not all(type(each) in (int, float) and -1 <= each <= 1 for each in values):
        raise ValueError(f"the controls are {values!r:.60}; they must be {count} numbers from -1 to 1")
    return [round(each / FINEST) * FINEST for each in values]
