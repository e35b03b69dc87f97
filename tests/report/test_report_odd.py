"""Unusual data: a report says which statistics are not defined and why, and is written in any case."""

import re
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from episodes import episodes_of
from made_up_runs import made_up_rows, write_run
from puzzlebox.cli.report import report as verb
from puzzlebox.record.tables import write_table
from puzzlebox.report import CannotRead, Report, gather, make_report
from puzzlebox.report.build import WRITTEN
from puzzlebox.report.comparisons import compare
from puzzlebox.report.data_warnings import data_warnings
from worlds import task_of

TASKS = [f"{level:02}-{task:02}-01" for level in (1, 2, 3, 5) for task in (1, 2)]


pytestmark = pytest.mark.usefixtures("unpainted_figures")


def report_of(tmp_path: Path, rows: list[dict[str, Any]], **options: Any) -> Report:
    return make_report([write_run(tmp_path / "out", rows)], tmp_path / "report", **options)


def words(report: Report) -> str:
    """Return the text of the page, which must not contain `nan` or `inf`."""
    text = report.page.read_text(encoding="utf-8")
    text = re.sub(r"<style>.*?</style>|<img [^>]*>", "", text, flags=re.DOTALL)
    text = unescape(re.sub(r"<[^>]+>", " ", text))
    assert not re.search(r"\b(nan|NaN|None|inf)\b", text)
    return re.sub(r"\s+", " ", text)


def test_a_report_on_one_agent_has_no_comparison(tmp_path: Path) -> None:
    page_text = words(report_of(tmp_path, made_up_rows(TASKS, {"random": 0.0})))
    assert "only one agent played, so there is no comparison" in page_text
    assert "Returns were not tested on 8 of 8 tasks: only one agent played" in page_text


@pytest.mark.parametrize(("skill", "word"), [(60.0, "every episode passed"), (-60.0, "no episode passed")])
def test_without_both_outcomes_there_is_no_model(tmp_path: Path, skill: float, word: str) -> None:
    page_text = words(report_of(tmp_path, made_up_rows(TASKS, {"a": skill, "b": skill})))
    assert f"There is no model of passing: {word}, so there are no odds to compare" in page_text
    assert "a and b did not differ significantly (mean difference 0.0 percentage points, p = 1.000)" in page_text
    assert "needs" not in page_text.partition("Odds of passing")[2].partition("Difference")[0]


def test_an_agent_that_passes_everything_stays_in_the_model(tmp_path: Path) -> None:
    made_report = report_of(tmp_path, made_up_rows(TASKS, {"random": -1.0, "middling": 0.5, "oracle": 60.0}))
    page_text = words(made_report)
    assert "Agent oracle passed all of its episodes, so the odds have no finite maximum-likelihood" in page_text
    terms = {term.name: term for term in made_report.contents.model.terms}
    assert {"middling", "oracle"} <= terms.keys()
    assert terms["oracle"].odds_ratio > terms["oracle"].low > 1


def test_a_report_on_one_episode_has_no_intervals(tmp_path: Path) -> None:
    report = report_of(tmp_path, made_up_rows(["food"], {"random": 0.0}, episodes=1), published=True)
    page_text = words(report)
    assert "1 episode, 1 task, 1 agent: random." in page_text
    assert "There are no intervals for random: it takes 5, and there is 1 episode." in page_text
    assert "There is no violin plot of returns" in page_text
    assert "There are no published results for these tasks (food)" in page_text


def test_few_episodes_of_an_agent_are_reported(tmp_path: Path) -> None:
    page_text = words(report_of(tmp_path, made_up_rows(TASKS, episodes=1)))
    assert "no agent has 5 different episodes" in page_text


def test_missing_levels_are_reported(tmp_path: Path) -> None:
    rows = [row for row in made_up_rows([*TASKS, "own-task"]) if (row["agent"], row["level"]) != ("random", "3")]
    report = report_of(tmp_path, rows, published=True)
    page_text = words(report)
    assert "Agents did not play the same tasks (of 9: random 7, heuristic 9, learner 9; all of them: 7)" in page_text
    assert "30 episodes on tasks without a level are not included here" in page_text
    assert "This report has no episodes on level 4, 6, 7, 8, 9 and 10" in page_text


def test_failed_episodes_are_excluded_and_listed(tmp_path: Path) -> None:
    rows = made_up_rows(TASKS)
    for row in rows[:3]:
        row |= {"error": "RuntimeError: it fell over", "return": "", "passed": ""}
    report = report_of(tmp_path, rows)
    page_text = words(report)
    assert "3 episodes failed for a technical reason and are excluded" in page_text
    assert "RuntimeError: it fell over" in page_text
    assert len(report.results.rows) == len(rows) - 3


def test_one_excluded_episode_is_reported_in_the_singular(tmp_path: Path) -> None:
    rows = made_up_rows(["food"], episodes=3)
    rows[0] |= {"error": "it fell over", "return": "", "passed": ""}
    rows[1]["ended_by"] = "left"
    assert gather([write_run(tmp_path / "out", rows)]).remarks == [
        "1 episode was not played to the end and is excluded.",
        "1 episode failed for a technical reason and is excluded; it is listed below.",
    ]


def test_a_report_replaces_an_earlier_one_and_nothing_else(tmp_path: Path) -> None:
    rows = made_up_rows(TASKS)
    broken = [rows[0] | {"error": "it fell over", "return": "", "passed": ""}, *rows[1:]]
    before = report_of(tmp_path, broken)
    folder = before.page.parent
    kept = [folder / name for name in ("figures/mine.png", "tables/mine.csv", "notes.txt")]
    for path in kept:
        path.write_text("mine")
    with (folder / WRITTEN).open("a") as written:
        written.write("notes.txt\n../out/run.json\n")  # no files of a report, although the list names them
    after = report_of(tmp_path, made_up_rows(["food"]))
    gone = {path.name for path in before.files} - {path.name for path in after.files}
    assert {"failures.csv", "levels.csv", "profile.png", "profile.pdf"} <= gone
    all_files = {path for path in folder.rglob("*") if path.is_file()}
    assert all_files == {*after.files, *kept, folder / WRITTEN}
    assert (tmp_path / "out" / "run.json").exists()


def test_a_report_of_failed_episodes_only_analyses_nothing(tmp_path: Path) -> None:
    rows = made_up_rows(["food"], episodes=2)
    for row in rows:
        row |= {"error": "it fell over", "return": "", "passed": ""}
    assert "No episode could be analysed" in words(report_of(tmp_path, rows))


def test_equal_returns_have_no_rank_test(tmp_path: Path) -> None:
    rows = made_up_rows(["food"], {"a": 0.0, "b": 0.0})
    for row in rows:
        row["return"] = -1.0
    page_text = words(report_of(tmp_path, rows))
    assert "all values are equal, so there are no ranks to compare" in page_text


def test_unknown_outcomes_are_reported(tmp_path: Path) -> None:
    rows = made_up_rows(["food"])
    for row in rows:
        row["passed"] = ""
    assert "it is not known which episodes passed" in words(report_of(tmp_path, rows))


def test_a_table_of_thousands_of_tasks_is_shortened_on_the_page(tmp_path: Path) -> None:
    tasks = [
        f"{level:02}-{task:02}-{variant:02}" for level in range(1, 11) for task in range(1, 51) for variant in (1, 2, 3)
    ]
    report = report_of(tmp_path, made_up_rows(tasks, {"random": -2.0, "better": 0.0}, episodes=1))
    page_text = words(report)
    assert "3,000 episodes, 1,500 tasks, 2 agents" in page_text
    assert "The first 40 of 3000 rows are shown; all are in tables/tasks.csv" in page_text
    assert report.contents.model.fit is not None
    assert report.page.stat().st_size < 3_000_000


def test_a_report_has_room_for_many_agents(tmp_path: Path) -> None:
    agents = {f"agent-with-a-long-name-{number}": number / 4 - 2 for number in range(14)}
    assert "14 agents" in words(report_of(tmp_path, made_up_rows(TASKS[:2], agents, episodes=5)))


def test_names_are_escaped_in_html(tmp_path: Path) -> None:
    report = report_of(tmp_path, made_up_rows(["<b>bold</b>"], {"<script>": 0.0, "b&b": 1.0}), title="<i>")
    text = report.page.read_text(encoding="utf-8")
    assert "<script" not in text
    assert "&lt;script&gt;" in text


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("values", [(1e308,), (1.7e308, -1.7e308), (5e-324, 0.0), (1e16, 1e16 + 2), (-1e308, -1.0)])
@pytest.mark.parametrize("tasks", [["food"], TASKS])
def test_returns_of_any_size_give_numbers(tmp_path: Path, tasks: list[str], values: tuple[float, ...]) -> None:
    rows = made_up_rows(tasks, {"a": 0.0, "b": 1.0}, episodes=8)
    for index, row in enumerate(rows):
        row["return"] = values[index % len(values)]
    words(report_of(tmp_path, rows))
    for path in (tmp_path / "report" / "tables").glob("*.csv"):
        assert not re.search(r"\b(nan|inf)\b", path.read_text()), path.name


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("bad", ["nan", "inf", "-inf", "NA"])
def test_episodes_without_a_finite_return_are_excluded(tmp_path: Path, bad: str) -> None:
    rows = made_up_rows(TASKS)
    for row in rows[:4]:
        row["return"] = bad
    report = report_of(tmp_path, rows)
    assert "4 episodes failed for a technical reason and are excluded" in words(report)
    assert len(report.results.rows) == len(rows) - 4


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "agents",
    [
        ["", " ", "x"],
        ["a" * 500, f"{'a' * 499}b"],
        ["$x$", "\\frac{1", "_^%&", "<b>"],
        ["PPO", "ppo", "p po"],
        ["a\nb", "a b", "\x01"],
        [TASKS[0], TASKS[1]],
    ],
)
def test_odd_names_make_a_report(tmp_path: Path, agents: list[str]) -> None:
    skills = {agent: index / 2 for index, agent in enumerate(agents)}
    report = report_of(tmp_path, made_up_rows(TASKS, skills, episodes=5))
    page_text = words(report)
    assert f"{len(report.results.agents)} agents" in page_text
    assert len(report.results.agents) == len({name.strip() for name in agents})


def test_a_task_without_a_name_has_one(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("task,agent,return\n,a,1\n,,2\n")
    assert [(row.task, row.agent) for row in gather([tmp_path / "t.csv"]).rows] == [("unnamed", "a"), ("unnamed",) * 2]


@pytest.mark.filterwarnings("error")
@pytest.mark.slow
def test_thousands_of_participants_with_one_episode_each(tmp_path: Path) -> None:
    rows = made_up_rows(TASKS, {"human": 0.0}, episodes=250)
    for number, row in enumerate(rows):
        row |= {"player": "human", "participant": f"P{number}"}
    page_text = words(report_of(tmp_path, rows))
    assert "2,000 participants" in page_text or "2000" in page_text


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "change",
    [
        {"seed": ""},
        {"arena": [1, 5, 9]},
        {"passed": ""},
        {"passed": ["TRUE", "F", "yes", "0"]},
        {"steps": "NA", "latency": "nan"},
        {"level": "9" * 5000},
        {"level": ["٣", "²"]},
        {"events": "5", "rules_fields": "[1]"},
    ],
)
def test_columns_with_odd_cells_make_a_report(tmp_path: Path, change: dict[str, Any]) -> None:
    rows = made_up_rows(TASKS, episodes=6)
    for index, row in enumerate(rows):
        row |= {name: value[index % len(value)] if isinstance(value, list) else value for name, value in change.items()}
    words(report_of(tmp_path, rows))


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("task;agent;return\nt;a;1,5\n", "has cells separated by semicolons; they must be separated by commas"),
        ("task\tagent\treturn\nt\ta\t1\n", "has cells separated by tabs"),
        ("task,agent,return,return\nt,a,1,2\n", "has two columns 'return'"),
        ("task,agent,return\nt,a,1,5\n", "line 2 has 4 cells, but there are 3 columns"),
        ("task,agent,return,arena\nt,a,1,1.5\n", "arena is '1.5'; it must be a whole number, 0 or more"),
        ("task,agent,return,arena\nt,a,1,-1\n", "arena is '-1'; it must be a whole number, 0 or more"),
        ("task,agent,return,steps\nt,a,1,inf\n", "steps is 'inf'; it must be finite"),
        ("Task,Agent,Return\nt,a,1\n", "has no column 'task'; allowed: Task, Agent, Return; did you mean `Task`?"),
    ],
)
def test_tables_of_other_kinds_are_refused_with_the_reason(tmp_path: Path, table: str, why: str) -> None:
    (tmp_path / "t.csv").write_text(table)
    with pytest.raises(CannotRead, match=re.escape(why)):
        gather([tmp_path / "t.csv"])


@pytest.mark.parametrize("before", ["", "\ufeff"])
@pytest.mark.parametrize("separator", [",", ", "])
def test_a_table_with_only_the_required_columns_makes_a_report(tmp_path: Path, before: str, separator: str) -> None:
    lines = ["task,agent,return", *(f"t{i % 6},{'ab'[i % 2]},{i % 7 / 7}" for i in range(120))]
    text = "".join(line.replace(",", separator) + "\n" for line in lines)
    (tmp_path / "t.csv").write_text(before + text, encoding="utf-8")
    report = make_report([tmp_path / "t.csv"], tmp_path / "report")
    assert "120 episodes, 6 tasks, 2 agents: a and b." in words(report)


@pytest.mark.slow
@pytest.mark.parametrize(("agents", "tasks", "episodes"), [(50, 200, 10), (10, 100, 100)])
def test_a_hundred_thousand_episodes_make_a_report(tmp_path: Path, agents: int, tasks: int, episodes: int) -> None:
    names = [f"{number % 10 + 1:02}-{number // 10 + 1:02}-01" for number in range(tasks)]
    rows = made_up_rows(names, {f"agent-{number}": number / agents - 0.5 for number in range(agents)}, episodes)
    assert f"100,000 episodes, {tasks} tasks, {agents} agents" in words(report_of(tmp_path, rows))


# --- warnings


def test_equal_outcomes_that_rank_differently_are_flagged(tmp_path: Path) -> None:
    """As in the published operant chamber: two programs sum the rewards of time-outs differently."""
    rows = made_up_rows(["operant"], {"random": -3.0, "heuristic": 0.4}, episodes=60)
    for row in rows:
        if not row["passed"]:
            row["return"] = -1.000007 if row["agent"] == "heuristic" else -0.999207
    report = report_of(tmp_path, rows)
    (warning,) = [line for line in report.contents.warnings if "time-outs have" in line]
    assert "With all time-outs tied, H =" in warning


def test_returns_equal_but_for_their_last_digits_are_ties(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = made_up_rows(["food"], {"a": -60.0, "b": -60.0}, episodes=30)
    for row in rows:
        row["return"] = -1.0 + float(rng.integers(0, 40)) * 1e-14
    report = report_of(tmp_path, rows)
    assert "all values are equal" in words(report)


def test_rows_under_wrong_names_are_flagged(reference: Path) -> None:
    """Only the published PPO rows have wrong task names."""
    results = gather([reference / "spec" / "reference-results.csv"])
    agents = [
        line.split(":")[0] for line in data_warnings(results, compare(results.rows)) if "names of other tasks" in line
    ]
    assert agents == ["ppo-as-published"]


def test_the_published_episodes_make_a_report(reference: Path, tmp_path: Path) -> None:
    report = make_report([reference / "spec" / "reference-episodes.csv"], tmp_path, published=True)
    page_text = words(report)
    assert "With all time-outs tied, H = 475.68 instead of 388.10" in page_text
    assert "random–heuristic (Bonferroni p = .354 becomes < .001)" in page_text
    tests = {test.task: test.overall for test in report.contents.comparisons.done}
    assert tests["foraging"] is not None
    assert tests["foraging"].df == 4  # recurrent PPO is in the file


def test_different_task_versions_rules_and_repeated_seeds_are_reported(tmp_path: Path) -> None:
    rows = made_up_rows(["food"], {"a": 0.0, "b": 0.5})
    rows[0]["task_hash"] = "f" * 64
    rows[1]["rules"] = "4.3"
    rows.append(rows[-1] | {"episode": 99})
    warnings = " ".join(report_of(tmp_path, rows).contents.warnings)
    assert "food: episodes under this name were played on different versions of the task" in warnings
    assert "different rules (3.1, 4.3)" in warnings
    assert "1 episode has the same agent, task, seed, length and return as another one" in warnings


# --- sources


def test_participants_and_agents_in_one_report(tmp_path: Path) -> None:
    """A report on a recording and a run of the same task has both in one table and draws their paths."""
    from puzzlebox.arena.world import Record, World
    from puzzlebox.record import Start, Store
    from puzzlebox.record.recorder import Recorder
    from puzzlebox.run.trajectories import TRAJECTORIES, pack_record

    task = task_of("name: Agent, at: [20, 0, 10], rotation: 0", "name: GoodGoal, at: [20, 0, 16], size: 1")
    store = Store(tmp_path / "people.sqlite")
    for unfinished in (False, True):
        world = World(task, seed=1)
        recording = Recorder(store, Start.of(task, name="food", seed=1), world)
        while not world.over and len(world.actions) < (5 if unfinished else 400):
            recording.stepped(world.step([3]))
    store.close()
    rows = made_up_rows(["food"], {"random": 0.0}, episodes=6)
    run = write_run(tmp_path / "out", rows)
    record = Record(task, 0, 1, world.rules, tuple((2,) for _ in range(20)))
    rows[0]["trajectory"] = f"{TRAJECTORIES}#food/1/random/0"
    (run / TRAJECTORIES).write_bytes(pack_record("food/1/random/0", record.to_json()))
    write_table(run, episodes_of(rows))
    report = make_report([run, tmp_path / "people.sqlite"], tmp_path / "report", people="adults")
    assert report.results.agents == ["random", "adults"]
    (person,) = [row for row in report.results.rows if row.agent == "adults"]
    assert person.passed
    assert person.steps
    assert "1 recording is not over" in " ".join(report.results.remarks)
    assert "paths" in {drawing.name for drawing in report.contents.drawings}


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({}, "is not the folder of a run: it has no episodes.csv"),
        ({"run.json": "{}"}, "is over yet; give its command again"),
        ({"journal.jsonl": "", "trajectories.jsonl.gz": ""}, "is over yet; give its command again"),
        ({"episodes.csv": "task,agent\n"}, "has no column 'return'"),
        ({"episodes.csv": ""}, "episodes.csv is empty; a table of episodes begins with the names of its columns"),
        ({"episodes.csv": "task,agent,return\n"}, "there are no episodes in"),
        ({"episodes.csv": "task,agent,return\nfood,a,high\n"}, "line 2: return is 'high', which is not a number"),
        ({"episodes.csv": "task,agent,return,passed\nfood,a,1,maybe\n"}, "passed is 'maybe'; it must be True, False"),
        ({"episodes.csv": "task,agent,return\nfood,a,\n"}, "the return is empty, and no error says why"),
    ],
)
def test_unreadable_sources_are_refused_with_the_reason(tmp_path: Path, files: dict[str, str], why: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(CannotRead, match=re.escape(why)):
        gather([tmp_path])


def test_agents_named_by_import_path_are_called_by_their_last_word(tmp_path: Path) -> None:
    results = gather(
        [write_run(tmp_path / "out", made_up_rows(["food"], {"my.package:Clever(depth=3)": 0.0, "random": 0.0}))]
    )
    assert results.agents == ["random", "Clever(depth=3)"]
    assert "Clever(depth=3) is my.package:Clever(depth=3)." in results.remarks


# --- the command


@pytest.fixture
def command() -> typer.Typer:
    app = typer.Typer()
    app.command()(verb)
    return app


def test_the_command_writes_into_the_run(command: typer.Typer, tmp_path: Path) -> None:
    run = write_run(tmp_path / "out", made_up_rows(["food"]))
    result = CliRunner().invoke(command, [str(run)])
    assert result.exit_code == 0, result.output
    assert result.stdout.strip() == str(run / "report" / "report.html")
    assert "random passed" in result.stderr
    assert (run / "report" / "figures" / "returns.pdf").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere"], "error: there is no "),
        (["out", "-o", "out/run.json"], "run.json is already there and no folder"),
        (["out/run.json"], "error: "),
    ],
)
def test_the_command_reports_errors(command: typer.Typer, tmp_path: Path, arguments: list[str], sentence: str) -> None:
    write_run(tmp_path / "out", made_up_rows(["food"], episodes=1))
    paths = [word if word.startswith("-") else str(tmp_path / word) for word in arguments]
    result = CliRunner().invoke(command, paths)
    assert result.exit_code == 1
    assert sentence in result.stderr
    assert "Traceback" not in result.output


def test_a_missing_extra_is_named(command: typer.Typer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    run = write_run(tmp_path / "out", made_up_rows(["food"]))
    result = CliRunner().invoke(command, [str(run)])
    assert result.exit_code == 1
    assert "statistics and reports need matplotlib; `pip install puzzlebox[stats]` brings it" in result.stderr
