"""The original's random agent."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from puzzlebox.animalai.actions import AAIAction, AAIActions
from puzzlebox.arena.agents.random import BIAS_ORDER, draw


class RandomActionAgent:
    """Takes a random action for a random number of steps.

    Args:
        max_step_length: the number of steps an action lasts, if there is no distribution.
        step_length_distribution: a function that draws the number of steps; its absolute value is rounded down.
        action_biases: nine numbers, soft-maxed, in the order of `actions`. Default: all actions are equally likely.
        prev_step_bias: the probability of repeating the previous action without drawing, 0 to 1.
        remove_prev_step: whether the previous action is never drawn again.

    Attributes:
        actions: the nine actions in the order of the biases.
        rng: the source of random numbers; set it to a seeded NumPy Generator for repeatable actions.
    """

    def __init__(
        self,
        max_step_length: int = 10,
        step_length_distribution: Callable[[], float] | None = None,
        action_biases: Sequence[float] | None = None,
        prev_step_bias: float = 0,
        remove_prev_step: bool = False,
    ) -> None:
        biases = np.ones(9) if action_biases is None else np.asarray(action_biases, float)
        assert biases.shape == (9,), f"action_biases has {biases.size} numbers; there are 9 actions"
        assert 0 <= prev_step_bias <= 1, f"prev_step_bias is {prev_step_bias}; it must be from 0 to 1"
        self.max_step_length = max_step_length
        self.step_length_distribution = step_length_distribution
        self.action_biases = biases
        self.prev_step_bias = prev_step_bias
        self.remove_prev_step = remove_prev_step
        self.rng: Any = np.random
        rows = {tuple(each.action_tuple.discrete[0]): each for each in AAIActions().allActions}
        self.actions = [rows[divmod(action, 3)] for action in BIAS_ORDER]

    def get_num_steps(self, prev_step: AAIAction) -> "deque[AAIAction]":
        """Return the action once for each step it lasts; none if a length below 1 was drawn."""
        length = self.max_step_length
        if self.step_length_distribution is not None:
            length = int(abs(self.step_length_distribution()))
        return deque([prev_step] * length)

    def get_new_action(self, prev_step: AAIAction | None) -> AAIAction:
        """Draw the next action, given the previous one or None."""
        previous = None if prev_step is None else [each.name for each in self.actions].index(prev_step.name)
        index = draw(self.rng, previous, self.action_biases, self.prev_step_bias, self.remove_prev_step)
        return prev_step if prev_step is not None and index == previous else self.actions[index]
