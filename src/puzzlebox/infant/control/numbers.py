"""The numbers of an action, as an agent gives them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def action_numbers(action: Any, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the numbers of an action; they may be outside -1 to 1.

    Raises:
        ValueError: they are no numbers, or the shape is wrong.
    """
    try:
        numbers = None if action is None or isinstance(action, dict) else np.asarray(action, np.float64)
    except (TypeError, ValueError):
        numbers = None
    if numbers is None:
        raise ValueError(f"an action is {action!r}; it must be numbers of the shape {shape}")
    if numbers.shape != shape:
        raise ValueError(f"an action has the shape {numbers.shape}; it must be {shape}")
    return numbers
