"""The section for machine learners: units, the fixed scale, and what the page says."""

from dataclasses import replace

import numpy as np
import pytest

from puzzlebox.arena.schema import load_task
from puzzlebox.record.entries import hash_of
from puzzlebox.report.episodes import ReportEpisode, Results, Source
from puzzlebox.report.figures.looks import looks, style
from puzzlebox.report.learners import improvement_table, learners_of, measures_table, methods_sentences, section
from puzzlebox.report.scale import scales_of
from puzzlebox.report.units import Units
from puzzlebox.wings import Scale


def row(task: str, agent: str, total: float, seed: int = 0, **other: object) -> ReportEpisode:
    return replace(
        ReportEpisode(id="", task=task, agent=agent, total=total, seed=seed, run="run", task_hash=task), **other
    )


def played(agent: str, runs: int = 1, episodes: int = 6, tasks: tuple[str, ...] = ("a", "b")) -> list[ReportEpisode]:
    rng = np.random.default_rng(len(agent) + runs)
    return [
        row(task, agent, float(rng.random()), run * episodes + seed, run=f"run {run}")
        for task in tasks
        for run in range(runs)
        for seed in range(episodes)
    ]


SCALES = {("a", 0): Scale(0.0, 2.0, "random"), ("b", 0): Scale(-1.0, 1.0, "idle")}


def test_runs_are_units_and_otherwise_episodes() -> None:
    found = learners_of(Units.of([*played("ppo", runs=5), *played("scripted")]), SCALES)
    assert [(each.agent, each.word, each.units) for each in found.agents] == [
        ("ppo", "run", 5),
        ("scripted", "episode", 12),
    ]
    text = " ".join(block for block in _blocks(found) if isinstance(block, str))
    assert "scripted has only one run, so its episodes are the units" in text


def test_runs_on_different_tasks_are_not_several_runs() -> None:
    rows = [replace(each, run=f"run {each.task}") for each in played("scripted")]
    assert learners_of(Units.of(rows), SCALES).agents[0].word == "episode"


def test_scores_do_not_depend_on_who_else_is_in_the_report() -> None:
    alone = learners_of(Units.of(played("ppo")), SCALES).of("ppo")
    best = [row(task, "best", 50.0 + seed, seed) for task in "ab" for seed in range(6)]
    together = learners_of(Units.of([*played("ppo"), *best]), SCALES).of("ppo")
    assert alone.measures == together.measures
    # 0 is chance and 1 the best return, whatever was reached.
    totals = np.array([each.total for each in played("ppo")])
    expected = np.concatenate([totals[:6] / 2, (totals[6:] + 1) / 2])
    assert alone.scores.values == pytest.approx(expected)


def test_few_runs_have_no_interval_and_the_page_says_so() -> None:
    found = learners_of(Units.of(played("ppo", runs=3)), SCALES)
    line = measures_table(found).rows[0]
    assert line["interquartile_mean"] is not None and line["interquartile_mean_low"] is None
    assert "There are no intervals for ppo: it takes 5, and there are 3 runs." in _blocks(found)


def test_an_agent_that_always_does_the_same_is_exact() -> None:
    rows = [row(task, "fixed", 1.0, seed, steps=9, passed=True) for task in "abcd" for seed in range(6)]
    scales = {(task, 0): Scale(0.0, 2.0, "random") for task in "abcd"}
    found = learners_of(Units.of([*rows, *played("ppo", tasks=("a", "b", "c", "d"))]), scales)
    assert found.of("fixed").measures["interquartile_mean"] == (0.5, 0.5, 0.5)
    assert any("fixed did the same in every episode" in block for block in _blocks(found) if isinstance(block, str))
    assert [line["first"] for line in improvement_table(found).rows] == ["fixed"]


def test_tasks_without_a_scale_are_left_out_by_name() -> None:
    found = learners_of(Units.of(played("ppo", tasks=("a", "b", "endless"))), SCALES)
    assert found.without == ["endless"]
    assert any("1 task without a scale is left out of this section: endless" in str(block) for block in _blocks(found))
    assert (
        "0 is the mean return of the random agent (1 task) or the return of an agent that does nothing (1 task)"
        in (methods_sentences(found)[0])
    )


def test_without_any_scale_returns_are_as_paid() -> None:
    found = learners_of(Units.of(played("ppo")), {})
    assert not found.scaled and "optimality_gap" not in found.agents[0].measures
    assert "none of these tasks has a fixed scale" in str(_blocks(found)[0])


def test_returns_too_large_to_compute_with_are_left_out() -> None:
    huge = learners_of(Units([row("a", "huge", 1e308, seed) for seed in range(6)], {}), {})
    assert not huge.agents
    assert section(huge, {}) == ["There are no measures of huge: some returns are too large to compute with."]
    assert not section(learners_of(Units.of([]), {}), {})


def test_a_run_stores_scales_and_the_table_of_bundled_tasks_comes_first() -> None:
    task_hash = hash_of(load_task("food/picnic").text)
    stored = {"chance": 0.0, "best": 4.0, "source": "idle"}
    settings = {
        "tasks": [
            {"name": "own", "hash": "x", "arenas": [{"position": 0, "scale": stored}]},
            {"name": "food/picnic", "hash": task_hash, "arenas": [{"position": 0, "scale": stored}]},
            {"name": "damaged", "hash": "y", "arenas": [{"position": 0, "scale": {"chance": 3, "best": "no"}}]},
        ]
    }
    rows = [row(each, "a", 1.0) for each in ("x", "y", task_hash)]
    scales = scales_of(Results(rows, [], [Source("run", None, "run", settings)], []))  # type: ignore[arg-type]
    assert scales["x", 0] == (0.0, 4.0, "idle")
    assert scales[task_hash, 0].source == "random"
    assert ("y", 0) not in scales


def _blocks(found: object) -> list[object]:
    with style():
        return list(section(found, looks([each.agent for each in found.agents])))  # type: ignore[attr-defined,arg-type]


def test_an_agent_with_one_run_is_compared_with_participants() -> None:
    people = [
        row(task, "human", total, seed, person=True, participant=f"child {seed}", run="table", arena=arena)
        for task in "ab"
        for arena in range(2)
        for seed, total in enumerate((0.5, 0.6, 0.7, 0.8, 0.9, 1.0))
    ]
    agent = [
        row(task, "agent", 0.1 * seed, seed, run="table", arena=arena)
        for task in "ab"
        for arena in range(2)
        for seed in range(5)
    ]
    table = improvement_table(learners_of(Units.of([*people, *agent]), {}))
    assert not table.remarks
    (line,) = table.rows
    # All returns of children are higher than those of the agent, which has at most 0.4.
    assert (line["first"], line["second"], line["probability"]) == ("agent", "human", 0.0)
