"""Tests for pairs and for unequal variances: signed ranks, McNemar, Friedman, Brunner-Munzel, intervals of effects.

Stored figures come from R 4.2.2 (`wilcox.test`, `binom.test`, `friedman.test`, and the formulas of Brunner and Munzel,
of Iman and Davenport and of noncentral limits written with `rank`, `pt`, `pf` and `pchisq`); scipy is compared live.
"""

from math import inf

import numpy as np
import pytest
from scipy import stats as scipy_stats

from puzzlebox.stats import (
    CannotCompute,
    Interval,
    KruskalWallis,
    brunner_munzel,
    cliffs_delta,
    concordance_interval,
    delta_interval,
    epsilon_squared_interval,
    friedman,
    mcnemar,
    paired_delta_interval,
    signed_ranks,
)

FIRST = np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30])
SECOND = np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29])
TIED = [0, 0, 1, -1, 2, 2, -2, 3, 3, 4, 1, 0]
BLOCKS = np.array(
    """5.40 5.50 5.55  5.85 5.70 5.75  5.20 5.60 5.50  5.55 5.50 5.40  5.90 5.85 5.70
    5.45 5.55 5.60  5.40 5.40 5.35  5.45 5.50 5.35  5.25 5.15 5.00  5.85 5.80 5.70""".split(),
    float,
).reshape(10, 3)
LOW, HIGH = [1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 1, 1], [3, 3, 4, 3, 1, 2, 3, 1, 1, 5, 4]


def test_signed_ranks_without_ties_agree_with_r() -> None:
    test = signed_ranks(FIRST - SECOND)
    assert (test.statistic, test.n, test.zeros, test.exact) == (40, 9, 0, True)
    assert test.p == pytest.approx(0.0390625, rel=1e-12)


def test_signed_ranks_with_ties_and_zeros_count_all_changes_of_sign() -> None:
    test = signed_ranks(TIED)
    assert (test.statistic, test.zeros, test.exact) == (59, 3, True)
    assert test.p == pytest.approx(0.0859375, rel=1e-12)
    assert test.z == pytest.approx(1.83050598943448)


def test_many_pairs_have_the_normal_p_of_scipy() -> None:
    differences = np.round(np.random.default_rng(0).normal(0.2, 1, 80), 1)
    test = signed_ranks(differences)
    theirs = scipy_stats.wilcoxon(differences, zero_method="pratt", correction=False, method="approx")
    assert not test.exact
    assert test.p == pytest.approx(theirs.pvalue, rel=1e-9)


def test_signed_ranks_are_the_same_for_exchanged_sides() -> None:
    one, other = signed_ranks(FIRST - SECOND), signed_ranks(SECOND - FIRST)
    assert one.p == other.p
    assert one.z == pytest.approx(-other.z)


def test_few_pairs_can_hardly_be_significant() -> None:
    sizes = [signed_ranks(np.arange(1, n + 1)).size for n in (5, 6, 7, 20)]
    assert sizes[:3] == [0, 0.03125, 0.046875]
    assert 0.045 < sizes[3] <= 0.05


@pytest.mark.parametrize(("values", "why"), [([], "no pairs"), ([0, 0, 0], "no pair differs"), ([1, inf], "numbers")])
def test_signed_ranks_say_what_they_cannot_do(values: list[float], why: str) -> None:
    with pytest.raises(CannotCompute, match=why):
        signed_ranks(values)


@pytest.mark.parametrize(
    ("counts", "p", "mid_p"),
    [
        ((3, 12), 0.03515625, 0.021270751953125),
        ((10, 4), 0.1795654296875, 0.11846923828125),
        ((0, 5), 0.0625, 0.03125),
        ((4, 4), 1.0, 1.0),
    ],
)
def test_mcnemar_agrees_with_r(counts: tuple[int, int], p: float, mid_p: float) -> None:
    test = mcnemar(*counts)
    assert (test.p, test.mid_p) == pytest.approx((p, mid_p), rel=1e-9)


def test_mcnemar_needs_pairs_with_different_outcomes() -> None:
    with pytest.raises(CannotCompute, match="no pair has different outcomes"):
        mcnemar(0, 0)
    with pytest.raises(ValueError, match="not numbers of pairs"):
        mcnemar(-1, 3)


def test_friedman_with_ties_agrees_with_r() -> None:
    test = friedman(dict(zip("abc", BLOCKS.T, strict=True)))
    assert test.chi_squared == pytest.approx(2.51282051282051)
    assert test.f == pytest.approx(1.29325513196481)
    assert test.p == pytest.approx(0.298681241392243, abs=0.03)  # from permutations, because there are only 30 ranks
    many = friedman({name: np.tile(values, 4) for name, values in zip("abc", BLOCKS.T, strict=True)})
    assert many.f == pytest.approx(39 * 4 * 2.51282051282051 / (80 - 4 * 2.51282051282051))
    assert many.p == pytest.approx(scipy_stats.f.sf(many.f, 2, 78))
    assert (test.df, test.blocks) == ((2, 18), 10)
    assert test.w == pytest.approx(2.51282051282051 / 20)


def test_blocks_in_the_same_order_have_an_exact_p() -> None:
    test = friedman({"a": [1, 2, 3, 4], "b": [2, 3, 4, 5], "c": [3, 4, 5, 6]})
    assert (test.f, test.w) == (inf, 1.0)
    assert test.p == pytest.approx(1 / 6**3, abs=0.002)
    assert friedman({name: np.arange(50) + shift for shift, name in enumerate("abc")}).p == pytest.approx(6.0**-49)


def test_friedman_says_what_it_cannot_do() -> None:
    with pytest.raises(CannotCompute, match="equal"):
        friedman({"a": [1, 2], "b": [1, 2], "c": [1, 2]})
    with pytest.raises(CannotCompute, match="signed-rank"):
        friedman({"a": [1, 2], "b": [1, 3]})


@pytest.mark.parametrize(("blocks", "groups"), [(5, 3), (5, 4), (8, 3)])
def test_small_p_values_of_friedman_are_not_too_frequent(blocks: int, groups: int) -> None:
    rng = np.random.default_rng(1)
    ps = [friedman(dict(enumerate(rng.random((groups, blocks))))).p for _ in range(1000)]  # type: ignore[arg-type]
    assert np.mean(np.array(ps) <= 0.00625) <= 0.014
    assert 0.02 <= np.mean(np.array(ps) <= 0.05) <= 0.065


@pytest.mark.parametrize(("sizes", "spread"), [((5, 5), 1.0), ((6, 15), 1.0), ((15, 6), 2.0)])
def test_small_p_values_of_small_groups_are_not_too_frequent(sizes: tuple[int, int], spread: float) -> None:
    rng = np.random.default_rng(1)
    ps = [brunner_munzel(rng.normal(0, 1, sizes[0]), rng.normal(0, spread, sizes[1])).p for _ in range(1000)]
    assert np.mean(np.array(ps) <= 0.05) <= 0.07
    assert np.mean(np.array(ps) <= 0.00625) <= 0.014


def test_permutations_of_the_statistic_agree_with_scipy() -> None:
    def statistic(a: object, b: object) -> float:
        with np.errstate(all="ignore"):
            return abs(scipy_stats.brunnermunzel(a, b, distribution="normal").statistic)

    groups = [1.0, 2.0, 2.0, 7.0, 4.0], [3.0, 5.0, 8.0, 7.0]
    exact = scipy_stats.permutation_test(groups, statistic, vectorized=False, n_resamples=200, alternative="greater")
    assert brunner_munzel(*groups).p == pytest.approx(exact.pvalue)


def test_brunner_munzel_agrees_with_r_and_scipy() -> None:
    test = brunner_munzel(LOW, HIGH, permute=False)
    assert (test.t, test.df, test.p) == pytest.approx((-3.13746748230295, 17.6828419794815, 0.00578620866615146))
    theirs = scipy_stats.brunnermunzel(LOW, HIGH)
    assert (test.t, test.p) == pytest.approx((-theirs.statistic, theirs.pvalue))
    assert 2 * test.effect - 1 == pytest.approx(cliffs_delta(LOW, HIGH))


def test_groups_that_do_not_overlap_have_the_p_of_the_permutation_test() -> None:
    test = brunner_munzel([5, 6, 7, 8, 9], [1, 2, 3, 4])
    assert (test.t, test.effect, test.error) == (inf, 1.0, 0.0)
    assert test.p == pytest.approx(2 / 126)
    exact = scipy_stats.permutation_test(
        ([5, 6, 7, 8, 9], [1, 2, 3, 4]), lambda a, b: cliffs_delta(a, b), vectorized=False, n_resamples=np.inf
    )
    assert exact.pvalue == pytest.approx(test.p)
    assert brunner_munzel([1, 2, 3, 4], [5, 6, 7, 8, 9]).t == -inf
    with pytest.raises(CannotCompute, match="equal"):
        brunner_munzel([1, 1, 1], [1, 1])


def test_intervals_of_delta_stay_within_their_limits() -> None:
    interval = delta_interval(brunner_munzel(LOW, HIGH))
    assert interval.value == pytest.approx(cliffs_delta(LOW, HIGH))
    assert -1 < interval.low < interval.value < interval.high < 0
    apart = delta_interval(brunner_munzel(range(5, 15), range(5)))
    assert (apart.value, apart.high) == (1, 1)
    assert 0 < apart.low < 1
    assert delta_interval(brunner_munzel(range(5), range(5, 15))) == Interval(-1, -1, -apart.low)


def test_pairs_make_the_interval_of_delta_narrower() -> None:
    rng = np.random.default_rng(3)
    seeds = rng.normal(0, 2, 30)
    first, second = seeds + rng.normal(0.5, 0.5, 30), seeds + rng.normal(0, 0.5, 30)
    paired, unpaired = paired_delta_interval(first, second), delta_interval(brunner_munzel(first, second))
    assert paired.value == pytest.approx(unpaired.value)
    assert paired.high - paired.low < 0.5 * (unpaired.high - unpaired.low)
    with pytest.raises(ValueError, match="same length"):
        paired_delta_interval([1, 2], [1])


@pytest.mark.parametrize(("n", "shift"), [(10, 0.0), (20, 1.0)])
def test_intervals_of_delta_cover_it(n: int, shift: float) -> None:
    rng, covered = np.random.default_rng(5), [0, 0]
    true = [2 * scipy_stats.norm.cdf(shift / np.sqrt(spread)) - 1 for spread in (5, 2)]
    for _ in range(400):
        seeds = rng.normal(0, 0.8, n)
        intervals = (
            delta_interval(brunner_munzel(rng.normal(shift, 1, n), rng.normal(0, 2, n))),
            paired_delta_interval(seeds + rng.normal(shift, 0.6, n), seeds + rng.normal(0, 0.6, n)),
        )
        for which, interval in enumerate(intervals):
            covered[which] += interval.low <= true[which] <= interval.high
    assert min(covered) >= 0.92 * 400


def test_limits_of_epsilon_squared_are_those_of_r() -> None:
    interval = epsilon_squared_interval(KruskalWallis(20.0, 3, 0.0, 60))
    limits = np.array(interval) * 59
    assert limits == pytest.approx([20, 4.81902394390535, 38.96857437749])
    assert epsilon_squared_interval(KruskalWallis(1.2, 3, 0.75, 60)).low == 0
    assert concordance_interval(friedman(dict(zip("abc", BLOCKS.T, strict=True)))).low == 0


def test_intervals_of_small_effects_contain_them() -> None:
    """H below its expectation under chance gives limits of 0."""
    test = KruskalWallis(0.01, 2, 0.99, 30)
    value, low, high = epsilon_squared_interval(test)
    assert low == 0 and low <= value <= high
