"""Measurement layouts (Burden et al. 2023): what an agent is able to do, on the scales of what tasks demand of it.

A task has a demand on each of several dimensions: a distance, a number of hidden goals. An agent has a capability on
each, in the same unit. On one dimension alone it succeeds with probability logistic((capability - demand) / softness):
one half where they are equal. It passes a task if it succeeds on all dimensions and nothing else goes wrong:

    product:       P(pass) = (1 - noise) * product over dimensions of logistic(margin)
    weakest link:  P(pass) = (1 - noise) * logistic(smallest margin)

Demands are divided by the largest one of the battery, so that all dimensions have the same prior: capabilities are
normal with mean 1.3 and standard deviation 0.6 (most agents manage most of what a battery demands), the logarithm of
the softness is normal around log 0.2 with 0.4, and the logit of the noise around -2 (12 %) with 1.5.

The posterior is sampled by Hamiltonian Monte Carlo (`puzzlebox.stats.hamiltonian`); R-hat and effective size show
whether that worked. Each task counts once, however often it was played: episodes of one task share what the demands
do not describe.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from puzzlebox.stats.extras import import_extra
from puzzlebox.stats.hamiltonian import Draws, effective_size, r_hat, sample
from puzzlebox.stats.intervals import Z_95, CannotCompute, Interval

Kind = Literal["product", "weakest"]
Floats = NDArray[np.float64]

# Fewest tasks from which capabilities are inferred.
FEWEST_TASKS = 20
# Draws of each of the four chains, and those before them that are dropped.
DRAWS, WARM_UP = 1000, 1000
# The priors, on the scale on which the largest demand is 1.
_CAPABILITY, _SOFTNESS, _NOISE = (1.3, 0.6), (float(np.log(0.2)), 0.4), (-2.0, 1.5)
# Probabilities are kept this far from 0 and 1, so that one surprising task does not decide everything.
_LEAST = 1e-6
# The width of an interval of a capability, relative to that of the prior, above which it is mostly the prior's.
_INFORMED = 0.8
# An R-hat above this says that the chains disagree.
WORST_R_HAT = 1.05


@dataclass(frozen=True)
class Layout:
    """The inferred capabilities of one agent.

    Attributes:
        kind: how the dimensions combine.
        scale: the largest demand on each dimension.
        draws: draws from the posterior, one row each: capabilities over `scale`, log softness, logit of the noise.
        r_hat: the largest R-hat of all parameters.
        effective_size: the smallest effective size of all parameters.
    """

    kind: Kind
    scale: Floats
    draws: Floats
    r_hat: float
    effective_size: float

    def capability(self, dimension: int) -> Interval:
        """Return the median of the capability on a dimension, in its unit, with its 95 % credible interval."""
        return _summary(float(self.scale[dimension]) * self.draws[:, dimension])

    def informed(self, dimension: int) -> bool:
        """Return whether the tasks say something about a capability: its interval is clearly narrower than the prior's.

        Agents that manage all that is demanded are informed, too: the tasks rule out low capabilities.
        """
        low, high = np.quantile(self.draws[:, dimension], (0.025, 0.975))
        return bool(high - low < _INFORMED * 2 * Z_95 * _CAPABILITY[1])

    def noise(self) -> Interval:
        """Return the median of the noise, the share failed whatever the demands, with its 95 % credible interval."""
        return _summary(1 / (1 + np.exp(-self.draws[:, -1])))

    def success(self, dimension: int, demand: float, coverage: float = 0.95) -> Interval:
        """Return the probability of success on one dimension alone at some demand, with its credible interval."""
        margins = (self.draws[:, dimension] - demand / self.scale[dimension]) / np.exp(self.draws[:, -2])
        return _summary(np.exp(_log_logistic(margins)), coverage)

    def predict(self, demands: Floats) -> list[Interval]:
        """Return the probability to pass tasks with these demands: the mean, and the 95 % credible interval."""
        shares = probability(self.draws, np.asarray(demands, float) / self.scale, self.kind)
        limits = np.quantile(shares, (0.025, 0.975), axis=0)
        return [Interval(*map(float, each)) for each in zip(shares.mean(axis=0), *limits, strict=True)]


def fit_layout(
    demands: Floats,
    shares: Sequence[float] | Floats,
    weights: Sequence[float] | Floats | None = None,
    *,
    kind: Kind = "product",
    draws: int = DRAWS,
    warm_up: int = WARM_UP,
    seed: int = 0,
) -> Layout:
    """Infer the capabilities of one agent.

    Args:
        demands: the demands of each task, one column for each dimension; at least 0.
        shares: the share of episodes of each task that the agent passed.
        weights: how much each task counts; those of variants of one task may add up to 1. Default: 1 each.
        kind: how the dimensions combine.
        draws: the draws of each chain that are kept.
        warm_up: the draws of each chain before those.
        seed: the seed of the draws.

    Raises:
        CannotCompute: there are fewer than `FEWEST_TASKS` tasks.
    """
    x, y = np.asarray(demands, float), np.asarray(shares, float)
    count = np.ones(len(y)) if weights is None else np.asarray(weights, float)
    if count.sum() < FEWEST_TASKS - 1e-9:
        raise CannotCompute(f"capabilities need {FEWEST_TASKS} tasks, and there are {count.sum():.0f}")
    scale = np.maximum(x.max(axis=0), 1e-9)
    posterior = Posterior(x / scale, y, count, kind)
    found: Draws = sample(posterior, posterior.centre, draws, warm_up, np.random.default_rng(seed))
    agreement, size = r_hat(found.values), effective_size(found.values)
    return Layout(kind, scale, found.flat, float(agreement.max()), float(size.min()))


def fit_agreeing(
    demands: Floats, shares: Sequence[float] | Floats, weights: Sequence[float] | Floats | None = None, *, seed: int = 0
) -> Layout:
    """Infer the capabilities of one agent, with two and then four times as many draws if the chains disagree."""
    layout = fit_layout(demands, shares, weights, seed=seed)
    for more in (2, 4):
        if layout.r_hat <= WORST_R_HAT:
            break
        layout = fit_layout(demands, shares, weights, draws=more * DRAWS, warm_up=more * WARM_UP, seed=seed)
    return layout


class Posterior:
    """The posterior density of one agent's parameters: called with rows, it returns log densities and gradients.

    A dimension often has few different demands, so its margins are computed once for each of them.

    Args:
        demands: the demands of each task over the largest.
        shares: the share passed of each task.
        weights: the weight of each task.
        kind: how the dimensions combine.
    """

    def __init__(self, demands: Floats, shares: Floats, weights: Floats, kind: Kind) -> None:
        self._shares, self._weights, self._kind = shares, weights, kind
        dimensions = demands.shape[1]
        self.centre = np.r_[np.full(dimensions, _CAPABILITY[0]), _SOFTNESS[0], _NOISE[0]]
        self._width = np.r_[np.full(dimensions, _CAPABILITY[1]), _SOFTNESS[1], _NOISE[1]]
        values: list[float] = []
        owners: list[int] = []
        places = []
        for dimension, column in enumerate(demands.T):
            different, where = np.unique(column, return_inverse=True)
            places.append(len(owners) + where)
            values += list(different)
            owners += [dimension] * len(different)
        self._demands, self._owner = np.array(values), np.array(owners)
        self._places = np.stack(places, axis=1)
        # One column for each different demand of each dimension: which tasks have it. A task has one demand on each
        # dimension, so with hundreds of tasks nearly all cells are 0, and a dense product takes ten times as long.
        sparse = import_extra("scipy.sparse")
        tasks = np.repeat(np.arange(len(shares)), dimensions)
        self._has: Any = sparse.csr_matrix(
            (np.ones(self._places.size), (tasks, self._places.ravel())), shape=(len(shares), len(values))
        )
        self._had_by: Any = self._has.T.tocsr()
        self._of_dimension = (self._owner[:, None] == np.arange(dimensions)).astype(float)

    def __call__(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Return the log density of each row of parameters, up to a constant, and its gradient."""
        softness = np.exp(parameters[:, -2:-1])
        noise = 0.5 * (1 + np.tanh(0.5 * parameters[:, -1:]))
        log_kept = -np.logaddexp(0.0, parameters[:, -1:])
        margins = (parameters[:, self._owner] - self._demands) / softness
        successes = _log_logistic(margins)
        slopes = -np.expm1(successes)  # the derivative of the log success by the margin
        if self._kind == "product":
            log_p = log_kept + (self._has @ successes.T).T
        else:
            of_tasks = margins[:, self._places]
            weakest = np.take_along_axis(
                np.broadcast_to(self._places, of_tasks.shape), of_tasks.argmin(axis=2)[:, :, None], axis=2
            )[:, :, 0]
            log_p = log_kept + np.take_along_axis(successes, weakest, axis=1)
        # Not clipped: where a density is flat and its gradient is not, the sampler rejects steps of any length.
        success = (1 - 2 * _LEAST) * np.exp(log_p)
        p = _LEAST + success
        fit = (self._weights * (self._shares * np.log(p) + (1 - self._shares) * np.log1p(-p))).sum(axis=1)
        by_log_p = self._weights * success * (self._shares / p - (1 - self._shares) / (1 - p))
        if self._kind == "product":
            by_margin = (self._had_by @ by_log_p.T).T * slopes
        else:
            by_margin = np.zeros(margins.shape)
            for row, (where, values) in enumerate(zip(weakest, by_log_p, strict=True)):
                np.add.at(by_margin[row], where, values)
            by_margin *= slopes
        z = (parameters - self.centre) / self._width
        gradient = np.concatenate(
            (
                (by_margin @ self._of_dimension) / softness,
                -(by_margin * margins).sum(axis=1, keepdims=True),
                -noise * by_log_p.sum(axis=1, keepdims=True),
            ),
            axis=1,
        )
        return fit - 0.5 * (z**2).sum(axis=1), gradient - z / self._width


def probability(parameters: Floats, demands: Floats, kind: Kind) -> Floats:
    """Return the probability to pass each task (columns), by each row of parameters; demands over the largest."""
    softness = np.exp(parameters[:, -2])
    total = np.zeros((len(parameters), len(demands)))
    for dimension in range(demands.shape[1]):
        margins = (parameters[:, dimension, None] - demands[None, :, dimension]) / softness[:, None]
        if kind == "product":
            total += _log_logistic(margins)
        else:
            total = np.minimum(total, margins) if dimension else margins
    if kind == "weakest":
        total = _log_logistic(total)
    result: Floats = np.exp(total - np.logaddexp(0.0, parameters[:, -1, None]))
    return result


def _log_logistic(values: Floats) -> Floats:
    # As -logaddexp(0, -values), in operations that numpy vectorises.
    result: Floats = np.minimum(values, 0.0) - np.log1p(np.exp(-np.abs(values)))
    return result


def _summary(values: Floats, coverage: float = 0.95) -> Interval:
    """Return the median, and the quantiles that leave equal shares out at both ends."""
    low, middle, high = np.quantile(values, ((1 - coverage) / 2, 0.5, (1 + coverage) / 2))
    return Interval(float(middle), float(low), float(high))
