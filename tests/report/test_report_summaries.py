"""Means and quantiles of a few numbers: those of numpy, for numbers of any size."""

import numpy as np
import pytest

from puzzlebox.report import summaries, words
from puzzlebox.stats import interquartile_mean


@pytest.mark.parametrize("many", [2, 3, 4, 5, 9, 100])
def test_they_agree_with_numpy(many: int) -> None:
    values = np.random.default_rng(many).normal(size=many).tolist()
    shares = (0, 0.25, 0.5, 0.75, 1)
    assert summaries.quantiles(values, shares) == pytest.approx(np.quantile(values, shares).tolist())
    assert summaries.mean(values) == pytest.approx(np.mean(values))
    assert summaries.standard_deviation(values) == pytest.approx(np.std(values, ddof=1))
    assert summaries.interquartile_mean(values) == pytest.approx(interquartile_mean(values))


def test_sums_of_the_largest_numbers_are_finite() -> None:
    assert summaries.mean([1.7e308, 1.7e308, -1.7e308]) == pytest.approx(1.7e308 / 3)
    assert summaries.standard_deviation([1e308, 1e308]) == 0.0
    assert summaries.standard_deviation([1.7e308, -1.7e308]) is None
    assert summaries.quantiles([1.7e308, -1.7e308], (0.5,)) == [0.0]
    assert interquartile_mean([1.7e308] * 8) == pytest.approx(1.7e308)
    assert summaries.mean([5e-324] * 3) == 5e-324


def test_large_numbers_are_written_with_a_power_of_ten() -> None:
    assert words.number(-1.7e308) == "−1.70 × 10³⁰⁸"
    assert words.number(123456.789) == "123456.79"
