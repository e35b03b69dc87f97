"""Intuitions as a wing: pairs are episodes, whoever judges them, and one report holds people and models."""

import csv
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from puzzlebox.intuitions.apparatus import (
    ANSWERS,
    PAIRS,
    Judging,
    PairTask,
    described,
    in_order,
    shown_order,
    task_names,
)
from puzzlebox.intuitions.scoring.episodes import episodes_of, write_episodes
from puzzlebox.intuitions.scoring.pairs import Judgement
from puzzlebox.intuitions.wing import WING
from puzzlebox.record import Store
from puzzlebox.record.entries import hash_of
from puzzlebox.report import gather, make_report
from puzzlebox.report.units import Units
from puzzlebox.run.journal import trajectory
from puzzlebox.run.play import play
from puzzlebox.run.runs import run
from puzzlebox.run.tasks import find_tasks
from puzzlebox.wings import find_methods, find_published, split_source, wing_named


class Second:
    """An agent that always names the second film."""

    senses: Mapping[str, Any] = {"size": 0}

    def begin(self, seed: int) -> None:
        """Do nothing: it never draws."""

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        assert observation.shape == (2, 0, 0, 3)
        return ANSWERS.index("second")


def judgement(task: str, number: int, expected: float, unexpected: float, kind: str = "") -> Judgement:
    return Judgement(task, kind, number, {"maximum": expected, "mean": 0.0}, {"maximum": unexpected, "mean": 0.0})


# --- tasks


def test_the_wing_is_found_by_its_name_and_lists_its_tasks() -> None:
    assert wing_named("intuitions") is WING
    names = [each.name for each in WING.bundled()]
    assert len(names) == 10 and {"intuitions/preference", "intuitions/multi_agent-i"} <= set(names)
    assert split_source("intuitions/preference") == (WING, "preference")
    assert "10 to judge" in WING.inventory()
    with pytest.raises(FileNotFoundError, match=r"preferense.*did you mean `preference`"):
        list(WING.places("preferense"))


def test_the_text_of_a_task_gives_the_task_again() -> None:
    for name in task_names():
        task = PairTask.of(name, 7, "new", "three-d")
        assert WING.read(task.text) == task
    text = PairTask.of("preference").text
    changed = [text.replace("familiar", "old"), text.replace("preference", "x"), text[:-1], "[]", "7"]
    for broken in [*changed, text.replace('"seed": 1', '"seed": -1'), text.replace("flat", "round")]:
        assert broken != text and WING.read(broken) is None


def test_starts_are_the_pairs_of_a_type_and_conditions_name_shapes_and_view() -> None:
    first, second = PairTask.of("multi_agent-i", 3), PairTask.of("multi_agent-ii", 3)
    assert sorted((*first.starts, *second.starts)) == list(range(PAIRS))
    assert first.pair(first.starts[0]).kind == "i" and second.pair(second.starts[0]).kind == "ii"
    conditions = PairTask.of("preference", 1, "new").conditions(5)
    assert conditions["factors"] == {"shapes": "new", "view": "flat"} and conditions["title"] == "number 5"
    assert WING.classify("intuitions/multi_agent-i", first)[2:4] == ("Multi-agent", "i")


# --- judging


def test_the_order_of_the_films_follows_from_the_seed_and_decides_which_answer_is_right() -> None:
    task = PairTask.of("preference")
    orders = {shown_order(seed) for seed in range(20)}
    assert orders == {"eu", "ue"}
    for seed in range(6):
        films, pair = in_order(task.pair(4), seed), task.pair(4)
        unexpected = shown_order(seed).index("u")
        assert pair.unexpected is not None and films[unexpected].same(pair.unexpected)
        for number, answer in enumerate(ANSWERS):
            env = Judging(task, size=0)
            env.reset(seed=seed, options={"start": 4})
            _, reward, over, _, info = env.step(number)
            right = None if answer == "cannot tell" else number == unexpected
            assert (reward, over, info["passed"]) == (0.5 if right is None else float(right), True, right)


def test_an_agent_sees_the_trials_of_both_films() -> None:
    env = Judging(PairTask.of("efficiency_path"), size=16)
    shown, _ = env.reset(seed=1, options={"start": 0})
    assert env.observation_space.contains(shown) and (shown[0] != shown[1]).any()


def test_an_agent_judges_in_a_run_and_its_episodes_are_replayed(tmp_path: Path) -> None:
    (found,) = find_tasks(["intuitions/preference"])
    task = replace(found, task=replace(found.task, starts=(0, 1, 2)))
    done = run([task], [f"{__name__}:Second"], tmp_path / "out", workers=1)
    assert [each.arena for each in done.episodes] == [0, 1, 2] and not any(each.error for each in done.episodes)
    for each in done.episodes:
        *_, (session, _) = WING.replay(trajectory(f"{tmp_path / 'out'}/{each.trajectory}"))
        assert (session.total, session.passed()) == (each.total, each.passed)


def test_a_stored_judgement_with_an_impossible_answer_is_damaged() -> None:
    assert [WING.action_name(number) for number in range(3)] == list(ANSWERS)
    assert not any(map(WING.is_action, (3, -1, 0.0, True, "first", None)))
    assert WING.action_name(9) == ""


# --- reports


def test_judgements_of_models_are_episodes(tmp_path: Path) -> None:
    found = described(1, "familiar")
    rows = list(episodes_of("parts", "runs/a", [judgement("multi_agent", 5, 1.0, 2.0, "ii")], found, 1))
    largest, mean = rows
    assert (largest.task, largest.variant, largest.level) == ("intuitions/multi_agent-ii", "ii", "Multi-agent")
    assert (largest.agent, largest.total, largest.passed, largest.arena) == ("parts (maximum)", 1.0, True, 5)
    # A tie is neither right nor wrong, and counts half.
    assert (mean.agent, mean.total, mean.passed) == ("parts (mean)", 0.5, None)
    assert largest.task_hash == hash_of(PairTask.of("multi_agent-ii").text)
    stored = described(1, "familiar", "films")[("preference", "")]
    assert stored.factors == {"films": "films"} and hash_of(stored.task.text) != hash_of(PairTask.of("preference").text)


def test_a_folder_of_scores_is_read_like_a_run_and_runs_of_training_are_units(tmp_path: Path) -> None:
    tasks = described(1, "familiar")
    judged = [judgement("preference", number, 0.0, 1.0) for number in range(4)]
    write_episodes(tmp_path, [("parts", f"runs/{seed}", judged, tasks) for seed in range(3)], 1)
    results = gather([tmp_path])
    assert results.remarks == [] and [source.damaged for source in results.sources] == [()]
    assert results.sources[0].name == tmp_path.name
    units = Units.of(results.rows)
    # Runs that judge a pair alike are three runs, not copies of one.
    assert len(units.rows) == 3 * 2 * 4 and not units.doubled and not units.repeated
    assert units.subjects("parts (maximum)") == ["run runs/0", "run runs/1", "run runs/2"]


@pytest.mark.slow
def test_people_and_models_are_in_one_report_beside_published_scores(tmp_path: Path) -> None:
    tasks = described(1, "familiar")
    judged = [judgement(task, number, 0.0, 1.0) for task, kind in tasks for number in range(3) if not kind]
    (tmp_path / "scores").mkdir()
    write_episodes(tmp_path / "scores", [("parts", "runs/0", judged, tasks)], 1)
    with Store(tmp_path / "people.sqlite") as store:
        for name in ("preference", "efficiency_path"):
            task = PairTask.of(name)
            for number in (0, 1):
                play(
                    task,
                    Second(),
                    store=store,
                    name=f"intuitions/{name}",
                    arena=number,
                )
    done = make_report(
        [tmp_path / "scores", tmp_path / "people.sqlite"], tmp_path / "report", published=True, watched=True
    )
    page = done.page.read_text()
    assert "IRENE (published)" in page and "is printed as 55.5 %" in page and "counts as an episode" in page
    assert "pass mark of its task" not in page
    # What is said of scores and of published results is about this wing, not about the arena.
    assert "0 is what guessing returns, 1 the highest return of the task." in page and "food" not in page
    methods = (tmp_path / "report" / "methods.txt").read_text()
    assert "shares of pairs of the published films" in methods and "Animal-AI competition" not in methods
    with (tmp_path / "report" / "tables" / "published_intuitions.csv").open() as file:
        rows = {row["task"]: row for row in csv.DictReader(file)}
    assert float(rows["intuitions/preference"]["VT (published)"]) == pytest.approx(0.808)
    assert float(rows["intuitions/preference"]["parts (maximum)"]) == 1.0


def test_published_scores_and_methods_are_those_of_the_wing() -> None:
    published = find_published(WING)
    assert published is not None and {rate.task for rate in published.rates} == {
        f"intuitions/{task}" for task, _ in task_names().values()
    }
    assert any("Infants" in remark for remark in published.remarks)
    assert find_published(wing_named("arena")) is None and find_methods(wing_named("arena")) == ()
    assert "ties" in " ".join(find_methods(WING)) and json.dumps(published.rates)


def test_judgements_of_films_in_three_dimensions_are_those_of_people_who_saw_them() -> None:
    solid = described(1, "familiar", view="three-d")[("preference", "")]
    assert solid.factors["view"] == "three-d"
    assert hash_of(solid.task.text) == hash_of(PairTask.of("preference", view="three-d").text)
