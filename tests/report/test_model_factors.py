"""Experimental factors as terms of the model of passing."""

import numpy as np
import pytest

from puzzlebox.report.episodes import ReportEpisode
from puzzlebox.report.factors import Factor
from puzzlebox.report.model import fit_model
from puzzlebox.report.units import Units


def episodes(tasks: int = 24, within: bool = False, effect: float = 2.0) -> list[ReportEpisode]:
    """Draw episodes of two agents on tasks that are to the left or to the right, or on both sides of each task."""
    rng = np.random.default_rng(5)
    rows = []
    for number in range(tasks):
        ease = rng.normal(0, 0.7)
        for agent, skill in (("a", 0.0), ("b", 0.5)):
            for episode in range(12):
                side = "left" if (episode if within else number) % 2 else "right"
                passed = rng.random() < 1 / (1 + np.exp(-(skill + ease + effect * (side == "right"))))
                rows.append(
                    ReportEpisode(
                        id="",
                        task=f"task {number:02}",
                        agent=agent,
                        total=rng.normal(),
                        passed=bool(passed),
                        seed=episode,
                        factors={"side": side, "delay": number % 3, "number": number, "same": 1},
                    )
                )
    return rows


@pytest.mark.parametrize(("within", "df"), [(False, 22), (True, 23)])
def test_a_factor_is_a_term_with_the_degrees_of_freedom_of_its_tasks(within: bool, df: float) -> None:
    model = fit_model(Units.of(episodes(within=within)), by=["side"])
    assert model.formula == "passed ~ agent + side + (1 | task) + (1 | task:agent)"
    term = next(term for term in model.terms if term.factor == "side")
    assert (model.references["side"], term.name, term.test.df) == ("right", "left", df)
    assert term.log_odds.low < -2.0 < term.log_odds.high < 0
    assert term.test.p < 0.01


def test_several_factors_share_the_tasks() -> None:
    model = fit_model(Units.of(episodes()), by=["side", "delay"])
    assert {term.name: term.test.df for term in model.terms if term.factor != "agent"} == {"left": 20, "1": 20, "2": 20}
    # Probabilities are means over the tasks as they are: half to the left, half to the right.
    plain = fit_model(Units.of(episodes()))
    for agent in ("a", "b"):
        assert model.marginal[agent].value == pytest.approx(plain.marginal[agent].value, abs=0.03)


def test_a_factor_that_cannot_be_a_term_is_named_with_the_reason() -> None:
    rows = episodes()
    some = [row if index else ReportEpisode(**vars(row) | {"factors": {}}) for index, row in enumerate(rows)]
    for own, name, why in (
        (rows, "same", "it has 1 value"),
        (some, "side", "some episodes have no value of it"),
        (
            [row for row in rows if row.factors["side"] == ("left" if row.agent == "a" else "right")],
            "side",
            "told from",
        ),
    ):
        model = fit_model(Units.of(own), by=[name])
        assert name not in model.formula
        assert any(f"The factor {name} is not in the model" in line and why in line for line in model.remarks)


def test_many_numbers_within_tasks_are_divided_into_ranges_that_hold_them_all() -> None:
    rows = [ReportEpisode(**vars(row) | {"factors": {"delay": row.seed}}) for row in episodes()]
    for own in (rows, rows[::-1]):
        factor = Factor.of("delay", own)
        assert factor.binned and len(factor.values) == 4
        for row in own:
            low, _, high = factor.value(row).partition(" to ")
            assert float(low) <= row.factors["delay"] <= float(high)


def test_a_standard_deviation_of_0_is_remarked_on() -> None:
    def remarks(spread: int) -> list[str]:
        rows = [
            ReportEpisode(
                id="",
                task=f"task {task}",
                agent=agent,
                total=n + task / 7,
                passed=n < passes + spread * (task % 3 if agent == "a" else task // 4 % 3),
                seed=n,
            )
            for agent, passes in (("a", 2), ("b", 3))
            for task in range(12)
            for n in range(10)
        ]
        return [line for line in fit_model(Units.of(rows)).remarks if "singular" in line]

    assert remarks(0)[0].startswith("The estimated SDs of tasks and of tasks by agent are 0: the data show no such")
    assert not any(" by agent" in line for line in remarks(3))
