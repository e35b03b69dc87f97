"""Each warning about the data, with a case in which it is right and one in which it would be a false alarm."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from puzzlebox.report.comparisons import compare
from puzzlebox.report.data_warnings import data_warnings
from puzzlebox.report.episodes import ReportEpisode, Results
from puzzlebox.report.time_outs import tied, timed_out
from puzzlebox.report.units import Units


def episode(**values: Any) -> ReportEpisode:
    return ReportEpisode(**{"id": "", "task": "food", "agent": "a", "total": -1.0, "passed": False} | values)


def warnings_of(rows: Sequence[ReportEpisode]) -> str:
    return "\n".join(data_warnings(Results(list(rows), [], [], []), compare(rows)))


# --- time-outs


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"ended_by": "time", "total": -1.0}, True),
        ({"ended_by": "time", "total": 0.0}, True),  # an arena in which time costs nothing
        ({"ended_by": "time", "total": -0.98, "goals": 0}, True),
        ({"ended_by": "time", "total": 16.2, "goals": 9}, False),  # much was eaten before time ran out
        ({"ended_by": "time", "total": -1.0, "goals": 1}, False),
        ({"ended_by": "time", "total": 5.4}, False),
        ({"ended_by": "time", "total": -0.3}, False),  # nobody counted goals, and something was gained
        ({"ended_by": "health", "total": -1.0, "goals": 0}, True),
        ({"ended_by": "health", "total": -1.0, "goals": 1}, False),  # food was eaten, and time ran out after it
        ({"ended_by": "health", "total": -1.0, "events": [{"kind": "collected"}]}, False),
        ({"ended_by": "health", "total": -1.4}, False),  # a death zone
        ({"ended_by": "completed", "total": -1.0}, False),  # a bad goal
        ({"total": -1.0}, True),  # a table of another program
        ({"total": -1.0, "passed": True}, False),
        ({"total": -0.5}, False),
    ],
)
def test_time_outs_go_by_the_end_of_the_episode(values: dict[str, Any], expected: bool) -> None:
    assert timed_out(episode(**values)) is expected


def ranked(low: dict[str, Any], high: dict[str, Any]) -> list[ReportEpisode]:
    """Return episodes of two agents that end without a success, and a few successes of both."""
    rows = [episode(agent="a", seed=i, **low) for i in range(30)] + [
        episode(agent="b", seed=i, **high) for i in range(30)
    ]
    good = {"total": 0.5, "passed": True, "ended_by": "completed"}
    return rows + [episode(agent=agent, seed=100 + i, **good) for agent in "ab" for i in range(6)]


def test_food_eaten_before_time_ran_out_counts() -> None:
    """In foraging, time always runs out; what was eaten before is what agents differ in."""
    rows = [
        episode(agent=agent, seed=seed, ended_by="time", goals=goals + seed % 3, total=float(goals + seed % 3))
        for agent, goals in (("a", 1), ("b", 8))
        for seed in range(20)
    ]
    assert "time-outs" not in warnings_of(rows)
    assert [row.total for row in tied(rows)] == [row.total for row in rows]


def test_time_outs_with_different_returns_are_reported() -> None:
    by_program = ranked({"total": -1.000007}, {"total": -0.999207})
    assert "food: time-outs have 2 different returns" in warnings_of(by_program)
    by_end = ranked({"total": -1.0, "ended_by": "time"}, {"total": -0.999, "ended_by": "time"})
    assert "food: time-outs have 2 different returns" in warnings_of(by_end)


@pytest.mark.parametrize(
    ("low", "high"),
    [
        # Food that was eaten at full health: the return is close to -1, but not that of a time-out.
        ({"total": -1.0, "ended_by": "time"}, {"total": -0.998, "ended_by": "health", "goals": 1}),
        # A bad goal at once.
        ({"total": -1.0, "ended_by": "time"}, {"total": -1.002, "ended_by": "completed"}),
        # An arena with another time limit, in which all agents have other sums.
        ({"total": -1.0, "ended_by": "time"}, {"total": -0.9996, "ended_by": "time", "arena": 1}),
    ],
)
def test_other_outcomes_are_not_taken_for_time_outs(low: dict[str, Any], high: dict[str, Any]) -> None:
    assert "time-outs have" not in warnings_of(ranked(low, high))


def test_tiny_differences_of_h_are_not_reported() -> None:
    """A statistic of almost 0 may change by a large factor and stay almost 0."""
    rows = [
        episode(agent=agent, total=i + 1e-12 * (agent == "a") * (i % 3), seed=i) for agent in "ab" for i in range(40)
    ]
    assert "beyond the precision" not in warnings_of(rows)


def test_wrong_names_are_no_question_where_the_hash_is_known() -> None:
    rows = [episode(total=-1.0 + i % 3 * 0.0008, time_limit=250.0, seed=i) for i in range(40)]
    assert "names of other tasks" in warnings_of(rows)
    assert "names of other tasks" not in warnings_of([replace(row, task_hash="f" * 64) for row in rows])
    differently = [replace(row, decision_period=index % 3 + 1) for index, row in enumerate(rows)]
    assert "names of other tasks" not in warnings_of(differently)


# --- rules


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (("3.1", None), ("4.3", None), True),
        (("3.1", {"drag": 1.6}), ("own", {"drag": 2.0}), True),
        (("own", {"drag": 1.6}), ("own", {"drag": 2.0}), True),  # one name for two sets of rules
        (("3.1", {"decision_period": 3}), ("own", {"decision_period": 5}), False),
        (("3.1", None), ("3.1", {"drag": 1.6}), False),
    ],
)
def test_rules_are_compared_by_their_fields(first: Any, second: Any, expected: bool) -> None:
    rows = [episode(rules=rules, rules_fields=fields, seed=i) for i, (rules, fields) in enumerate((first, second))]
    assert ("different rules" in warnings_of(rows)) is expected


# --- duplicates and repetitions


def test_duplicates_are_reported_and_count_once() -> None:
    rows = [episode(seed=i, steps=100 + i, total=0.1 * i, repetition=i) for i in range(5)]
    twice = [*rows, *(replace(row) for row in rows)]
    assert "5 episodes have the same agent, task, seed, length and return" in warnings_of(twice)
    assert len(Units.of(twice).rows) == 5


def test_a_seed_that_is_0_counts_as_a_seed() -> None:
    row = episode(seed=0, steps=100, total=0.5)
    assert "1 episode has the same agent" in warnings_of([row, replace(row)])


@pytest.mark.parametrize(
    "rows",
    [
        # A column `seed` that is the seed of training, in a table without lengths.
        [episode(seed=i % 3, total=float(i % 2)) for i in range(30)],
        # Training runs that play the same seeds.
        [episode(seed=i, run=run, steps=100 + i + 50 * (run == "2"), total=0.5) for i in range(5) for run in "12"],
        # Training runs that all run out of time.
        [episode(seed=i, run=run, steps=1250, ended_by="time") for i in range(5) for run in "12"],
        # Participants, to whom a link gives the seed.
        [episode(seed=1, steps=100, total=0.5, person=True, participant=who) for who in "xyz"],
    ],
)
def test_episodes_with_one_seed_are_not_always_duplicates(rows: list[ReportEpisode]) -> None:
    assert "as if read twice" not in warnings_of(rows)
    assert Units.of(rows).doubled == {}


def test_identical_episodes_are_reported_with_the_effective_number() -> None:
    rows = [
        episode(task=task, seed=i, total=0.5, steps=77, passed=True, ended_by="completed")
        for task in "xy"
        for i in range(10)
    ]
    assert "a (20 episodes, effective n = 2): episodes in an arena are identical" in warnings_of(rows)


def test_an_agent_that_always_runs_out_of_time_is_not_taken_for_deterministic() -> None:
    """A random agent that never finds the food has equal returns in all arenas."""
    for known in ({}, {"ended_by": "time"}, {"ended_by": "time", "steps": 1250}):
        rows = [episode(task=f"t{task}", seed=i, **known) for task in range(5) for i in range(10)]
        assert Units.of(rows).repeated == {}
        assert "identical" not in warnings_of(rows)


# --- names, tasks and arenas


def test_names_that_differ_only_in_case_or_spaces_are_reported() -> None:
    rows = [episode(agent=agent, seed=i) for i, agent in enumerate(("PPO", "ppo", "p po", "dqn"))]
    assert "“PPO”, “ppo” and “p po”" in warnings_of(rows)
    assert "letter case" not in warnings_of([episode(agent=agent) for agent in ("ppo", "ppo2")])


def test_different_arenas_are_reported_but_not_those_of_different_participants() -> None:
    other = [episode(agent=agent, arena=arena) for agent, arena in (("a", 0), ("a", 1), ("b", 0))]
    assert "Agents did not play the same arenas" in warnings_of(other)
    people = [episode(agent="human", person=True, participant=f"P{i}", arena=i % 2) for i in range(4)]
    assert "did not play the same" not in warnings_of([*people, *other[:2]])


def test_runs_of_a_task_that_changed_are_reported() -> None:
    rows = [episode(task_hash=each * 64) for each in "ab"]
    assert "different versions of the task" in warnings_of(rows)
    assert "different versions" not in warnings_of([rows[0], episode()])


def test_time_outs_are_ties_in_the_tests_of_the_page() -> None:
    """Two agents that fail alike do not differ because their programs sum rewards differently."""
    rows = ranked({"total": -1.000007}, {"total": -0.999207})
    (test,) = compare(rows).tests
    assert "returns did not differ significantly" in test.sentence
    # The files in the style of published results rank returns as they were recorded.
    assert test.overall is not None and test.overall.p < 0.001
    tasks = [replace(row, task=f"task {number}") for number in range(8) for row in rows]
    assert "mean returns did not differ significantly" in compare(tasks).across.sentence


def test_other_wings_have_returns_of_any_size_when_time_runs_out() -> None:
    """A pole that is balanced until the end is a time-out as well, and its return is no bookkeeping."""
    rows = [
        episode(agent=agent, seed=seed, total=total + seed, ended_by="time", wing="gymnasium")
        for agent, total in (("a", 100.0), ("b", 200.0))
        for seed in range(30)
    ]
    rows += [
        episode(agent=agent, seed=40 + seed, total=seed, ended_by="completed", wing="gymnasium")
        for agent in "ab"
        for seed in range(10)
    ]
    assert "time-outs have" not in warnings_of(rows)
    (test,) = compare(rows).tests
    assert "returns differed" in test.sentence
