"""The six primitives of an animated child: what the numbers of an action mean, each from -1 to 1.

| number | name | meaning |
|---|---|---|
| 0 | `walk` | 1 is the fastest speed of the age forwards, -1 half of it backwards; on hands and knees it crawls |
| 1 | `turn` | 1 is the fastest turn to the left, -1 to the right |
| 2 | `head_pitch` | 1 nods upwards, -1 downwards, at 60 degrees a second |
| 3 | `head_yaw` | 1 turns the head to the left, -1 to the right, at 60 degrees a second |
| 4 | `grab` | above 0.5 grabs a thing if the hands are empty, below -0.5 puts down what they hold |
| 5 | `act` | above 0.5 acts by context, below -0.5 gets down on hands and knees |

What `act` does is chosen by context: it kicks or steps on the nearest thing ahead that can be used so and is within
reach of a foot, or else presses or opens the one nearest to the middle of the view, by the rule of grabbing. Without
such a thing, a child on hands and knees gets up, and any other says something.
VECA publishes that its benchmark has six numbers, but not what they mean; this is our choice. A task may use only some
of them; the others are 0.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray

from puzzlebox.infant.control.numbers import action_numbers
from puzzlebox.text import closest

# Beyond this, `grab` and `act` do something.
TRIGGER = 0.5
# The three choices of discrete actions, as walk and turn: forwards, to the left, to the right.
CHOICES = ((1.0, 0.0), (0.0, 1.0), (0.0, -1.0))


class Primitive(IntEnum):
    """The place of each primitive in a full action."""

    WALK = 0
    TURN = 1
    HEAD_PITCH = 2
    HEAD_YAW = 3
    GRAB = 4
    ACT = 5


NAMES: tuple[str, ...] = tuple(each.name.lower() for each in Primitive)


class PrimitiveControl:
    """The numbers of an action of a task that uses some of the primitives.

    Attributes:
        names: the primitives, in the order of the action.
        space: the action space; with discrete actions, a choice of `CHOICES`.
    """

    space: Box | Discrete[Any]

    def __init__(self, names: Sequence[str] | str = NAMES, *, discrete: bool = False) -> None:
        chosen = NAMES if names == "all" else (names,) if isinstance(names, str) else tuple(names)
        for name in chosen:
            if name not in NAMES:
                raise ValueError(f"there is no primitive {name!r}; there are {', '.join(NAMES)}{closest(name, NAMES)}")
        if not chosen or len(set(chosen)) < len(chosen):
            raise ValueError(f"primitives are {chosen!r}; they must be different names, and at least one")
        self.names = chosen
        self.space = Discrete(len(CHOICES)) if discrete else Box(-1.0, 1.0, (len(chosen),), np.float32)
        self._rows = np.array([NAMES.index(name) for name in chosen])

    def full(self, action: Any) -> NDArray[np.float64]:
        """Return all six numbers for an action of this control; numbers outside -1 to 1 are clipped.

        Raises:
            ValueError: the action has the wrong shape or a number that is not finite.
        """
        if isinstance(self.space, Discrete):
            return self._choice(action)
        numbers = action_numbers(action, self.space.shape)
        if not np.isfinite(numbers).all():
            raise ValueError(f"the action {numbers.tolist()} has a number that is not finite")
        out = np.zeros(len(NAMES))
        out[self._rows] = np.minimum(1.0, np.maximum(-1.0, numbers))
        return out

    def _choice(self, action: Any) -> NDArray[np.float64]:
        try:
            number = int(action) if np.ndim(action) == 0 and int(action) == action else -1
        except (TypeError, ValueError, OverflowError):
            number = -1
        if not 0 <= number < len(CHOICES):
            raise ValueError(f"an action is {action!r}; it must be a whole number from 0 to {len(CHOICES) - 1}")
        out = np.zeros(len(NAMES))
        out[:2] = CHOICES[number]
        return out

    def chosen(self, action: NDArray[np.float64]) -> Any:
        """Return those of all six numbers that are in the action space, or the nearest choice."""
        if isinstance(self.space, Discrete):
            turn = float(action[Primitive.TURN])
            return np.int64(0 if abs(turn) < TRIGGER else 1 if turn > 0 else 2)
        return np.asarray(action[self._rows], np.float32)
