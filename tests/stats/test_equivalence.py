"""Two one-sided tests, against scipy's t tests at each bound."""

import numpy as np
import pytest

from puzzlebox.stats import CannotCompute
from puzzlebox.stats.equivalence import group_equivalence, paired_equivalence


def test_paired_against_scipy() -> None:
    from scipy.stats import ttest_1samp

    values = np.random.default_rng(1).normal(0.02, 0.1, 20)
    found = paired_equivalence(values, 0.1)
    upper = ttest_1samp(values, 0.1, alternative="less").pvalue
    lower = ttest_1samp(values, -0.1, alternative="greater").pvalue
    assert found.p == pytest.approx(max(upper, lower))
    # The 90 % interval is inside the bounds if and only if equivalence is shown.
    assert found.shown == (-0.1 < found.difference.low and found.difference.high < 0.1)
    assert found.difference[1:] == pytest.approx(ttest_1samp(values, 0).confidence_interval(0.9))


def test_groups_against_scipy() -> None:
    from scipy.stats import ttest_ind

    rng = np.random.default_rng(2)
    first, second = rng.normal(0.5, 0.1, 15), rng.normal(0.52, 0.2, 25)
    found = group_equivalence(first, second, 0.15)
    upper = ttest_ind(first - 0.15, second, equal_var=False, alternative="less").pvalue
    lower = ttest_ind(first + 0.15, second, equal_var=False, alternative="greater").pvalue
    assert found.p == pytest.approx(max(upper, lower))


def test_few_units_are_refused() -> None:
    with pytest.raises(CannotCompute, match="only 4"):
        paired_equivalence([0.0, 0.1, 0.2, 0.1], 0.1)
    with pytest.raises(CannotCompute, match="only 3"):
        group_equivalence([0.0, 0.1, 0.2], [0.1] * 8, 0.1)
    with pytest.raises(ValueError, match="above 0"):
        paired_equivalence([0.0, 0.1, 0.2, 0.1, 0.0], 0.0)


def test_equal_units_prove_only_so_much() -> None:
    """Ten tasks that both agents passed leave room for a difference of ten points, forty do not."""
    assert not paired_equivalence([0.0] * 10, 0.1).shown
    assert paired_equivalence([0.0] * 40, 0.1).shown
    assert not group_equivalence([1.0] * 10, [1.0] * 10, 0.1).shown
