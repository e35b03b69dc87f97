"""Item response theory compared with R, with brute force, and with simulated truth."""

from collections.abc import Iterator

import numpy as np
import pytest

from puzzlebox.stats import CannotCompute
from puzzlebox.stats.irt import Cells, fit_irt
from puzzlebox.stats.irt_items import differences, item_fit

# R 4.2.2, lme4 1.1.31, by the number of trials: `glmer(cbind(passes, trials - passes) ~ 0 + player + (1 | item),
# binomial, nAGQ = 25)` of the data of `made_up_cells`.
LME4 = {
    1: {
        "abilities": [-1.501179344, -1.165854942, -0.564846173, 0.847976143, 1.679691529, 2.591563197],
        "errors": [0.496157485, 0.472725770, 0.445887400, 0.456814414, 0.512697559, 0.621992783],
        "spread": 1.43651194,
        "log_likelihood": -126.118173,
    },
    3: {
        "abilities": [-1.944162659, -1.346467992, -0.693320355, 0.275710179, 0.863200284, 1.810474580],
        "errors": [0.309968064, 0.276887359, 0.256259392, 0.250311369, 0.260450707, 0.301931689],
        "spread": 0.942705742,
        "log_likelihood": -144.941737,
    },
}
# R 4.2.2: the 2PL with the same priors, summed over a grid of 81 difficulties x 41 log discriminations, maximised by
# optim (BFGS).
R_2PL = {
    "abilities": [-2.713048736, -0.584850964, -0.303389272, 0.115608544, 0.405787221, 1.782654082],
    "spread": 0.597993001,
    "discrimination_spread": 0.766955977,
    "log_likelihood": -344.053326,
}
ABILITIES = (-2.0, -1.0, -0.5, 0.3, 1.0, 2.0)


def draws(seed: int) -> Iterator[float]:
    """Yield numbers between 0 and 1 by plain arithmetic, so that the data given to R are reproducible."""
    state = seed
    while True:
        state = (6364136223846793005 * state + 1442695040888963407) % 2**64
        yield (state >> 11) / 2**53


def made_up_cells(items: int = 40, trials: int = 1, *, discriminating: bool = False) -> list[tuple[int, int, int, int]]:
    """Draw passes of six players on some tasks."""
    rng = draws(5)
    cells = []
    for item in range(items):
        difficulty = 2.5 * (next(rng) + next(rng) - 1)
        slope = (0.6 if next(rng) < 0.5 else 1.8) if discriminating else 1.0
        for player, ability in enumerate(ABILITIES):
            chance = 1 / (1 + np.exp(-slope * (ability - difficulty)))
            cells.append((player, item, sum(next(rng) < chance for _ in range(trials)), trials))
    return cells


def cells_of(cells: list[tuple[int, int, int, int]]) -> Cells:
    return Cells.of(*zip(*cells, strict=True))  # type: ignore[arg-type]


@pytest.mark.parametrize("trials", [1, 3])
def test_the_1pl_is_that_of_lme4(trials: int) -> None:
    expected = LME4[trials]
    fit = fit_irt(cells_of(made_up_cells(40, trials)), ability_prior=np.inf, weak=False, robust=False)
    np.testing.assert_allclose(fit.abilities, expected["abilities"], atol=2e-4)
    np.testing.assert_allclose(fit.ability_errors, expected["errors"], rtol=2e-3)
    assert fit.spread == pytest.approx(expected["spread"], rel=1e-3)
    if trials == 1:  # with nAGQ > 1, lme4 leaves out what the saturated model has, which is 0 for single trials
        assert fit.log_likelihood == pytest.approx(expected["log_likelihood"], abs=1e-3)


def test_the_2pl_is_that_of_an_independent_program_in_r() -> None:
    expected = R_2PL
    fit = fit_irt(cells_of(made_up_cells(100, discriminating=True)), "2PL", ability_prior=3.0, weak=True, robust=False)
    np.testing.assert_allclose(fit.abilities, expected["abilities"], atol=0.01)
    assert fit.spread == pytest.approx(expected["spread"], rel=0.02)
    assert fit.discrimination_spread == pytest.approx(expected["discrimination_spread"], rel=0.03)
    assert fit.log_likelihood == pytest.approx(expected["log_likelihood"], abs=0.02)


def test_the_bic_prefers_the_model_that_made_the_data() -> None:
    rng = np.random.default_rng(0)
    abilities, difficulties = rng.normal(0, 1.5, 25), rng.normal(0, 1.2, 60)
    for slopes, better in ((np.ones(60), "1PL"), (np.exp(rng.normal(0, 0.8, 60)), "2PL")):
        chance = 1 / (1 + np.exp(-slopes * (abilities[:, None] - difficulties)))
        passed = rng.random(chance.shape) < chance
        cells = cells_of([(j, i, int(passed[j, i]), 1) for j in range(25) for i in range(60)])
        simple = fit_irt(cells)
        full = fit_irt(cells, "2PL", simpler=simple)
        assert min((simple, full), key=lambda each: each.bic).kind == better
    assert np.corrcoef(np.log(full.discriminations), np.log(slopes))[0, 1] > 0.7


def test_intervals_of_abilities_cover_the_truth_when_strengths_differ_from_task_to_task() -> None:
    rng = np.random.default_rng(1)
    abilities = np.array((-1.0, 0.0, 0.5, 1.0))
    covered = []
    for _ in range(60):
        # An effect of each player on each task that all 20 episodes share.
        logits = abilities[:, None] - rng.normal(0, 1, 30) + rng.normal(0, 1, (4, 30))
        passes = rng.binomial(20, 1 / (1 + np.exp(-logits)))
        fit = fit_irt(cells_of([(j, i, int(passes[j, i]), 20) for j in range(4) for i in range(30)]))
        contrast = np.array((-1.0, 0.0, 0.0, 1.0))
        error = np.sqrt(contrast @ fit.ability_covariance @ contrast)
        # The marginal difference is smaller than 2 by the effect that is not in the model.
        truth = 2.0 / np.sqrt(1 + 0.346)
        covered.append(abs(contrast @ fit.abilities - truth) < 1.96 * error)
    assert np.mean(covered) >= 0.88


@pytest.mark.parametrize("kind", ["1PL", "2PL"])
@pytest.mark.parametrize(
    "cells",
    [
        [(0, 0, 1, 1)],
        [(0, item, 1, 1) for item in range(10)],
        [(player, item, 1, 1) for player in range(2) for item in range(2)],
        [(player, item, player, 1) for player in range(2) for item in range(10)],
        [(0, 0, 3, 3), (0, 1, 0, 3)],
        [(0, 0, 0, 1000), (1, 1, 1000, 1000)],
    ],
    ids=["one-episode", "one-agent-passes-all", "all-pass", "all-or-none", "one-agent-two-tasks", "no-common-task"],
)
def test_degenerate_data_give_finite_values_and_wide_intervals(
    cells: list[tuple[int, int, int, int]], kind: str
) -> None:
    fit = fit_irt(cells_of(cells), kind)  # type: ignore[arg-type]
    assert np.isfinite([*fit.abilities, *fit.difficulties, *fit.difficulty_errors, fit.bic]).all()
    assert (np.abs(fit.abilities) < 10).all()
    assert (fit.ability_errors > 0.9).all()


def test_no_cells_are_refused() -> None:
    with pytest.raises(CannotCompute, match="no episode was passed or failed"):
        Cells.of([], [], [], [])


def test_a_task_that_the_wrong_players_pass_misfits() -> None:
    rng = np.random.default_rng(2)
    abilities, difficulties = np.linspace(-3, 3, 20), rng.normal(0, 1, 30)
    passed = rng.random((20, 30)) < 1 / (1 + np.exp(-(abilities[:, None] - difficulties)))
    passed[:, 7] = abilities < 0  # only the weaker half passes it
    cells = cells_of([(j, i, int(passed[j, i]), 1) for j in range(20) for i in range(30)])
    found = item_fit(cells, fit_irt(cells))
    assert [each.item for each in found if each.misfits] == [7]
    others = [each.infit for each in found if each.item != 7]
    assert 0.7 < np.mean(others) < 1.1


def test_a_task_that_is_harder_for_people_is_found() -> None:
    rng = np.random.default_rng(3)
    abilities, difficulties = rng.normal(0, 1, 30), rng.normal(0, 1, 25)
    people = np.arange(30) >= 10
    harder = np.zeros((30, 25))
    harder[people, 4] = 4.0
    passed = rng.random((30, 25)) < 1 / (1 + np.exp(-(abilities[:, None] - difficulties - harder)))
    cells = cells_of([(j, i, int(passed[j, i]), 1) for j in range(30) for i in range(25)])
    found = differences(cells, fit_irt(cells), people)
    clear = [each for each in found if each.p_holm < 0.05]
    assert [each.item for each in clear] == [4]
    assert clear[0].value > 1.5
    # A task that one group has not played is not tested.
    some = cells_of([(j, i, int(passed[j, i]), 1) for j in range(30) for i in range(25) if i != 3 or not people[j]])
    assert 3 not in {each.item for each in differences(some, fit_irt(some), people)}


@pytest.mark.slow
def test_equal_tasks_are_rarely_called_different() -> None:
    rng = np.random.default_rng(4)
    wrong = 0
    for _ in range(200):
        logits = np.append(rng.normal(0, 1.5, 8), 0.3)[:, None] - rng.normal(0, 1.5, 40) + rng.normal(0, 0.7, (9, 40))
        trials = np.array([1] * 8 + [59])
        passes = rng.binomial(trials[:, None], 1 / (1 + np.exp(-logits)))
        cells = cells_of([(j, i, int(passes[j, i]), int(trials[j])) for j in range(9) for i in range(40)])
        wrong += min(each.p_holm for each in differences(cells, fit_irt(cells), trials > 1)) < 0.05
    assert wrong / 200 <= 0.08
