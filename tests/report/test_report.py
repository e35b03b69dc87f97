"""Whole reports: their numbers agree with the data, and the page needs no other file."""

import csv
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import ROOT
from made_up_runs import SKILLS, made_up_rows, write_run
from puzzlebox.report import CannotRead, Report, gather, make_report
from puzzlebox.report.figures import looks
from puzzlebox.report.model import Model, fit_model
from puzzlebox.report.model_words import sentences
from puzzlebox.report.units import Subject, Units
from puzzlebox.run.runs import run
from puzzlebox.run.tasks import find_tasks
from puzzlebox.stats import Outcomes, kruskal_wallis

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
        share = Outcomes([row["passed"] for row in own], [row["task"] for row in own]).these_tasks()
        assert (int(line["passes"]), int(line["episodes"])) == (passes, len(own))
        limits = [float(line[f"pass_rate{end}"]) for end in ("", "_low", "_high")]
        assert limits == pytest.approx(share.interval)
        assert line["pass_rate_tasks_like_these_low"] == ""  # two tasks are too few
        assert float(line["return_mean"]) == pytest.approx(np.mean([row["return"] for row in own]))
        assert float(line["latency_median"]) == pytest.approx(np.median([row["latency"] for row in own]))
    for line in table(report, "agents"):
        own = [row for row in rows if row["agent"] == line["agent"]]
        like = Outcomes([row["passed"] for row in own], [row["task"] for row in own]).tasks_like_these()
        limits = [float(line[f"pass_rate_tasks_like_these_{end}"]) for end in ("low", "high")]
        assert limits == pytest.approx((like.low, like.high))
        assert limits[1] - limits[0] > float(line["pass_rate_high"]) - float(line["pass_rate_low"])
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


def test_the_model_has_tasks_as_units_and_random_as_reference(report: Report) -> None:
    model = report.contents.model
    assert model.formula == "passed ~ agent + level + (1 | task) + (1 | task:agent)"
    assert model.references == {"agent": "random", "level": "1"}
    odds = {line["term"]: line for line in table(report, "odds_ratios")}
    # The data were drawn with differences of 2 and 3 in log odds.
    assert float(odds["heuristic"]["odds_ratio"]) == pytest.approx(np.exp(2), rel=0.5)
    assert float(odds["learner"]["odds_ratio"]) > float(odds["heuristic"]["odds_ratio"])
    # Twenty tasks carry the comparison of two agents, and what levels leave of them that of levels.
    assert (float(odds["heuristic"]["df"]), float(odds["2"]["df"])) == (19, 10)
    pairs = table(report, "contrasts")
    assert [(line["first"], line["second"]) for line in pairs] == [
        *(("random", "heuristic"), ("random", "learner"), ("heuristic", "learner")),
    ]
    assert all(float(line["p"]) <= float(line["p_holm"]) for line in pairs)
    shares = {line["agent"]: float(line["pass_rate"]) for line in table(report, "agents")}
    for line in table(report, "model_probabilities"):
        assert float(line["probability"]) == pytest.approx(shares[line["agent"]], abs=0.06)
        assert float(line["probability_low"]) < float(line["probability"]) < float(line["probability_high"])


def test_the_covariance_matrix_is_that_of_the_terms(report: Report) -> None:
    lines = table(report, "model_covariance")
    terms = table(report, "odds_ratios")
    assert [line["term"] for line in lines] == [f"{each['factor']} {each['term']}".strip() for each in terms]
    for line, each in zip(lines, terms, strict=True):
        assert float(line[line["term"]]) == pytest.approx(float(each["standard_error"]) ** 2)
        for other in lines:
            assert float(line[other["term"]]) == pytest.approx(float(other[line["term"]]))


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
    assert text.count("<img ") == len(report.contents.drawings) == 7
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
        "Wilson intervals with the effective sample size",
        "The unit of evidence is the task, not the episode",
        "p values were adjusted by Holm over tasks",
        "passed ~ agent + level + (1 | task) + (1 | task:agent)",
        "maximum likelihood with Laplace's approximation",
        "adjusted for all pairs by Holm's method",
        "a bootstrap over units within tasks (2000 resamples)",
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


def model_of(folder: Path, rows: list[dict[str, Any]], reference: str = "", subject: Subject = "auto") -> Model:
    """Return the model of a report on some episodes."""
    return fit_model(Units.of(gather([write_run(folder, rows)]).rows, subject), reference)


def test_fewer_than_five_tasks_have_no_model_and_no_pooled_one(tmp_path: Path) -> None:
    for tasks in (["food"], TESTBED[:4]):
        model = model_of(tmp_path / f"{len(tasks)}", made_up_rows(tasks, episodes=40))
        assert model.fit is None and not model.pairs
        assert "a statement about tasks like these needs 5" in model.why_not
        assert sentences(model)[0].startswith("There is no model of passing: there ")


def test_the_terms_follow_the_design(tmp_path: Path) -> None:
    five = made_up_rows([f"t{number}" for number in range(5)], episodes=6)
    assert model_of(tmp_path / "five", five).formula == "passed ~ agent + (1 | task) + (1 | task:agent)"
    once = model_of(tmp_path / "once", made_up_rows([f"t{number:02}" for number in range(40)], episodes=1))
    assert once.formula == "passed ~ agent + (1 | task)"
    assert any("played each task once" in line for line in once.remarks)
    # With one task in each level, tasks say nothing about levels.
    levels = made_up_rows([f"{level:02}-01-01" for level in range(1, 9)], episodes=6)
    assert "level" not in model_of(tmp_path / "levels", levels).formula


def test_the_reference_can_be_chosen(report: Report, rows: list[dict[str, Any]], tmp_path: Path) -> None:
    model = model_of(tmp_path / "out", rows, "learner")
    assert model.references["agent"] == "learner"
    other = {term.name: term for term in report.contents.model.terms}
    (random,) = [term for term in model.terms if term.name == "random"]
    assert random.log_odds.value == pytest.approx(-other["learner"].log_odds.value, abs=1e-4)
    with pytest.raises(CannotRead, match=r"no agent lerner, which --reference names.*did you mean `learner`\?"):
        make_report([tmp_path / "out"], tmp_path / "report", reference="lerner")


def test_an_agent_that_always_passes_gets_an_estimate(tmp_path: Path) -> None:
    rows = made_up_rows([f"t{number}" for number in range(12)], episodes=8)
    for row in rows:
        row["passed"] = row["passed"] or row["agent"] == "learner"
    model = model_of(tmp_path / "out", rows)
    (learner,) = [term for term in model.terms if term.name == "learner"]
    assert 0 < learner.log_odds.low < learner.log_odds.value < learner.log_odds.high
    assert learner.test.p < 0.001
    assert any("Agent learner passed all of its episodes" in line for line in model.remarks)
    assert model.overall is not None and model.overall.p < 0.001


def test_without_a_model_agents_are_compared_by_permutation(tmp_path: Path) -> None:
    """Deterministic agents that pass nearly the same tasks: the variance between tasks has no finite estimate."""
    rows = made_up_rows([f"t{number:02}" for number in range(30)], {"a": 0.0, "b": 0.0}, episodes=3)
    for row in rows:
        number = int(row["task"][1:])
        passed = number < 15 or (row["agent"] == "b" and number < 23)
        row |= {"passed": passed, "return": float(passed), "steps": 9, "ended_by": "completed"}
    model = model_of(tmp_path / "out", rows)
    assert model.units.repeated == {"a": 60, "b": 60}
    assert model.fit is None
    (pair,) = model.pairs
    assert pair.gap == pytest.approx(-8 / 30)
    assert pair.p == pytest.approx(2 / 2**8, abs=0.003)
    assert "differed (mean difference −26.7 percentage points" in " ".join(sentences(model))


def test_runs_of_an_agent_are_the_units_if_asked_for(tmp_path: Path) -> None:
    tasks = [f"t{number}" for number in range(8)]
    rows = made_up_rows(tasks, {"random": -1.0, "learner": 1.0}, episodes=10)
    gathered = gather([write_run(tmp_path / "out", rows)]).rows
    runs = [replace(row, run=f"seed {row.repetition % 5}") for row in gathered]
    model = fit_model(Units.of(runs, "run"))
    assert model.formula == "passed ~ agent + (1 | task) + (1 | task:agent) + (1 | run)"
    assert model.fit is not None and model.fit.subjects == 10  # five of each agent
    assert "run" not in fit_model(Units.of(runs, "none")).formula


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


def test_the_page_on_reports_runs_as_pasted_and_its_pictures_exist(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "guides" / "reports.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    exec(compile(code, "reports.md", "exec"), {})
    assert capsys.readouterr().out.startswith("KruskalWallis(h=")
    for name in re.findall(r"images/(report-\w+\.png)", page):
        assert (ROOT / "docs" / "images" / name).exists(), name
