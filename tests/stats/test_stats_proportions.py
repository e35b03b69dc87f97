"""Proportions with effective sample sizes, their differences, and permutation tests."""

from itertools import product

import numpy as np
import pytest

from puzzlebox.stats import (
    CannotCompute,
    Outcomes,
    difference_on_tasks_like_these,
    difference_on_these_tasks,
    sign_flip,
    wilson,
)
from puzzlebox.stats.proportions import combined


def on_tasks(passes: list[int], trials: int, subjects: list[str] | None = None) -> Outcomes:
    """Return the outcomes of as many episodes on each task, of which some passed."""
    passed = [number < each for each in passes for number in range(trials)]
    tasks = [f"{task:02}" for task in range(len(passes)) for _ in range(trials)]
    return Outcomes(passed, tasks, subjects=subjects)


def test_tasks_weigh_equally_whatever_they_have_of_arenas_people_and_episodes() -> None:
    """Task a: a mean of 0.5 of two arenas, one of them with two people, of whom one played twice. Task b: passed."""
    passed = [True, False, True, False, True, True, True]
    tasks = ["a", "a", "a", "a", "b", "b", "b"]
    places = ["1", "2", "2", "2", "1", "1", "1"]
    subjects = ["x", "x", "y", "y", "x", "y", "y"]
    # Arena 2 of task a: x 0, y 0.5, so 0.25; with arena 1 it is 0.625.
    assert Outcomes(passed, tasks, places, subjects).value == pytest.approx((0.625 + 1) / 2)


def test_levels_can_weigh_equally_as_well() -> None:
    passed = [True] * 9 + [False]
    tasks = [str(number) for number in range(10)]
    assert Outcomes(passed, tasks, strata=["1"] * 9 + ["2"]).value == pytest.approx(0.5)


def test_tasks_like_these_count_tasks_and_these_tasks_episodes() -> None:
    """Half of ten tasks is always passed, half never: 300 episodes, but ten observations."""
    outcomes = on_tasks([30] * 5 + [0] * 5, 30)
    like = outcomes.tasks_like_these()
    assert like.effective == pytest.approx(9)
    assert like.df == 9
    # Wilson's interval for nine episodes would be that of z; t makes it wider.
    assert like.low < wilson(9, 18).low < 0.5 < like.high
    these = outcomes.these_tasks()
    assert these.effective > 300 and these.value == 0.5
    assert like.high - like.low > 4 * (these.high - these.low)


@pytest.mark.parametrize(("episodes", "spread"), [(30, 1.5), (5, 1.5), (10, 3.0)])
def test_intervals_for_these_tasks_are_not_those_of_as_many_independent_trials(episodes: int, spread: float) -> None:
    """Tasks of different difficulty make a mean over them more precise than one of independent episodes."""
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(600):
        chances = 1 / (1 + np.exp(-rng.normal(0.5, spread, 10)))
        these = on_tasks(rng.binomial(episodes, chances).tolist(), episodes).these_tasks()
        covered += these.low <= chances.mean() <= these.high
    assert 0.93 <= covered / 600 <= 0.98


def test_episodes_that_all_ended_alike_still_leave_doubt() -> None:
    few, many = (on_tasks([trials] * 5 + [0] * 5, trials).these_tasks() for trials in (3, 300))
    assert few.high - few.low > 0.1
    assert many.high - many.low < 0.01


def test_tasks_that_vary_no_more_than_chance_count_every_episode() -> None:
    rng = np.random.default_rng(0)
    effective = [on_tasks(rng.binomial(30, 0.6, 40).tolist(), 30).tasks_like_these().effective for _ in range(20)]
    assert 700 < np.mean(effective) <= 1200


def test_all_passed_counts_the_units() -> None:
    outcomes = on_tasks([30] * 10, 30)
    assert outcomes.tasks_like_these().effective == 10
    assert outcomes.these_tasks().effective == 300
    assert outcomes.tasks_like_these().high == 1


def test_people_are_the_units_of_people() -> None:
    """Each of eight people passes all tasks or none: the variance is that between eight people."""
    passed = [person % 2 == 0 for person in range(8) for _ in range(40)]
    tasks = [str(task) for _ in range(8) for task in range(40)]
    subjects = [str(person) for person in range(8) for _ in range(40)]
    outcomes = Outcomes(passed, tasks, subjects=subjects)
    assert outcomes.these_tasks().effective == pytest.approx(7)
    assert outcomes.tasks_like_these().effective == pytest.approx(7)
    assert outcomes.tasks_like_these().df == 7


def test_a_deterministic_agent_is_known_exactly_on_these_tasks() -> None:
    outcomes = Outcomes([True, False] * 5, [str(task) for task in range(10)], exact=[True] * 10)
    assert outcomes.these_tasks().exact
    assert (outcomes.these_tasks().low, outcomes.these_tasks().high) == (0.5, 0.5)
    assert outcomes.tasks_like_these().effective == pytest.approx(9)


def test_too_few_units_are_refused() -> None:
    with pytest.raises(CannotCompute, match="needs 5 tasks"):
        on_tasks([1] * 4, 2).tasks_like_these()
    with pytest.raises(CannotCompute, match="needs 5 participants or runs"):
        on_tasks([1] * 6, 2, ["x", "y"] * 6).these_tasks()
    with pytest.raises(CannotCompute, match="no episodes"):
        Outcomes([], [])


def test_the_difference_is_that_of_paired_tasks() -> None:
    from scipy.stats import ttest_rel

    first, second = on_tasks([20, 25, 30, 15, 22, 28], 30), on_tasks([10, 20, 28, 12, 15, 18], 30)
    interval, df = difference_on_tasks_like_these(first, second)
    shares = [np.array(each) / 30 for each in ([20, 25, 30, 15, 22, 28], [10, 20, 28, 12, 15, 18])]
    expected = ttest_rel(*shares).confidence_interval()
    assert interval == pytest.approx((np.mean(shares[0] - shares[1]), expected.low, expected.high))
    assert df == 5


def test_differences_stay_between_minus_one_and_one() -> None:
    first, second = on_tasks([30] * 6, 30), on_tasks([0] * 6, 30)
    interval, _ = difference_on_tasks_like_these(first, second)
    assert interval.value == interval.high == 1
    assert 0 < interval.low < 0.9  # six tasks leave room
    assert difference_on_these_tasks(first, second).low > 0.95


@pytest.mark.parametrize("counts", [((56, 48), (70, 80)), ((0, 10), (20, 20)), ((9, 3), (10, 10))])
def test_combined_intervals_against_statsmodels(counts: tuple[tuple[int, int], tuple[int, int]]) -> None:
    from statsmodels.stats.proportion import confint_proportions_2indep

    (a, b), (m, n) = counts
    low, high = confint_proportions_2indep(a, m, b, n, compare="diff", method="newcomb")
    assert combined(wilson(a, m), wilson(b, n)) == pytest.approx((a / m - b / n, low, high), abs=1e-9)


def test_the_permutation_counts_all_signs() -> None:
    values = [0.3, 0.1, 0.25, -0.05, 0.4, 0.2]
    reached = [abs(np.dot(signs, values)) >= abs(sum(values)) - 1e-12 for signs in product((-1, 1), repeat=6)]
    test = sign_flip(values)
    assert test.p == pytest.approx(np.mean(reached))
    assert (test.exact, test.smallest) == (True, 2 / 64)
    assert sign_flip([0.0] * 6).p == 1


def test_with_many_tasks_signs_are_drawn_from_the_seed() -> None:
    values = np.random.default_rng(1).normal(0.3, 1, 40).tolist()
    test = sign_flip(values, seed=3)
    assert not test.exact
    assert test == sign_flip(values, seed=3)
    from scipy.stats import ttest_1samp

    assert test.p == pytest.approx(ttest_1samp(values, 0).pvalue, abs=0.02)


def test_one_failure_in_a_thousand_does_not_make_an_agent_known_better() -> None:
    perfect, nearly = on_tasks([200] * 5, 200), on_tasks([199, 200, 200, 200, 200], 200)
    assert nearly.tasks_like_these().low == pytest.approx(perfect.tasks_like_these().low, abs=0.02)


@pytest.mark.parametrize("passes", [[1] * 40, [0, 2] * 20, [1, 1, 2, 0, 1] * 8])
def test_tasks_like_these_are_never_known_better_than_these_tasks(passes: list[int]) -> None:
    outcomes = on_tasks(passes, 2)
    these, like_these = outcomes.these_tasks(), outcomes.tasks_like_these()
    assert like_these.low <= these.low and these.high <= like_these.high


def test_participants_of_both_groups_are_compared_with_themselves() -> None:
    """What makes a participant good makes it good in both groups, and cancels out."""
    rng = np.random.default_rng(0)
    skill = rng.normal(0, 3, 12)
    names = [f"P{number}" for number in range(12) for _ in range(10)]
    tasks = [f"{task}" for _ in range(12) for task in range(10)]
    groups = [rng.random(120) < 1 / (1 + np.exp(-(np.repeat(skill, 10) + gain))) for gain in (1.5, 0)]
    same = [Outcomes(each, tasks, subjects=names) for each in groups]
    other = Outcomes(groups[1], tasks, subjects=[f"Q{name}" for name in names])
    for difference in (difference_on_these_tasks, lambda *pair: difference_on_tasks_like_these(*pair)[0]):
        paired, apart = difference(*same), difference(same[0], other)
        assert paired.high - paired.low < 0.6 * (apart.high - apart.low)


def test_one_participant_and_participants_without_an_id_are_no_sample() -> None:
    tasks = [f"{task}" for task in range(8)] * 5
    for names in (["P1"] * 40, [name for name in ("P1", "P2", "P3", "P4", "") for _ in range(8)]):
        outcomes = Outcomes([True, False] * 20, tasks, subjects=names)
        with pytest.raises(CannotCompute, match="needs 5 participants"):
            outcomes.these_tasks()


def test_more_passed_episodes_never_widen_the_interval_for_these_tasks() -> None:
    """All passed, in one arena, in two and in five: the variance is 0, and episodes count as they are."""
    arenas = (["1", "1"], ["1", "1", "2", "2"], ["1", "1", "2", "3", "4", "5"])
    lows = [Outcomes([True] * len(own), ["a"] * len(own), own).these_tasks().low for own in arenas]
    assert lows == sorted(lows)
    assert lows == [wilson(many, many).low for many in (2, 4, 6)]
