"""Factors in reports: columns, values, tests for each agent, control and test, and the way from `run` to `report`."""

import csv
from pathlib import Path

import numpy as np
import pytest

from command import puzzlebox
from puzzlebox.record import Start, Store
from puzzlebox.record.export import export
from puzzlebox.record.recorder import Recorder
from puzzlebox.record.tables import write_table
from puzzlebox.report.by_factor import compare_values, values_table
from puzzlebox.report.cells import CannotRead
from puzzlebox.report.contrasts import by_pair_table, contrasts, contrasts_by_level, control_and_test_table
from puzzlebox.report.episodes import ReportEpisode
from puzzlebox.report.factors import Factor, require_factors, with_factor_columns
from puzzlebox.report.rank_tests import BRUNNER_MUNZEL, SIGNED_RANKS
from puzzlebox.report.sources import gather
from puzzlebox.report.tables import by_arena

TEMPLATE = """
vary: {side: [left, right], condition: [control, test]}
arenas: [{time_limit: 1, items: [{name: Agent, at: [20, 0, 20]}]}]
"""


def episode(task: str, passed: bool, agent: str = "a", seed: int = 0, **more: object) -> ReportEpisode:
    return ReportEpisode(
        id="",
        task=task,
        agent=agent,
        total=float(passed),
        passed=passed,
        seed=seed,
        **more,  # type: ignore[arg-type]
    )


def variants(chances: dict[str, float], each: int = 10, repetitions: int = 4) -> list[ReportEpisode]:
    """Return episodes on variants of one task, whose factor `side` decides the chance to pass."""
    rng = np.random.default_rng(1)
    return [
        episode(
            f"wall@{which}{number}",
            bool(rng.random() < chance),
            seed=seed,
            variant=f"{which}{number}",
            factors={"side": side},
        )
        for which, (side, chance) in enumerate(chances.items())
        for number in range(each)
        for seed in range(repetitions)
    ]


def test_variants_are_the_units_of_a_factor() -> None:
    result = compare_values(variants({"left": 0.9, "right": 0.1}), "side")
    passed, returns = result.tests
    assert passed.tests is not None
    assert (passed.tests.method, passed.tests.units) == (BRUNNER_MUNZEL, 20)
    assert passed.p_adjusted < 0.01
    assert "a: the proportion passed differed between 2 values of side" in result.sentences[0]
    assert returns.measure == "mean return"
    assert [(line["value"], line["units"], line["unit"]) for line in result.lines] == [
        ("left", 10, "variant"),
        ("right", 10, "variant"),
    ]
    assert all(line["passed_low"] < line["passed"] < line["passed_high"] for line in result.lines)
    assert all(show(row) for row in values_table(result).rows for _, show in values_table(result).columns)


def test_participants_are_their_own_pairs() -> None:
    rows = [
        episode("wall", passed, "human", participant=f"p{person}", person=True, player="human", factors={"side": side})
        for person in range(8)
        for side, passed in (("left", True), ("right", person == 0))
    ]
    test = compare_values(rows, "side").tests[0].tests
    assert test is not None
    assert (test.method, test.unit, test.units) == (SIGNED_RANKS, "participant", 8)


def test_a_value_with_few_units_is_left_out_by_name() -> None:
    rows = [*variants({"left": 0.9, "right": 0.1}), episode("wall@x", True, variant="x", factors={"side": "middle"})]
    result = compare_values(rows, "side")
    assert result.tests[0].left_out == ("middle",)
    assert "without middle" in result.sentences[0]
    few = compare_values(variants({"left": 0.9, "right": 0.1}, each=2), "side")
    assert "was not tested because fewer than two values have 5 tasks or more" in few.sentences[0]


def test_many_numbers_are_divided_into_quarters() -> None:
    rows = [episode(f"wall@{n}", True, variant=str(n), factors={"gap": n / 7}) for n in range(20)]
    factor = Factor.of("gap", rows)
    assert len(factor.values) == 4
    assert [sum(factor.value(row) == value for row in rows) for value in factor.values] == [5, 5, 5, 5]
    assert Factor.of("gap", rows[:5]).values == ["0", "0.142857", "0.285714", "0.428571", "0.571429"]


def test_an_unknown_factor_is_refused_with_the_nearest() -> None:
    rows = variants({"left": 0.9, "right": 0.1}, each=1)
    with pytest.raises(CannotRead, match=r"these episodes have no factor 'sides'; did you mean `side`\?"):
        require_factors(["sides"], rows)
    with pytest.raises(CannotRead, match="comes from a template or the metadata"):
        require_factors(["side"], [episode("wall", True)])


def test_a_column_that_could_be_a_factor_is_named_with_its_right_name(tmp_path: Path) -> None:
    table = tmp_path / "children.csv"
    table.write_text("task,agent,score,age,level\nwall,a,1,7,1\nwall,a,0,8,1\n", encoding="utf-8")
    results = gather([table])
    assert [row.total for row in results.rows] == [1, 0]
    with pytest.raises(CannotRead, match=r"no factor 'age'; .*children.csv has a column 'age', which must be called"):
        require_factors(["age"], results.rows, results.sources)
    with pytest.raises(CannotRead, match="comes from a template or the metadata"):
        require_factors(["level"], results.rows, results.sources)
    table.write_text(table.read_text(encoding="utf-8").replace(",age,", ",factor_age,"), encoding="utf-8")
    results = gather([table])
    require_factors(["age"], results.rows, results.sources)


def pairs(control: float, test: float, tasks: int = 6, agent: str = "a") -> list[ReportEpisode]:
    """Return episodes on tasks with a control and a test, as an arena each."""
    rng = np.random.default_rng(2)
    return [
        episode(f"task{task}", bool(rng.random() < chance), agent, seed, arena=arena, factors={"condition": word})
        for task in range(tasks)
        for arena, (word, chance) in enumerate((("control", control), ("test", test)))
        for seed in range(10)
    ]


@pytest.mark.parametrize(
    ("chances", "finding"),
    [
        ((0.95, 0.05), "passes the control, fails the test"),
        ((0.95, 0.95), "passes both"),
        ((0.05, 0.05), "fails both"),
        ((0.95, 0.5), "not decided"),
        ((0.05, 0.95), "fails the control, passes the test"),
    ],
)
def test_control_and_test_in_words(chances: tuple[float, float], finding: str) -> None:
    (found,) = contrasts(pairs(*chances))
    assert found.finding == finding
    assert (found.unit, found.pairs) == ("task", 6)
    assert found.difference is None or found.difference.low < found.shares[0] - found.shares[1] < found.difference.high
    table = control_and_test_table([found])
    assert table.rows[0]["finding"] == finding
    assert all(show(row) for row in table.rows for _, show in table.columns)


def test_few_tasks_have_numbers_and_the_reason_for_no_interval() -> None:
    (found,) = contrasts(pairs(0.9, 0.1, tasks=2))
    assert found.finding == "not decided"
    assert found.difference is None
    assert "has no interval because only 2 tasks have both, and it needs 5" in found.sentence


def test_people_and_agents_have_contrasts_of_their_own() -> None:
    people = [
        episode(
            f"task{task}",
            word == "control" or person == 0,
            "human",
            participant=f"p{person}",
            person=True,
            arena=arena,
            factors={"condition": word},
        )
        for person in range(12)
        for task in range(2)
        for arena, word in enumerate(("control", "test"))
    ]
    agent, human = contrasts([*pairs(0.9, 0.1, tasks=2), *people])
    assert (agent.unit, human.unit, human.pairs) == ("task", "participant", 12)
    assert human.finding == "passes the control, fails the test"
    assert "over 12 participants with both" in human.sentence


def matched_tasks(level: str, tests: float, count: int = 6) -> list[ReportEpisode]:
    """Return episodes on tasks with three variants, each a control or the test that belongs to it."""
    rng = np.random.default_rng(5)
    return [
        episode(
            f"0{level}-{2 * task + (word == 'test'):02d}-{variant}",
            bool(rng.random() < chance),
            seed=seed,
            variant=str(variant),
            level=level,
            factors={"condition": word, "pair": f"0{level}-{2 * task:02d}"},
        )
        for task in range(count)
        for word, chance in (("control", 0.95), ("test", tests))
        for variant in (1, 2, 3)
        for seed in range(4)
    ]


def test_a_test_and_its_control_may_be_two_tasks_with_a_pair_in_common() -> None:
    (found,) = contrasts(matched_tasks("3", 0.05))
    assert (found.unit, found.pairs) == ("pair", 6)
    assert found.finding == "passes the control, fails the test"
    (few,) = contrasts(matched_tasks("3", 0.05, count=2))
    assert (few.unit, few.pairs) == ("variant", 6)


def test_levels_with_control_and_test_are_compared_by_themselves() -> None:
    rows = [*matched_tasks("3", 0.05), *matched_tasks("8", 0.95)]
    found = contrasts_by_level(rows)
    assert [(each.level, each.finding) for each in found] == [
        ("3", "passes the control, fails the test"),
        ("8", "passes both"),
    ]
    table = control_and_test_table(found)
    assert table.name == "control_and_test_by_level"
    assert [row["level"] for row in table.rows] == ["3", "8"]
    assert contrasts_by_level(matched_tasks("3", 0.05)) == []


def test_each_control_and_its_tests_are_one_line_of_a_table() -> None:
    rows = [*matched_tasks("3", 0.0, count=2), *matched_tasks("8", 1.0, count=1)]
    table = by_pair_table(rows)
    assert table is not None
    assert [row["pair"] for row in table.rows] == ["03-00", "03-02", "08-00"]
    assert [row["a_test"] for row in table.rows] == [0.0, 0.0, 1.0]
    assert all(row["a_test_episodes"] == row["a_control_episodes"] == 12 for row in table.rows)
    heading, cell = table.columns[-1]
    assert heading == "a" and cell(table.rows[2]).endswith("% and 100.0 %")
    assert by_pair_table(matched_tasks("3", 0.0, count=1)) is None


def test_tests_without_their_controls_are_no_contrast() -> None:
    rows = matched_tasks("3", 0.05, count=12)
    apart = [row for row in rows if (row.factors["condition"] == "test") == (str(row.factors["pair"]) < "03-12")]
    assert len(apart) == len(rows) / 2 and len({row.factors["condition"] for row in apart}) == 2
    assert contrasts(apart) == [] and by_pair_table(apart) is None


def test_variants_that_are_either_control_or_test() -> None:
    rows = [
        episode(
            row.task, bool(row.passed), seed=row.seed or 0, variant=row.variant, factors={"view": row.factors["side"]}
        )
        for row in variants({"control": 0.95, "test": 0.05})
    ]
    (found,) = contrasts(rows)
    assert (found.unit, found.pairs, found.counts) == ("variant", 0, (10, 10))
    assert found.finding == "passes the control, fails the test"
    assert found.difference is not None
    assert contrasts(variants({"left": 0.9, "right": 0.1})) == []


def test_factors_are_columns_of_tables_about_tasks() -> None:
    rows = [
        episode("wall", True, arena=arena, arena_title=title, factors={"side": "left", "condition": title.lower()})
        for arena, title in enumerate(("Control", "Test"))
    ]
    table = with_factor_columns(by_arena(rows), rows)
    assert [(line["factor_side"], line["factor_condition"]) for line in table.rows] == [
        ("left", "control"),
        ("left", "test"),
    ]
    assert [dict(table.columns)["task and arena"](line) for line in table.rows] == ["wall, Control", "wall, Test"]


def test_factors_survive_in_tables(tmp_path: Path) -> None:
    rows = [
        episode("wall", True, seed=1, ended_by="time", factors={"side": "left", "delay": 5, "flat": True, "mixed": 1}),
        episode("wall", True, seed=2, ended_by="time", factors={"delay": 2.5, "mixed": "one"}),
    ]
    for path in write_table(tmp_path, rows):
        read = sorted(gather([path], watched=True).rows, key=lambda row: row.seed or 0)
        assert [dict(row.factors) for row in read] == [
            {"side": "left", "delay": 5.0, "flat": True, "mixed": 1},
            {"delay": 2.5, "mixed": "one"},
        ]


def test_recordings_have_the_factors_of_their_task(tmp_path: Path) -> None:
    from puzzlebox.arena.schema import load_task
    from puzzlebox.arena.world import World

    task = load_task("models/lights-out")
    store = Store(tmp_path / "people.sqlite")
    for arena in task.starts:
        world = World(task, arena=arena, seed=1)
        recording = Recorder(store, Start.of(task, name="models/lights-out", arena=arena, seed=1), world)
        while not world.over:
            recording.stepped(world.step([3]))
    store.flush()
    (table, *_) = export(store, store.episodes(), tmp_path / "data")
    store.close()
    for place in (tmp_path / "people.sqlite", tmp_path / "data"):
        rows = sorted(gather([place]).rows, key=lambda row: row.arena)
        assert [row.factors for row in rows] == [{"condition": "control"}, {"condition": "test"}]
        assert [row.arena_title for row in rows] == ["With light (control)", "In the dark"]
    assert "factor_condition" in table.read_text(encoding="utf-8").splitlines()[0]


def test_factors_flow_from_a_template_to_its_report(tmp_path: Path) -> None:
    (tmp_path / "wall.yml").write_text(TEMPLATE)
    done = puzzlebox("run", "wall.yml", "--agent", "random", "-o", "out", "--workers", "1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with (tmp_path / "out" / "episodes.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {(row["factor_side"], row["factor_condition"]) for row in rows} == {
        (side, condition) for side in ("left", "right") for condition in ("control", "test")
    }
    done = puzzlebox("report", "out", "--by", "side", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "out" / "report"
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "Control and test" in page
    assert "By side" in page
    for name in ("by_side", "tasks", "episodes", "control_and_test"):
        header = (folder / "tables" / f"{name}.csv").read_text(encoding="utf-8").splitlines()[0]
        assert ("factor_side" in header) == (name in ("tasks", "episodes"))
    refused = puzzlebox("report", "out", "--by", "sid", cwd=tmp_path)
    assert refused.returncode == 1
    assert "these episodes have no factor 'sid'" in refused.stderr


def test_sentences_about_a_factor_name_its_values() -> None:
    result = compare_values(variants({"left": 0.9, "right": 0.1}), "side")
    left, right = (f"{100 * line['passed']:.1f} %" for line in result.lines)
    assert f"between 2 values of side (left {left}, right {right}; " in result.sentences[0]


def test_a_factor_is_not_tested_if_all_units_are_alike() -> None:
    result = compare_values(variants({"left": 0.0, "right": 0.0}), "side")
    assert "a: the proportion passed was 0.0 % in every unit, whatever the value of side" in result.sentences[0]
    assert not [line for line in result.sentences if "p = " in line or "was not tested" in line]


@pytest.mark.parametrize("matched", [True, False], ids=["pairs", "different variants"])
def test_who_passes_all_controls_and_no_test_has_an_interval_too(matched: bool) -> None:
    rows = [
        episode(
            f"wall@{n % 6 if matched else n}",
            n < 6,
            variant=str(n % 6 if matched else n),
            arena=n // 6 if matched else 0,
            factors={"condition": "control" if n < 6 else "test"},
        )
        for n in range(12)
    ]
    (found,) = contrasts(rows)
    assert (found.pairs, found.counts) == (6 if matched else 0, (6, 6))
    assert found.shares == pytest.approx((1.0, 0.0))
    control, test = found.limits
    assert found.difference is not None and control is not None and test is not None
    # Newcombe (1998): the squares of the distances from the values to the limits are added.
    low = 1 - ((1 - control.low) ** 2 + test.high**2) ** 0.5
    assert found.difference == pytest.approx((1.0, low, 1.0))
    assert 0 < low < control.low
    over = "6 variants with both" if matched else "12 variants"
    assert f"Control minus test: 100.0 [{100 * low:.1f}, 100.0] percentage points over {over}." in found.sentence
