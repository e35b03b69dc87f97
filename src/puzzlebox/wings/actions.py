"""Actions as text: of any Gymnasium space, for one body or several.

If the action of each body is an integer from 0 to 9, the text has one digit for each body; an action of the arena is a
single character. Any other actions are a JSON list with one entry for each body. Numbers are restored exactly.
"""

import json
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any

import numpy as np


def actions_text(actions: Sequence[Any]) -> str:
    """Return the actions of all bodies in one decision as text.

    Raises:
        ValueError, TypeError: an action has a number that is not finite, or a value that JSON cannot hold.
    """
    plain = [plain_action(each) for each in actions]
    if all(type(each) is int and 0 <= each <= 9 for each in plain):
        return "".join(map(str, plain))
    return json.dumps(plain, separators=(",", ":"), allow_nan=False)


def actions_in(text: Any) -> tuple[Any, ...]:
    """Parse the text of `actions_text`; arrays are restored as tuples of numbers.

    Raises:
        ValueError: the text does not contain actions.
    """
    if isinstance(text, str) and text.isascii() and text.isdecimal():
        return tuple(map(int, text))
    try:
        actions = json.loads(text, parse_constant=_refuse_constant) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        actions = None
    if not isinstance(actions, list) or not actions:
        raise ValueError(f"{text!r:.60} does not contain actions")
    return tuple(_tuples(each) for each in actions)


def parse_actions(texts: Iterable[Any]) -> tuple[tuple[Any, ...], ...]:
    """Parse the actions of an episode, one text for each decision.

    Raises:
        ValueError: a text does not contain actions, or contains a different number of them; the message says which.
    """
    decisions: list[tuple[Any, ...]] = []
    for number, text in enumerate(texts, 1):
        try:
            actions = actions_in(text)
        except ValueError:
            actions = ()
        if not actions or (decisions and len(actions) != len(decisions[0])):
            raise ValueError(f"action {number} is {text!r:.60}; it must hold an action for each animal")
        decisions.append(actions)
    return tuple(decisions)


def plain_action(action: Any) -> Any:
    """Return a copy of an action of any Gymnasium space as plain values: numbers, texts, tuples and dictionaries.

    Raises:
        ValueError: a number is not finite.
    """
    if isinstance(action, np.ndarray | np.generic):
        return plain_action(action.tolist())
    if isinstance(action, dict):
        return {str(name): plain_action(each) for name, each in action.items()}
    if isinstance(action, tuple | list):
        return tuple(plain_action(each) for each in action)
    if isinstance(action, float) and not isfinite(action):
        raise ValueError(f"an action has the number {action}; numbers must be finite")
    return action


def _refuse_constant(word: str) -> Any:
    raise ValueError(word)


def _tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _tuples(each) for name, each in value.items()}
    return tuple(_tuples(each) for each in value) if isinstance(value, list) else value
