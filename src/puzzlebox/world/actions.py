"""What an animal can do in one step: one number from 0 to 8, which is 3 * move + turn."""

from collections.abc import Sequence
from typing import Any

# The order Animal-AI's own flattening gives.
ACTIONS = (
    *("noop", "right", "left"),
    *("forwards", "forwards-right", "forwards-left"),
    *("backwards", "backwards-right", "backwards-left"),
)
NOOP, RIGHT, LEFT, FORWARDS, FORWARDS_RIGHT, FORWARDS_LEFT, BACKWARDS, BACKWARDS_RIGHT, BACKWARDS_LEFT = range(9)


def checked(actions: Sequence[Any], animals: int) -> tuple[int, ...]:
    """One action per agent, or a sentence that says what is wrong."""
    if len(actions) != animals:
        raise ValueError(f"there are {animals} agents and {len(actions)} actions; give one for each, in file order")
    for action in actions:
        if not 0 <= action <= 8 or action != int(action):
            names = ", ".join(f"{number} {name}" for number, name in enumerate(ACTIONS))
            raise ValueError(f"{action!r} is not an action; there are {names}")
    return tuple(map(int, actions))
