"""Two one-sided tests, against scipy's t tests at each bound."""

import numpy as np
import pytest
from numpy.typing import NDArray

from puzzlebox.stats import Interval
from puzzlebox.stats.equivalence import equivalence


def interval(values: NDArray[np.float64]) -> Interval:
    from scipy.stats import ttest_1samp

    return Interval(float(values.mean()), *ttest_1samp(values, 0).confidence_interval(0.95))


@pytest.mark.parametrize("centre", [0.0, 0.05, -0.09, 0.3])
def test_against_scipy(centre: float) -> None:
    from scipy.stats import ttest_1samp

    values = np.random.default_rng(1).normal(centre, 0.1, 20)
    found = equivalence(interval(values), 19, 0.1)
    upper = ttest_1samp(values, 0.1, alternative="less").pvalue
    lower = ttest_1samp(values, -0.1, alternative="greater").pvalue
    assert found.p == pytest.approx(max(upper, lower))
    assert found.p_difference == pytest.approx(ttest_1samp(values, 0).pvalue)
    assert found.difference[1:] == pytest.approx(ttest_1samp(values, 0).confidence_interval(0.9))
    # The 90 % interval is inside the bounds if and only if equivalence is shown.
    assert found.shown == (-0.1 < found.difference.low and found.difference.high < 0.1)


def test_a_limit_cut_off_at_the_end_of_the_scale() -> None:
    whole, cut = Interval(0.9, 0.6, 1.2), Interval(0.9, 0.6, 1.0)
    assert equivalence(cut, 9, 0.1) == equivalence(whole, 9, 0.1)


def test_an_exact_difference() -> None:
    assert equivalence(Interval(0.05, 0.05, 0.05), 9, 0.1).shown
    assert not equivalence(Interval(0.2, 0.2, 0.2), 9, 0.1).shown


def test_a_bound_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="above 0"):
        equivalence(Interval(0.0, -0.1, 0.1), 9, 0.0)
