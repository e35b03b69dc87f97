"""Delays of nerves: what is sensed or commanded takes effect some control steps later."""

from collections import deque
from typing import Any

import numpy as np


class Delay:
    """A line through which values pass, each some steps later.

    Attributes:
        steps: whole control steps of 1/15 s; 0 for no delay.
    """

    def __init__(self, steps: int) -> None:
        if isinstance(steps, bool) or not isinstance(steps, int | np.integer) or not 0 <= steps <= 150:
            raise ValueError(f"a delay is {steps!r}; it must be a whole number of control steps from 0 to 150")
        self.steps = int(steps)
        self._line: deque[Any] = deque()

    def reset(self, value: Any) -> None:
        """Fill the line with a value: it comes out until something else does."""
        self._line = deque([value] * self.steps)

    def pass_on(self, value: Any) -> Any:
        """Put a value in and return the one that comes out."""
        if not self.steps:
            return value
        self._line.append(value)
        return self._line.popleft()

    def snapshot(self) -> tuple[Any, ...]:
        """Return all values on their way."""
        return tuple(self._line)

    def restore(self, snapshot: tuple[Any, ...]) -> None:
        """Go back to a state."""
        self._line = deque(snapshot)
