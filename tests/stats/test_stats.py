"""Each statistic compared with another implementation and with arithmetic, and cases where it is not defined."""

from math import isclose

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlebox.stats import (
    CannotCompute,
    bonferroni,
    cliffs_delta,
    dunn,
    epsilon_squared,
    holm,
    kruskal_wallis,
    wilson,
)
from puzzlebox.stats.effects import size_in_words
from puzzlebox.stats.ranks import midranks, tie_sum, two_sided


def groups_of_returns(seed: int, sizes: tuple[int, ...] = (30, 40, 25)) -> dict[str, np.ndarray]:
    """Draw returns with many ties, such as those of time-outs."""
    rng = np.random.default_rng(seed)
    groups = {}
    for place, size in enumerate(sizes):
        values = np.round(rng.normal(0.3 * place, 1, size), 1)
        values[: size // 4] = -1.0
        groups[f"agent {place}"] = values
    return groups


@pytest.mark.parametrize(("passes", "trials"), [(0, 90), (6, 90), (59, 90), (100, 100), (1, 1), (175, 900)])
def test_wilson_against_statsmodels(passes: int, trials: int) -> None:
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(passes, trials, method="wilson")
    result = wilson(passes, trials)
    assert result.value == passes / trials
    assert result.low == pytest.approx(low, abs=1e-12)
    assert result.high == pytest.approx(high, abs=1e-12)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_wilson_interval_contains_the_share_and_is_symmetric(pair: tuple[int, int]) -> None:
    passes, trials = pair
    result, other = wilson(passes, trials), wilson(trials - passes, trials)
    assert 0 <= result.low <= result.value <= result.high <= 1
    assert isclose(result.low, 1 - other.high, abs_tol=1e-12)


def test_wilson_refuses_no_episodes_and_too_many_passes() -> None:
    with pytest.raises(CannotCompute, match="no episodes"):
        wilson(0, 0)
    with pytest.raises(ValueError, match="5 of 3"):
        wilson(5, 3)


def test_ranks_share_the_mean_of_their_places() -> None:
    assert midranks([3, 1, 1, 2, 3, 3]).tolist() == [5, 1.5, 1.5, 3, 5, 5]
    assert tie_sum([3, 1, 1, 2, 3, 3]) == (2**3 - 2) + (3**3 - 3)


@pytest.mark.parametrize("seed", range(4))
def test_kruskal_wallis_against_scipy(seed: int) -> None:
    from scipy.stats import kruskal

    groups = groups_of_returns(seed)
    statistic, p = kruskal(*groups.values())
    result = kruskal_wallis(groups)
    assert (result.h, result.p) == pytest.approx((statistic, p), rel=1e-10)
    assert (result.df, result.n) == (2, 95)
    assert epsilon_squared(result) == pytest.approx(statistic / 94)


@pytest.mark.parametrize("seed", range(3))
def test_dunn_against_scikit_posthocs(seed: int) -> None:
    from scikit_posthocs import posthoc_dunn

    groups = groups_of_returns(seed)
    names = list(groups)
    for column, adjust in (("p", None), ("p_bonferroni", "bonferroni"), ("p_holm", "holm")):
        table = posthoc_dunn(list(groups.values()), p_adjust=adjust).to_numpy()
        for pair in dunn(groups):
            expected = table[names.index(pair.first), names.index(pair.second)]
            assert getattr(pair, column) == pytest.approx(expected, rel=1e-9), (column, pair)


def test_the_sign_of_dunns_z_is_that_of_the_difference() -> None:
    (pair,) = dunn({"low": [1, 2, 3, 4], "high": [5, 6, 7, 8]})
    assert (pair.first, pair.second) == ("low", "high")
    assert pair.z < 0
    assert two_sided(30) > 0  # erfc, not 1 - erf, which is 0 from 9 on


def test_the_tie_rule_of_r_counts_text_and_ranks_doubles() -> None:
    """R ranks two values that differ in the last bit differently, but counts them as a tie."""
    near = np.nextafter(0.1, 1)
    groups = {"a": [0.1, 0.2, 0.3], "b": [near, 0.4, 0.5]}
    apart, as_r = kruskal_wallis(groups), kruskal_wallis(groups, "r")
    assert tie_sum([0.1, near]) == 0
    assert tie_sum([0.1, near], "r") == 6
    assert as_r.h == pytest.approx(apart.h / (1 - 6 / (6**3 - 6)))
    with pytest.raises(ValueError, match="'exact' or 'r'"):
        kruskal_wallis(groups, "loose")  # type: ignore[arg-type]


@pytest.mark.parametrize("ps", [[0.03], [0.01, 0.04, 0.03, 0.005], [0.5, 0.5, 1e-12, 0.9], [0.02] * 6, [0.0, 1.0]])
def test_adjusted_ps_against_statsmodels(ps: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    assert bonferroni(ps) == pytest.approx(multipletests(ps, method="bonferroni")[1], abs=1e-12)
    assert holm(ps) == pytest.approx(multipletests(ps, method="holm")[1], abs=1e-12)


@pytest.mark.parametrize(
    ("groups", "why"),
    [
        ({}, "no values"),
        ({"a": [1.0, 2.0]}, "only one group"),
        ({"a": [1.0], "b": []}, "b has no values"),
        ({"a": [1.0], "b": [2.0]}, "single value"),
        ({"a": [1.0, 1.0], "b": [1.0]}, "all values are equal"),
        ({"a": [1.0, float("nan")], "b": [1.0]}, "not numbers"),
    ],
)
def test_rank_tests_refuse_data_without_ranks_to_compare(groups: dict[str, list[float]], why: str) -> None:
    for test in (kruskal_wallis, dunn):
        with pytest.raises(CannotCompute, match=why):
            test(groups)


def test_cliffs_delta_counts_pairs() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 6, 17), rng.integers(1, 7, 23)
    counted = np.mean([[np.sign(x - y) for y in b] for x in a])
    assert cliffs_delta(a, b) == pytest.approx(counted)
    assert cliffs_delta([2, 3], [0, 1]) == 1
    assert [size_in_words(d) for d in (0.1, -0.2, 0.4, -0.9)] == ["negligible", "small", "medium", "large"]
    with pytest.raises(CannotCompute):
        cliffs_delta([], [1])
