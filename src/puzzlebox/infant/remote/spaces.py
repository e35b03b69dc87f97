"""Spaces of Gymnasium as plain values, and back."""

from typing import Any

import numpy as np
from gymnasium import spaces


def plain_space(space: spaces.Space[Any]) -> dict[str, Any]:
    """Return a space as plain values.

    Raises:
        TypeError: no infant task has such a space.
    """
    if isinstance(space, spaces.Dict):
        return {"kind": "dict", "parts": {name: plain_space(part) for name, part in space.items()}}
    if isinstance(space, spaces.Box):
        return {"kind": "box", "low": space.low, "high": space.high}
    if isinstance(space, spaces.Discrete):
        return {"kind": "discrete", "count": int(space.n), "start": int(space.start)}
    if isinstance(space, spaces.MultiDiscrete):
        return {"kind": "multi-discrete", "counts": space.nvec}
    raise TypeError(f"a space of kind {type(space).__name__} cannot be sent")


def space_from(plain: dict[str, Any]) -> spaces.Space[Any]:
    """Return the space that `plain_space` described.

    Raises:
        ValueError: there is no such kind of space.
    """
    kind = plain["kind"]
    if kind == "dict":
        return spaces.Dict({name: space_from(part) for name, part in plain["parts"].items()})
    if kind == "box":
        low: np.ndarray[Any, Any] = plain["low"]
        return spaces.Box(low, plain["high"], dtype=low.dtype.type)
    if kind == "discrete":
        return spaces.Discrete(plain["count"], start=plain["start"])
    if kind == "multi-discrete":
        return spaces.MultiDiscrete(plain["counts"])
    raise ValueError(f"there is no kind of space {kind!r}; there are dict, box, discrete and multi-discrete")
