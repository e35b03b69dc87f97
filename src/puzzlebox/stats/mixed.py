"""Passing as a logistic mixed model: what agents and levels do to the odds, beside a random intercept for each group.

Fitted by maximum likelihood. The integral over each group's intercept is adaptive Gauss-Hermite quadrature: nodes are
put where the integrand is, around its mode and as wide as its curvature says (Pinheiro and Bates 1995; lme4's `nAGQ`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, inf, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from puzzlebox.stats.intervals import Z_95, CannotCompute
from puzzlebox.stats.needed import needed
from puzzlebox.stats.ranks import two_sided

Array = NDArray[np.float64]
NODES = 10
# An odds ratio of exp(12) is 160,000: nobody's data say so; some combination of categories separates them.
_RUNAWAY = 12.0
# A standard error of 5 spans four orders of magnitude of odds to each side; a spread of 6 nobody has seen either.
_USELESS, _TOO_WIDE = 5.0, 6.0
_SMALLEST_SPREAD = 1e-3


@dataclass(frozen=True)
class Term:
    """One coefficient: a category against the reference of its factor; the intercept has no factor.

    Attributes:
        factor: which factor, "" for the intercept.
        name: which category.
        estimate: on the scale of log odds.
        error: its standard error.
    """

    factor: str
    name: str
    estimate: float
    error: float

    @property
    def settled(self) -> bool:
        """Whether the data give it a finite value, and a standard error one can use."""
        return abs(self.estimate) <= _RUNAWAY and self.error <= _USELESS

    @property
    def odds_ratio(self) -> float:
        """How many times the odds of the reference."""
        return _exp(self.estimate)

    @property
    def low(self) -> float:
        """The lower 95 % limit of the odds ratio (Wald)."""
        return _exp(self.estimate - Z_95 * self.error)

    @property
    def high(self) -> float:
        """The upper one."""
        return _exp(self.estimate + Z_95 * self.error)

    @property
    def z(self) -> float:
        """The estimate in standard errors."""
        return self.estimate / self.error

    @property
    def p(self) -> float:
        """Two-sided, by the normal distribution."""
        return two_sided(self.z)


@dataclass(frozen=True)
class Fit:
    """A fitted model.

    Attributes:
        terms: the intercept, then each category but the reference ones.
        references: the reference category of each factor.
        spread: the standard deviation of the random intercepts; None where the model has none.
        log_likelihood: at the estimates.
        rows: how many episodes.
        groups: how many groups; 0 without a random intercept.
        nodes: quadrature nodes for each group.
        remarks: what a reader must know, in sentences.
    """

    terms: tuple[Term, ...]
    references: Mapping[str, str]
    spread: float | None
    log_likelihood: float
    rows: int
    groups: int
    nodes: int
    remarks: list[str] = field(default_factory=list)

    @property
    def settled(self) -> bool:
        """Whether every coefficient is, and the spread is one that exists."""
        return all(term.settled for term in self.terms) and (self.spread or 0.0) <= _TOO_WIDE

    def agrees(self, other: "Fit") -> bool:
        """Whether another fit of the same terms says the same, within a tenth of each standard error."""
        return all(
            abs(mine.estimate - its.estimate) <= 0.1 * mine.error
            for mine, its in zip(self.terms, other.terms, strict=True)
        )

    @property
    def aic(self) -> float:
        """Akaike's criterion; the spread counts as one more number."""
        return 2 * (len(self.terms) + (self.spread is not None)) - 2 * self.log_likelihood

    def term(self, name: str, factor: str | None = None) -> Term:
        """The coefficient of a category."""
        for each in self.terms:
            if each.name == name and factor in (None, each.factor):
                return each
        raise KeyError(f"the model has no term {name!r}; it has {', '.join(each.name for each in self.terms)}")


def fit_mixed_logistic(
    passed: Sequence[bool],
    factors: Mapping[str, Sequence[str]],
    groups: Sequence[str] | None = None,
    references: Mapping[str, str] | None = None,
    nodes: int = NODES,
) -> Fit:
    """Fit `passed ~ factors + (1 | group)`.

    Args:
        passed: whether each episode passed.
        factors: for each factor, the category of each episode.
        groups: the group each episode belongs to (a task, a child); None fits an ordinary logistic model.
        references: the category each factor is compared with; left out, the first one to appear.
        nodes: quadrature nodes, at least 5.
    """
    if nodes < 5:
        raise ValueError(f"nodes is {nodes}; it must be at least 5, for fewer do not integrate well")
    outcome = np.asarray(passed, float)
    if not len(outcome):
        raise CannotCompute("there are no episodes")
    if outcome.min() == outcome.max():
        raise CannotCompute(f"{'every' if outcome[0] else 'no'} episode passed, so there are no odds to compare")
    references = dict(references or {})
    columns, labels, codes = [np.ones(len(outcome))], [("", "intercept")], []
    for factor, names in factors.items():
        categories = list(dict.fromkeys(names))
        first = references.setdefault(factor, categories[0])
        if first not in categories:
            raise ValueError(f"{first!r} is no category of {factor}; it has {', '.join(map(str, categories))}")
        lookup = {name: place for place, name in enumerate([first, *(name for name in categories if name != first)])}
        code = np.array([lookup[name] for name in names])
        codes.append(code)
        for name, place in lookup.items():
            if place:
                columns.append((code == place).astype(float))
                labels.append((factor, str(name)))
    names_of_groups = list(dict.fromkeys(groups)) if groups is not None else [""]
    place_of = {name: place for place, name in enumerate(names_of_groups)}
    group = np.zeros(len(outcome), int) if groups is None else np.array([place_of[name] for name in groups])
    data = _Cells.of(outcome, np.stack(columns, axis=1), np.stack([group, *codes], axis=1), len(names_of_groups), nodes)
    if np.linalg.matrix_rank(data.design) < data.design.shape[1]:
        raise CannotCompute(
            f"{' and '.join(factors)} cannot be told apart: some were only met together; have all play the same tasks"
        )
    remarks: list[str] = []
    beta, likelihood = _plain(data)
    point, spread = beta, None
    if groups is not None and len(names_of_groups) > 1:
        mixed, mixed_likelihood = _mixed(data, beta)
        if abs(mixed[-1]) > _SMALLEST_SPREAD and mixed_likelihood > likelihood + 1e-7:
            point, spread, likelihood = np.append(mixed[:-1], abs(mixed[-1])), float(abs(mixed[-1])), mixed_likelihood
        else:
            spread = 0.0
            remarks.append("The groups differ no more than chance lets them: the spread of their intercepts is 0.")
        remarks += _alone(factors, groups, references)
    elif groups is not None:
        remarks.append("There is one group only, so the model has no random intercept.")
    errors = _errors(data, point, mixed=bool(spread))
    terms = tuple(
        Term(factor, name, float(estimate), float(error))
        for (factor, name), estimate, error in zip(labels, point, errors, strict=False)
    )
    for term in terms:
        if term.factor and not term.settled:
            remarks.append(f"The data separate {term.factor} {term.name}, or nearly so: it has no finite estimate.")
    return Fit(terms, references, spread, likelihood, len(outcome), len(names_of_groups) * bool(groups), nodes, remarks)


@dataclass(frozen=True)
class _Cells:
    """Episodes alike in group and categories, counted together: the likelihood is the same and quicker."""

    passes: Array
    trials: Array
    design: Array
    group: NDArray[np.int64]
    count: int
    positions: Array
    weights: Array

    @classmethod
    def of(cls, outcome: Array, design: Array, keys: NDArray[np.int64], count: int, nodes: int) -> "_Cells":
        _, first, cell = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        cell = cell.reshape(-1)
        positions, weights = np.polynomial.hermite.hermgauss(nodes)
        # What the rule's own weight exp(-x^2) took away is given back, and the normal density is put in.
        weights = np.log(weights) + positions**2 + np.log(sqrt(2) / sqrt(2 * pi))
        return cls(
            np.bincount(cell, outcome).astype(float),
            np.bincount(cell).astype(float),
            design[first],
            keys[first, 0],
            count,
            positions * sqrt(2),
            weights,
        )

    def sums(self, values: Array) -> Array:
        """Add up what belongs to the same group, for each column."""
        if values.ndim == 1:
            return np.asarray(np.bincount(self.group, values, self.count), float)
        return np.stack([np.bincount(self.group, column, self.count) for column in values.T], axis=1)


def _plain(data: _Cells) -> tuple[Array, float]:
    """Newton's method for the model without random intercepts."""
    beta = np.zeros(data.design.shape[1])
    for _ in range(60):
        eta = data.design @ beta
        chance = _logistic(eta)
        slope = data.design.T @ (data.passes - data.trials * chance)
        curve = (data.design * (data.trials * chance * (1 - chance))[:, None]).T @ data.design
        try:
            step = np.linalg.solve(curve + 1e-10 * np.eye(len(beta)), slope)
        except np.linalg.LinAlgError:
            break
        beta = beta + np.clip(step, -4, 4)
        if np.abs(step).max() < 1e-10 or np.abs(beta).max() > 30:
            break
    eta = data.design @ beta
    return beta, float(np.sum(data.passes * eta - data.trials * np.logaddexp(0, eta)))


def _mixed(data: _Cells, start: Array) -> tuple[Array, float]:
    """The estimates with the spread of the random intercepts last, and the log-likelihood there."""
    optimize = needed("scipy.optimize")
    best: tuple[Array, float] | None = None
    # From two sides: near 0 the likelihood is flat in the spread.
    for spread in (0.5, 2.0):
        found = optimize.minimize(
            lambda point: tuple(-part for part in _likelihood(data, point)),
            np.append(start, spread),
            jac=True,
            method="BFGS",
            options={"gtol": 1e-6, "maxiter": 500},
        )
        if best is None or -found.fun > best[1] + 1e-9:
            best = np.asarray(found.x, float), -float(found.fun)
    assert best is not None
    return best


def _likelihood(data: _Cells, point: Array) -> tuple[float, Array]:
    """The log-likelihood and its slope; of the intercepts, `u` has a standard deviation of 1."""
    beta, spread = point[:-1], point[-1]
    fixed = data.design @ beta
    mode = np.zeros(data.count)
    for _ in range(50):
        chance = _logistic(fixed + spread * mode[data.group])
        slope = spread * data.sums(data.passes - data.trials * chance) - mode
        curve = spread**2 * data.sums(data.trials * chance * (1 - chance)) + 1
        step = np.clip(slope / curve, -2, 2)
        mode = mode + step
        if np.abs(step).max() < 1e-10:
            break
    width = 1 / np.sqrt(curve)
    u = mode[:, None] + width[:, None] * data.positions
    eta = fixed[:, None] + spread * u[data.group]
    inside = data.passes[:, None] * eta - data.trials[:, None] * np.logaddexp(0, eta)
    heights = data.sums(inside) - u**2 / 2 + data.weights + np.log(width)[:, None]
    top = heights.max(axis=1, keepdims=True)
    parts = np.exp(heights - top)
    value = float(np.sum(top[:, 0] + np.log(parts.sum(axis=1))))
    # The slope of a log-likelihood is the mean slope given the data (Fisher's identity).
    given = parts / parts.sum(axis=1, keepdims=True)
    residual = data.passes[:, None] - data.trials[:, None] * _logistic(eta)
    weighed = residual * given[data.group]
    slopes = np.append(data.design.T @ weighed.sum(axis=1), float(np.sum(weighed * u[data.group])))
    # That holds for the integral. Of the sum over a few nodes, which is what is climbed, it holds only as far as the
    # sum is the integral; the rest of its slope is that the nodes move with the estimates.
    pull = given * (spread * data.sums(residual) - u)
    shift, stretch = _moving(data, fixed, spread, mode)
    slopes += pull.sum(axis=1) @ shift + ((pull * data.positions).sum(axis=1) + 1 / width) @ stretch
    return value, slopes


def _moving(data: _Cells, fixed: Array, spread: float, mode: Array) -> tuple[Array, Array]:
    """How the mode of each group and the width around it move with each estimate, the spread last."""
    chance = _logistic(fixed + spread * mode[data.group])
    weight = data.trials * chance * (1 - chance)
    skew = weight * (1 - 2 * chance)
    heavy, skewed = data.sums(weight), data.sums(skew)
    curve = spread**2 * heavy + 1
    # At the mode the slope is 0 whatever the estimates are, and stays so as they move.
    by_beta = -spread * data.sums(weight[:, None] * data.design) / curve[:, None]
    by_spread = (data.sums(data.passes - data.trials * chance) - spread * mode * heavy) / curve
    bend_by_beta = spread**2 * (data.sums(skew[:, None] * data.design) + spread * skewed[:, None] * by_beta)
    bend_by_spread = 2 * spread * heavy + spread**2 * skewed * (mode + spread * by_spread)
    bend = np.column_stack([bend_by_beta, bend_by_spread])
    return np.column_stack([by_beta, by_spread]), -bend / (2 * curve**1.5)[:, None]


def _errors(data: _Cells, point: Array, mixed: bool) -> Array:
    """Standard errors from the curvature of the log-likelihood at the estimates."""
    if mixed:
        steps = 1e-5 * np.maximum(1.0, np.abs(point))
        rows = []
        for place, step in enumerate(steps):
            shift = np.zeros(len(point))
            shift[place] = step
            rows.append((_likelihood(data, point + shift)[1] - _likelihood(data, point - shift)[1]) / (2 * step))
        curve = -(np.array(rows) + np.array(rows).T) / 2
    else:
        chance = _logistic(data.design @ point)
        curve = (data.design * (data.trials * chance * (1 - chance))[:, None]).T @ data.design
    try:
        variances = np.diag(np.linalg.inv(curve))
    except np.linalg.LinAlgError:
        return np.full(len(point), inf)
    return np.sqrt(np.where(variances > 0, variances, inf))


def _alone(factors: Mapping[str, Sequence[str]], groups: Sequence[str], references: Mapping[str, str]) -> list[str]:
    """Categories that are one group and nothing else: their standard errors only mirror the spread of other groups."""
    remarks = []
    for factor, names in factors.items():
        met: dict[str, set[str]] = {}
        inside: dict[str, set[str]] = {}
        for name, group in zip(names, groups, strict=True):
            met.setdefault(name, set()).add(group)
            inside.setdefault(group, set()).add(name)
        alone = [name for name, among in met.items() if len(among) == 1 and len(inside[next(iter(among))]) == 1]
        if alone:
            remarks.append(
                f"{', '.join(map(str, alone))} {'is' if len(alone) == 1 else 'are each'} one group alone, so "
                f"{'its' if len(alone) == 1 else 'their'} standard error mirrors the spread of the other groups and "
                f"says little about the {factor} itself."
            )
    return remarks


def _logistic(eta: Array) -> Array:
    return np.asarray(0.5 * (1 + np.tanh(eta / 2)), float)


def _exp(value: float) -> float:
    return exp(value) if value < 700 else inf
