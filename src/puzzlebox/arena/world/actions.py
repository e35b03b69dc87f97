"""The nine actions of an animal, each a number from 0 to 8: 3 * move + turn."""

from collections.abc import Sequence
from typing import Any

import numpy as np

# In the order in which Animal-AI flattens its two branches (move, turn).
ACTIONS = (
    *("noop", "right", "left"),
    *("forwards", "forwards-right", "forwards-left"),
    *("backwards", "backwards-right", "backwards-left"),
)
NOOP, RIGHT, LEFT, FORWARDS, FORWARDS_RIGHT, FORWARDS_LEFT, BACKWARDS, BACKWARDS_RIGHT, BACKWARDS_LEFT = range(9)

# Each action as a plain int, whatever it equals (a NumPy number, 3.0).
_PLAIN_INTS = {action: action for action in range(len(ACTIONS))}
# The tuples of a single animal, the most frequent case.
_SINGLE = {action: (action,) for action in _PLAIN_INTS}


def checked_actions(actions: Sequence[Any], animals: int) -> tuple[int, ...]:
    """Return one action per agent as plain ints.

    Raises:
        TypeError: the actions are not a list.
        ValueError: their number is wrong, or one is not an action.
    """
    try:
        count = len(actions)
    except TypeError:
        raise TypeError(
            f"actions is {actions!r}; it must be a list with one number from 0 to 8 for each agent, in file order"
        ) from None
    if count != animals:
        raise ValueError(f"there are {animals} agents and {count} actions; give one for each, in file order")
    try:
        return _SINGLE[actions[0]] if animals == 1 else tuple([_PLAIN_INTS[action] for action in actions])
    except (KeyError, TypeError):
        wrong = next(action for action in actions if not np.isscalar(action) or action not in _PLAIN_INTS)
        names = ", ".join(f"{number} {name}" for number, name in enumerate(ACTIONS))
        raise ValueError(f"{wrong!r} is not an action; there are {names}") from None
