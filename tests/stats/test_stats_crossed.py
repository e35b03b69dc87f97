"""The crossed model compared with R's lme4, with brute force, and with itself."""

from math import inf

import numpy as np
import pytest
from numpy.typing import NDArray

from crossed_sets import SETS, Row
from puzzlebox.stats import CannotCompute, CrossedFit, fit_crossed
from puzzlebox.stats.crossed import mean_probability, t_quantile
from puzzlebox.stats.crossed_likelihood import Likelihood

# What `Rscript model.R --intervals` of a report on these episodes printed with R 4.2.2 and lme4 1.1-31: estimate,
# standard error and the limits of the profile interval (with the t quantile of so many df) of each term, the standard
# deviations, the log-likelihood, and F of all agents together. The slow suite runs the script itself.
Expected = tuple[dict[str, tuple[float, ...]], dict[str, float], float, float]
OF_R: dict[str, Expected] = {
    "balanced": (
        {
            "b": (1.03805, 0.337079, 19, 0.328247, 1.79041),
            "c": (1.18577, 0.334497, 19, 0.47905, 1.92889),
            "intercept": (-0.561235, 0.267604),
        },
        {"task": 0.562145, "task:agent": 0.768787},
        -378.785,
        6.58973,
    ),
    "people": (
        {
            "b": (1.16517, 0.443351, 23, 0.261273, 2.14348),
            "people": (1.65807, 0.486786, 11, 0.586161, 2.81938),
            "2": (-1.87806, 0.444274, 27, -2.85248, -0.944349),
            "3": (-1.36041, 0.438029, 27, -2.30153, -0.418057),
            "intercept": (0.0730528, 0.374846),
        },
        {"task": 0.427728, "task:agent": 0.969863, "subject": 0.995855},
        -323.816,
        6.4848,
    ),
    "separated": (
        {
            "b": (1.03793, 0.346282, 14, 0.255521, 1.88381),
            "c": (6.1083, 1.3443, 14, 4.00335, 10.8226),
            "intercept": (-0.364461, 0.317376),
        },
        {"task": 0.798518, "task:agent": 0.497002},
        -152.755,
        26.9324,
    ),
}


def fitted(rows: list[Row], reference: str = "a") -> CrossedFit:
    factors = {"agent": [row.agent for row in rows]}
    if rows[0].level:
        factors["level"] = [row.level for row in rows]
    return fit_crossed(
        [row.passed for row in rows],
        factors,
        [row.task for row in rows],
        [row.participant for row in rows],
        references={"agent": reference} | ({"level": "1"} if rows[0].level else {}),
    )


@pytest.mark.parametrize("name", SETS)
def test_the_model_is_that_of_lme4(name: str) -> None:
    fit = fitted(SETS[name])
    terms, spreads, likelihood, overall = OF_R[name]
    assert {each.name for each in fit.effects} == terms.keys()
    for each in fit.effects:
        value, error, *profile = terms[each.name]
        assert (each.estimate, each.error) == pytest.approx((value, error), abs=1e-4), each.name
        if profile:
            df, low, high = profile
            found = fit.profile(fit.contrast(each.factor, each.name, fit.references[each.factor]), df)
            assert (found.low, found.high) == pytest.approx((low, high), abs=5e-4), each.name
    assert fit.spreads == pytest.approx(spreads, abs=1e-4)
    assert fit.log_likelihood == pytest.approx(likelihood, abs=1e-3)
    assert fit.test(fit.all_contrasts("agent"), 20).statistic == pytest.approx(overall, abs=1e-4)


@pytest.mark.parametrize("name", SETS)
def test_the_gradient_is_that_of_the_likelihood(name: str) -> None:
    function = Likelihood(fitted(SETS[name]).cells)
    count = len(function.cells.random) + function.cells.design.shape[1]
    point = np.linspace(0.4, 1.1, count)
    slope = function(point)[1]
    for index in range(count):
        shift = 1e-5 * np.eye(count)[index]
        rise = (function(point + shift)[0] - function(point - shift)[0]) / 2e-5
        assert slope[index] == pytest.approx(rise, abs=2e-5)


def test_the_likelihood_is_laplaces_method_with_plain_matrices() -> None:
    """The same number from the whole matrix of intercepts, without any elimination."""
    rows = SETS["people"][::3]
    cells = fitted(rows).cells
    function = Likelihood(cells)
    point = np.array([0.8, 0.6, 1.1, 0.1, 0.3, 0.9, -0.7, -0.2])
    sizes = cells.tasks, len(cells.task_of_pair), cells.subjects
    columns = np.zeros((len(cells.trials), sum(sizes)))
    for cell in range(len(cells.trials)):
        columns[cell, cells.task[cell]] = 0.8
        columns[cell, sizes[0] + cells.pair[cell]] = 0.6
        if cells.subject[cell] >= 0:
            columns[cell, sizes[0] + sizes[1] + cells.subject[cell]] = 1.1
    fixed = cells.design[cells.row] @ point[3:]
    mode: NDArray[np.float64] = np.zeros(sum(sizes))
    for _ in range(30):
        chance = 1 / (1 + np.exp(-(fixed + columns @ mode)))
        curve = columns.T @ ((cells.trials * chance * (1 - chance))[:, None] * columns) + np.eye(len(mode))
        mode += np.linalg.solve(curve, columns.T @ (cells.passes - cells.trials * chance) - mode)
    eta = fixed + columns @ mode
    joint = np.sum(cells.passes * eta - cells.trials * np.log1p(np.exp(eta))) - mode @ mode / 2
    assert function(point)[0] == pytest.approx(joint - np.linalg.slogdet(curve)[1] / 2, abs=1e-8)


def test_a_variance_of_0_is_estimated_again_where_agents_are_taken_to_be_equal() -> None:
    """Agents differ on tasks only by their skill; if they had the same, tasks would have to explain the difference."""
    middling = [(7, 10), (1, 6), (3, 6), (2, 12), (8, 10), (3, 8), (5, 11), (3, 6), (4, 7), (3, 9), (1, 8), (5, 5)]
    middling += [(8, 9), (5, 9), (2, 5)]
    weak = [2, 1, 0, 1, 2, 1, 4, 0, 1, 1, 0, 7, 2, 1, 1]
    passes = [each[0] for each in middling] + weak
    trials = [each[1] for each in middling] + [9] * len(weak)
    agents = ["middling"] * len(weak) + ["weak"] * len(weak)
    fit = fit_crossed(passes, {"agent": agents}, [f"{number % 15}" for number in range(30)], trials=trials)
    assert fit.spreads["task:agent"] == 0
    # By glmer of R 4.2.2 and lme4 1.1-31, with and without the agent; with the variance fixed at 0 it would be 34.93.
    assert fit.test(fit.all_contrasts("agent"), 14).statistic == pytest.approx(19.6833, abs=2e-4)


def test_no_estimate_depends_on_the_reference() -> None:
    """Also where an agent is separated: the prior is about deviations from the mean, not from the reference."""
    for rows in (SETS["balanced"], SETS["separated"]):
        first, other = fitted(rows, "a"), fitted(rows, "c")
        for pair in (("b", "a"), ("c", "b")):
            one, two = (fit.estimate(fit.contrast("agent", *pair)) for fit in (first, other))
            assert one == pytest.approx(two, abs=1e-4)
            tests = [fit.test(fit.contrast("agent", *pair), 14).statistic for fit in (first, other)]
            assert tests[0] == pytest.approx(tests[1], abs=1e-4)


def test_categories_that_separate_only_together_are_penalised() -> None:
    """Neither agent nor level passed always or never, but b passes nothing on level 2 and everything on level 1."""
    rows = [
        Row(agent, f"{level} {task}", level, "", passed)
        for agent, level, passed in (("a", "1", True), ("a", "2", True), ("b", "1", True), ("b", "2", False))
        for task in range(6)
        for _ in range(2)
    ]
    fit = fitted(rows)
    assert fit.penalised == ("agent", "level")
    assert all(abs(each.estimate) < 15 and each.error < inf for each in fit.effects)


def test_episodes_of_many_more_cells_are_counted_together() -> None:
    rows = SETS["balanced"]
    one = fitted(rows)
    counts: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        own = counts.setdefault((row.agent, row.task), [0, 0])
        own[0] += row.passed
        own[1] += 1
    two = fit_crossed(
        [passes for passes, _ in counts.values()],
        {"agent": [agent for agent, _ in counts]},
        [task for _, task in counts],
        trials=[trials for _, trials in counts.values()],
        references={"agent": "a"},
    )
    assert [each.estimate for each in two.effects] == pytest.approx([each.estimate for each in one.effects], abs=1e-6)
    assert (two.episodes, len(one.cells.trials)) == (600, 60)


@pytest.mark.parametrize(
    ("passed", "agents", "levels", "why"),
    [
        ([], [], [], "no episodes"),
        ([True] * 4, ["a", "b"] * 2, ["1", "1", "2", "2"], "every episode passed"),
        ([False] * 4, ["a", "b"] * 2, ["1", "1", "2", "2"], "no episode passed"),
        ([True, False] * 2, ["a", "a", "b", "b"], ["1", "1", "2", "2"], "are confounded"),
    ],
)
def test_models_that_cannot_be_fitted_are_refused_with_the_reason(
    passed: list[bool], agents: list[str], levels: list[str], why: str
) -> None:
    with pytest.raises(CannotCompute, match=why):
        fit_crossed(passed, {"agent": agents, "level": levels}, ["t"] * len(passed))


def test_an_unknown_reference_is_refused() -> None:
    with pytest.raises(ValueError, match="'ppo' is not a category of agent"):
        fitted(SETS["balanced"], "ppo")


def test_mean_probabilities_and_quantiles() -> None:
    assert mean_probability(0, 2) == pytest.approx(0.5)
    draws = np.random.default_rng(0).normal(1, 2, 200_000)
    assert mean_probability(1, 2) == pytest.approx(np.mean(1 / (1 + np.exp(-draws))), abs=3e-3)
    assert (mean_probability(inf, 1), mean_probability(-inf, 1)) == (1, 0)
    assert t_quantile(inf) == pytest.approx(1.959964, abs=1e-6)
    assert t_quantile(4) == pytest.approx(2.776445, abs=1e-6)
