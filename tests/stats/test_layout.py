"""Measurement layouts: the sampler, the density, recovery of known capabilities, and cross-validation."""

import numpy as np
import pytest

from puzzlebox.report.capabilities import _Fits
from puzzlebox.stats import CannotCompute
from puzzlebox.stats import layout as layout_module
from puzzlebox.stats.hamiltonian import effective_size, r_hat, sample
from puzzlebox.stats.layout import Kind, Posterior, fit_layout, probability
from puzzlebox.stats.layout_validation import brier, cross_validate, folds_of, gain, mean_over_groups

KINDS: tuple[Kind, ...] = ("product", "weakest")


def made_up_tasks(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return tasks with a distance, a truth value, and a demand without effect, and whether an agent passed them.

    It is able to go 10 m, and fails behind walls.
    """
    rng = np.random.default_rng(seed)
    demands = np.column_stack((rng.uniform(0, 20, count), rng.random(count) < 0.4, rng.uniform(0, 5, count)))
    chance = 0.95 / (1 + np.exp(-(10 - demands[:, 0]) / 1.5)) * np.where(demands[:, 1], 0.05, 1.0)
    return demands, (rng.random(count) < chance).astype(float)


def test_the_sampler_draws_from_a_normal_distribution() -> None:
    spread = np.array((0.5, 2.0, 10.0))

    def density(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        z = (values - 3.0) / spread
        return -0.5 * (z**2).sum(axis=1), -z / spread

    draws = sample(density, np.zeros(3), 1000, 500, np.random.default_rng(0))
    assert 0.6 < draws.accepted <= 1.0
    np.testing.assert_allclose(draws.flat.mean(axis=0), 3.0, atol=0.12 * spread.max())
    np.testing.assert_allclose(draws.flat.std(axis=0), spread, rtol=0.1)
    assert (r_hat(draws.values) < 1.02).all()
    assert (effective_size(draws.values) > 400).all()


def test_chains_that_disagree_are_noticed() -> None:
    rng = np.random.default_rng(0)
    values = rng.standard_normal((4, 200, 2))
    values[0, :, 1] += 3.0
    assert r_hat(values)[0] < 1.05
    assert r_hat(values)[1] > 1.5
    slow = np.cumsum(rng.standard_normal((4, 200, 1)), axis=1)  # each draw close to the last
    assert effective_size(slow)[0] < 40


@pytest.mark.parametrize("kind", KINDS)
def test_the_gradient_is_the_derivative_of_the_density(kind: Kind) -> None:
    demands, shares = made_up_tasks(40)
    posterior = Posterior(demands / demands.max(axis=0), shares, np.ones(40), kind)
    rows = posterior.centre + 0.3 * np.random.default_rng(1).standard_normal((2, len(posterior.centre)))
    _, gradient = posterior(rows)
    for index in range(rows.shape[1]):
        step = np.zeros(rows.shape[1])
        step[index] = 1e-5
        numeric = (posterior(rows + step)[0] - posterior(rows - step)[0]) / 2e-5
        np.testing.assert_allclose(gradient[:, index], numeric, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_the_gradient_is_the_derivative_where_a_pass_is_all_but_impossible(kind: Kind) -> None:
    # Otherwise the sampler rejects every step, however short, and its chains stay where they are.
    demands = np.array(((1.0, 0.1), (0.2, 0.3)))
    posterior = Posterior(demands, np.array((1.0, 0.0)), np.ones(2), kind)
    rows = np.array(((-1.5, 1.0, np.log(0.15), -2.0),))
    assert probability(rows, demands, kind)[0, 0] < 1e-6
    _, gradient = posterior(rows)
    for index, step in enumerate(1e-5 * np.eye(4)):
        numeric = (posterior(rows + step)[0] - posterior(rows - step)[0]) / 2e-5
        np.testing.assert_allclose(gradient[:, index], numeric, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_the_density_is_that_of_the_formula(kind: Kind) -> None:
    demands = np.array(((0.2, 1.0), (0.9, 0.0)))
    parameters = np.array(((1.1, 0.4, np.log(0.2), -2.0),))
    margins = (np.array((1.1, 0.4)) - demands) / 0.2
    chances = 1 / (1 + np.exp(-margins))
    kept = 1 - 1 / (1 + np.exp(2.0))
    expected = kept * (chances.prod(axis=1) if kind == "product" else chances.min(axis=1))
    np.testing.assert_allclose(probability(parameters, demands, kind)[0], expected)
    posterior = Posterior(demands, np.array((0.0, 1.0)), np.array((1.0, 2.0)), kind)
    z = (parameters[0] - posterior.centre) / (0.6, 0.6, 0.4, 1.5)
    log_density = np.log(1 - expected[0]) + 2 * np.log(expected[1]) - 0.5 * (z**2).sum()
    assert posterior(parameters)[0][0] == pytest.approx(log_density)


def test_capabilities_are_recovered() -> None:
    demands, shares = made_up_tasks(250)
    layout = fit_layout(demands, shares, draws=300, warm_up=300)
    assert layout.r_hat < 1.05
    assert layout.effective_size > 100
    distance = layout.capability(0)
    assert distance.low < 10 < distance.high
    assert distance.high - distance.low < 5
    assert layout.success(1, 1.0).high < 0.3  # walls stop it
    assert layout.success(2, 5.0).value > 0.9  # the third dimension never does
    forecasts = layout.predict(np.array(((2.0, 0, 1), (18.0, 0, 1), (2.0, 1, 1))))
    assert forecasts[0].value > 0.8
    assert max(forecasts[1].value, forecasts[2].value) < 0.2
    assert all(each.low <= each.value <= each.high for each in forecasts)


def test_equal_seeds_give_equal_draws() -> None:
    demands, shares = made_up_tasks(30)
    first, second, other = (fit_layout(demands, shares, draws=20, warm_up=20, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first.draws, second.draws)
    assert not np.array_equal(first.draws, other.draws)


def test_few_tasks_and_variants_of_few_tasks_are_refused() -> None:
    demands, shares = made_up_tasks(30)
    with pytest.raises(CannotCompute, match="capabilities need 20 tasks, and there are 12"):
        fit_layout(demands[:12], shares[:12])
    with pytest.raises(CannotCompute, match="there are 10"):
        fit_layout(demands, shares, np.full(30, 1 / 3))


@pytest.mark.parametrize("outcome", [0.0, 1.0])
def test_an_agent_that_passes_all_or_nothing_has_finite_capabilities(outcome: float) -> None:
    demands, _ = made_up_tasks(40)
    layout = fit_layout(demands, np.full(40, outcome), draws=100, warm_up=150)
    assert np.isfinite(layout.draws).all()
    forecast = layout.predict(demands[:1])[0].value
    assert (forecast > 0.8) if outcome else (forecast < 0.2)


def test_tasks_that_belong_together_stay_in_one_fold() -> None:
    demands = np.arange(60.0).reshape(30, 2)
    groups = [str(index // 2) for index in range(30)]
    demands[29] = demands[0]  # the same arena in another task
    folds = folds_of(groups, demands, 5, seed=3)
    assert all(folds[index] == folds[index + 1] for index in range(0, 30, 2))
    assert folds[29] == folds[0]
    assert set(folds) == set(range(5))


def test_brier_scores_of_shares_are_means_over_episodes() -> None:
    assert brier(np.array((0.25,)), np.array((0.5,)))[0] == pytest.approx((0.75**2 + 0.25**2) / 2)


def test_groups_weigh_equally_in_a_mean() -> None:
    found = mean_over_groups(np.array((1.0, 1.0, 1.0, 3.0)), ["a", "a", "a", "b"])
    assert found.value == 2.0
    assert found.low < 2.0 < found.high


def test_the_layout_predicts_better_than_the_mean_where_demands_matter() -> None:
    demands, shares = made_up_tasks(80, seed=5)
    groups = list(range(80))
    shown: list[tuple[str, int, int]] = []
    fits = _Fits("a", lambda *step: shown.append(step))
    forecasts = cross_validate(demands, shares, np.ones(80), folds_of(groups, demands, 4), seed=1, done=fits.done)
    assert [done for _, done, _ in shown] == [0, 1, 2, 3, 4]  # after each fold
    better = gain(forecasts, groups)
    assert better.low > 0.02
    shuffled = np.random.default_rng(0).permutation(shares)
    nothing = gain(cross_validate(demands, shuffled, np.ones(80), folds_of(groups, demands, 4)), groups)
    assert nothing.value < 0.02


def test_chains_that_disagree_are_given_more_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    agreement = {1000: 1.2, 2000: 1.06, 4000: 1.01}

    def fit(*_: object, draws: int = 1000, warm_up: int = 1000, seed: int) -> layout_module.Layout:
        asked.append((draws, warm_up, seed))
        return layout_module.Layout("product", np.ones(1), np.zeros((1, 3)), agreement[draws], 100.0)

    monkeypatch.setattr(layout_module, "fit_layout", fit)
    assert layout_module.fit_agreeing(np.ones((30, 1)), np.ones(30), seed=3).r_hat == 1.01
    assert asked == [(1000, 1000, 3), (2000, 2000, 3), (4000, 4000, 3)]
    agreement[1000] = 1.04
    assert layout_module.fit_agreeing(np.ones((30, 1)), np.ones(30), seed=3).r_hat == 1.04
    assert len(asked) == 4
