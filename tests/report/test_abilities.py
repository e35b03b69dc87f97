"""Abilities and capabilities in reports: scales, published children, degenerate data, and the layout of a run."""

import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from command import puzzlebox
from made_up_runs import made_up_rows, write_run
from puzzlebox.columns import Column
from puzzlebox.report import gather, make_report
from puzzlebox.report.abilities import scale_of
from puzzlebox.report.capabilities import Battery, battery_of, capability_table, verdict
from puzzlebox.report.contents import Contents, contents
from puzzlebox.report.figures.capabilities import successes
from puzzlebox.report.figures.looks import looks
from puzzlebox.stats import CannotCompute, Interval
from puzzlebox.stats.layout import fit_layout
from puzzlebox.wings import wing_named

pytestmark = pytest.mark.usefixtures("unpainted_figures")

TASKS = [f"{level:02}-{task:02}-01" for level in (1, 2, 3) for task in (1, 2, 3, 4)]


def sentences(found: Contents, title: str) -> str:
    return " ".join(
        block for section in found.sections if section.title == title for block in section.blocks if type(block) is str
    )


def test_agents_are_ordered_by_ability(tmp_path: Path) -> None:
    skills = {"weak": -2.0, "middling": 0.0, "strong": 2.0}
    results = gather([write_run(tmp_path / "out", made_up_rows(TASKS, skills))])
    found = contents(results)
    (table,) = [each for each in found.tables if each.name == "abilities"]
    assert [row["player"] for row in table.rows] == ["strong", "middling", "weak"]
    assert all(row["ability_low"] < row["ability"] < row["ability_high"] for row in table.rows)
    assert table.rows[0]["ability"] - table.rows[2]["ability"] == pytest.approx(4, abs=1.5)
    text = sentences(found, "Abilities")
    assert "The 1PL of item response theory puts 3 players and 12 tasks on one scale" in text
    assert "the 2PL was not tried: it needs at least five players" in text
    assert "none was played by 5 players" in text
    assert "capabilities" not in text


def test_participants_stand_beside_agents_on_one_scale(tmp_path: Path) -> None:
    rows = made_up_rows(TASKS, {"random": -1.0, "heuristic": 0.5}, episodes=1)
    for person, skill in enumerate(np.linspace(-1, 2, 8)):
        own = made_up_rows(TASKS, {"human": float(skill)}, episodes=1, seed=0)
        rows += [{**row, "player": "human", "participant": f"p{person}"} for row in own]
    scale = scale_of(gather([write_run(tmp_path / "out", rows)]).rows)
    assert [player.participant for player in scale.players] == ["", "", *(f"p{person}" for person in range(8))]
    assert len(scale.differences) == len(TASKS)
    assert scale.other is not None  # ten players: the 2PL was tried


def test_published_children_are_put_on_the_scale_of_tasks_that_they_played(tmp_path: Path) -> None:
    tasks = ["01-04-03", "02-10-01", "03-09-01", "04-13-01", "05-09-01", "06-09-01", "10-16-01", "01-01-01"]
    rows = gather([write_run(tmp_path / "out", made_up_rows(tasks, {"a": -1.0, "b": 1.0}))]).rows
    assert [player.name for player in scale_of(rows).players] == ["a", "b"]
    scale = scale_of(rows, published=True)
    children = scale.players[-1]
    assert (children.name, children.person, children.published) == ("children", True, True)
    own = scale.cells.players == 2
    assert own.sum() == 7
    assert set(scale.cells.trials[own]) == {59}
    assert scale.cells.passes[own].tolist()[0] == 53


@pytest.mark.parametrize(
    ("tasks", "agents", "why"),
    [
        (TASKS, {"random": 0.0}, "only one agent played, and abilities are relative to those of others"),
        (TASKS[:3], {"a": 0.0, "b": 1.0}, "a scale needs 5 tasks, and there are 3"),
    ],
)
def test_without_others_or_tasks_there_is_no_scale(
    tmp_path: Path, tasks: list[str], agents: dict[str, float], why: str
) -> None:
    results = gather([write_run(tmp_path / "out", made_up_rows(tasks, agents))])
    assert f"There is no scale of abilities: {why}." in sentences(contents(results), "Abilities")
    with pytest.raises(CannotCompute, match=re.escape(why)):
        scale_of(results.rows)


def test_without_verdicts_there_is_no_scale(tmp_path: Path) -> None:
    rows = [{**row, "passed": ""} for row in made_up_rows(TASKS, {"a": 0.0, "b": 1.0}, episodes=1)]
    with pytest.raises(CannotCompute, match="it is not known which episodes passed"):
        scale_of(gather([write_run(tmp_path / "out", rows)]).rows)


def test_agents_that_pass_all_or_nothing_have_finite_abilities(tmp_path: Path) -> None:
    rows = made_up_rows(TASKS, {"nothing": -60.0, "all": 60.0})
    report = make_report([write_run(tmp_path / "out", rows)], tmp_path / "report")
    (table,) = [each for each in report.contents.tables if each.name == "abilities"]
    assert [row["player"] for row in table.rows] == ["all", "nothing"]
    assert all(abs(row["ability"]) < 10 and row["standard_error"] > 0.5 for row in table.rows)
    text = unescape(re.sub(r"<[^>]+>", " ", report.page.read_text(encoding="utf-8")))
    assert not re.search(r"\b(nan|NaN|inf)\b", text)


def test_arenas_of_a_task_are_items_of_their_own(tmp_path: Path) -> None:
    rows = made_up_rows(TASKS, {"a": -1.0, "b": 1.0}, episodes=2)
    rows = [{**row, "arena": index % 2} for index, row in enumerate(rows)]
    rows = [row | {"arena_title": "Test"} if row["task"] == "01-02-01" and row["arena"] else row for row in rows]
    rows = [row | {"arena_title": "Same"} if row["task"] == "01-03-01" else row for row in rows]
    results = gather([write_run(tmp_path / "out", rows)])
    scale = scale_of(results.rows)
    assert len(scale.items) == 2 * len(TASKS)
    assert {"01-01-01, arena 2", "01-02-01, Test", "01-02-01, arena 1"} <= set(scale.items)
    assert {"01-03-01, Same (arena 1)", "01-03-01, Same (arena 2)"} <= set(scale.items)
    found = contents(results)
    assert "puts 2 players and 24 arenas of 12 tasks on one scale" in sentences(found, "Abilities")
    tables = {table.name: table for table in found.tables}
    assert "arena" in tables["difficulties"].caption
    assert tables["difficulties"].columns[0][0] == "task and arena"
    assert {row["arenas"] for row in tables["abilities"].rows} == {24}


def test_demands_of_a_run_are_read_off_its_trajectories(tmp_path: Path) -> None:
    names = ["examples/food", "examples/wall", "food/picnic", "numbers/marshmallow"]
    folder = tmp_path / "out"
    puzzlebox("run", *names, "--agent", "random", "-o", str(folder), "--workers", "1", "--longest", "30")
    results = gather([folder])
    battery = battery_of(results.rows, wing_named("arena"))
    assert sorted(battery.units) == sorted(names)
    assert battery.demands.shape == (4, len(battery.dimensions))
    assert battery.weights.tolist() == [1.0] * 4
    hidden = [column.name for column in battery.dimensions].index("hidden")
    assert battery.demands[battery.units.index("examples/wall"), hidden] == 1
    text = sentences(contents(results, layout=True), "Capabilities")
    # All episodes were stopped at the limit of the run.
    assert "it is not known whether any of these episodes passed" in text


def test_a_report_says_when_tasks_cannot_be_read(tmp_path: Path) -> None:
    tasks = [f"{level:02}-{task:02}-01" for level in (1, 2, 3) for task in range(1, 11)]
    results = gather([write_run(tmp_path / "out", made_up_rows(tasks, {"a": 0.0, "b": 1.0}, episodes=1))])
    assert not sentences(contents(results), "Capabilities")
    assert "`puzzlebox report --capabilities`" in sentences(contents(results), "Notes")
    text = sentences(contents(results, layout=True), "Capabilities")
    assert "Capabilities are not inferred: of 30 tasks only 0 could be read." in text


def test_too_few_tasks_for_capabilities_are_told_in_the_terminal(tmp_path: Path) -> None:
    run = write_run(tmp_path / "out", made_up_rows(TASKS, {"a": 0.0, "b": 1.0}, episodes=1))
    done = puzzlebox("report", str(run), "--capabilities")
    assert done.returncode == 0
    assert "Capabilities are not inferred: that needs 20 tasks, and there are 12." in done.stderr


def test_capabilities_that_the_tasks_do_not_inform_are_marked() -> None:
    rng = np.random.default_rng(0)
    # The second dimension is demanded by one task only, which says nothing about it: the first one already fails it.
    demands = np.zeros((60, 2))
    demands[:, 0] = rng.uniform(0, 20, 60)
    demands[np.argmax(demands[:, 0]), 1] = 1.0
    passed = (demands[:, 0] < 9).astype(float)
    layout = fit_layout(demands, passed, draws=150, warm_up=150)
    assert [layout.informed(index) for index in range(2)] == [True, False]
    columns = [Column(name, "", "doublings", "What is demanded.") for name in ("far", "rare")]
    battery = Battery(columns, demands, [f"t{n}" for n in range(60)], np.ones(60), {"a": passed})
    table = capability_table(battery, {"a": layout})
    cells = [[show(row) for _, show in table.columns] for row in table.rows]
    assert "not informed by these tasks" in cells[1] and "not informed by these tasks" not in cells[0]
    assert "tables/capabilities.csv" in table.caption
    drawing = successes([("a", layout, columns)], looks(["a"]), "")
    (axes,) = drawing.figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["far"]


def test_a_layout_that_does_not_predict_is_not_to_be_relied_on() -> None:
    assert verdict(Interval(0.02, 0.01, 0.03)).startswith("The layout predicts better than the mean")
    for gain, how in ((Interval(0.01, -0.01, 0.03), "not clearly better"), (Interval(-0.02, -0.03, -0.01), "worse")):
        assert verdict(gain).startswith("Do not rely on this table") and how in verdict(gain)


def test_the_published_results_go_through_the_page(reference: Path, tmp_path: Path) -> None:
    rows = gather([reference / "spec" / "reference-results.csv"]).rows
    scale = scale_of([row for row in rows if row.agent != "ppo-as-published"], published=True)
    order = [scale.players[index].name for index in np.argsort(scale.fit.abilities)]
    assert order[:2] == ["ppo-relabelled", "random"]
    assert set(order[2:4]) == {"heuristic", "dreamer-v3"}
    assert set(order[4:6]) == {"ironbar", "Trrrrr"}
    assert order[6] == "children"
    children = scale.ability(len(scale.players) - 1)
    assert children.low < 0.33 < children.high
    assert len(scale.items) == 900
    assert len(scale.differences) == 40
