"""The original's two simple agents."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from puzzlebox.animalai.actions import AAIAction, AAIActions
from puzzlebox.animalai.raycastparser import RayCastObjects, RayCastParser

_GOOD, _MULTI, _BAD = RayCastObjects.GOODGOAL, RayCastObjects.GOODGOALMULTI, RayCastObjects.BADGOAL


class Braitenberg:
    """Goes to food it sees, backs off from bad goals, and otherwise turns left every other step."""

    def __init__(self, no_rays: int) -> None:
        if no_rays < 1 or no_rays % 2 == 0:
            raise ValueError(f"no_rays is {no_rays}; it must be odd")
        self.no_rays = no_rays
        self.listOfObjects = [_GOOD, _MULTI, _BAD]
        self.raycast_parser = RayCastParser(self.listOfObjects, no_rays // 2)
        self.actions = AAIActions()
        self.prev_action = self.actions.NOOP

    def prettyPrint(self, rays: Any) -> str:
        """What it sees of the objects it cares for."""
        return self.raycast_parser.prettyPrint(rays)

    def get_action(self, rays: Any) -> AAIAction:
        """What it does about it (experiments.md section 4)."""
        seen, do = self.raycast_parser.parse(rays), self.actions
        for what, ahead, left, right in (
            (_MULTI, do.FORWARDS, do.LEFT, do.RIGHT),
            (_GOOD, do.FORWARDS, do.LEFT, do.RIGHT),
            (_BAD, do.BACKWARDS, do.BACKWARDSLEFT, do.BACKWARDSRIGHT),
        ):
            for where, action in ((self.ahead, ahead), (self.left, left), (self.right, right)):
                if where(seen, what):
                    return self._remember(action)
        idle = self.prev_action in (do.NOOP, do.BACKWARDS)
        return self._remember(do.LEFT if idle else do.NOOP)

    def _remember(self, action: AAIAction) -> AAIAction:
        self.prev_action = action
        return action

    def _row(self, obs: Any, what: RayCastObjects) -> Any:
        return obs[self.listOfObjects.index(what)]

    def ahead(self, obs: Any, what: RayCastObjects) -> bool:
        """Whether the ray in the middle meets it."""
        return bool(self._row(obs, what)[self.no_rays // 2] > 0)

    def left(self, obs: Any, what: RayCastObjects) -> bool:
        """Whether a ray on the left meets it."""
        return bool(np.any(self._row(obs, what)[: self.no_rays // 2] > 0))

    def right(self, obs: Any, what: RayCastObjects) -> bool:
        """Whether a ray on the right meets it."""
        return bool(np.any(self._row(obs, what)[self.no_rays // 2 + 1 :] > 0))


class RandomActionAgent:
    """Takes a random action for a random number of steps.

    Args:
        max_step_length: how many, where there is no distribution.
        step_length_distribution: a function that draws how many; its absolute value is truncated.
        action_biases: nine numbers, soft-maxed, in the order of `actions`.
        prev_step_bias: how likely it repeats itself.
        remove_prev_step: whether it never does.

    Attributes:
        chances: what it draws from; a Generator of one's own makes it repeatable.
    """

    def __init__(
        self,
        max_step_length: int = 10,
        step_length_distribution: Callable[[], float] | None = None,
        action_biases: Sequence[float] | None = None,
        prev_step_bias: float = 0,
        remove_prev_step: bool = False,
    ) -> None:
        if action_biases is not None and len(action_biases) != 9:
            raise ValueError(f"action_biases has {len(action_biases)} numbers; there are 9 actions")
        self.max_step_length = max_step_length
        self.step_length_distribution = step_length_distribution
        self.action_biases = np.ones(9) if action_biases is None else np.asarray(action_biases, float)
        self.prev_step_bias = prev_step_bias
        self.remove_prev_step = remove_prev_step
        self.chances: Any = np.random
        do = AAIActions()
        self.actions = [
            *(do.NOOP, do.LEFT, do.RIGHT, do.FORWARDS, do.BACKWARDS),
            *(do.FORWARDSLEFT, do.FORWARDSRIGHT, do.BACKWARDSLEFT, do.BACKWARDSRIGHT),
        ]

    def get_num_steps(self, prev_step: Any) -> "deque[Any]":
        """The chosen action as often as it is to be taken."""
        length = self.max_step_length
        if self.step_length_distribution is not None:
            length = abs(int(self.step_length_distribution()))
        return deque([prev_step] * length)

    def get_new_action(self, prev_step: int | None) -> int:
        """The number of the next action, given that of the last one, if any; `actions` has them by number."""
        if prev_step is not None and not self.remove_prev_step and self.chances.random() < self.prev_step_bias:
            return prev_step
        weights = np.exp(self.action_biases - self.action_biases.max())
        if prev_step is not None and self.remove_prev_step:
            weights[prev_step] = 0.0
        return int(self.chances.choice(9, p=weights / weights.sum()))
