"""Whole reports: their numbers agree with the data, and the page needs no other file."""

import csv
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import ROOT
from made_up_runs import SKILLS, made_up_rows, write_run
from puzzlebox.report import Report, gather, make_report
from puzzlebox.report.contents import contents
from puzzlebox.report.figures import looks
from puzzlebox.report.model import Model, fit_model
from puzzlebox.run.runs import run
from puzzlebox.run.tasks import find_tasks
from puzzlebox.stats import NODES, kruskal_wallis, wilson

TESTBED = [f"{level:02}-{task:02}-01" for level in range(1, 11) for task in (1, 2)]


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return made_up_rows(TESTBED)


@pytest.fixture(scope="module")
def report(rows: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Make one report with all sections, for several tests."""
    folder = tmp_path_factory.mktemp("made-up")
    run = write_run(folder / "out", rows)
    return make_report([run], folder / "report", published=True, command="puzzlebox report out --published")


def table(report: Report, name: str) -> list[dict[str, str]]:
    with (report.page.parent / "tables" / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_tables_of_a_report_agree_with_its_data(report: Report, rows: list[dict[str, Any]]) -> None:
    assert [line["agent"] for line in table(report, "agents")] == list(SKILLS)
    for line in table(report, "levels"):
        own = [row for row in rows if (row["level"], row["agent"]) == (line["level"], line["agent"])]
        passes = sum(row["passed"] for row in own)
        share = wilson(passes, len(own))
        assert (int(line["passes"]), int(line["episodes"])) == (passes, len(own))
        assert (float(line["pass_rate"]), float(line["pass_rate_low"]), float(line["pass_rate_high"])) == share
        assert float(line["return_mean"]) == pytest.approx(np.mean([row["return"] for row in own]))
        assert float(line["latency_median"]) == pytest.approx(np.median([row["latency"] for row in own]))
    assert len(table(report, "levels")) == 30
    assert len(table(report, "tasks")) == 60
    assert len(table(report, "episodes")) == len(rows)


def test_the_tests_are_of_returns_on_each_task(report: Report, rows: list[dict[str, Any]]) -> None:
    lines = table(report, "kruskal_wallis")
    assert len(lines) == len(TESTBED)
    first = {
        agent: [row["return"] for row in rows if (row["task"], row["agent"]) == (TESTBED[0], agent)] for agent in SKILLS
    }
    assert float(lines[0]["h"]) == pytest.approx(kruskal_wallis(first).h)
    pairs = [line for line in table(report, "dunn") if line["task"] == TESTBED[0]]
    assert [(line["first"], line["second"]) for line in pairs] == [
        ("random", "heuristic"),
        ("random", "learner"),
        ("heuristic", "learner"),
    ]
    for line in pairs:
        assert float(line["p"]) <= float(line["p_holm"]) <= float(line["p_bonferroni"])


def test_the_model_has_tasks_as_groups_and_random_as_reference(report: Report) -> None:
    model = report.contents.model
    assert model.formula == "passed ~ agent + level + (1 | task)"
    assert model.fit is not None
    assert model.fit.references == {"agent": "random", "level": "1"}
    odds = {line["term"]: float(line["odds_ratio"]) for line in table(report, "odds_ratios")}
    # The data were drawn with differences of 2 and 3 in log odds.
    assert odds["heuristic"] == pytest.approx(np.exp(2), rel=0.5)
    assert odds["learner"] > odds["heuristic"]


class Tags(HTMLParser):
    """Collects the tags of a page, whether they are closed, and their references."""

    VOID = ("meta", "img", "br")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_one_file_that_needs_nothing(report: Report) -> None:
    text = report.page.read_text(encoding="utf-8")
    tags = Tags()
    tags.feed(text)
    assert tags.open == []
    assert "script" not in tags.names
    assert "link" not in tags.names
    assert all(link.startswith(("data:image/png;base64,", "#")) for link in tags.links)
    assert "://" not in re.sub(r"base64,[^']*", "", text)
    assert text.count("<img ") == len(report.contents.drawings) == 6
    visible = re.sub(r"<style>.*?</style>|base64,[^']*", "", text, flags=re.DOTALL)
    assert not re.search(r"\b(nan|NaN|None|inf)\b", visible)


def test_every_figure_is_there_as_png_and_pdf(report: Report) -> None:
    folder = report.page.parent / "figures"
    names = {drawing.name for drawing in report.contents.drawings}
    assert names >= {"passed_by_level", "profile", "tasks_and_agents", "returns", "abilities_and_difficulties"}
    for name in names:
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (folder / f"{name}.pdf").read_bytes().startswith(b"%PDF")
    assert {path.name for path in report.files if path.suffix == ".png"} == {f"{name}.png" for name in names}


def test_the_methods_contain_every_setting_and_the_commands(report: Report) -> None:
    text = (report.page.parent / "methods.txt").read_text(encoding="utf-8")
    for sentence in (
        "600 episodes on 20 tasks",
        "rules “3.1”",
        "derived from 7",
        "held for 3 steps",
        "Wilson",
        "methods of Bonferroni and Holm",
        "passed ~ agent + level + (1 | task)",
        "adaptive Gauss–Hermite quadrature at 10 nodes",
        "2000 bootstrap resamples",
        "Voudouris et al. (2022)",
        "puzzlebox run tasks --agent random --agent heuristic --seed 7 -o out\npuzzlebox report out --published",
    ):
        assert sentence in text, sentence
    settings = {(line["setting"], line["value"]) for line in table(report, "settings")}
    assert {("seed", "7"), ("rules_fields.decision_period", "3"), ("agents", "random, heuristic")} <= settings


def test_published_results_are_shown(report: Report) -> None:
    lines = {line["agent"]: line for line in table(report, "published_levels")}
    assert float(lines["children (published)"]["level_10"]) == 0.1822
    assert {"Trrrrr (published)", "Dreamer-v3 (published)", "random"} <= lines.keys()
    places = {line["agent"]: line for line in table(report, "published_places")}
    assert (
        int(places["learner"]["best_place"]) <= int(places["learner"]["place"]) <= int(places["learner"]["worst_place"])
    )
    assert "64" in report.page.read_text(encoding="utf-8")


def test_the_same_data_give_the_same_bytes(rows: list[dict[str, Any]], report: Report, tmp_path: Path) -> None:
    run = write_run(tmp_path / "out", rows)
    again = make_report([run], tmp_path / "report", published=True, command="puzzlebox report out --published")
    for path in report.files:
        assert (tmp_path / "report" / path.relative_to(report.page.parent)).read_bytes() == path.read_bytes(), path.name
    assert len(again.files) == len(report.files)


@pytest.mark.usefixtures("unpainted_figures")
def test_tasks_trained_on_are_kept_apart(tmp_path: Path) -> None:
    """The learner always passes the ten tasks it was trained on, which overall numbers must not include."""
    trained_tasks = TESTBED[:10]
    rows = made_up_rows(TESTBED, {"random": -2.0, "learner": -1.0}, trained_on={"learner": trained_tasks})
    for row in rows:
        if row["trained_on"]:
            row |= {"passed": True, "return": 0.9}
    new_report = make_report([write_run(tmp_path / "out", rows)], tmp_path / "report")
    overall = {line["agent"]: line for line in table(new_report, "agents")}
    fresh = [row for row in rows if row["task"] not in trained_tasks and row["agent"] == "learner"]
    assert int(overall["learner"]["episodes"]) == len(fresh)
    assert float(overall["learner"]["pass_rate"]) == pytest.approx(np.mean([row["passed"] for row in fresh]))
    (line,) = [each for each in table(new_report, "trained_and_held_out") if each["agent"] == "learner"]
    assert float(line["trained_on"]) == 1
    assert float(line["difference_low"]) > 0
    assert {each["task"] for each in table(new_report, "tasks_trained_on")} == set(trained_tasks)
    assert {each["task"] for each in table(new_report, "tasks")} == set(TESTBED) - set(trained_tasks)
    assert new_report.contents.sections[0].title == "Held-out tasks: all agents"


def test_colours_are_the_same_in_every_report_and_enough_for_many() -> None:
    assert looks.looks(["heuristic", "mine"])["heuristic"] == looks.looks(["heuristic"])["heuristic"]
    many = [f"agent {number}" for number in range(20)]
    drawn = looks.looks(many)
    assert len({(look.colour, look.hatch) for look in drawn.values()}) == 20


def test_the_group_follows_the_design(tmp_path: Path) -> None:
    one_task = gather([write_run(tmp_path / "one", made_up_rows(["food"], episodes=40))])
    assert fit_model(one_task.rows).group == "seed"
    assert fit_model(one_task.rows, "none").formula == "passed ~ agent"
    other_seeds = made_up_rows(["food"], episodes=40)
    for number, row in enumerate(other_seeds):
        row["seed"] = number
    assert fit_model(gather([write_run(tmp_path / "two", other_seeds)]).rows).group == "none"
    assert contents(one_task).model.fit is not None
    few = gather([write_run(tmp_path / "three", made_up_rows(["food", "maze"], episodes=40))])
    assert fit_model(few.rows).formula == "passed ~ agent + task + (1 | seed)"
    levels = gather([write_run(tmp_path / "four", made_up_rows(TESTBED[:4], episodes=40))])
    assert levels.levels == ["1", "2"]
    assert fit_model(levels.rows).formula == "passed ~ agent + task + (1 | seed)"
    assert fit_model(levels.rows, "task").formula == "passed ~ agent + level + (1 | task)"


def test_with_few_tasks_the_model_has_tasks_instead_of_levels(tmp_path: Path) -> None:
    """An easy and a hard task in each level, and an agent with 9 times the odds on each: the estimate is 9."""
    skills = {"01-01-01": (0.1, 0.5), "01-02-01": (0.75, 27 / 28), "02-01-01": (0.1, 0.5), "02-02-01": (0.5, 0.9)}
    rows = made_up_rows(list(skills), {"random": 0.0, "learner": 0.0}, episodes=140)
    for row in rows:
        share = skills[row["task"]][row["agent"] == "learner"]
        row |= {"passed": row["repetition"] < share * 140, "seed": ""}
    model = fit_model(gather([write_run(tmp_path / "out", rows)]).rows)
    assert model.fit is not None
    (learner,) = [term for term in model.fit.terms if term.name == "learner"]
    assert learner.odds_ratio == pytest.approx(9, rel=1e-6)


@pytest.mark.usefixtures("unpainted_figures")
def test_the_methods_have_the_conditions_of_a_run(tmp_path: Path) -> None:
    """The methods have class, options and senses of each agent and the conditions of each task, defaults included."""
    run(find_tasks(["examples/food"]), ["random(max_step_length=3)", "heuristic"], tmp_path / "out", workers=1)
    new_report = make_report([tmp_path / "out"], tmp_path / "report")
    text = (tmp_path / "report" / "methods.txt").read_text(encoding="utf-8")
    for sentence in (
        "The agent “random(max_step_length=3)” was puzzlebox.arena.agents.random:RandomAgent("
        "step_length_distribution='normal(5, 1)', max_step_length=3, action_biases=None, ",
        "HeuristicAgent(rays=45, behaviour='published'). It perceived 45 rays over 60° and its health, velocity and",
        "Time limits, which food extends, were 25 s, pass marks were 0 (see table",
    ):
        assert sentence in text, sentence
    settings = {line["setting"]: line["value"] for line in table(new_report, "settings")}
    assert settings["agents.heuristic.class"] == "puzzlebox.arena.agents.heuristic:HeuristicAgent"
    assert settings["agents.random(max_step_length=3).options.prev_step_bias"] == "0.0"
    assert (settings["agents.heuristic.senses.rays"], settings["agents.heuristic.senses.vitals"]) == ("45", "True")
    (line,) = table(new_report, "task_settings")
    episodes = table(new_report, "episodes")
    assert line == {
        "run": "out",
        "task": "examples/food",
        "arena": "1",
        "task_hash": episodes[0]["task_hash"],
        "time_limit": "250",
        "pass_mark": "0.0",
    }
    assert {each["time_limit"] for each in episodes} == {"250"}


def test_a_random_intercept_that_cannot_be_estimated_is_left_out_and_reported(tmp_path: Path) -> None:
    """Agents pass with the lowest seeds, so that the seed alone determines the outcome of its two episodes."""
    rows = made_up_rows(["food"], {"random": 0.0, "heuristic": 0.0}, episodes=40)
    for row in rows:
        row["passed"] = row["repetition"] < (4 if row["agent"] == "random" else 12)
    model = fit_model(gather([write_run(tmp_path / "out", rows)]).rows)
    assert model.fit is not None
    assert model.fit.settled
    assert model.group == "none"
    assert "A random intercept for each seed could not be estimated and was left out." in model.remarks


def pairs(tmp_path: Path, both: int, only: int, none: int, other: int) -> Model:
    """Fit many tasks, each played once by two agents; counts of tasks passed by both, the second, none, the first."""
    passed = [(True, True)] * both + [(False, True)] * only + [(False, False)] * none + [(True, False)] * other
    rows = made_up_rows([f"t{number:03}" for number in range(len(passed))], {"a": 0.0, "b": 0.0}, episodes=1)
    for row in rows:
        row["passed"] = passed[int(row["task"][1:])][row["agent"] == "b"]
    return fit_model(gather([write_run(tmp_path / "out", rows)]).rows)


def test_quadrature_is_made_finer_until_it_changes_nothing(tmp_path: Path) -> None:
    """Of the pairs that differ, b passed 4 and a 1, so with many pairs the odds ratio is 4."""
    model = pairs(tmp_path, 3, 4, 60, 1)
    assert model.fit is not None and model.fit.nodes > NODES
    assert model.fit.term("b").odds_ratio == pytest.approx(4, rel=0.03)


def test_estimates_that_depend_on_the_nodes_are_not_reported(tmp_path: Path) -> None:
    """If b passes every task that a passes, the odds ratio depends on the number of nodes."""
    model = pairs(tmp_path, 1, 8, 60, 0)
    assert model.fit is not None and model.group == "none"
    assert "A random intercept for each task could not be estimated and was left out." in model.remarks
    assert model.fit.term("b").odds_ratio == pytest.approx((9 / 60) / (1 / 68), rel=1e-6)


def test_factors_that_separate_the_outcomes_only_together_have_no_model(tmp_path: Path) -> None:
    passes = {("x", "a"): 0, ("x", "b"): 12, ("y", "a"): 6, ("y", "b"): 20}
    rows = made_up_rows(["x", "y"], {"a": 0.0, "b": 0.0}, episodes=20)
    for row in rows:
        row["passed"] = row["repetition"] < passes[row["task"], row["agent"]]
    model = fit_model(gather([write_run(tmp_path / "out", rows)]).rows)
    assert model.fit is None
    assert model.why_not.startswith("agent and task together separate passed from failed episodes")


def test_the_page_on_reports_runs_as_pasted_and_its_pictures_exist(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "guides" / "reports.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    exec(compile(code, "reports.md", "exec"), {})
    assert capsys.readouterr().out.startswith("KruskalWallis(h=")
    for name in re.findall(r"images/(report-\w+\.png)", page):
        assert (ROOT / "docs" / "images" / name).exists(), name
