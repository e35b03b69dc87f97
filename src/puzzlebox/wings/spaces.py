"""Actions of Gymnasium spaces: from plain values to what an environment expects, and the bounds they must keep."""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Text, Tuple


def action_in(space: gym.Space[Any], action: Any) -> Any:
    """Return an action of plain values as an environment with this action space expects it, arrays included.

    Raises:
        ValueError, TypeError, KeyError, IndexError, OverflowError: the action is not of the kind or shape of the space.
    """
    if isinstance(space, Box | MultiDiscrete | MultiBinary):
        return np.array(action, space.dtype).reshape(space.shape)
    if isinstance(space, Discrete):
        return np.int64(action)
    if isinstance(space, Dict):
        return {name: action_in(part, action[name]) for name, part in space.items()}
    if isinstance(space, Tuple):
        return tuple(action_in(part, each) for part, each in zip(space, action, strict=True))
    return action


def require_bounds(space: gym.Space[Any], action: Any, converted: Any) -> None:
    """Check that an action is within the bounds of its space.

    Args:
        space: the space.
        action: the action as plain values.
        converted: the same action, as `action_in` returned it.

    Raises:
        ValueError: it is not; the message gives the value and its bounds.
    """
    if isinstance(space, Dict):
        for name, part in space.items():
            require_bounds(part, action[name], converted[name])
    elif isinstance(space, Tuple):
        for part, *both in zip(space, action, converted, strict=True):
            require_bounds(part, *both)
    elif isinstance(space, Text):
        if not space.contains(action):
            raise ValueError(f"the action {action!r:.100} does not fit the action space {space}")
    elif (bounds := _bounds(space)) is not None:
        values, low, high = np.broadcast_arrays(converted, *bounds)
        outside = np.flatnonzero((values < low) | (values > high))
        if outside.size:
            value, least, most = (each.flat[outside[0]].item() for each in (values, low, high))
            where = f"the action {action!r:.100}" if values.size == 1 else f"{value} in the action {action!r:.100}"
            raise ValueError(f"{where} is out of bounds; it must be from {_short(least)} to {_short(most)}")
        if values.dtype.kind in "iu" and not np.array_equal(np.asarray(action).ravel(), values.ravel()):
            raise ValueError(f"the action {action!r:.100} has numbers that are not whole; the action space is {space}")


def _short(number: float) -> str:
    return f"{number:g}" if isinstance(number, float) else str(number)


def _bounds(space: gym.Space[Any]) -> tuple[Any, Any] | None:
    """Return the smallest and largest values of a space of numbers; None for other spaces."""
    if isinstance(space, Box):
        return space.low, space.high
    if isinstance(space, Discrete):
        return int(space.start), int(space.start) + int(space.n) - 1
    if isinstance(space, MultiDiscrete):
        start, choices = np.asarray(space.start), np.asarray(space.nvec)
        return start, start + choices - 1
    return (0, 1) if isinstance(space, MultiBinary) else None
