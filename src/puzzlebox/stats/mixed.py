"""Logistic mixed models of passing: fixed effects of agents, levels or tasks, and a random intercept for each group.

They are fitted by maximum likelihood. The integral over the intercept of each group is computed by adaptive
Gauss-Hermite quadrature: nodes are centred at the mode of the integrand and scaled by its curvature (Pinheiro and
Bates 1995; `nAGQ` of lme4).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, inf, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from puzzlebox.stats.extras import import_extra
from puzzlebox.stats.intervals import Z_95, CannotCompute
from puzzlebox.stats.ranks import two_sided

Array = NDArray[np.float64]
NODES = 10
# The largest finite log odds: exp(12) is 160,000, and a larger estimate means that categories separate the data.
_LARGEST_ESTIMATE = 12.0
# The largest standard error (5 spans four orders of magnitude of odds to each side) and the largest plausible standard
# deviation of intercepts.
_LARGEST_ERROR, _LARGEST_SPREAD = 5.0, 6.0
_SMALLEST_SPREAD = 1e-3


@dataclass(frozen=True)
class Term:
    """A coefficient of a model: a category compared with the reference of its factor, or the intercept.

    Attributes:
        factor: the factor; "" for the intercept.
        name: the category.
        estimate: the estimate, in log odds.
        error: its standard error.
    """

    factor: str
    name: str
    estimate: float
    error: float

    @property
    def settled(self) -> bool:
        """Whether the estimate is finite and its standard error is not too large."""
        return abs(self.estimate) <= _LARGEST_ESTIMATE and self.error <= _LARGEST_ERROR

    @property
    def odds_ratio(self) -> float:
        """The ratio of the odds to those of the reference."""
        return _exp(self.estimate)

    @property
    def low(self) -> float:
        """The lower 95 % limit of the odds ratio (Wald)."""
        return _exp(self.estimate - Z_95 * self.error)

    @property
    def high(self) -> float:
        """The upper 95 % limit of the odds ratio (Wald)."""
        return _exp(self.estimate + Z_95 * self.error)

    @property
    def z(self) -> float:
        """The estimate divided by its standard error."""
        return self.estimate / self.error

    @property
    def p(self) -> float:
        """The two-sided p value of the Wald test."""
        return two_sided(self.z)


@dataclass(frozen=True)
class Fit:
    """A fitted model.

    Attributes:
        terms: the intercept, then each category except the references.
        references: the reference category of each factor.
        spread: the standard deviation of the random intercepts; None if the model has none.
        log_likelihood: the log-likelihood at the estimates.
        rows: the number of episodes.
        groups: the number of groups; 0 without a random intercept.
        nodes: the number of quadrature nodes for each group.
        remarks: sentences about limits of the fit.
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
        """Whether all estimates are finite, and the standard deviation of the intercepts is plausible."""
        return all(term.settled for term in self.terms) and (self.spread or 0.0) <= _LARGEST_SPREAD

    def agrees(self, other: "Fit") -> bool:
        """Return whether another fit of the same terms has estimates within a tenth of a standard error."""
        return all(
            abs(mine.estimate - its.estimate) <= 0.1 * mine.error
            for mine, its in zip(self.terms, other.terms, strict=True)
        )

    @property
    def aic(self) -> float:
        """Akaike's information criterion; the standard deviation of the intercepts counts as a parameter."""
        return 2 * (len(self.terms) + (self.spread is not None)) - 2 * self.log_likelihood

    def term(self, name: str, factor: str | None = None) -> Term:
        """Return the coefficient of a category."""
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
        references: the reference category of each factor. Default: the first one to appear.
        nodes: the number of quadrature nodes, at least 5.
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
            raise ValueError(f"{first!r} is not a category of {factor}; it has {', '.join(map(str, categories))}")
        lookup = {name: index for index, name in enumerate([first, *(name for name in categories if name != first)])}
        code = np.array([lookup[name] for name in names])
        codes.append(code)
        for name, index in lookup.items():
            if index:
                columns.append((code == index).astype(float))
                labels.append((factor, str(name)))
    names_of_groups = list(dict.fromkeys(groups)) if groups is not None else [""]
    index_of = {name: index for index, name in enumerate(names_of_groups)}
    group = np.zeros(len(outcome), int) if groups is None else np.array([index_of[name] for name in groups])
    data = _Cells.of(outcome, np.stack(columns, axis=1), np.stack([group, *codes], axis=1), len(names_of_groups), nodes)
    if np.linalg.matrix_rank(data.design) < data.design.shape[1]:
        raise CannotCompute(
            f"{' and '.join(factors)} are confounded: some categories occur only together; have all agents play the "
            "same tasks"
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
            remarks.append("The groups vary no more than by chance: the standard deviation of their intercepts is 0.")
        remarks += _single_group_remarks(factors, groups)
    elif groups is not None:
        remarks.append("There is only one group, so the model has no random intercept.")
    errors = _errors(data, point, mixed=bool(spread))
    terms = tuple(
        Term(factor, name, float(estimate), float(error))
        for (factor, name), estimate, error in zip(labels, point, errors, strict=False)
    )
    for term in terms:
        if term.factor and not term.settled:
            remarks.append(f"{term.factor.capitalize()} {term.name} is (nearly) separated: it has no finite estimate.")
    return Fit(terms, references, spread, likelihood, len(outcome), len(names_of_groups) * bool(groups), nodes, remarks)


@dataclass(frozen=True)
class _Cells:
    """Episodes with the same group and categories, counted together, which makes the likelihood faster to compute."""

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
        # Log weights for a standard normal density, with the weight exp(-x^2) of the rule divided out.
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
        """Sum the values of each group, for each column."""
        if values.ndim == 1:
            return np.asarray(np.bincount(self.group, values, self.count), float)
        return np.stack([np.bincount(self.group, column, self.count) for column in values.T], axis=1)


def _plain(data: _Cells) -> tuple[Array, float]:
    """Fit the model without random intercepts by Newton's method; return estimates and log-likelihood."""
    beta = np.zeros(data.design.shape[1])
    for _ in range(60):
        eta = data.design @ beta
        probability = _logistic(eta)
        slope = data.design.T @ (data.passes - data.trials * probability)
        curve = (data.design * (data.trials * probability * (1 - probability))[:, None]).T @ data.design
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
    """Fit the mixed model; return the estimates, the standard deviation last, and the log-likelihood."""
    optimize = import_extra("scipy.optimize")
    best: tuple[Array, float] | None = None
    # From two starting points: near 0 the likelihood is flat in the standard deviation.
    for spread in (0.5, 2.0):
        result = optimize.minimize(
            lambda point: tuple(-part for part in _likelihood(data, point)),
            np.append(start, spread),
            jac=True,
            method="BFGS",
            options={"gtol": 1e-6, "maxiter": 500},
        )
        if best is None or -result.fun > best[1] + 1e-9:
            best = np.asarray(result.x, float), -float(result.fun)
    assert best is not None
    return best


def _likelihood(data: _Cells, point: Array) -> tuple[float, Array]:
    """Return the log-likelihood and its gradient; the intercepts `u` are standardised."""
    beta, spread = point[:-1], point[-1]
    fixed = data.design @ beta
    mode = np.zeros(data.count)
    for _ in range(50):
        probability = _logistic(fixed + spread * mode[data.group])
        slope = spread * data.sums(data.passes - data.trials * probability) - mode
        curve = spread**2 * data.sums(data.trials * probability * (1 - probability)) + 1
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
    # The gradient of a log-likelihood is the posterior mean of the complete-data gradient (Fisher's identity).
    posterior = parts / parts.sum(axis=1, keepdims=True)
    residual = data.passes[:, None] - data.trials[:, None] * _logistic(eta)
    weighed = residual * posterior[data.group]
    slopes = np.append(data.design.T @ weighed.sum(axis=1), float(np.sum(weighed * u[data.group])))
    # That is exact for the integral. The sum over a few nodes, which is what is maximised, has a further term in its
    # gradient, because the nodes move with the estimates.
    pull = posterior * (spread * data.sums(residual) - u)
    shift, stretch = _node_derivatives(data, fixed, spread, mode)
    slopes += pull.sum(axis=1) @ shift + ((pull * data.positions).sum(axis=1) + 1 / width) @ stretch
    return value, slopes


def _node_derivatives(data: _Cells, fixed: Array, spread: float, mode: Array) -> tuple[Array, Array]:
    """Return the derivatives of each group's mode and width with respect to each estimate, the deviation last."""
    probability = _logistic(fixed + spread * mode[data.group])
    weight = data.trials * probability * (1 - probability)
    skew = weight * (1 - 2 * probability)
    heavy, skewed = data.sums(weight), data.sums(skew)
    curve = spread**2 * heavy + 1
    # By implicit differentiation: at the mode the slope is 0 for all values of the estimates.
    by_beta = -spread * data.sums(weight[:, None] * data.design) / curve[:, None]
    by_spread = (data.sums(data.passes - data.trials * probability) - spread * mode * heavy) / curve
    bend_by_beta = spread**2 * (data.sums(skew[:, None] * data.design) + spread * skewed[:, None] * by_beta)
    bend_by_spread = 2 * spread * heavy + spread**2 * skewed * (mode + spread * by_spread)
    bend = np.column_stack([bend_by_beta, bend_by_spread])
    return np.column_stack([by_beta, by_spread]), -bend / (2 * curve**1.5)[:, None]


def _errors(data: _Cells, point: Array, mixed: bool) -> Array:
    """Return standard errors from the curvature of the log-likelihood at the estimates."""
    if mixed:
        steps = 1e-5 * np.maximum(1.0, np.abs(point))
        rows = []
        for index, step in enumerate(steps):
            shift = np.zeros(len(point))
            shift[index] = step
            rows.append((_likelihood(data, point + shift)[1] - _likelihood(data, point - shift)[1]) / (2 * step))
        curve = -(np.array(rows) + np.array(rows).T) / 2
    else:
        probability = _logistic(data.design @ point)
        curve = (data.design * (data.trials * probability * (1 - probability))[:, None]).T @ data.design
    try:
        variances = np.diag(np.linalg.inv(curve))
    except np.linalg.LinAlgError:
        return np.full(len(point), inf)
    return np.sqrt(np.where(variances > 0, variances, inf))


def _single_group_remarks(factors: Mapping[str, Sequence[str]], groups: Sequence[str]) -> list[str]:
    """Return remarks on categories that coincide with one group, whose standard errors only reflect other groups."""
    remarks = []
    for factor, names in factors.items():
        groups_of: dict[str, set[str]] = {}
        names_in: dict[str, set[str]] = {}
        for name, group in zip(names, groups, strict=True):
            groups_of.setdefault(name, set()).add(group)
            names_in.setdefault(group, set()).add(name)
        alone = [name for name, own in groups_of.items() if len(own) == 1 and len(names_in[next(iter(own))]) == 1]
        if alone:
            remarks.append(
                f"{', '.join(map(str, alone))} {'is' if len(alone) == 1 else 'are each'} a single group, so "
                f"{'its' if len(alone) == 1 else 'their'} standard error reflects the variance between the other "
                f"groups and says little about the {factor} itself."
            )
    return remarks


def _logistic(eta: Array) -> Array:
    return np.asarray(0.5 * (1 + np.tanh(eta / 2)), float)


def _exp(value: float) -> float:
    return exp(value) if value < 700 else inf
