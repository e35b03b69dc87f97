"""What an animal can do in one step: one number from 0 to 8, which is 3 * move + turn."""

from collections.abc import Sequence
from typing import Any

import numpy as np

# The order Animal-AI's own flattening gives.
ACTIONS = (
    *("noop", "right", "left"),
    *("forwards", "forwards-right", "forwards-left"),
    *("backwards", "backwards-right", "backwards-left"),
)
NOOP, RIGHT, LEFT, FORWARDS, FORWARDS_RIGHT, FORWARDS_LEFT, BACKWARDS, BACKWARDS_RIGHT, BACKWARDS_LEFT = range(9)

# Whatever equals one of them (a NumPy number, 3.0) as a plain number.
_PLAIN = {action: action for action in range(len(ACTIONS))}
# What an only agent can do, for the most frequent case.
_ALONE = {action: (action,) for action in _PLAIN}


def checked_actions(actions: Sequence[Any], animals: int) -> tuple[int, ...]:
    """One action per agent as plain numbers, or a sentence that says what is wrong."""
    try:
        count = len(actions)
    except TypeError:
        raise TypeError(
            f"actions is {actions!r}; it must be a list with one number from 0 to 8 for each agent, in file order"
        ) from None
    if count != animals:
        raise ValueError(f"there are {animals} agents and {count} actions; give one for each, in file order")
    try:
        return _ALONE[actions[0]] if animals == 1 else tuple([_PLAIN[action] for action in actions])
    except (KeyError, TypeError):
        wrong = next(action for action in actions if not np.isscalar(action) or action not in _PLAIN)
        names = ", ".join(f"{number} {name}" for number, name in enumerate(ACTIONS))
        raise ValueError(f"{wrong!r} is not an action; there are {names}") from None
