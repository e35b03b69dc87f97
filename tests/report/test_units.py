"""The units of evidence of a report."""

import pytest

from puzzlebox.report.episodes import ReportEpisode
from puzzlebox.report.units import Units, family_of, without_ids


def episode(task: str = "maze", agent: str = "a", total: float = 0.0, **more: object) -> ReportEpisode:
    return ReportEpisode(id="", task=task, agent=agent, total=total, passed=total > 0, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("task", "variant", "family"),
    [
        ("03-12-01", "01", "03-12"),
        ("03-12-01", "1", "03-12"),
        ("maze@17", "17", "maze"),
        ("maze", "", "maze"),
        ("maze-2", "", "maze-2"),
        ("maze-2", "3", "maze-2"),
    ],
)
def test_variants_belong_to_one_task(task: str, variant: str, family: str) -> None:
    assert family_of(episode(task, variant=variant)) == family


def test_variants_are_the_units_of_a_few_tasks() -> None:
    rows = [episode(f"maze@{number}", variant=str(number)) for number in range(6)]
    assert Units.of(rows).word == "variant"
    assert Units.of(rows).tasks == [f"maze@{number}" for number in range(6)]
    many = [episode(f"{name}@{number}", variant=str(number)) for name in "abcde" for number in range(2)]
    assert Units.of(many).word == "task"
    assert Units.of(many).tasks == list("abcde")


def test_episodes_of_a_deterministic_agent_count_once() -> None:
    rows = [episode(task, total=index % 2, seed=seed) for index, task in enumerate("abcd") for seed in range(5)]
    assert Units.of(rows).repeated == {"a": 16}
    assert len(Units.of(rows).rows) == 4


def test_episodes_of_an_agent_whose_returns_vary_all_count() -> None:
    rows = [episode(task, total=-1.0, seed=seed) for task in "abcd" for seed in range(5)]
    rows.append(episode("a", total=0.5, seed=9))
    assert Units.of(rows).repeated == {}
    assert len(Units.of(rows).rows) == 21


def test_episodes_of_participants_all_count() -> None:
    rows = [episode(task, total=1.0, participant=who, person=True, player="human") for task in "abcd" for who in "xy"]
    units = Units.of(rows)
    assert len(units.rows) == 8
    assert units.subjects("a") == ["participant x", "participant y"]
    assert units.subject_word("a") == "participant"


def test_people_without_ids_are_told_of() -> None:
    people = [episode(task, person=True, player="human", agent="human") for task in "abc"]
    (line,) = without_ids(Units.of(people))
    assert line == (
        "3 episodes of human have no participant id: the people who played them cannot be told apart and count as one."
    )
    known = [episode(task, person=True, player="human", agent="human", participant="x") for task in "abc"]
    (line,) = without_ids(Units.of(people + known))
    assert line.startswith("3 episodes") and line.endswith("count as one, beside the participants with ids.")
    assert not without_ids(Units.of(known)) and not without_ids(Units.of(people, "none"))


def test_runs_are_subjects_of_an_agent_that_has_several() -> None:
    rows = [episode(agent=agent, run=run) for agent, run in (("ppo", "1"), ("ppo", "2"), ("random", "1"))]
    units = Units.of(rows)
    assert units.subjects("ppo") == ["run 1", "run 2"]
    assert units.subjects("random") == []


def test_what_counts_as_one_can_be_chosen() -> None:
    rows = [episode(agent="ppo", run="1"), episode(agent="human", participant="x", person=True, run="1")]
    assert [Units.of(rows).subject(row) for row in rows] == ["", "participant x"]
    assert [Units.of(rows, "run").subject(row) for row in rows] == ["run 1", ""]
    assert [Units.of(rows, "participant").subject(row) for row in rows] == ["", "participant x"]
    assert [Units.of(rows, "none").subject(row) for row in rows] == ["", ""]


def test_training_runs_and_conditions_that_agree_are_not_repetitions() -> None:
    runs = [
        episode(task, total=1, seed=10 * run + seed, run=f"{run}", steps=9)
        for task in "abcd"
        for run in (1, 2)
        for seed in range(3)
    ]
    assert Units.of(runs).repeated == {"a": 16}
    assert len(Units.of(runs).rows) == 8
    both = [
        episode(task, total=1, seed=seed, steps=9, factors={"condition": condition})
        for task in "abcd"
        for condition in ("control", "test")
        for seed in range(3)
    ]
    assert {row.factors["condition"] for row in Units.of(both).rows} == {"control", "test"}


def test_an_agent_that_is_deterministic_in_some_places_counts_with_all_its_episodes_in_models() -> None:
    fixed = [episode(task, total=1.0, seed=seed, steps=50) for task in "abcd" for seed in range(5)]
    varied = [episode("e", total=float(seed % 2), seed=seed, steps=90 + seed) for seed in range(5)]
    mixed, alone = Units.of([*fixed, *varied]), Units.of(fixed)
    assert (len(mixed.rows), len(mixed.weighed)) == (9, 25)
    assert len(alone.weighed) == len(alone.rows) == 4
