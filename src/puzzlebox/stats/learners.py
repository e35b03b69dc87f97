"""Measures of agents over many tasks that share a scale, after Agarwal et al. (2021), with intervals for few runs.

Scores are on a scale on which 0 and 1 mean the same in every task. A unit is what was drawn at random: a training run,
or an episode if there is only one run. Tasks are fixed and weigh equally, whatever their numbers of units.

Intervals come from a bootstrap over units. A plain percentile bootstrap is too narrow for a few units (it covers .83 to
.91 where .95 is stated), for three reasons, each of which is corrected here:

- resamples vary less than samples, by (n - 1) / n in variance, and the variance itself is estimated: the quantiles are
  taken further out, at those of Student's t (the expanded percentile interval of Hesterberg 2015);
- if all units of a task have nearly the same score, resamples of it do not vary, although the next unit may differ: a
  draw then comes from any task, or from the ends of the scale, with the weight of `BORROWED` units;
- units that played several tasks are drawn whole, because their scores go together; their intervals are those of
  Student's t with the standard deviation of the resamples.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from puzzlebox.stats.effective import score_interval
from puzzlebox.stats.extras import import_extra
from puzzlebox.stats.intervals import CannotCompute, Interval

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
RESAMPLES = 2000
# Fewest units for an interval.
FEWEST = 5
# The weight of other scores, in units, when the units of a task with nearly equal scores are resampled.
BORROWED = 0.25
# The variance of the scores of a task, relative to that of all scores or to the length of the scale, below which they
# count as nearly equal.
_NEARLY_EQUAL, _NEARLY_EQUAL_ON_SCALE = 0.1, 0.01
# The largest score: squares of larger ones are not finite.
_LARGEST = 1e150
# Numbers held in memory at a time while resampling, and numbers drawn in all, as far as there are enough resamples.
_BATCH_NUMBERS, _MOST_NUMBERS = 2_000_000, 6_000_000
_FEWEST_RESAMPLES = 200


@dataclass(frozen=True)
class Scores:
    """The scores of one agent.

    Attributes:
        values: the scores.
        tasks: the task of each score.
        units: the run that each score belongs to, or None if each score is a unit of its own.
        places: the part of its task that each score is from, such as an arena; parts weigh equally within a task.
            None if tasks have one part.
        ends: the lowest and the highest score of an ordinary agent; () if there is no such scale.
        exact: for scores that are units of their own, whether each would be the same again, as those of an agent that
            always does the same on a task are. None if none would.
    """

    values: Array
    tasks: Sequence[str]
    units: Sequence[str] | None = None
    places: Sequence[Hashable] | None = None
    ends: tuple[float, ...] = (0.0, 1.0)
    exact: Sequence[bool] | None = None

    def __post_init__(self) -> None:
        """Check the lengths and the values."""
        object.__setattr__(self, "values", np.asarray(self.values, float).ravel())
        optional = (self.units, self.places, self.exact)
        if not len(self.values):
            raise CannotCompute("there are no scores")
        if any(len(each) != len(self.values) for each in (self.tasks, *optional) if each is not None):
            raise ValueError("values, tasks, units, places and exact must have the same length")
        if not np.abs(self.values).max() <= _LARGEST:
            raise CannotCompute("some returns are too large to compute with")

    @cached_property
    def task_names(self) -> list[str]:
        """All tasks, in order of appearance."""
        return list(dict.fromkeys(self.tasks))

    @cached_property
    def task_codes(self) -> Counts:
        """The index of the task of each score."""
        index = {name: code for code, name in enumerate(self.task_names)}
        return np.array([index[name] for name in self.tasks])

    @cached_property
    def place_names(self) -> list[tuple[str, Hashable]]:
        """All places, each with its task, in order of appearance."""
        return list(dict.fromkeys(self._places))

    @cached_property
    def _places(self) -> list[tuple[str, Hashable]]:
        return list(zip(self.tasks, self.tasks if self.places is None else self.places, strict=True))

    @cached_property
    def place_codes(self) -> Counts:
        """The index of the place of each score; a place belongs to one task."""
        index = {name: code for code, name in enumerate(self.place_names)}
        return np.array([index[name] for name in self._places])

    @cached_property
    def unit_codes(self) -> Counts:
        """The index of the unit of each score."""
        if self.units is None:
            return np.arange(len(self.values))
        index = {name: code for code, name in enumerate(dict.fromkeys(self.units))}
        return np.array([index[name] for name in self.units])

    @cached_property
    def strata(self) -> list[Counts]:
        """The units that can stand for one another: those that played the same tasks."""
        played: dict[int, set[int]] = {}
        for unit, place in zip(self.unit_codes.tolist(), self.place_codes.tolist(), strict=True):
            played.setdefault(unit, set()).add(place)
        together: dict[frozenset[int], list[int]] = {}
        for unit, places in played.items():
            together.setdefault(frozenset(places), []).append(unit)
        return [np.array(units) for units in together.values()]

    @cached_property
    def varying(self) -> list[Counts]:
        """The strata whose units vary."""
        if self.exact is None:
            return self.strata
        return [units for units in self.strata if len(units) > 1 or not self.exact[units[0]]]

    @cached_property
    def shares(self) -> Array:
        """The weight of each place: tasks weigh equally, and so do the places of a task."""
        task_of = np.zeros(int(self.place_codes.max()) + 1, int)
        task_of[self.place_codes] = self.task_codes
        return 1 / (np.bincount(task_of)[task_of] * len(self.task_names))

    @cached_property
    def weights(self) -> Array:
        """The weight of each score, so that places have their shares; the sum is 1."""
        return self.shares[self.place_codes] / np.bincount(self.place_codes)[self.place_codes]


class Resampled:
    """The scores of one agent, sorted, with the weights of each in all resamples.

    Attributes:
        scores: the scores, sorted.
        weights: their own weights.
        resamples: one row of weights for each resample.
        whole_runs: whether each unit has played all of several tasks.
        reach: the distance of each limit of an interval, in standard deviations of the resamples.
        given: the scores as they were given; None without resamples.
        level: the confidence level of intervals.
    """

    given: Scores | None = None
    level: float = 0.95

    def __init__(self, scores: Scores, seed: int = 0, level: float = 0.95) -> None:
        """Draw the resamples.

        Raises:
            CannotCompute: there are too few units.
        """
        values = np.concatenate((scores.values, scores.ends))
        order = np.argsort(values, kind="stable")
        self.scores, self.weights = values[order], np.append(scores.weights, np.zeros(len(scores.ends)))[order]
        if not scores.varying:
            raise CannotCompute("nothing varies")
        units = sum(len(each) for each in scores.strata)
        if units < FEWEST:
            raise CannotCompute(f"it takes {FEWEST}, and there {'is' if units == 1 else 'are'} {units}")
        sizes = np.array([len(each) for each in scores.varying], float)
        if sizes.min() < 2:
            raise CannotCompute("a task was played only once")
        self.whole_runs = len(scores.strata) == 1 and len(scores.task_names) > 1
        self.reach = _reach(sizes, level)
        self.given, self.level = scores, level
        self.resamples = _resampled_weights(scores, seed)[:, order]

    @classmethod
    def alone(cls, scores: Scores) -> "Resampled":
        """Return the scores without resamples, so that the limits of each measure are its value."""
        only = cls.__new__(cls)
        order = np.argsort(scores.values, kind="stable")
        only.scores, only.weights = scores.values[order], scores.weights[order]
        only.resamples, only.whole_runs, only.reach = only.weights[None], True, 0.0
        return only

    def interval(self, value: float, values: Array) -> Interval:
        """Return the interval of a measure from its value and its values in all resamples."""
        if self.whole_runs or len(self.resamples) < RESAMPLES:
            # Five runs have few different resamples, none of them beyond the best run: percentiles end too early. With
            # thousands of units, there are few resamples for percentiles, and the normal distribution is right.
            half_width = self.reach * float(values.std())
            return Interval(value, value - half_width, value + half_width)
        tail = float(import_extra("scipy.stats").norm.cdf(-self.reach))
        low, high = np.quantile(values, (tail, 1 - tail))
        return Interval(value, min(float(low), value), max(float(high), value))


def interquartile_mean(values: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Return the mean of the middle half of the values: a quarter of their weight is omitted at each end.

    If a quarter of the number of values is not a whole number, the values at the edges count in part. (`rliable` rounds
    the number of omitted values down, so that up to 3 fewer values are omitted.)
    """
    array = np.asarray(values, float).ravel()
    if not len(array):
        raise CannotCompute("there are no values")
    given = np.ones(len(array)) if weights is None else np.asarray(weights, float).ravel()
    order = np.argsort(array, kind="stable")
    return float(_middle(given[order][None] / given.sum(), array[order])[0])


def interquartile_mean_interval(drawn: Resampled) -> Interval:
    """Return the interquartile mean over all tasks with its interval."""
    return drawn.interval(float(_middle(drawn.weights[None], drawn.scores)[0]), _middle(drawn.resamples, drawn.scores))


def mean_interval(drawn: Resampled) -> Interval:
    """Return the mean score over all tasks with its interval."""
    return drawn.interval(float(drawn.weights @ drawn.scores), drawn.resamples @ drawn.scores)


def optimality_gap_interval(drawn: Resampled, best: float = 1.0) -> Interval:
    """Return by how much scores fall short of the best one on average, with its interval; better ones count as best.

    If no score falls short by more than 1, the interval is Wilson's with the effective number of units: a bootstrap of
    an agent that seldom fails is too narrow (it covers .76 of 2 x 10 episodes of which 93 % pass).
    """
    short = np.maximum(0.0, best - drawn.scores)
    value = float(drawn.weights @ short)
    given = drawn.given
    if given is None or best - given.values.min() > 1 + 1e-9:
        return drawn.interval(value, drawn.resamples @ short)
    variance = variance_of_mean(given, np.maximum(0.0, best - given.values))
    df = sum(len(units) - 1 for units in given.varying)
    units = sum(len(each) for each in given.strata)
    return score_interval(min(max(value, 0.0), 1.0), variance, df, units, drawn.level)


def optimality_gap(values: ArrayLike, best: float = 1.0) -> float:
    """Return by how much scores fall short of the best one on average; better ones count as the best."""
    return float(np.maximum(0.0, best - np.asarray(values, float)).mean())


def performance_profile(scores: Scores, thresholds: ArrayLike) -> Array:
    """Return the proportion of scores above each threshold; tasks weigh equally."""
    order = np.argsort(scores.values, kind="stable")
    above = np.append(np.minimum(1.0, np.cumsum(scores.weights[order][::-1]))[::-1], 0.0)
    return above[np.searchsorted(scores.values[order], np.asarray(thresholds, float), side="right")]


def profile_band(scores: Scores, thresholds: ArrayLike) -> tuple[Array, Array]:
    """Return the limits of the performance profile at each threshold, each with the stated coverage by itself."""
    cuts = np.asarray(thresholds, float)
    profile = performance_profile(scores, cuts)
    df = sum(len(units) - 1 for units in scores.varying)
    if df < 1:
        raise CannotCompute("nothing varies" if not scores.varying else "every task was played only once")
    units = sum(len(units) for units in scores.strata)
    limits = []
    for cut, share in zip(cuts, profile, strict=True):
        variance = variance_of_mean(scores, (scores.values > cut).astype(float))
        limits.append(score_interval(float(share), variance, df, units))
    return np.array([each.low for each in limits]), np.array([each.high for each in limits])


def variance_of_mean(scores: Scores, values: Array) -> float:
    """Return the variance of the mean of some values of the scores over all tasks, as far as units vary."""
    parts = np.bincount(scores.unit_codes, weights=scores.weights * values)
    return float(
        sum(
            len(units) / (len(units) - 1) * np.sum((parts[units] - parts[units].mean()) ** 2)
            for units in scores.strata
            if len(units) > 1
        )
    )


def _middle(weights: Array, scores: Array) -> Array:
    """Return the mean of the middle half for each row of weights of sorted scores."""
    upper = np.cumsum(weights, axis=1)
    total = upper[:, -1:]
    inside = np.minimum(upper, 0.75 * total)
    inside -= np.maximum(upper - weights, 0.25 * total)
    np.maximum(inside, 0.0, out=inside)
    return np.asarray(inside @ scores / inside.sum(axis=1), float)


def _reach(sizes: Array, level: float) -> float:
    """Return the distance of a limit in standard deviations of the resamples, for strata of these sizes."""
    too_small = float(np.sum(sizes / (sizes - 1)) / len(sizes))
    return float(import_extra("scipy.stats").t.ppf((1 + level) / 2, sizes.sum() - len(sizes))) * sqrt(too_small)


def _resampled_weights(scores: Scores, seed: int) -> Array:
    """Return the weights of all scores, and of the ends of the scale, in each resample, one row each."""
    rng = np.random.default_rng(seed)
    columns = len(scores.values) + len(scores.ends)
    resamples = int(np.clip(_MOST_NUMBERS // columns, _FEWEST_RESAMPLES, RESAMPLES))
    draw = _draw_scores if len(np.unique(scores.unit_codes)) == len(scores.values) else _draw_runs
    batch = max(1, _BATCH_NUMBERS // columns)
    return np.concatenate([draw(scores, min(batch, resamples - done), rng) for done in range(0, resamples, batch)])


def _draw_runs(scores: Scores, rows: int, rng: np.random.Generator) -> Array:
    """Return weights of scores whose runs are drawn whole, among those that played the same tasks."""
    times = np.zeros((rows, int(scores.unit_codes.max()) + 1))
    for units in scores.strata:
        times[:, units] = rng.multinomial(len(units), np.full(len(units), 1 / len(units)), size=rows)
    weights = times[:, scores.unit_codes]
    # A place that no drawn run has played has no weight in this resample.
    for code, share in enumerate(scores.shares):
        own = scores.place_codes == code
        total = weights[:, own].sum(axis=1, keepdims=True)
        weights[:, own] *= share / np.where(total > 0, total, 1.0)
    weights /= weights.sum(axis=1, keepdims=True)
    return np.concatenate((weights, np.zeros((rows, len(scores.ends)))), axis=1)


def _draw_scores(scores: Scores, rows: int, rng: np.random.Generator) -> Array:
    """Return weights of scores that are units by themselves, drawn within places; see `BORROWED` for the exception."""
    columns = len(scores.values) + len(scores.ends)
    weights = np.zeros((rows, columns))
    varied = _NEARLY_EQUAL * float(scores.values.var())
    if scores.ends:
        varied = max(varied, _NEARLY_EQUAL_ON_SCALE * (scores.ends[-1] - scores.ends[0]) ** 2)
    for units in scores.strata:
        own, share = len(units), scores.shares[scores.place_codes[units[0]]]
        drawn = (rng.random((rows, own)) * own).astype(np.int64) + np.arange(rows)[:, None] * own
        exact = own == 1 and scores.exact is not None and scores.exact[units[0]]
        if not exact and scores.values[units].var() < varied:
            other = rng.random((rows, own)) < BORROWED / (own + BORROWED)
            row, many = np.nonzero(other)[0], int(other.sum())
            anywhere = rng.integers(0, columns, many)
            end = rng.integers(columns - len(scores.ends), columns, many) if scores.ends else anywhere
            borrowed = np.where(rng.random(many) < 0.5, anywhere, end)
            np.add.at(weights, (row, borrowed), share / own)
            drawn = drawn[~other]
        times = np.bincount(drawn.ravel(), minlength=rows * own).reshape(rows, own)
        weights[:, units] += share / own * times
    return weights
