"""Logistic models with crossed random intercepts of tasks, of agents on tasks, and of participants or training runs.

    passed ~ agent + level + (1 | task) + (1 | task:agent) + (1 | subject)

The estimates are those of lme4's `glmer(nAGQ = 1)`. Tests are likelihood-ratio tests and intervals profile-likelihood
intervals. Their reference is an F distribution with the degrees of freedom of the units of evidence, because the normal
distribution of large samples errs too often with ten or twenty tasks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, inf, sqrt

import numpy as np
from numpy.typing import NDArray

from puzzlebox.stats.ascent import Maximum, maximise
from puzzlebox.stats.crossed_likelihood import PAIR, SUBJECT, TASK, Array, Cells, Likelihood, panels_of, sums
from puzzlebox.stats.extras import import_extra
from puzzlebox.stats.intervals import CannotCompute, Interval

# Log odds and standard errors beyond which an estimate is not finite: 5 are four orders of magnitude to each side.
_LARGEST_ESTIMATE, _LARGEST_ERROR = 20.0, 5.0
# A guess of the inverse curvature of a standard deviation, and where a search for one begins that may be 0.
_FIRST_INVERSE, _BESIDE_0 = 0.05, 0.3
# The largest standard deviation of intercepts: beyond, each task is passed always or never.
_LARGEST_SPREAD = 12.0
# A smaller standard deviation of intercepts is that of a maximum at 0.
_SMALLEST_SPREAD = 1e-3
# Parameters up to which the curvature is computed by central differences.
_MOST_CENTRAL = 24
# Precision of a limit of an interval, in units of the root of the likelihood ratio.
_PRECISION = 5e-5


@dataclass(frozen=True)
class Effect:
    """A fixed effect: a category compared with the reference of its factor, or the intercept.

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


@dataclass(frozen=True)
class Test:
    """A test that some contrasts are 0.

    Attributes:
        statistic: the likelihood-ratio statistic divided by the number of contrasts.
        contrasts: the number of contrasts: the first degrees of freedom.
        df: the second degrees of freedom, those of the units of evidence.
        p: the p value.
    """

    statistic: float
    contrasts: int
    df: float
    p: float


@dataclass(frozen=True)
class CrossedFit:
    """A fitted model.

    Attributes:
        effects: the intercept, then each category except the references.
        references: the reference category of each factor.
        categories: all categories of each factor, the reference first.
        spreads: the standard deviation of each random intercept.
        covariance: the covariance matrix of the fixed effects.
        log_likelihood: the log-likelihood of the single episodes at the estimates, without the penalty.
        episodes: the number of episodes.
        tasks: the number of tasks.
        subjects: the number of participants and runs.
        penalised: the factors whose effects are drawn towards each other, because some had no finite estimate.
    """

    effects: tuple[Effect, ...]
    references: Mapping[str, str]
    categories: Mapping[str, Sequence[str]]
    spreads: Mapping[str, float]
    covariance: Array
    log_likelihood: float
    episodes: int
    tasks: int
    subjects: int
    penalised: tuple[str, ...]
    _model: "_Penalised" = field(repr=False)
    _top: Maximum = field(repr=False)
    _inverse: Array = field(repr=False)

    @property
    def cells(self) -> Cells:
        """The cells that the model was fitted to."""
        return self._model.likelihood.cells

    def effect(self, factor: str, name: str) -> Effect:
        """Return the effect of a category."""
        return next(each for each in self.effects if (each.factor, each.name) == (factor, name))

    def contrast(self, factor: str, first: str, second: str) -> Array:
        """Return the weights of the fixed effects in the difference of two categories, first minus second."""
        weights = np.zeros(len(self.effects))
        for index, each in enumerate(self.effects):
            if each.factor == factor:
                weights[index] = (each.name == first) - (each.name == second)
        return weights

    def all_contrasts(self, factor: str) -> Array:
        """Return the weights of the differences of all categories of a factor from its reference, one per row."""
        reference = self.references[factor]
        others = self.categories[factor][1:]
        return np.stack([self.contrast(factor, name, reference) for name in others])

    def estimate(self, weights: Array) -> tuple[float, float]:
        """Return a weighted sum of the fixed effects, and its standard error."""
        beta = np.array([each.estimate for each in self.effects])
        return float(weights @ beta), sqrt(max(0.0, float(weights @ self.covariance @ weights)))

    def test(self, weights: Array, df: float) -> Test:
        """Test by the ratio of likelihoods that one or several weighted sums of the fixed effects are 0."""
        rows = np.atleast_2d(weights)
        constrained = self._constrained(rows, np.zeros(len(rows)))
        statistic = max(0.0, 2 * (self._top.value - constrained.value)) / len(rows)
        return Test(statistic, len(rows), df, _f_tail(len(rows), df, statistic))

    def wald(self, weights: Array, df: float) -> Test:
        """Test a weighted sum of the fixed effects by its standard error: quicker, and as good with many tasks."""
        value, error = self.estimate(weights)
        statistic = (value / error) ** 2 if error > 0 else 0.0
        return Test(statistic, 1, df, _f_tail(1, df, statistic))

    def wald_interval(self, weights: Array, df: float, level: float = 0.95) -> Interval:
        """Return a weighted sum of the fixed effects with an interval from its standard error."""
        value, error = self.estimate(weights)
        width = t_quantile(df, level) * error
        return Interval(value, value - width, value + width)

    def profile(self, weights: Array, df: float, level: float = 0.95) -> Interval:
        """Return a weighted sum of the fixed effects with its profile-likelihood interval."""
        value, error = self.estimate(weights)
        limit = t_quantile(df, level)
        return Interval(value, self._limit(weights, value, error, -limit), self._limit(weights, value, error, limit))

    def _limit(self, weights: Array, value: float, error: float, limit: float) -> float:
        """Return where the signed root of the likelihood ratio reaches a limit, by the secant method."""
        rows = weights[None]

        near = self._top.point
        inner, inner_root = value, 0.0
        at = value + limit * error
        for _ in range(40):
            found = self._constrained(rows, np.array([at]), near)
            near = found.point
            here = float(np.sign(at - value)) * sqrt(max(0.0, 2 * (self._top.value - found.value)))
            if abs(here - limit) < _PRECISION * abs(limit):
                return at
            slope = (here - inner_root) / (at - inner)
            if slope <= 0:
                return inf if limit > 0 else -inf
            inner, inner_root = at, here
            at = at + float(np.clip((limit - here) / slope, -3 * error - 1, 3 * error + 1))
            if (at - value) * limit <= 0:
                at = (inner + value) / 2
            if abs(at) > 40:
                return inf if limit > 0 else -inf
        return at

    def _constrained(self, rows: Array, values: Array, near: Array | None = None) -> Maximum:
        """Return the highest point at which weighted sums of the fixed effects have given values."""
        point = (self._top.point if near is None else near).copy()
        inverse = self._inverse.copy()
        for index in range(len(point) - rows.shape[1]):
            # What a constraint leaves unexplained may be variance between tasks, although the maximum has none. The
            # slope at a standard deviation of exactly 0 is 0, so that the search begins beside it.
            if abs(point[index]) < _BESIDE_0:
                point[index] = _BESIDE_0
            if inverse[index, index] == 0:
                inverse[index, index] = _FIRST_INVERSE
        lifted = np.hstack([np.zeros((len(rows), len(point) - rows.shape[1])), rows])
        cross = inverse @ lifted.T
        middle = np.linalg.inv(lifted @ cross)
        start = point - cross @ (middle @ (lifted @ point - values))
        return maximise(self._model, start, inverse - cross @ middle @ cross.T, gain=1e-7)


@dataclass(frozen=True)
class _Penalised:
    """The log-likelihood with the logarithm of the density of weak priors.

    Each deviation of a category from the mean of its factor has a log-F(1, 1) prior (Greenland and Mansournia 2015):
    half a passed and half a failed episode against the mean. It is the same for all categories, so that no estimate
    depends on which one is the reference; 95 % of it are odds of 1/650 to 650 against the mean.
    """

    likelihood: Likelihood
    deviations: Array

    def __call__(self, point: Array) -> tuple[float, Array]:
        value, slope = self.likelihood(point)
        if len(self.deviations):
            beta = point[len(point) - self.deviations.shape[1] :]
            away = self.deviations @ beta
            value += float(np.sum(away / 2 - np.logaddexp(0, away)))
            slope = slope.copy()
            slope[len(point) - len(beta) :] += self.deviations.T @ (-np.tanh(away / 2) / 2)
        return value, slope


def fit_crossed(
    passed: Sequence[float] | Array,
    factors: Mapping[str, Sequence[str]],
    tasks: Sequence[str],
    subjects: Sequence[str] | None = None,
    *,
    trials: Sequence[float] | Array | None = None,
    references: Mapping[str, str] | None = None,
    random: Sequence[str] = (TASK, PAIR, SUBJECT),
    agent: str = "agent",
) -> CrossedFit:
    """Fit a model of passing with random intercepts.

    Args:
        passed: for each row, the number of episodes that passed (0 or 1 for single episodes).
        factors: the category of each row, for each factor; one of them is the agent.
        tasks: the task of each row.
        subjects: the participant or training run of each row; "" for agents that have none.
        trials: the number of episodes of each row. Default: 1.
        references: the reference category of each factor. Default: the first one to appear.
        random: the random intercepts, of "task", "task:agent" and "subject".
        agent: the name of the factor that has an intercept on each task.
    """
    outcome = np.asarray(passed, float)
    counts = np.ones(len(outcome)) if trials is None else np.asarray(trials, float)
    if not len(outcome):
        raise CannotCompute("there are no episodes")
    if outcome.sum() in (0, counts.sum()):
        raise CannotCompute(f"{'every' if outcome[0] else 'no'} episode passed, so there are no odds to compare")
    references = dict(references or {})
    codes, categories = {}, {}
    for factor, names in factors.items():
        found = list(dict.fromkeys(map(str, names)))
        first = references.setdefault(factor, found[0])
        if first not in found:
            raise ValueError(f"{first!r} is not a category of {factor}; it has {', '.join(found)}")
        categories[factor] = [first, *(name for name in found if name != first)]
        index = {name: number for number, name in enumerate(categories[factor])}
        codes[factor] = np.array([index[str(name)] for name in names])
    labels = [("", "intercept")]
    labels += [(factor, name) for factor, names in categories.items() for name in names[1:]]
    cells, distinct = _aggregate(outcome, counts, codes, categories, tasks, subjects, random, agent)
    if np.linalg.matrix_rank(cells.design) < cells.design.shape[1]:
        raise CannotCompute(
            f"{' and '.join(factors)} are confounded: some categories occur only together; have all agents play the "
            "same tasks"
        )
    likelihood = Likelihood(cells)
    penalised = _separated(cells, codes, categories, distinct)
    fit = _fitted(likelihood, labels, categories, penalised)
    if not penalised and not _finite(fit):
        # Categories together separate passed from failed episodes.
        penalised = tuple(categories)
        fit = _fitted(likelihood, labels, categories, penalised)
    top, inverse, model = fit
    size = len(cells.random)
    covariance = inverse[size:, size:]
    effects = tuple(
        Effect(factor, name, float(estimate), sqrt(max(0.0, float(variance))))
        for (factor, name), estimate, variance in zip(labels, top.point[size:], np.diag(covariance), strict=True)
    )
    spreads = {name: abs(float(value)) for name, value in zip(cells.random, top.point, strict=False)}
    spreads = {name: value if value > _SMALLEST_SPREAD else 0.0 for name, value in spreads.items()}
    return CrossedFit(
        effects,
        references,
        categories,
        spreads,
        covariance,
        likelihood(top.point)[0],
        int(cells.trials.sum()),
        cells.tasks,
        cells.subjects,
        penalised,
        model,
        top,
        inverse,
    )


def _aggregate(
    outcome: Array,
    counts: Array,
    codes: Mapping[str, NDArray[np.int64]],
    categories: Mapping[str, Sequence[str]],
    tasks: Sequence[str],
    subjects: Sequence[str] | None,
    random: Sequence[str],
    agent: str,
) -> tuple[Cells, NDArray[np.int64]]:
    """Count episodes of the same categories, task and subject together; return the cells and their categories."""
    task = _numbered(tasks)
    subject = np.full(len(outcome), -1) if subjects is None else _numbered(subjects, missing="")
    keys = np.stack([*codes.values(), task, subject], axis=1)
    single = np.ravel_multi_index(tuple((keys - keys.min(axis=0)).T), tuple(np.ptp(keys, axis=0) + 1))
    _, first, cell = np.unique(single, return_index=True, return_inverse=True)
    cell, keys = cell.reshape(-1), keys[first]
    width = len(codes)
    rows, row = np.unique(keys[:, :width], axis=0, return_inverse=True)
    design = [np.ones(len(rows))]
    for column, names in enumerate(categories.values()):
        design += [(rows[:, column] == index).astype(float) for index in range(1, len(names))]
    who = keys[:, list(codes).index(agent)] if agent in codes else np.zeros(len(keys), int)
    pairs, pair = np.unique(np.stack([keys[:, width], who], axis=1), axis=0, return_inverse=True)
    pair = pair.reshape(-1)
    has_subjects = bool((keys[:, width + 1] >= 0).any())
    kept = tuple(name for name in (TASK, PAIR, SUBJECT) if name in random and (name != SUBJECT or has_subjects))
    cells = Cells(
        sums(cell, outcome),
        sums(cell, counts),
        np.stack(design, axis=1),
        row.reshape(-1),
        keys[:, width],
        pair,
        pairs[:, 0],
        keys[:, width + 1],
        kept,
        panels_of(who, keys[:, width], pair, keys[:, width + 1]) if SUBJECT in kept else (),
    )
    return cells, rows


def _numbered(names: Sequence[str], missing: str | None = None) -> NDArray[np.int64]:
    """Return the number of each name, in order of appearance; -1 for the one that means that there is none."""
    index: dict[str, int] = {} if missing is None else {missing: -1}
    for name in names:
        index.setdefault(name, len(index) - (missing is not None))
    return np.array([index[name] for name in names])


def _separated(
    cells: Cells,
    codes: Mapping[str, NDArray[np.int64]],
    categories: Mapping[str, Sequence[str]],
    rows: NDArray[np.int64],
) -> tuple[str, ...]:
    """Return all factors if a category of one of them passed all or none of its episodes; otherwise none."""
    for column, names in enumerate(categories.values()):
        code = rows[cells.row, column]
        passes = np.bincount(code, cells.passes, len(names))
        trials = np.bincount(code, cells.trials, len(names))
        if np.any((passes == 0) | (passes == trials)):
            return tuple(codes)
    return ()


def _fitted(
    likelihood: Likelihood,
    labels: Sequence[tuple[str, str]],
    categories: Mapping[str, Sequence[str]],
    penalised: Sequence[str],
) -> tuple[Maximum, Array, _Penalised]:
    """Return the maximum, the inverse of the curvature there, and the function."""
    cells = likelihood.cells
    deviations = []
    for factor in penalised:
        names = categories[factor]
        columns = [labels.index((factor, name)) for name in names[1:]]
        effects = np.zeros((len(names), len(labels)))
        effects[range(1, len(names)), columns] = 1
        deviations.append(effects - effects.mean(axis=0))
    model = _Penalised(likelihood, np.concatenate(deviations) if deviations else np.zeros((0, len(labels))))
    beta, information = _start(cells, model.deviations)
    size = len(cells.random)
    inverse = np.zeros((size + len(beta), size + len(beta)))
    inverse[:size, :size] = _FIRST_INVERSE * np.eye(size)
    inverse[size:, size:] = np.linalg.inv(information)
    top = maximise(model, np.append(np.full(size, 0.7), beta), inverse)
    if size and np.abs(top.point[:size]).max() > _LARGEST_SPREAD:
        raise CannotCompute("tasks were passed always or never, so that their variance has no finite estimate")
    return top, _inverse_curvature(model, top, size), model


def _start(cells: Cells, deviations: Array) -> tuple[Array, Array]:
    """Return the fixed effects of the model without random intercepts, drawn to 0, and their information."""
    width = cells.design.shape[1]
    ridge = 0.05 * np.eye(width) + deviations.T @ deviations / 4
    passes = np.bincount(cells.row, cells.passes, len(cells.design))
    trials = np.bincount(cells.row, cells.trials, len(cells.design))
    beta = np.zeros(width)
    information = np.eye(width)
    for _ in range(30):
        probability = 0.5 * (1 + np.tanh(cells.design @ beta / 2))
        slope = cells.design.T @ (passes - trials * probability) - ridge @ beta
        information = (cells.design * (trials * probability * (1 - probability))[:, None]).T @ cells.design + ridge
        step = np.linalg.solve(information, slope)
        beta = beta + np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-3:
            break
    return beta, information


def _inverse_curvature(model: _Penalised, top: Maximum, size: int) -> Array:
    """Return the inverse of the curvature at the maximum, by differences of the slope.

    They are central ones, or, with many effects, one-sided ones, which take half the time. A standard deviation that is
    estimated as 0 is at the end of its range and counts as known.
    """
    point = top.point
    count = len(point)
    free = [index for index in range(count) if index >= size or abs(point[index]) > _SMALLEST_SPREAD]
    rows = np.zeros((count, count))
    central = count <= _MOST_CENTRAL
    for index in free:
        shift = np.zeros(count)
        shift[index] = (1e-4 if central else 1e-5) * max(1.0, abs(point[index]))
        before = model(point - shift)[1] if central else top.slope
        rows[index] = (before - model(point + shift)[1]) / (shift[index] * (2 if central else 1))
    curvature = ((rows + rows.T) / 2)[np.ix_(free, free)]
    inverse = np.zeros((count, count))
    try:
        inverse[np.ix_(free, free)] = np.linalg.inv(curvature)
    except np.linalg.LinAlgError:
        raise CannotCompute("the data hold too little information for this model") from None
    return inverse


def _finite(fit: tuple[Maximum, Array, _Penalised]) -> bool:
    """Return whether all fixed effects are finite: neither they nor their errors are very large."""
    top, inverse, model = fit
    size = len(model.likelihood.cells.random)
    errors = np.diag(inverse)[size:]
    return bool(
        np.all(np.abs(top.point[size:]) < _LARGEST_ESTIMATE) and np.all((errors > 0) & (errors < _LARGEST_ERROR**2))
    )


def t_quantile(df: float, level: float = 0.95) -> float:
    """Return the two-sided quantile of Student's distribution; with infinite df, of the normal distribution."""
    special = import_extra("scipy.special")
    tail = (1 + level) / 2
    return float(special.ndtri(tail) if df == inf else special.stdtrit(df, tail))


def _f_tail(first: float, second: float, statistic: float) -> float:
    """Return the probability that an F-distributed number is larger; with infinite df, of chi-squared / df."""
    special = import_extra("scipy.special")
    if second == inf:
        return float(special.chdtrc(first, first * statistic))
    return float(special.fdtrc(first, second, statistic))


def odds(value: float) -> float:
    """Return the odds, or odds ratio, of log odds."""
    return exp(value) if value < 700 else inf


def mean_probability(log_odds: float, spread: float) -> float:
    """Return the mean probability of passing if the log odds are normal with this mean and standard deviation."""
    if not np.isfinite(log_odds):
        return float(log_odds > 0)
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    return float(np.sum(weights * 0.5 * (1 + np.tanh((log_odds + spread * nodes) / 2))) / np.sum(weights))
