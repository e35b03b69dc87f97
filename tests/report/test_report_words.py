"""The words of a report on a table of another program: they say what was done, and do not contradict each other."""

import csv
from pathlib import Path

import numpy as np
import pytest

from pictures import figures_unpainted
from puzzlebox.report.build import Report, make_report
from puzzlebox.report.contents import _headline, contents
from puzzlebox.report.episodes import ReportEpisode, Results
from puzzlebox.report.page import _shown_rows
from puzzlebox.report.shares import Shares
from puzzlebox.report.sources import gather
from puzzlebox.report.tables import Table, by_agent, by_participant, text


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Two groups of six children and one agent on ten tasks; the table has neither hashes nor rules."""
    folder = tmp_path_factory.mktemp("foreign")
    rng = np.random.default_rng(3)
    players = [(f"children {age} years", f"{age}-{child}") for age in (4, 6) for child in range(6)]
    players += [("robot", "")] * 6
    with (folder / "results.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("task", "agent", "participant", "return", "passed"))
        for task in range(10):
            for agent, participant in players:
                total = round(float(rng.normal(0.4 if agent == "robot" else 0.0)), 3)
                writer.writerow((f"task {task}", agent, participant, total, total > 0))
    with figures_unpainted():
        return make_report([folder / "results.csv"], folder / "report")


def texts(report: Report, title: str) -> list[str]:
    """Return the sentences of a section."""
    (section,) = [each for each in report.contents.sections if each.title == title]
    return [str(block) for block in section.blocks if isinstance(block, str)]


def methods(report: Report) -> str:
    return report.page.with_name("methods.txt").read_text(encoding="utf-8")


def test_the_methods_of_a_table_say_only_what_was_done(foreign: Report) -> None:
    text = methods(foreign)
    assert "A step lasts" not in text and "pass mark" not in text and "McNemar" not in text
    assert "Which episodes were passed was read from the tables." in text
    assert "Participants (“children 4 years”) played 10 tasks; each participant played each of them once." in text
    assert "There were 6 participants." in text
    assert "returns of agents were compared by the Brunner–Munzel test (by permutations" in text
    assert "Mean returns with tasks as units were compared by the Wilcoxon signed-rank test" in text
    assert "participants that played several tasks were resampled whole" in text
    assert "There is no probability of improvement" not in foreign.page.read_text(encoding="utf-8")


def test_one_analysis_decides_whether_agents_differ(foreign: Report) -> None:
    lines = texts(foreign, "Odds of passing")
    assert sum("Whether two agents differ is decided by the test of the model" in line for line in lines) == 1
    (odds,) = [line for line in lines if line.startswith("Odds ratios of passing")]
    assert odds.count("adjusted for all pairs: p ") == 2
    different = [pair for pair in foreign.contents.model.pairs if pair.p_holm < 0.05]
    for pair in different:
        names = (f"{pair.first} – {pair.second}:", f"{pair.second} – {pair.first}:")
        assert not [line for line in lines if line.startswith(names)]
    asked = [line for line in lines if "equivalen" in line and " – " in line]
    assert len(asked) == len(foreign.contents.model.pairs) - len(different)


def test_the_headline_gives_the_mean_over_tasks_first() -> None:
    same = [
        ReportEpisode(id="", task=f"task {task}", agent="robot", total=0.5 + task, passed=task > 2, seed=seed, steps=40)
        for task in range(6)
        for seed in range(task + 1)
    ]
    *_, line = _headline(Results(same, [], [], []), same, Shares.of(same))
    assert line.startswith("robot passed 50.0 % (mean over 6 tasks; 15 of 21 episodes); ")
    more = [ReportEpisode(**vars(row) | {"seed": 99 + row.seed, "ended_by": "goal"}) for row in same]
    exact = [ReportEpisode(**vars(row) | {"ended_by": "goal"}) for row in same] + more
    *_, line = _headline(Results(exact, [], [], []), exact, Shares.of(exact))
    assert "; known exactly on these tasks, because its episodes are identical; " in line


def test_the_test_over_tasks_comes_first_and_is_shown(foreign: Report) -> None:
    tables = {table.name: table for table in foreign.contents.tables}
    assert tables["returns_tests"].rows[0]["task"] == "all tasks"
    assert "in the first row" in tables["returns_tests"].caption
    assert [row["task"] for row in tables["returns_pairs"].rows[:2]] == ["all tasks", "all tasks"]
    lines = texts(foreign, "Returns")
    assert "These are the first 8 of 10 tasks with a test; the files have all." in lines


@pytest.mark.parametrize(("most", "shown"), [(2, 3), (3, 3), (4, 3), (5, 5), (9, 7)])
def test_a_table_does_not_stop_within_a_task(most: int, shown: int) -> None:
    rows = [{"task": task} for task in "aaabbcc"]
    assert _shown_rows(Table("", "", rows, [("task", text("task"))], most, ditto=True)) == shown
    assert _shown_rows(Table("", "", rows, [("task", text("task"))], most)) == min(most, 7)


def test_participants_of_several_groups_have_a_column_for_the_group(foreign: Report) -> None:
    rows = foreign.results.rows
    assert by_participant(rows).columns[0][0] == "group"
    one = [row for row in rows if row.agent == "children 4 years"]
    assert by_participant(one).columns[0][0] == "participant"


def test_a_table_speaks_of_variants_or_of_tasks() -> None:
    rows = [
        ReportEpisode(id="", task=f"wall@{n}", variant=str(n), agent="robot", total=float(n), passed=n > 3, seed=seed)
        for n in range(6)
        for seed in range(3)
    ]
    table = by_agent(rows)
    heads = [name for name, _ in table.columns]
    assert "passed, these variants" in heads and "variants like these" in heads
    assert "median return" in heads and "median latency of passes (s)" in heads
    assert "tasks" not in table.caption


def test_the_name_of_people_holds_for_tables_as_well(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("task,agent,participant,return\na,human,p1,1\na,children,p2,0\na,robot,,0\n", encoding="utf-8")
    found = gather([table], people="adults")
    assert sorted(found.agents) == ["adults", "children", "robot"]
    assert found.remarks == ["--people adults does not rename children: table names these participants itself."]
    assert "human" in gather([table], people="human").agents and not gather([table]).remarks


def test_control_and_test_are_not_tabulated_twice() -> None:
    rows = [
        ReportEpisode(
            id="",
            task=f"task {task}",
            arena=arena,
            agent="robot",
            total=float(arena + task % 3 + seed),
            passed=(task + arena + seed) % 3 > 0,
            seed=seed,
            factors={"condition": condition},
        )
        for task in range(6)
        for arena, condition in enumerate(("control", "test"))
        for seed in range(3)
    ]
    found = contents(Results(rows, [], [], []), by=["condition"])
    (section,) = [each for each in found.sections if each.title == "By condition"]
    (table,) = [block for block in section.blocks if isinstance(block, Table)]
    assert table.most == 0 and table.rows
    assert "are in the section “Control and test” and are not tabulated again" in str(section.blocks[-1])
