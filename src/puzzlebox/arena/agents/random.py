"""The random action agent of the Animal-AI papers, with settings and a seed (docs/original/experiments.md#agents)."""

import re
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from puzzlebox.seeds import rng_from
from puzzlebox.text import nearest

if TYPE_CHECKING:
    import gymnasium as gym

# The distributions of lengths, with their number of parameters; NumPy's names and meanings.
DISTRIBUTIONS = {
    "constant": 1,
    "normal": 2,
    "uniform": 2,
    "exponential": 1,
    "poisson": 1,
    "geometric": 1,
    "lognormal": 2,
    "gamma": 2,
}
# The setting of the papers: a mean of about 4.5 steps, because lengths are truncated.
PUBLISHED = "normal(5, 1)"
_DISTRIBUTION_TEXT = re.compile(r"\s*(\w+)\s*\(([^()]*)\)\s*")
# The longest an action can last, in steps.
_LONGEST = 1e6
# The nine actions, as numbers of the arena, in the order of `action_biases`.
BIAS_ORDER = (0, 2, 1, 3, 6, 5, 4, 8, 7)
# After this many lengths of 0 in a row, the distribution is refused.
_MAX_DRAWS = 10_000

Draw = Callable[[np.random.Generator], float]


class RandomAgent:
    """Takes a random action for a random number of steps, whatever it observes.

    In other wings than the arena, actions are drawn evenly from the action space of the environment, whatever that is;
    `action_biases`, `prev_step_bias` and `remove_prev_step` have no effect there.

    Args:
        step_length_distribution: the number of steps an action lasts: a text such as "normal(5, 1)" (the papers'
            setting), "uniform(1, 10)" or "constant(1)", a function of a NumPy Generator, or None for always
            `max_step_length`. The absolute value of the drawn number is truncated; if that is 0, another action is
            drawn.
        max_step_length: the number of steps of every action if there is no distribution.
        action_biases: nine numbers for noop, left, right, forwards, backwards, forwards-left, forwards-right,
            backwards-left, backwards-right: an action is chosen with a probability proportional to their exponential.
        prev_step_bias: the probability of repeating the last action without drawing, 0 to 1.
        remove_prev_step: whether the last action is never drawn again.
    """

    # It uses no observation; an environment needs some sense, and this one costs least.
    senses: ClassVar[Mapping[str, Any]] = {"camera": None, "rays": None, "vitals": True}

    def __init__(
        self,
        step_length_distribution: str | Draw | None = PUBLISHED,
        max_step_length: int = 10,
        action_biases: Sequence[float] | None = None,
        prev_step_bias: float = 0.0,
        remove_prev_step: bool = False,
    ) -> None:
        if isinstance(max_step_length, bool) or not isinstance(max_step_length, int) or max_step_length < 1:
            raise ValueError(f"max_step_length is {max_step_length!r}; it must be a whole number, 1 or more")
        if not isinstance(prev_step_bias, int | float | np.number) or not 0 <= prev_step_bias <= 1:
            raise ValueError(f"prev_step_bias is {prev_step_bias!r}; it must be from 0 to 1")
        if prev_step_bias and remove_prev_step:
            raise ValueError("prev_step_bias and remove_prev_step contradict each other; use one of them")
        if action_biases is not None and not _are_finite(action_biases):
            raise ValueError(f"action_biases are {action_biases!r}; they must be nine finite numbers")
        if action_biases is not None and len(action_biases) != 9:
            raise ValueError(f"action_biases has {len(action_biases)} numbers; there are 9 actions")
        distribution: Any = step_length_distribution
        if not (distribution is None or isinstance(distribution, str) or callable(distribution)):
            raise ValueError(
                f"step_length_distribution is {distribution!r}; it must be a text such as {PUBLISHED!r}, or None"
            )
        self._draw: Draw | None = _parse_distribution(distribution) if isinstance(distribution, str) else distribution
        self._max_step_length = max_step_length
        self._biases = np.ones(9) if action_biases is None else np.asarray(action_biases, float)
        self._prev_step_bias, self._remove_prev_step = prev_step_bias, remove_prev_step
        self.begin(0)

    def begin(self, seed: int) -> None:
        """Start an episode: no last action, and a new random stream from the seed."""
        self._rng = rng_from(seed)
        self._left = 0
        self._chosen: int | None = None
        self._space: gym.Space[Any] | None = None
        self._drawn: Any = None

    def use_space(self, space: Any) -> None:
        """Draw actions from this space until the next `begin`."""
        self._space = deepcopy(space)
        self._space.seed(int(self._rng.integers(2**31)))

    def act(self, observation: dict[str, Any], info: dict[str, Any]) -> Any:
        """Return the current action while it lasts, then a newly drawn one."""
        for _ in range(_MAX_DRAWS):
            if self._left:
                break
            self._draw_action()
            self._left = self._draw_length()
        else:
            raise ValueError("step_length_distribution draws only lengths of less than one step; choose longer ones")
        self._left -= 1
        if self._space is not None:
            return self._drawn
        assert self._chosen is not None
        return BIAS_ORDER[self._chosen]

    def _draw_action(self) -> None:
        if self._space is not None:
            self._drawn = self._space.sample()
        else:
            self._chosen = draw(self._rng, self._chosen, self._biases, self._prev_step_bias, self._remove_prev_step)

    def _draw_length(self) -> int:
        if self._draw is None:
            return self._max_step_length
        return int(min(abs(self._draw(self._rng)), _LONGEST))


def draw(
    rng: Any, previous: int | None, biases: npt.NDArray[np.float64], prev_step_bias: float, remove_prev_step: bool
) -> int:
    """Draw the next action, as a position in `BIAS_ORDER`.

    Args:
        rng: a NumPy Generator, or the module `numpy.random`.
        previous: the position of the previous action; None at the start.
        biases: nine numbers; an action is drawn with a probability proportional to their exponential.
        prev_step_bias: the probability of repeating the previous action without drawing, 0 to 1.
        remove_prev_step: whether the previous action is never drawn again.
    """
    if previous is not None and not remove_prev_step and rng.random() < prev_step_bias:
        return previous
    weights = np.exp(biases - biases.max())
    if previous is not None and remove_prev_step:
        weights[previous] = 0.0
    return int(rng.choice(9, p=weights / weights.sum()))


def _are_finite(numbers: Any) -> bool:
    try:
        return np.ndim(numbers) == 1 and bool(np.all(np.isfinite(np.asarray(numbers, float))))
    except (TypeError, ValueError):
        return False


def _parse_distribution(text: str) -> Draw:
    """Return a function that draws from a distribution given as text."""
    match = _DISTRIBUTION_TEXT.fullmatch(text)
    name = match[1] if match else text.strip()
    if name not in DISTRIBUTIONS:
        raise ValueError(f"there is no distribution {name!r}{nearest(name, DISTRIBUTIONS)}")
    try:
        numbers = [float(number) for number in match[2].split(",")] if match else []
    except ValueError:
        numbers = []
    if len(numbers) != DISTRIBUTIONS[name] or not np.all(np.isfinite(numbers)) or np.max(np.abs(numbers)) > _LONGEST:
        count = "one number" if DISTRIBUTIONS[name] == 1 else "two numbers"
        raise ValueError(f"{text!r} is not a distribution; {name} takes {count} up to 1,000,000, as in {PUBLISHED!r}")
    if name == "constant":
        return lambda rng: numbers[0]
    try:
        getattr(rng_from(0), name)(*numbers)
    except ValueError as problem:
        raise ValueError(f"{text!r} is not a distribution: {problem}") from None
    return lambda rng: float(getattr(rng, name)(*numbers))
