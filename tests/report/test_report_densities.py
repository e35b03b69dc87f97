"""Shapes of distributions: none where there is no value."""

import numpy as np
import pytest

from puzzlebox.report.figures.densities import shapes_of


def covered(values: np.ndarray, low: float, high: float) -> bool:
    """Return whether a shape has any width between two values."""
    return any(((low < shape.values) & (shape.values < high) & (shape.widths > 0)).any() for shape in shapes_of(values))


def test_there_is_no_density_between_time_outs_and_successes() -> None:
    rng = np.random.default_rng(0)
    values = np.concatenate((np.full(60, -1.0), rng.uniform(0.4, 0.9, 40)))
    line, successes = shapes_of(values)
    assert line.values.tolist() == [-1.0, -1.0]
    assert (successes.values[0], successes.values[-1]) == pytest.approx((values[60:].min(), values[60:].max()))
    assert not covered(values, -0.999, values[60:].min())
    # A line is as wide as a density with as many values over a thirtieth of the range.
    assert max(line.widths.max(), successes.widths.max()) == 1.0


def test_a_gap_divides_values() -> None:
    rng = np.random.default_rng(0)
    values = np.concatenate((rng.normal(0, 0.02, 50), rng.normal(1, 0.02, 50)))
    assert len(shapes_of(values)) == 2
    assert not covered(values, values[:50].max() + 1e-9, values[50:].min() - 1e-9)


def test_evenly_spread_values_are_one_shape() -> None:
    for many in (12, 20, 100, 10_000):
        assert len(shapes_of(np.random.default_rng(1).uniform(size=many))) == 1


@pytest.mark.parametrize(
    "values", [[1.0] * 50, [0.0, 1.0] * 3, [], [5.0], list(np.full(20, 5e-324)), [1.0, 1.0 + 1e-15] * 20]
)
def test_few_or_equal_values_have_no_shape(values: list[float]) -> None:
    assert shapes_of(np.array(values, float)) == []


@pytest.mark.filterwarnings("error")
def test_the_largest_numbers_have_a_shape_or_none() -> None:
    rng = np.random.default_rng(0)
    for scale in (1e300, 1e-300, 1.0):
        for shape in shapes_of(scale * rng.normal(size=100)):
            assert np.isfinite(shape.values).all() and np.isfinite(shape.widths).all()
    assert shapes_of(np.array([1.7e308, -1.7e308] * 20)) == []
