"""The variances of a pilot, and the power of studies simulated from them."""

import numpy as np
import pytest

from puzzlebox.stats import CannotCompute
from puzzlebox.stats.pilot import Cells, Pilot, centre_for, fit_pilot, mean_share
from puzzlebox.stats.power import Design, finds_difference, power, shares_at, tasks_needed


def cells(rng: np.random.Generator, odds: np.ndarray, episodes: int, *, subjects: bool = False) -> Cells:
    chances = 1 / (1 + np.exp(-np.atleast_2d(odds)))
    trials = np.full(chances.shape, float(episodes))
    return Cells(rng.binomial(episodes, chances).astype(float), trials, subjects)


def test_a_large_pilot_gives_back_the_variances() -> None:
    rng = np.random.default_rng(2)
    ease = rng.normal(0, 1.5, 3000)
    pair = [cells(rng, centre + ease + rng.normal(0, 0.8, 3000), 5) for centre in (0.5, -0.5)]
    found = fit_pilot(*pair)
    assert (found.task_spread, found.pair_spread) == pytest.approx((1.5, 0.8), rel=0.08)
    assert found.means[0] == pytest.approx(mean_share(0.5, np.hypot(1.5, 0.8)), abs=0.02)
    assert found.subject_spreads == (0, 0) and not found.warnings


def test_variances_of_people() -> None:
    rng = np.random.default_rng(3)
    ease, people = rng.normal(0, 1.0, 300), rng.normal(0, 1.5, (400, 1))
    found = fit_pilot(cells(rng, ease + people, 1, subjects=True), cells(rng, ease - 0.5, 20))
    assert found.task_spread == pytest.approx(1.0, rel=0.2)
    assert found.subject_spreads == (pytest.approx(1.5, rel=0.1), 0.0)
    assert found.pair_spread < 0.4 and found.subjects == (400, 0)


def test_the_number_of_episodes_does_not_change_the_variances() -> None:
    """Binomial noise is not taken for differences between tasks."""
    rng = np.random.default_rng(4)
    same = np.zeros(2000)
    found = fit_pilot(cells(rng, same, 2), cells(rng, same, 2))
    assert found.task_spread < 0.3 and found.pair_spread < 0.4


def test_what_a_pilot_cannot_tell() -> None:
    rng = np.random.default_rng(5)
    odds = rng.normal(0, 1, 8)
    few = fit_pilot(cells(rng, odds, 5), cells(rng, odds, 5))
    assert "only 8 tasks" in few.warnings[0]
    once = fit_pilot(cells(rng, rng.normal(0, 1, 30), 1), cells(rng, rng.normal(0, 1, 30), 1))
    assert "luck cannot be told" in once.warnings[0] and once.pair_spread == 1
    alone = fit_pilot(cells(rng, rng.normal(0, 1, 30), 5), None)
    assert "one agent" in alone.warnings[0] and alone.task_spread == alone.pair_spread
    with pytest.raises(CannotCompute, match="fewer than two tasks"):
        fit_pilot(cells(rng, np.zeros(1), 5), None)


def test_power_grows_with_tasks_and_ends_growing_with_episodes() -> None:
    pilot = Pilot((0.6, 0.4), 1.0, 1.0, (0.0, 0.0), (0, 0))
    rng = np.random.default_rng(6)
    by_tasks = [power(pilot, 0.15, Design(tasks, 5), 400, rng) for tasks in (6, 20, 60)]
    assert by_tasks[0] < by_tasks[1] - 0.1 < by_tasks[2] - 0.2
    many, endless = (power(pilot, 0.15, Design(15, episodes), 2000, rng) for episodes in (100, 10_000))
    assert endless == pytest.approx(many, abs=0.05)
    assert power(pilot, 0.0, Design(20, 5), 2000, rng) == pytest.approx(0.05, abs=0.02)


def test_the_test_is_that_of_the_page() -> None:
    """Simulated studies are tested with the interval that reports show."""
    from puzzlebox.stats.proportions import Outcomes, difference_on_tasks_like_these

    rng = np.random.default_rng(7)
    for subjects in (False, True):
        people = 6 if subjects else 1
        studies = [(rng.random((40, people, 9, 4)) < chance) for chance in (0.55, 0.35)]
        found = finds_difference(*(each.mean(axis=3) for each in studies), (subjects, subjects))
        for study, expected in enumerate(found):
            outcomes = []
            for group, each in enumerate(studies):
                who, task, _ = np.indices(each[study].shape)
                names = [f"{group} {number}" for number in who.ravel()] if subjects else None
                tasks = [f"{number}" for number in task.ravel()]
                outcomes.append(Outcomes(each[study].ravel().tolist(), tasks, tasks, names))
            interval, _ = difference_on_tasks_like_these(*outcomes)
            assert expected == (not interval.low <= 0 <= interval.high)


def test_proportions_at_a_difference() -> None:
    pilot = Pilot((0.9, 0.8), 1.0, 1.0, (0.0, 0.0), (0, 0))
    assert shares_at(pilot, 0.1) == pytest.approx((0.9, 0.8))
    high, low = shares_at(pilot, 0.5)
    assert high - low == pytest.approx(0.5) and high < 1
    with pytest.raises(CannotCompute, match="cannot differ by"):
        shares_at(pilot, 0.999)


def test_tasks_between_the_simulated_ones() -> None:
    tasks = np.array([10.0, 20.0, 40.0])
    assert tasks_needed(tasks, np.array([0.4, 0.6, 0.9]), 0.8) == 34
    assert tasks_needed(tasks, np.array([0.85, 0.84, 0.9]), 0.8) == 10
    assert tasks_needed(tasks, np.array([0.1, 0.2, 0.3]), 0.8) is None


def test_centre_and_mean_share_are_inverse() -> None:
    assert mean_share(centre_for(0.3, 2.0), 2.0) == pytest.approx(0.3, abs=1e-9)
