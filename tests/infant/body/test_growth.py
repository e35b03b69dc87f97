"""Growth: measures by age, and the built body's stature and mass."""

from itertools import pairwise

import mujoco
import numpy as np
import pytest

from infant_bodies import child_of
from puzzlebox.infant.body.child import Child
from puzzlebox.infant.body.growth import MEASURES, Growth, Measures, measures_at

AGES = (0, 1, 3, 6, 12, 18, 24)


@pytest.mark.parametrize("age", AGES)
def test_stature_and_mass_are_those_of_the_table(age: float) -> None:
    child, measures = child_of(age), MEASURES[age]
    assert child.model.body_mass.sum() == pytest.approx(measures.mass, rel=0.001)
    child.data.qpos[:] = child.model.qpos0
    mujoco.mj_kinematics(child.model, child.data)
    crown = child.data.geom("head.0").xpos[2] + child.model.geom("head.0").size[0]
    assert crown - child.lowest() == pytest.approx(measures.stature / 100, rel=0.006)


def test_a_toddler_of_18_months_is_about_80_cm_and_11_kg() -> None:
    measures = measures_at(18)
    assert measures.stature == pytest.approx(80, abs=2)
    assert measures.mass == pytest.approx(11, abs=0.5)


def test_a_head_is_larger_relative_to_the_body_when_younger() -> None:
    shares = [Growth.at(age).scales["head"][2] / measures_at(age).stature for age in AGES]
    assert shares == sorted(shares, reverse=True)
    # Chin to crown is 18 cm at 18 months: about a quarter of a newborn, and a fifth at two years.
    assert 18 * shares[0] == pytest.approx(0.26, abs=0.02)
    assert 18 * shares[-1] == pytest.approx(0.21, abs=0.02)


def test_everything_grows_with_age() -> None:
    strengths = [child_of(age).built.strength for age in AGES]
    for younger, older in pairwise(strengths):
        assert (older > younger).all()
    table = np.array([list(vars(row).values()) for row in MEASURES.values()])
    assert (np.diff(table, axis=0) > 0).all()


def test_an_adult_has_the_same_body_at_another_size() -> None:
    adult = Child(growth=Growth.of(Measures(165, 62, 55.5, 87, 53, 18, 24.5, 90, 28)))
    assert adult.model.body_mass.sum() == pytest.approx(62, rel=0.001)
    adult.reset(pose="stand")
    assert adult.data.geom("head.0").xpos[2] == pytest.approx(1.56, abs=0.05)
    for _ in range(45):
        adult.step()
    assert adult.warnings == 0
    assert np.abs(adult.data.qvel).max() < 0.1


def test_ages_between_rows_are_interpolated() -> None:
    assert measures_at(15).stature == pytest.approx((74.9 + 81.5) / 2)


@pytest.mark.parametrize("age", [-1, 25, float("nan"), "18", True, None])
def test_an_age_outside_the_table_is_refused(age: object) -> None:
    with pytest.raises(ValueError, match="must be a number of months from 0 to 24"):
        measures_at(age)
