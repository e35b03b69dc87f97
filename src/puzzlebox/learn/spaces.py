"""Spaces of observations and actions as plain values, as checkpoints store them; and observations that fit them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, MultiDiscrete, Space


def describe_space(space: Space[Any]) -> dict[str, Any]:
    """Return a space as plain values.

    Raises:
        ValueError: no learner knows this kind of space.
    """
    if isinstance(space, Dict):
        return {"kind": "dict", "parts": {name: describe_space(part) for name, part in space.items()}}
    if isinstance(space, Box):
        about = {"kind": "box", "shape": list(space.shape), "type": str(np.dtype(space.dtype))}
        return about | {"low": _plain_bound(space.low), "high": _plain_bound(space.high)}
    if isinstance(space, MultiDiscrete):
        return {"kind": "multi-discrete", "counts": np.asarray(space.nvec).tolist()}
    if isinstance(space, Discrete):
        return {"kind": "discrete", "count": int(space.n), "start": int(space.start)}
    raise ValueError(f"no learner knows the space {space}; there are Dict, Box, Discrete and MultiDiscrete")


def _plain_bound(bound: Any) -> Any:
    """Return the bounds of a box: one number where all are equal. Infinity is written as text, which JSON has not."""
    values = np.unique(bound)
    numbers = values.astype(float).tolist() if len(values) == 1 else np.asarray(bound, float).ravel().tolist()
    texts = [each if np.isfinite(each) else str(each) for each in numbers]
    return texts[0] if len(texts) == 1 else texts


def space_of(about: Mapping[str, Any]) -> Space[Any]:
    """Return the space that `describe_space` described."""
    kind = about["kind"]
    if kind == "dict":
        return Dict({name: space_of(part) for name, part in about["parts"].items()})
    if kind == "box":
        shape, dtype = tuple(about["shape"]), np.dtype(about["type"])
        low, high = (np.broadcast_to(_bound(about[name], shape), shape).astype(dtype) for name in ("low", "high"))
        return Box(low, high, shape, dtype.type)
    if kind == "multi-discrete":
        return MultiDiscrete(about["counts"])
    return Discrete(about["count"], start=about["start"])


def _bound(value: Any, shape: tuple[int, ...]) -> Any:
    numbers = np.array([float(each) for each in (value if isinstance(value, list) else [value])])
    return numbers.reshape(shape) if isinstance(value, list) else numbers[0]


def fit_observation(space: Space[Any], observation: Any) -> Any:
    """Return an observation as one of a larger space: parts it lacks, and what parts lack, are zeros.

    An agent that was trained on several infant tasks, whose spaces were padded, plays a single one of them so.

    Raises:
        ValueError: a part does not fit into the space.
    """
    if not isinstance(space, Dict):
        return observation
    fitted = {}
    for name, part in space.items():
        value = observation.get(name)
        if value is None:
            fitted[name] = np.zeros(part.shape or (), part.dtype)
            continue
        value = np.asarray(value)
        if value.shape == part.shape:
            fitted[name] = value
            continue
        larger = len(value.shape) == len(part.shape or ()) and all(
            own <= whole for own, whole in zip(value.shape, part.shape or (), strict=True)
        )
        if not larger:
            raise ValueError(f"{name} has the shape {value.shape}; the agent was trained with {part.shape}")
        fitted[name] = np.zeros(part.shape or (), part.dtype)
        fitted[name][tuple(slice(size) for size in value.shape)] = value
    return fitted


def fit_action(action: Any, space: Space[Any] | None) -> Any:
    """Return an action within the bounds of a smaller space: its first numbers."""
    if isinstance(space, Box):
        return np.clip(np.asarray(action)[: space.shape[0]], space.low, space.high)
    return action.item() if isinstance(action, np.generic | np.ndarray) and action.size == 1 else action
