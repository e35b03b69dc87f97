"""The mixed model compared with independent fits: R's lme4, brute force, and statsmodels."""

from collections.abc import Iterator
from math import exp

import numpy as np
import pytest
from numpy.typing import NDArray

from puzzlebox.stats import CannotCompute, Fit, fit_mixed_logistic
from puzzlebox.stats.mixed import _Cells, _likelihood

# Contagious bovine pleuropneumonia (Lesnoff et al. 2004), the example of lme4's manual: new cases and herd size, by
# herd and by period, as in R's `data(cbpp)`.
CASES = [2, 3, 4, 0, 3, 1, 1, 8, 2, 0, 2, 2, 0, 2, 0, 5, 0, 0, 1, 3, 0, 0, 1, 8, 1, 3, 0, 12]
CASES += [2, 0, 0, 0, 1, 1, 0, 2, 0, 5, 3, 1, 2, 1, 0, 0, 1, 2, 0, 0, 11, 0, 0, 0, 1, 1, 1, 0]
SIZES = [14, 12, 9, 5, 22, 18, 21, 22, 16, 16, 20, 10, 10, 9, 6, 18, 25, 24, 4, 17, 17, 18, 20, 16, 10, 9, 5, 34]
SIZES += [9, 6, 8, 6, 22, 22, 18, 22, 25, 27, 22, 22, 10, 8, 6, 5, 21, 24, 19, 23, 19, 2, 3, 2, 19, 15, 15, 15]
PERIODS = [4, 3, 4, 4, 4, 4, 4, 1, 4, 4, 4, 4, 4, 4, 4]


def herds() -> tuple[list[bool], list[str], list[str]]:
    passed: list[bool] = []
    periods: list[str] = []
    groups: list[str] = []
    rows = [(herd, period) for herd, many in enumerate(PERIODS) for period in range(1, many + 1)]
    for (herd, period), cases, size in zip(rows, CASES, SIZES, strict=True):
        passed += [True] * cases + [False] * (size - cases)
        periods += [str(period)] * size
        groups += [str(herd)] * size
    return passed, periods, groups


def draws(seed: int) -> Iterator[float]:
    """Yield numbers between 0 and 1 by plain arithmetic, so that the data given to R are reproducible."""
    state = seed
    while True:
        state = (6364136223846793005 * state + 1442695040888963407) % 2**64
        yield (state >> 11) / 2**53


def uneven(seed: int, children: int, most: int, spread: float) -> list[tuple[bool, str, str, str]]:
    """Return episodes (passed, agent, level, child), 0 to `most` of each combination."""
    rows = []
    draw = draws(seed)
    for child in range(children):
        ease = spread * (sum(next(draw) for _ in range(12)) - 6)
        for agent, skill in (("random", -1.2), ("heuristic", 0.1), ("learner", 0.9)):
            for level, harder in (("1", 0.0), ("2", 0.5), ("3", 1.4), ("4", -0.3)):
                for _ in range(int(next(draw) * (most + 1))):
                    chance = 1 / (1 + exp(-(skill - harder + ease)))
                    rows.append((next(draw) < chance, agent, level, f"child {child}"))
    return rows


def made_up(seed: int, tasks: int = 40, spread: float = 1.2) -> tuple[list[bool], list[str], list[str]]:
    """Draw episodes of three agents on tasks of different difficulty."""
    chance = np.random.default_rng(seed)
    passed: list[bool] = []
    agents: list[str] = []
    names: list[str] = []
    for task in range(tasks):
        ease = chance.normal(0, spread)
        for agent, skill in (("random", -1.0), ("heuristic", 0.3), ("learner", 1.1)):
            for _ in range(4):
                passed.append(bool(chance.random() < 1 / (1 + np.exp(-(skill + ease)))))
                agents.append(agent)
                names.append(str(task))
    return passed, agents, names


def brute_force(point: NDArray[np.float64], passed: list[bool], agents: list[str], groups: list[str]) -> float:
    """Return the log-likelihood by the trapezoidal rule over a fine grid for each group."""
    effect = {"random": 0.0, "heuristic": point[1], "learner": point[2]}
    u = np.linspace(-9, 9, 4001)
    density = np.exp(-(u**2) / 2) / np.sqrt(2 * np.pi)
    total = 0.0
    for group in dict.fromkeys(groups):
        height = density.copy()
        for outcome, agent, name in zip(passed, agents, groups, strict=True):
            if name == group:
                chance = 1 / (1 + np.exp(-(point[0] + effect[agent] + point[3] * u)))
                height *= chance if outcome else 1 - chance
        total += np.log(np.sum((height[1:] + height[:-1]) / 2) * (u[1] - u[0]))
    return total


# What R 4.2.2 printed with lme4 1.1-31 and numDeriv 2016.8-1.1: estimate and standard error of each term, the spread
# and the log-likelihood. One row is one episode; of counts, `cbind(incidence, size - incidence)`, lme4 prints the
# likelihood against the saturated model's (-50.005 for cbpp), and the rest is the same.
#
#   fit <- function(formula, data, nodes = 10) {
#     control <- glmerControl("bobyqa", tolPwrss = 1e-13, optCtrl = list(rhoend = 1e-9, maxfun = 1e6))
#     model <- glmer(formula, data, binomial, control, nAGQ = nodes)
#     curve <- numDeriv::hessian(update(model, devFunOnly = TRUE), c(getME(model, "theta"), fixef(model)))
#     list(fixef(model), sqrt(diag(solve(curve / 2)))[-1], getME(model, "theta"), logLik(model))
#   }
#
# The errors of `summary(model)` are those of `curve` by a coarser difference, here the same to 5 digits.
Expected = tuple[dict[str, tuple[float, float]], float, float]
# fit(passed ~ period + (1 | herd), cbpp's rows written out); the estimates are those of lme4's manual.
HERDS: Expected = (
    {
        "intercept": (-1.3992304, 0.2335116),
        "2": (-0.9914037, 0.3067680),
        "3": (-1.1278194, 0.3267684),
        "4": (-1.5794708, 0.4275945),
    },
    0.6475185,
    -277.4590284,
)
# fit(passed ~ agent + level + (1 | child), the rows of uneven(2024, 17, 5, 1.1))
ORDINARY: Expected = (
    {
        "intercept": (-0.8636227, 0.3710879),
        "heuristic": (1.1918648, 0.2738294),
        "learner": (1.6127359, 0.2806613),
        "2": (-0.8450989, 0.3227258),
        "3": (-1.4416511, 0.3218031),
        "4": (0.0154899, 0.2933175),
    },
    1.0394755,
    -275.7531911,
)
# The same of uneven(5, 60, 1, 3.0): with few episodes of each child and a wide spread the integrand is far from normal,
# so that ten nodes do not give the integral; only a fit that maximises the same sum as lme4 agrees with it.
WIDE: Expected = (
    {
        "intercept": (-1.2648997, 0.6968501),
        "heuristic": (2.1861228, 0.5197869),
        "learner": (2.7144624, 0.5529893),
        "2": (-1.6398142, 0.5599104),
        "3": (-2.2777816, 0.5825154),
        "4": (-0.6241643, 0.5030285),
    },
    3.9126509,
    -162.4622497,
)
# With nodes = 5.
WIDE_5: Expected = (
    {
        "intercept": (-1.2331135, 0.6763586),
        "heuristic": (2.1610563, 0.5141585),
        "learner": (2.6844580, 0.5461095),
        "2": (-1.6232106, 0.5560877),
        "3": (-2.2569273, 0.5773845),
        "4": (-0.6221381, 0.5012273),
    },
    3.7608492,
    -162.9764357,
)


def agrees(fit: Fit, expected: Expected) -> None:
    terms, spread, likelihood = expected
    assert {term.name for term in fit.terms} == terms.keys()
    for term in fit.terms:
        assert (term.estimate, term.error) == pytest.approx(terms[term.name], abs=3e-6), term.name
    assert fit.spread == pytest.approx(spread, abs=3e-6)
    assert fit.log_likelihood == pytest.approx(likelihood, abs=1e-6)


def test_the_fit_of_lme4s_example_agrees_with_lme4() -> None:
    passed, periods, groups = herds()
    fit = fit_mixed_logistic(passed, {"period": periods}, groups)
    agrees(fit, HERDS)
    assert (fit.groups, fit.rows, fit.references) == (15, 842, {"period": "1"})


@pytest.mark.parametrize(
    ("arguments", "size", "nodes", "expected"),
    [
        ((2024, 17, 5, 1.1), (498, 202), 10, ORDINARY),
        ((5, 60, 1, 3.0), (371, 164), 10, WIDE),
        ((5, 60, 1, 3.0), (371, 164), 5, WIDE_5),
    ],
    ids=["ordinary", "wide", "wide, 5 nodes"],
)
def test_two_factors_as_lme4_fits_them(
    arguments: tuple[int, int, int, float], size: tuple[int, int], nodes: int, expected: Expected
) -> None:
    rows = uneven(*arguments)
    passed, agents, levels, children = ([row[place] for row in rows] for place in range(4))
    assert (len(passed), sum(passed)) == size  # the data given to R
    references = {"agent": "random", "level": "1"}
    agrees(fit_mixed_logistic(passed, {"agent": agents, "level": levels}, children, references, nodes), expected)


def test_the_fit_agrees_with_a_brute_force_fit() -> None:
    """Another optimiser maximises the exact likelihood; estimates, spread, errors and maximum agree."""
    from scipy.optimize import minimize

    passed, agents, groups = made_up(7, tasks=25)
    fit = fit_mixed_logistic(passed, {"agent": agents}, groups)
    assert fit.spread is not None
    mine = np.array([*(term.estimate for term in fit.terms), fit.spread])
    assert fit.log_likelihood == pytest.approx(brute_force(mine, passed, agents, groups), abs=1e-4)
    other = minimize(
        lambda point: -brute_force(point, passed, agents, groups),
        mine + np.array([0.3, -0.2, 0.2, 0.3]),
        method="BFGS",
        options={"gtol": 1e-4},
    )
    assert other.x == pytest.approx(mine, abs=2e-3)
    curve = np.zeros((4, 4))
    step = 1e-3
    for i in range(4):
        for j in range(4):
            corners = [
                brute_force(mine + step * (a * np.eye(4)[i] + b * np.eye(4)[j]), passed, agents, groups)
                for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1))
            ]
            curve[i, j] = (corners[0] - corners[1] - corners[2] + corners[3]) / (4 * step**2)
    errors = np.sqrt(np.diag(np.linalg.inv(-curve)))
    assert [term.error for term in fit.terms] == pytest.approx(errors[:3], rel=1e-3)


@pytest.mark.parametrize("nodes", [5, 10])
@pytest.mark.parametrize("spread", [0.9, -0.9, 4.0])
def test_the_gradient_of_the_likelihood_agrees_with_differences(spread: float, nodes: int) -> None:
    """Also with too few nodes for the integral: an optimiser needs the gradient of its objective."""
    passed, agents, groups = made_up(3, tasks=12)
    codes = np.array([["random", "heuristic", "learner"].index(agent) for agent in agents])
    design = np.stack([np.ones(len(codes)), codes == 1, codes == 2], axis=1).astype(float)
    keys = np.stack([np.array(groups, int), codes], axis=1)
    data = _Cells.of(np.array(passed, float), design, keys, 12, nodes)
    point = np.array([-0.4, 0.8, 1.7, spread])
    slope = _likelihood(data, point)[1]
    for i in range(4):
        shift = 1e-5 * np.eye(4)[i]
        rise = (_likelihood(data, point + shift)[0] - _likelihood(data, point - shift)[0]) / 2e-5
        assert slope[i] == pytest.approx(rise, abs=1e-7)


def test_without_groups_the_fit_is_the_logistic_model_of_statsmodels() -> None:
    import statsmodels.api as sm

    passed, agents, _ = made_up(11)
    fit = fit_mixed_logistic(passed, {"agent": agents})
    design = np.array([[1, agent == "heuristic", agent == "learner"] for agent in agents], float)
    other = sm.Logit(np.array(passed, float), design).fit(disp=0)
    assert [term.estimate for term in fit.terms] == pytest.approx(other.params, abs=1e-6)
    assert [term.error for term in fit.terms] == pytest.approx(other.bse, abs=1e-6)
    assert fit.log_likelihood == pytest.approx(other.llf)
    assert fit.aic == pytest.approx(other.aic)
    assert fit.spread is None


def test_the_fit_recovers_the_parameters_of_simulated_data() -> None:
    passed, agents, groups = made_up(1, tasks=400)
    fit = fit_mixed_logistic(passed, {"agent": agents}, groups, {"agent": "heuristic"})
    assert fit.spread == pytest.approx(1.2, abs=0.15)
    assert fit.term("learner").estimate == pytest.approx(0.8, abs=3 * fit.term("learner").error)
    assert fit.term("random").odds_ratio < 1 < fit.term("learner").odds_ratio
    assert fit.term("learner").low < fit.term("learner").odds_ratio < fit.term("learner").high
    assert fit.term("random").p < 1e-6
    with pytest.raises(KeyError, match="it has intercept"):
        fit.term("nobody")


def test_groups_that_do_not_differ_have_no_spread() -> None:
    passed = [True, False] * 40
    agents = ["a", "a", "b", "b"] * 20
    groups = [str(i // 4) for i in range(80)]
    fit = fit_mixed_logistic(passed, {"agent": agents}, groups)
    assert fit.spread == 0
    assert any("no more than by chance" in remark for remark in fit.remarks)


def test_an_agent_that_is_its_own_group_is_pointed_out() -> None:
    """As in the published model, where each agent played once and children were many."""
    chance = np.random.default_rng(0)
    agents = ["children"] * 300 + ["random"] * 40 + ["dreamer"] * 40
    groups = [f"child {i % 30}" for i in range(300)] + ["random"] * 40 + ["dreamer"] * 40
    passed = [bool(chance.random() < 0.5) for _ in agents]
    fit = fit_mixed_logistic(passed, {"agent": agents}, groups)
    (sentence,) = [remark for remark in fit.remarks if "a single group" in remark]
    assert sentence.startswith("random, dreamer are each a single group")


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
        fit_mixed_logistic(passed, {"agent": agents, "level": levels}, ["t"] * len(passed))


def test_near_separation_is_reported() -> None:
    """Neither agent nor level separates alone, but together they do: b passes nothing on level 2 and all on level 1."""
    rows = [("a", "1", True), ("a", "2", True), ("b", "1", True), ("b", "2", False), ("a", "1", True)] * 6
    fit = fit_mixed_logistic(
        [passed for *_, passed in rows], {"agent": [a for a, *_ in rows], "level": [level for _, level, _ in rows]}
    )
    assert any("is (nearly) separated" in remark for remark in fit.remarks)
    assert not all(term.settled for term in fit.terms)


def test_wrong_numbers_of_nodes_and_unknown_references_are_refused() -> None:
    passed, agents, groups = made_up(2, tasks=5)
    with pytest.raises(ValueError, match="nodes is 1"):
        fit_mixed_logistic(passed, {"agent": agents}, groups, nodes=1)
    with pytest.raises(ValueError, match="'ppo' is not a category of agent"):
        fit_mixed_logistic(passed, {"agent": agents}, groups, {"agent": "ppo"})
