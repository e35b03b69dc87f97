"""Values of settings written as text, `key=value`: read by the kind of their default, and checked against it."""

import json
import math
from typing import Any


def parse_value(text: str) -> Any:
    """Return a text as a value: a number, true, false, null, a list in JSON, or else the text itself."""
    word = text.strip()
    named = {"true": True, "false": False, "null": None, "none": None}
    if word.lower() in named:
        return named[word.lower()]
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    if word[:1] in '[{"':
        try:
            return json.loads(word)
        except ValueError:
            pass
    return word


def checked_value(name: str, value: Any, default: Any, choices: tuple[Any, ...] = (), optional: bool = False) -> Any:
    """Return a value of the kind of a default.

    Args:
        name: the name of the setting, for the message.
        value: the value.
        default: the default; None: a number that may be left out.
        choices: the allowed values; empty: all of the kind.
        optional: whether None is allowed.

    Raises:
        ValueError: the value is of another kind, not finite, or not among the choices.
    """
    if value is None and (optional or default is None):
        return None
    if choices:
        if value not in choices:
            raise ValueError(f"{name} is {value!r}; it must be {', '.join(map(str, choices))}")
        return value
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise ValueError(f"{name} is {value!r}; it must be true or false")
        return value
    if isinstance(default, int):
        whole = isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1
        if not whole or value < 0:
            raise ValueError(f"{name} is {value!r}; it must be a whole number, 0 or more")
        return int(value)
    if isinstance(default, float):
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise ValueError(f"{name} is {value!r}; it must be a number")
        if value < 0:
            raise ValueError(f"{name} is {value!r}; it must be 0 or more")
        return float(value)
    if default is None:  # a number that may be left out
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
            raise ValueError(f"{name} is {value!r}; it must be a number, 0 or more, or null")
        return int(value) if value == value // 1 else value
    if isinstance(default, str) and not isinstance(value, str | int | float):
        raise ValueError(f"{name} is {value!r}; it must be a word")
    return value
