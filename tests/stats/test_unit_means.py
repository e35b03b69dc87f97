"""Means over units: intervals of proportions, of values, and of differences of independent units."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from puzzlebox.stats import CannotCompute
from puzzlebox.stats.unit_means import difference_interval, mean_interval, share_interval

VALUES = [0.1, 0.4, 0.3, 0.9, 0.5, 0.55]
OTHERS = [0.8, 0.7, 1.0, 0.6, 0.9]


def test_means_agree_with_scipy() -> None:
    theirs = scipy_stats.ttest_1samp(VALUES, 0).confidence_interval()
    assert mean_interval(VALUES)[1:] == pytest.approx((theirs.low, theirs.high))
    welch = scipy_stats.ttest_ind(VALUES, OTHERS, equal_var=False).confidence_interval()
    assert difference_interval(VALUES, OTHERS)[1:] == pytest.approx((welch.low, welch.high))


def test_shares_stay_between_0_and_1() -> None:
    assert share_interval([0] * 6)[:2] == (0, 0)
    assert 0.3 < share_interval([0] * 6).high < 0.6
    assert share_interval([1] * 6)[::2] == (1, 1)
    same = share_interval([0.5] * 8)
    assert 0 < same.low < 0.5 < same.high < 1


def test_shares_of_units_cover_the_mean_of_all() -> None:
    rng, covered = np.random.default_rng(1), 0
    for _ in range(500):
        chances = 1 / (1 + np.exp(-rng.normal(0.5, 1.5, 12)))
        interval = share_interval(rng.binomial(20, chances) / 20)
        covered += interval.low <= 0.5912 <= interval.high
    assert 0.92 <= covered / 500 <= 0.98


def test_too_few_units_have_no_interval() -> None:
    with pytest.raises(CannotCompute, match="only one unit"):
        mean_interval([1])
    with pytest.raises(CannotCompute, match="have the same value"):
        difference_interval([1, 1], [0, 0])
