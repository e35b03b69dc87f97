"""Measures of machine learners, against the definitions of rliable written out, and against scipy."""

import numpy as np
import pytest
from numpy.typing import NDArray

from puzzlebox.stats import CannotCompute
from puzzlebox.stats.improvement import probability_of_improvement
from puzzlebox.stats.learners import (
    Resampled,
    Scores,
    interquartile_mean,
    interquartile_mean_interval,
    mean_interval,
    optimality_gap,
    optimality_gap_interval,
    performance_profile,
    profile_band,
)

Array = NDArray[np.float64]


def matrix(scores: Array) -> Scores:
    """Return scores of runs x tasks, each run having played all tasks."""
    runs, tasks = scores.shape
    return Scores(
        scores.ravel(),
        [f"task {task}" for _ in range(runs) for task in range(tasks)],
        [f"run {run}" for run in range(runs) for _ in range(tasks)],
    )


def apart(scores: Array) -> Scores:
    """Return scores of episodes x tasks, each a unit of its own."""
    return Scores(scores.ravel(), [f"task {task}" for _ in scores for task in range(scores.shape[1])])


@pytest.fixture
def runs() -> Array:
    return np.random.default_rng(4).normal(0.5, 0.3, (8, 6))


def test_definitions_of_rliable(runs: Array) -> None:
    from scipy.stats import trim_mean

    assert interquartile_mean(runs) == pytest.approx(trim_mean(runs.ravel(), 0.25))
    assert optimality_gap(runs) == pytest.approx(1.0 - np.mean(np.minimum(runs, 1.0)))
    for cut, share in zip((0.0, 0.4, 1.2), performance_profile(matrix(runs), [0.0, 0.4, 1.2]), strict=True):
        assert share == pytest.approx(np.mean([np.mean(runs[:, task] > cut) for task in range(6)]))


def test_probability_of_improvement_of_rliable(runs: Array) -> None:
    from scipy.stats import mannwhitneyu

    other = np.round(np.random.default_rng(5).normal(0.4, 0.3, (5, 6)), 1)
    rounded = np.round(runs, 1)
    per_task = [mannwhitneyu(rounded[:, t], other[:, t]).statistic / (8 * 5) for t in range(6)]
    found = probability_of_improvement(matrix(rounded), matrix(other))
    assert found.value == pytest.approx(np.mean(per_task))
    assert probability_of_improvement(matrix(other), matrix(rounded)).value == pytest.approx(1 - found.value)
    assert found.low < found.value < found.high


def test_variance_of_an_improvement_is_that_of_brunner_and_munzel(runs: Array) -> None:
    """For one task, the variance of the placements is that of Brunner and Munzel; scipy gives their statistic."""
    from scipy.stats import brunnermunzel, norm, t

    from puzzlebox.stats.effective import score_interval

    first, second = runs[:, 0], runs[:, 1] + 0.1
    test = brunnermunzel(second, first, alternative="two-sided", distribution="normal")
    found = probability_of_improvement(Scores(first, ["a"] * 8), Scores(second, ["a"] * 8))
    variance = ((found.value - 0.5) / test.statistic) ** 2
    # The degrees of freedom follow from the p value of the t version.
    p = brunnermunzel(second, first, distribution="t").pvalue
    df = min(np.arange(2, 15, 0.01), key=lambda each: abs(2 * t.sf(abs(test.statistic), each) - p))
    assert found == pytest.approx(score_interval(found.value, variance, df, 8), abs=1e-3)
    assert norm.sf(abs(test.statistic)) * 2 == pytest.approx(test.pvalue)


def test_a_quarter_is_omitted_also_of_numbers_that_four_does_not_divide() -> None:
    # Of ten values 2.5 are omitted at each end: the third and the eighth count half.
    assert interquartile_mean(np.arange(10.0) ** 2) == pytest.approx((0.5 * 4 + 9 + 16 + 25 + 36 + 0.5 * 49) / 5)
    assert interquartile_mean([5.0]) == 5
    with pytest.raises(CannotCompute, match="no values"):
        interquartile_mean([])


def test_tasks_weigh_equally() -> None:
    """A task with many episodes weighs as much as one with few, and a task of two arenas as much as one of one."""
    scores = Scores(np.array([0.0] * 30 + [1.0] * 10), ["a"] * 30 + ["b"] * 10)
    assert performance_profile(scores, [0.5])[0] == pytest.approx(0.5)
    places = Scores(
        np.array([0.0] * 5 + [1.0] * 5 + [1.0] * 5), ["a"] * 10 + ["b"] * 5, places=[1] * 5 + [2] * 5 + [1] * 5
    )
    assert performance_profile(places, [0.5])[0] == pytest.approx(0.75)
    assert mean_interval(Resampled(places)).value == pytest.approx(0.75)


def test_interval_of_a_mean_is_that_of_students_t(runs: Array) -> None:
    """The mean of runs that played all tasks is that of independent run means."""
    from scipy.stats import t

    means = runs.mean(axis=1)
    expected = t.ppf(0.975, 7) * means.std(ddof=1) / np.sqrt(8)
    found = mean_interval(Resampled(matrix(runs)))
    assert (found.high - found.low) / 2 == pytest.approx(expected, rel=0.05)


def test_interval_against_scipys_bootstrap() -> None:
    """With many units the corrections vanish, and the interval is scipy's percentile interval."""
    from scipy.stats import bootstrap, trim_mean

    values = np.random.default_rng(6).normal(0.5, 0.2, 200)
    reference = bootstrap(
        (values,),
        lambda each, axis: trim_mean(each, 0.25, axis=axis),
        method="percentile",
        rng=np.random.default_rng(1),
    ).confidence_interval
    found = interquartile_mean_interval(Resampled(Scores(values, ["a"] * 200)))
    assert found.low == pytest.approx(reference.low, abs=0.006)
    assert found.high == pytest.approx(reference.high, abs=0.006)


def test_equal_scores_do_not_make_certain() -> None:
    """Ten episodes that all scored 1 do not prove that the next does; a hundred leave little doubt."""
    gaps = [optimality_gap_interval(Resampled(apart(np.ones((many, 2))))) for many in (5, 50)]
    assert gaps[0].value == 0 and gaps[0].high > 0.1 > gaps[1].high > 0
    low, high = profile_band(apart(np.ones((5, 2))), [0.5])
    assert (low[0], high[0]) == (pytest.approx(0.65, abs=0.1), 1.0)


def test_exact_scores_do_not_vary() -> None:
    """An agent that always does the same on one of its tasks varies on the others only."""
    values, tasks = np.array([0.2, 0.4, 0.6, 0.3, 0.5, 1.0]), ["a"] * 5 + ["b"]
    exact = Scores(values, tasks, exact=[False] * 5 + [True])
    both, alone = mean_interval(Resampled(exact)), mean_interval(Resampled(Scores(values[:5], tasks[:5])))
    assert both.value == pytest.approx((alone.value + 1) / 2)
    assert both.high - both.low == pytest.approx((alone.high - alone.low) / 2, rel=0.1)
    with pytest.raises(CannotCompute, match="played only once"):
        Resampled(Scores(values, tasks))


def test_a_seed_gives_the_same_interval(runs: Array) -> None:
    first, again = (interquartile_mean_interval(Resampled(apart(runs), 3)) for _ in range(2))
    assert first == again != interquartile_mean_interval(Resampled(apart(runs), 4))


@pytest.mark.parametrize(
    ("scores", "why"),
    [
        (matrix(np.ones((4, 3))), "it takes 5, and there are 4"),
        (apart(np.ones((1, 7))), "a task was played only once"),
    ],
)
def test_too_few_units(scores: Scores, why: str) -> None:
    with pytest.raises(CannotCompute, match=why):
        Resampled(scores)


def test_returns_too_large_to_compute_with() -> None:
    with pytest.raises(CannotCompute, match="too large"):
        apart(np.full((5, 2), 1e308))


def test_agents_without_a_common_task() -> None:
    with pytest.raises(CannotCompute, match="no task in common"):
        probability_of_improvement(Scores(np.ones(5), ["a"] * 5), Scores(np.ones(5), ["b"] * 5))


def test_complete_separation_is_not_certain() -> None:
    found = probability_of_improvement(Scores(np.arange(5.0) + 9, ["a"] * 5), Scores(np.arange(5.0), ["a"] * 5))
    assert found.value == found.high == 1 and 0.3 < found.low < 0.7


def test_the_optimality_gap_of_an_agent_that_never_failed_is_not_known_exactly() -> None:
    gap = optimality_gap_interval(Resampled(Scores(np.ones(20), ["a"] * 10 + ["b"] * 10)))
    # Wilson's limit for none of 20, a little wider for the estimated variance.
    assert gap.value == gap.low == 0 and 0.16 < gap.high < 0.2
    below = optimality_gap_interval(Resampled(Scores(np.r_[np.ones(19), -2.0], ["a"] * 10 + ["b"] * 10)))
    assert below.value == pytest.approx(3 / 20) and below.low < below.value < below.high
