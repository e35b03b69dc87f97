"""Hamiltonian Monte Carlo: draws from a density of which the logarithm and its gradient are known (Neal 2011).

Several chains run side by side as rows of one array. While warming up, the step size follows the rate of acceptance
(dual averaging, Hoffman and Gelman 2014) and the masses follow the variances of the draws.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# A density: rows of parameters in, the log density of each row and its gradient out.
Density = Callable[[Floats], tuple[Floats, Floats]]

CHAINS = 4
_TARGET = 0.9
# The length of a trajectory, in standard deviations of the draws: a quarter of a turn, jittered.
_LENGTH = 1.6
_MOST_STEPS = 32


class Draws(NamedTuple):
    """Draws from a density.

    Attributes:
        values: chains x draws x parameters.
        accepted: the share of proposals that were accepted after the warm-up.
    """

    values: Floats
    accepted: float

    @property
    def flat(self) -> Floats:
        """The draws of all chains, one row each."""
        return self.values.reshape(-1, self.values.shape[2])


def sample(
    density: Density, start: Floats, draws: int, warm_up: int, rng: np.random.Generator, chains: int = CHAINS
) -> Draws:
    """Return draws from a density.

    Args:
        density: the log density of each row of parameters, and its gradient.
        start: where the chains start, around which they are scattered a little.
        draws: the draws of each chain that are kept.
        warm_up: the draws of each chain before those, which are dropped.
        rng: the random stream.
        chains: the number of chains.
    """
    size = len(start)
    position = start + 0.1 * rng.standard_normal((chains, size))
    log_density, gradient = density(position)
    spread = np.full(size, 0.3)
    step = _StepSize(0.3)
    kept = np.empty((chains, draws, size))
    window: list[Floats] = []
    accepted = 0.0
    for turn in range(warm_up + draws):
        warming = turn < warm_up
        length = step.now if warming else step.settled
        steps = min(max(1, round(_LENGTH * rng.uniform(0.6, 1.2) / length)), _MOST_STEPS)
        momentum = rng.standard_normal((chains, size))
        there, that, slope = position, log_density, gradient
        energy = log_density - 0.5 * (momentum**2).sum(axis=1)
        # A trajectory with steps that are too long can leave all bounds; then it is refused.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            # Momentum is in units in which every parameter has a spread of 1.
            for _ in range(steps):
                half = momentum + 0.5 * length * spread * slope
                there = there + length * spread * half
                that, slope = density(there)
                momentum = half + 0.5 * length * spread * slope
            change = that - 0.5 * (momentum**2).sum(axis=1) - energy
        chance = np.exp(np.minimum(np.where(np.isfinite(change), change, -np.inf), 0.0))
        moved = rng.random(chains) < chance
        position = np.where(moved[:, None], there, position)
        gradient = np.where(moved[:, None], slope, gradient)
        log_density = np.where(moved, that, log_density)
        if warming:
            step.learn(float(chance.mean()))
            window.append(position)
            if turn in (warm_up // 3, 2 * warm_up // 3):
                recent = np.concatenate(window[len(window) // 3 :])
                # Shrunk towards a small spread while there are few draws, as Stan does.
                share = len(recent) / (len(recent) + 10.0)
                spread = np.sqrt(share * recent.var(axis=0) + (1 - share) * 1e-2)
                step, window = _StepSize(0.5), []
        else:
            kept[:, turn - warm_up] = position
            accepted += float(moved.mean()) / draws
    return Draws(kept, accepted)


class _StepSize:
    """The step size, which grows while more proposals are accepted than the target and shrinks while fewer are."""

    def __init__(self, first: float) -> None:
        self._centre = np.log(10 * first)
        self._error, self._mean, self._count = 0.0, float(np.log(first)), 0
        self.now = first

    def learn(self, accepted: float) -> None:
        """Take account of the mean probability of acceptance of one proposal of each chain."""
        self._count += 1
        weight = 1 / (self._count + 10)
        self._error = (1 - weight) * self._error + weight * (_TARGET - accepted)
        logarithm = float(self._centre - np.sqrt(self._count) / 0.05 * self._error)
        share = self._count**-0.75
        self._mean = share * logarithm + (1 - share) * self._mean
        self.now = float(np.clip(np.exp(logarithm), 1e-3, 2.0))

    @property
    def settled(self) -> float:
        """The step size after the warm-up."""
        return float(np.clip(np.exp(self._mean), 1e-3, 2.0))


def r_hat(values: Floats) -> Floats:
    """Return the split R-hat of each parameter: 1 if all halves of all chains agree (Gelman et al. 2013)."""
    halves = _halves(values)
    count = halves.shape[1]
    within = halves.var(axis=1, ddof=1).mean(axis=0)
    between = count * halves.mean(axis=1).var(axis=0, ddof=1)
    ratio: Floats = np.sqrt(((count - 1) / count * within + between / count) / np.maximum(within, 1e-300))
    return ratio


def effective_size(values: Floats) -> Floats:
    """Return how many independent draws those of each parameter are worth (Geyer's initial monotone sequence)."""
    halves = _halves(values)
    chains, count, size = halves.shape
    centred = halves - halves.mean(axis=1, keepdims=True)
    padded = np.fft.rfft(centred, 2 * count, axis=1)
    covariance = np.fft.irfft(padded * padded.conj(), axis=1)[:, :count].mean(axis=0) / count
    within = halves.var(axis=1, ddof=1).mean(axis=0)
    total = (count - 1) / count * within + halves.mean(axis=1).var(axis=0, ddof=1)
    correlation = 1 - (within - covariance) / np.maximum(total, 1e-300)
    correlation[0] = 1.0
    sizes = np.empty(size)
    for index in range(size):
        pairs = correlation[: count // 2 * 2, index].reshape(-1, 2).sum(axis=1)
        negative = np.nonzero(pairs < 0)[0]
        pairs = np.minimum.accumulate(pairs[: negative[0] if len(negative) else len(pairs)])
        sizes[index] = chains * count / max(2 * pairs.sum() - 1, 1 / np.log10(max(chains * count, 10)))
    return sizes


def _halves(values: Floats) -> Floats:
    """Return each chain cut into two."""
    half = values.shape[1] // 2
    return np.concatenate((values[:, :half], values[:, -half:]))
