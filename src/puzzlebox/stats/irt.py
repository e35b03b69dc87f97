"""Item response theory: abilities of agents and people, and difficulties of tasks, on one scale.

    1PL:  logit P(pass) = ability - difficulty
    2PL:  logit P(pass) = discrimination * (ability - difficulty)

Textbooks have many people and few items, and integrate over the people. Here those who play are few and the tasks many,
so it is the other way round: difficulties are a random sample, normal with mean 0 (which fixes the origin of the scale)
and a standard deviation that is estimated; in the 2PL, the logarithms of the discriminations are normal with mean 0,
too. Both are integrated out. Abilities are parameters with a weak prior, normal with mean 0 and standard deviation 3,
so that whoever passes everything or nothing gets a finite value. The 1PL is lme4's `cbind(passes, fails) ~ 0 + player +
(1 | task)`, with these priors.

A cell is one player on one task, with one episode or several. Several episodes of one player on one task share what the
model does not know about them, so they count as n / (1 + (n - 1) r) episodes. The correlation r of a player is what the
episodes agree beyond the model, if the difficulty of each task is judged by the other players. Standard errors are the
larger ones of two kinds: from the curvature of the likelihood, and from how much the tasks disagree (sandwich), which
holds if a player's strengths differ from task to task.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from puzzlebox.stats.extras import import_extra
from puzzlebox.stats.intervals import CannotCompute

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]
Kind = Literal["1PL", "2PL"]

# Standard deviation of the prior of abilities; centre and width of the priors of the two logarithms of spreads.
ABILITY_PRIOR = 3.0
_DIFFICULTY_SPREAD, _DISCRIMINATION_SPREAD = (float(np.log(1.5)), 1.5), (float(np.log(0.3)), 1.0)
# Nodes of the quadrature: over a difficulty in the 1PL and the 2PL, and over the logarithm of a discrimination.
_NODES, _NODES_2PL, _DISCRIMINATION_NODES = 15, 9, 11
# The largest number of cells times nodes; with more, fewer nodes are used.
_MOST_TERMS = 4_000_000
# How often weights of cells with several episodes are updated, and of how many players correlations are estimated.
_ROUNDS, _MOST_CORRELATIONS = 3, 60


@dataclass(frozen=True)
class Cells:
    """Passes of players on tasks, one entry for each pair that there is.

    Attributes:
        players: the index of the player.
        items: the index of the task.
        passes: the number of episodes passed.
        trials: the number of episodes.
    """

    players: Whole
    items: Whole
    passes: Floats
    trials: Floats

    @classmethod
    def of(
        cls, players: Sequence[int], items: Sequence[int], passes: Sequence[float], trials: Sequence[float]
    ) -> "Cells":
        """Check and convert lists.

        Raises:
            CannotCompute: there is nothing, or passes are not within trials.
        """
        cells = cls(
            np.asarray(players, np.intp),
            np.asarray(items, np.intp),
            np.asarray(passes, float),
            np.asarray(trials, float),
        )
        if not len(cells.players):
            raise CannotCompute("no episode was passed or failed")
        if (cells.trials <= 0).any() or (cells.passes < 0).any() or (cells.passes > cells.trials).any():
            raise ValueError("passes must be from 0 to the number of trials, which is at least 1")
        return cells


@dataclass(frozen=True)
class Fit:
    """A fitted model.

    Attributes:
        kind: "1PL" or "2PL".
        abilities: the ability of each player, in logits above the mean difficulty.
        ability_covariance: their covariance matrix.
        difficulties: the expected difficulty of each task, given the data (EAP).
        difficulty_errors: the standard deviation of each difficulty, given the data.
        discriminations: the expected discrimination of each task; 1 in the 1PL.
        spread: the standard deviation of the difficulties of tasks like these.
        discrimination_spread: the standard deviation of the logarithms of discriminations; 0 in the 1PL.
        correlations: for each player, how strongly episodes of the same task agree beyond the model.
        log_likelihood: the marginal log-likelihood.
        bic: the Bayesian information criterion, with tasks as observations.
    """

    kind: Kind
    abilities: Floats
    ability_covariance: Floats
    difficulties: Floats
    difficulty_errors: Floats
    discriminations: Floats
    spread: float
    discrimination_spread: float
    correlations: Floats
    log_likelihood: float
    bic: float

    @property
    def ability_errors(self) -> Floats:
        """The standard error of each ability."""
        errors: Floats = np.sqrt(np.diag(self.ability_covariance))
        return errors

    def probability(self, players: Whole, items: Whole) -> Floats:
        """Return the probability that players pass tasks, at the estimates."""
        logits = self.discriminations[items] * (self.abilities[players] - self.difficulties[items])
        return _logistic(logits)


def fit_irt(
    cells: Cells,
    kind: Kind = "1PL",
    *,
    simpler: Fit | None = None,
    ability_prior: float = ABILITY_PRIOR,
    weak: bool = True,
    robust: bool = True,
    clusters: Sequence[int] | Whole | None = None,
) -> Fit:
    """Fit a model of item response theory.

    Args:
        cells: who passed what.
        kind: with equal discriminations (1PL) or a discrimination for each task (2PL).
        simpler: a fit of the 1PL to the same cells, from which the 2PL takes its start and the weights of cells.
        ability_prior: the standard deviation of the prior of abilities.
        weak: whether the spreads of difficulties and discriminations have weak priors, too.
        robust: whether standard errors and weights allow for strengths that differ from task to task.
        clusters: for each item the index of the task it is a variant of. Default: each item is a task of its own.
    """
    correlations = np.zeros(int(cells.players.max()) + 1) if simpler is None else simpler.correlations
    start = None if simpler is None else np.r_[simpler.abilities, np.log(simpler.spread), np.log(0.3)]
    rounds = _ROUNDS if robust and simpler is None and bool((cells.trials > 1).any()) else 1
    for number in range(rounds):
        weights = 1 / (1 + (cells.trials - 1) * correlations[cells.players])
        likelihood = _Marginal(cells, weights, kind, ability_prior, weak)
        start = likelihood.maximum(start)
        if number < rounds - 1:
            correlations = _correlations(cells, likelihood, start)
    assert start is not None
    groups = np.arange(int(cells.items.max()) + 1) if clusters is None else np.asarray(clusters, np.intp)
    return likelihood.fit(start, correlations, groups if robust else None)


class _Marginal:
    """The log-likelihood with difficulties and discriminations integrated out.

    Parameters are the abilities, the logarithm of the spread of difficulties and, in the 2PL, that of the spread of
    log discriminations. For each task and each node of the discrimination, the difficulty has its own nodes around its
    mode (adaptive Gauss-Hermite quadrature).
    """

    def __init__(self, cells: Cells, weights: Floats, kind: Kind, ability_prior: float, weak: bool) -> None:
        self._cells, self._kind, self._prior, self._weak = cells, kind, ability_prior, weak
        self._players, self._items = int(cells.players.max()) + 1, int(cells.items.max()) + 1
        self._passes, self._trials = cells.passes * weights, cells.trials * weights
        outer = _DISCRIMINATION_NODES if kind == "2PL" else 1
        terms = len(cells.players) * outer
        wanted = _NODES_2PL if kind == "2PL" else _NODES
        inner = wanted if terms * wanted <= _MOST_TERMS else max(5, _MOST_TERMS // terms // 2 * 2 + 1)
        self._nodes, self._log_weights = _hermite(inner)
        self._outer_nodes, outer_weights = _hermite(outer)
        self._outer_log_weights = outer_weights - 0.5 * self._outer_nodes**2  # weights of a standard normal
        self._modes = np.zeros((self._items, outer))
        # Sums over the cells of each task: one row for each cell would be slower.
        sparse = import_extra("scipy.sparse")
        ones = np.ones(len(cells.players))
        index = np.arange(len(cells.players))
        self._by_item = sparse.csr_matrix((ones, (cells.items, index)), shape=(self._items, len(index)))
        self._by_player = sparse.csr_matrix((ones, (cells.players, index)), shape=(self._players, len(index)))
        # Binomial coefficients do not depend on the parameters.
        special = import_extra("scipy.special")
        self._constant = float(
            (
                special.gammaln(self._trials + 1)
                - special.gammaln(self._passes + 1)
                - special.gammaln(self._trials - self._passes + 1)
            ).sum()
        )

    def maximum(self, start: Floats | None) -> Floats:
        """Return the parameters of the largest penalised likelihood."""
        optimize = import_extra("scipy.optimize")
        if start is None:
            passes, trials = self._by_player @ self._passes, self._by_player @ self._trials
            start = np.r_[np.log((passes + 0.5) / (trials - passes + 0.5)), np.log(1.0)]
            if self._kind == "2PL":
                start = np.r_[start, np.log(0.3)]
        limits = [(-30.0, 30.0)] * self._players + [(-4.0, 3.0)] * (len(start) - self._players)
        found = optimize.minimize(self._loss, start, jac=True, method="L-BFGS-B", bounds=limits)
        best: Floats = found.x
        return best

    def _loss(self, parameters: Floats) -> tuple[float, Floats]:
        posterior = self._posterior(parameters)
        gradient = np.zeros(len(parameters))
        gradient[: self._players] = self._by_player @ posterior.weighted_scores.sum(axis=1)
        gradient[self._players] = (posterior.squares / np.exp(2 * parameters[self._players]) - 1).sum()
        if self._kind == "2PL":
            gradient[-1] = (posterior.outer_squares - 1).sum()
        penalty, slope = self._penalty(parameters)
        return -(posterior.log_likelihood.sum() + penalty), -(gradient + slope)

    def _penalty(self, parameters: Floats) -> tuple[float, Floats]:
        """Return the logarithm of the priors, and its gradient."""
        centre, width = np.zeros(len(parameters)), np.full(len(parameters), self._prior)
        spreads = (_DIFFICULTY_SPREAD, _DISCRIMINATION_SPREAD)[: len(parameters) - self._players]
        for index, (middle, wide) in enumerate(spreads):
            centre[self._players + index], width[self._players + index] = middle, wide if self._weak else np.inf
        z = (parameters - centre) / width
        return float(-0.5 * (z**2).sum()), -z / width

    def _posterior(self, parameters: Floats) -> "_Posterior":
        """Integrate over the difficulty and discrimination of each task."""
        abilities, spread = parameters[: self._players], float(np.exp(parameters[self._players]))
        logs = self._outer_nodes * (float(np.exp(parameters[-1])) if self._kind == "2PL" else 0.0)
        ability = abilities[self._cells.players]
        parts = []
        for column, log_slope in enumerate(logs):
            slope = float(np.exp(log_slope))
            mode, width = self._mode(ability, slope, spread, self._modes[:, column])
            self._modes[:, column] = mode
            difficulties = mode[:, None] + width[:, None] * self._nodes
            logits = slope * (ability[:, None] - difficulties[self._cells.items])
            by_cell = self._passes[:, None] * logits - self._trials[:, None] * np.logaddexp(0.0, logits)
            log_terms = (
                self._by_item @ by_cell
                - 0.5 * (difficulties / spread) ** 2
                - np.log(spread)
                + self._log_weights
                + np.log(width)[:, None]
                + self._outer_log_weights[column]
            )
            scores = slope * (self._passes[:, None] - self._trials[:, None] * _logistic(logits))
            parts.append((log_terms, difficulties, scores))
        terms = np.concatenate([each[0] for each in parts], axis=1)
        highest = terms.max(axis=1, keepdims=True)
        shares = np.exp(terms - highest)
        total = shares.sum(axis=1, keepdims=True)
        shares /= total
        difficulties = np.concatenate([each[1] for each in parts], axis=1)
        scores = np.concatenate([each[2] for each in parts], axis=1)
        outer = np.repeat(np.arange(len(logs)), len(self._nodes))
        return _Posterior(
            (highest + np.log(total))[:, 0],
            shares,
            difficulties,
            shares[self._cells.items] * scores,
            scores,
            (shares * difficulties**2).sum(axis=1),
            (shares * self._outer_nodes[outer] ** 2).sum(axis=1),
            (shares * np.exp(logs)[outer]).sum(axis=1),
        )

    def _mode(self, ability: Floats, slope: float, spread: float, start: Floats) -> tuple[Floats, Floats]:
        """Return the mode of each difficulty given its discrimination, and the width of its posterior."""
        mode = start.copy()
        for _ in range(50):
            p = _logistic(slope * (ability - mode[self._cells.items]))
            slope_there = self._by_item @ (slope * (self._trials * p - self._passes)) - mode / spread**2
            curvature = self._by_item @ (slope**2 * self._trials * p * (1 - p)) + 1 / spread**2
            step = np.clip(slope_there / curvature, -2.0, 2.0)
            mode += step
            if np.abs(step).max() < 1e-8:
                break
        return mode, 1 / np.sqrt(curvature)

    def without(self, player: int, parameters: Floats) -> tuple[Floats, Floats, Floats]:
        """Predict a player from the other players.

        Returns:
            For each cell of the player, the expected probability p to pass, its variance, and the expected p (1 - p).
        """
        own = self._cells.players == player
        saved = self._passes, self._trials, self._modes
        self._passes, self._trials = np.where(own, 0.0, self._passes), np.where(own, 0.0, self._trials)
        self._modes = self._modes.copy()
        posterior = self._posterior(parameters)
        self._passes, self._trials, self._modes = saved
        items = self._cells.items[own]
        slopes = np.exp(np.repeat(self._log_slopes(parameters), len(self._nodes)))
        rates = _logistic(slopes * (parameters[player] - posterior.difficulties[items]))
        shares = posterior.shares[items]
        mean = (shares * rates).sum(axis=1)
        return mean, (shares * rates**2).sum(axis=1) - mean**2, (shares * rates * (1 - rates)).sum(axis=1)

    def fit(self, parameters: Floats, correlations: Floats, clusters: Whole | None) -> Fit:
        """Return all estimates at the maximum, with their standard errors."""
        posterior = self._posterior(parameters)
        players = self._players
        expected = (posterior.shares * posterior.difficulties).sum(axis=1)
        log_likelihood = float(posterior.log_likelihood.sum()) + self._constant
        count = players + (2 if self._kind == "2PL" else 1)
        return Fit(
            self._kind,
            parameters[:players],
            self._covariance(parameters, posterior, clusters),
            expected,
            np.sqrt(np.maximum(posterior.squares - expected**2, 0.0)),
            posterior.discriminations,
            float(np.exp(parameters[players])),
            float(np.exp(parameters[-1])) if self._kind == "2PL" else 0.0,
            correlations,
            log_likelihood,
            count * float(np.log(self._items)) - 2 * log_likelihood,
        )

    def _covariance(self, parameters: Floats, posterior: "_Posterior", clusters: Whole | None) -> Floats:
        """Return the covariance of abilities: with clusters, the larger of the model's and the sandwich's."""
        players, cells = self._players, self._cells
        size = len(parameters)
        curvature = np.zeros((size, size))
        # Louis (1982): the expected complete curvature minus the variance of the complete score.
        slopes = np.exp(np.repeat(self._log_slopes(parameters), len(self._nodes)))
        rates = _logistic(slopes * (parameters[cells.players][:, None] - posterior.difficulties[cells.items]))
        inner = self._trials[:, None] * slopes**2 * rates * (1 - rates) * posterior.shares[cells.items]
        curvature[np.arange(players), np.arange(players)] = self._by_player @ inner.sum(axis=1)
        order = np.argsort(cells.items, kind="stable")
        bounds = np.searchsorted(cells.items[order], np.arange(self._items + 1))
        for item in range(self._items):
            rows = order[bounds[item] : bounds[item + 1]]
            who = cells.players[rows]
            weighted = posterior.weighted_scores[rows]
            mean = weighted.sum(axis=1)
            curvature[np.ix_(who, who)] -= weighted @ posterior.scores[rows].T - np.outer(mean, mean)
        curvature[:players, :players] += np.eye(players) / self._prior**2
        for index in range(players, size):  # the spreads, by differences of the gradient
            step = np.zeros(size)
            step[index] = 1e-3
            slope = (self._loss(parameters + step)[1] - self._loss(parameters - step)[1]) / 2e-3
            curvature[index], curvature[:, index] = slope, slope
        values, vectors = np.linalg.eigh((curvature + curvature.T) / 2)
        inverse = (vectors / np.maximum(values, 1e-2 / ABILITY_PRIOR**2)) @ vectors.T
        bread = inverse[:players, :players]
        if clusters is None:
            plain: Floats = bread
            return plain
        count = int(clusters.max()) + 1
        scores = np.zeros((count, players))
        np.add.at(scores, (clusters[cells.items], cells.players), posterior.weighted_scores.sum(axis=1))
        sandwich = bread @ (scores.T @ scores) @ bread * count / max(count - 1, 1)
        # No more uncertain than the prior: where a model fits badly, the sandwich has no limit.
        widest = np.maximum(self._prior**2 / np.diag(bread), 1.0)
        inflation = np.sqrt(np.clip(np.diag(sandwich) / np.diag(bread), 1.0, widest))
        covariance: Floats = bread * np.outer(inflation, inflation)
        return covariance

    def _log_slopes(self, parameters: Floats) -> Floats:
        slopes: Floats = self._outer_nodes * (float(np.exp(parameters[-1])) if self._kind == "2PL" else 0.0)
        return slopes


@dataclass(frozen=True)
class _Posterior:
    """What is known about tasks at some parameters: shares of nodes, and expectations over them.

    Attributes:
        log_likelihood: of each task.
        shares: the posterior share of each node of each task.
        difficulties: the difficulty at each node.
        weighted_scores: for each cell and node, the derivative by the ability times the share.
        scores: the same without the share.
        squares: the expected square of each difficulty.
        outer_squares: the expected square of each standardised log discrimination.
        discriminations: the expected discrimination of each task.
    """

    log_likelihood: Floats
    shares: Floats
    difficulties: Floats
    weighted_scores: Floats
    scores: Floats
    squares: Floats
    outer_squares: Floats
    discriminations: Floats


def _logistic(values: Floats) -> Floats:
    """Return 1 / (1 + exp(-values)) without overflow."""
    result: Floats = 0.5 * (1 + np.tanh(0.5 * values))
    return result


def _hermite(count: int) -> tuple[Floats, Floats]:
    """Return nodes for integrals over a standard normal variable, and the logarithms of their weights over its density.

    The integral of f is the sum of exp(log weight) * f at the nodes, with f the whole integrand and not only the factor
    of the density; constants of the density are left out on both sides.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(count)
    return nodes, np.log(weights / np.sqrt(2 * np.pi)) + 0.5 * nodes**2


def _correlations(cells: Cells, likelihood: _Marginal, parameters: Floats) -> Floats:
    """Return for each player how strongly episodes of the same task agree, by the method of moments.

    A residual s - n p has the expected square n p (1 - p) (1 + (n - 1) r), plus what is not known about p.
    """
    found = np.zeros(int(cells.players.max()) + 1)
    several = np.unique(cells.players[cells.trials > 1])
    for player in several[:_MOST_CORRELATIONS]:
        own = cells.players == player
        mean, variance, spread = likelihood.without(int(player), parameters)
        passes, trials = cells.passes[own], cells.trials[own]
        surplus = (passes - trials * mean) ** 2 - trials * spread - trials**2 * variance
        room = trials * (trials - 1) * spread
        found[player] = np.clip(surplus.sum() / max(room.sum(), 1e-9), 0.0, 1.0)
    found[several[_MOST_CORRELATIONS:]] = found[several[:_MOST_CORRELATIONS]].mean() if len(several) else 0.0
    return found
