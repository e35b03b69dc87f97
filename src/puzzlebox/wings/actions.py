"""Actions as text: of any Gymnasium space, of one body or several.

A whole number from 0 to 9 of each body is one digit, so that an action of the arena is a single letter; everything else
is a JSON list with one entry for each body. Numbers come back exactly as they were.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np


def actions_text(actions: Sequence[Any]) -> str:
    """What all bodies did in one decision, as text."""
    plain = [_plain(each) for each in actions]
    if all(type(each) is int and 0 <= each <= 9 for each in plain):
        return "".join(map(str, plain))
    return json.dumps(plain, separators=(",", ":"), allow_nan=False)


def actions_in(text: Any) -> tuple[Any, ...]:
    """What `actions_text` was given; arrays come back as tuples of numbers.

    Raises:
        ValueError: the text is something else.
    """
    if isinstance(text, str) and text.isascii() and text.isdecimal():
        return tuple(map(int, text))
    try:
        found = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not found:
        raise ValueError(f"{text!r:.60} is not what agents did")
    return tuple(_tuples(each) for each in found)


def all_actions_in(texts: Iterable[Any]) -> tuple[tuple[Any, ...], ...]:
    """The actions of an episode, decision by decision.

    Raises:
        ValueError: one of them is something else, or of another number of bodies; the message says which.
    """
    found: list[tuple[Any, ...]] = []
    for number, text in enumerate(texts, 1):
        try:
            actions = actions_in(text)
        except ValueError:
            actions = ()
        if not actions or (found and len(actions) != len(found[0])):
            raise ValueError(f"action {number} is {text!r:.60}; it must say what each agent did")
        found.append(actions)
    return tuple(found)


def _plain(action: Any) -> Any:
    """An action of any Gymnasium space as JSON holds it."""
    if isinstance(action, np.ndarray | np.generic):
        return action.tolist()
    if isinstance(action, dict):
        return {str(name): _plain(each) for name, each in action.items()}
    if isinstance(action, tuple | list):
        return [_plain(each) for each in action]
    return action


def _tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _tuples(each) for name, each in value.items()}
    return tuple(_tuples(each) for each in value) if isinstance(value, list) else value
