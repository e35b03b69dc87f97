"""The experiments of benchmarks/learning: a small run is interrupted, packed, resumed and reported."""

import json
from dataclasses import replace
from pathlib import Path
from shutil import copyfile

import numpy as np
import pytest
from benchmarks.learning.__main__ import HOME, PAGE, main
from benchmarks.learning.figure import FILE, draw
from benchmarks.learning.jobs import GROUPS, JOBS, TASKS, chosen
from benchmarks.learning.packing import pack, unpack
from benchmarks.learning.pages import status_table, tables, write_page
from benchmarks.learning.pool import Work, pieces_of, run_all, state
from benchmarks.learning.published import curves
from benchmarks.learning.results import curve, keep, read_results, write_result
from benchmarks.learning.testing import read_part
from benchmarks.learning.testing import test_part as play_part
from benchmarks.learning.training import plan_of, train_piece, trained_so_far

from puzzlebox.learn import generalist_agent


@pytest.mark.slow
def test_a_run_is_interrupted_packed_resumed_elsewhere_and_evaluated(tmp_path: Path) -> None:
    job, here, there = JOBS["smoke"], tmp_path / "here", tmp_path / "there"
    train_piece(replace(job, steps=128), here, 1, "cpu")
    assert trained_so_far(job, here)[0] == 128 and state(job, here) == "training"
    assert pack([job], here, tmp_path / "packed", piece=10_000, most=1) == ["smoke"], "it has no place in 10 kB"
    assert pack([job], here, tmp_path / "small", piece=20_000, most=40) == []
    pieces = sorted((tmp_path / "small").iterdir())
    assert len(pieces) > 2 and all(each.stat().st_size <= 20_000 for each in pieces)
    assert unpack(tmp_path / "small", there) == ["smoke"]
    notes: list[str] = []
    states = run_all([job], Work(there), processes=2, minutes=5, note=notes.append)
    assert states == {"smoke": "finished"}, (there / "smoke" / "words.txt").read_text()
    result = read_results(there)["smoke"]
    assert result["steps_done"] == 256 and result["finished"] and result["settings"]["settings"]["envs"] == 4
    assert result["tests"]["food"]["task"] == ["examples/food"] * 3
    assert "| smoke | finished | 256 of 256 |" in status_table(there, states)
    # It equals a run that was not interrupted, and whose evaluation was not divided.
    whole = tmp_path / "whole"
    train_piece(job, whole, 1, "cpu")
    alone = replace(job, parts=1)
    assert not play_part(alone, whole, 0, 0, None), "there is no time"
    assert play_part(alone, whole, 0, 1, None)
    returns = [each["return"] for each in read_part(alone, whole, 0) if "test" in each]
    assert result["tests"]["food"]["return"] == [round(each, 6) for each in returns]
    # Nothing but the result of a finished run is packed, unless its weights are asked for.
    pack([job], there, tmp_path / "done")
    assert unpack(tmp_path / "done", tmp_path / "reports") == []
    assert read_results(tmp_path / "reports")["smoke"] == result
    pack([job], there, tmp_path / "weights", weights=["smoke"])
    assert unpack(tmp_path / "weights", tmp_path / "player") == ["smoke"]
    assert play_part(alone, tmp_path / "player", 0, 1, None)


def test_a_run_that_fails_says_where_to_read_why(tmp_path: Path) -> None:
    job = JOBS["smoke"]
    folder = tmp_path / "smoke" / "run"
    folder.mkdir(parents=True)
    (folder / "notes.txt").write_text("not a run")
    states = run_all([job], Work(tmp_path), processes=1, minutes=5, note=lambda text: None)
    assert states["smoke"] == f"failed, see {tmp_path / 'smoke' / 'words.txt'}"
    assert "is not empty" in (tmp_path / "smoke" / "words.txt").read_text()
    with pytest.raises(SystemExit) as end:
        main(["run", "smoke", "-o", str(tmp_path)])
    assert end.value.code == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["run", "E4", "-o", "OUT", "--originals", "OUT/none"], "--originals: there is no folder OUT/none"),
        (["run", "smoke", "-o", "OUT/file"], "OUT/file/smoke: Not a directory"),
        (["pack", "-o", "OUT/none", "--to", "OUT/packed"], "there is no folder OUT/none"),
    ],
)
def test_folders_that_are_none_are_refused(tmp_path: Path, words: list[str], sentence: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit) as end:
        main([word.replace("OUT", str(tmp_path)) for word in words])
    assert end.value.code == sentence.replace("OUT", str(tmp_path))
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_all_runs_can_be_planned() -> None:
    for job in {job.label: job for job in JOBS.values() if not (job.agent or job.origin)}.values():
        plan = plan_of(job, TASKS)
        assert plan.steps == job.steps and plan.course.tasks.names
    assert [job.group for job in chosen(["E3"])] == ["E3"] * 12
    assert "smoke" in GROUPS and all(job.group != "smoke" for job in chosen([]))
    with pytest.raises(ValueError, match="there is no group or run 'E9'"):
        chosen(["E9"])


def _result(folder: Path, name: str, returns: list[float], passed: list[bool], **more: object) -> None:
    job = JOBS[name]
    test = {"task": ["x"] * len(returns), "level": [""] * len(returns), "return": returns, "passed": passed}
    points = {"step": [1000, 2000], "return": [0.0, returns[0]], "passed": [0.0, 1.0]}
    about = {"job": name, "group": job.group, "label": job.label, "agent": "", "trained": True, "finished": True}
    about |= {"steps_done": job.steps, "seconds": 600.0, "decisions_per_second": 1.0, "stages": []}
    about |= {"tests": {each.name: test for each in job.tests}, "curve": points, **more}
    (folder / "results").mkdir(parents=True, exist_ok=True)
    (folder / "results" / f"{name}.json").write_text(json.dumps(about))


def test_tables_have_the_published_numbers_beside_ours(tmp_path: Path) -> None:
    for seed, mean in enumerate((18.0, 20.0)):
        _result(tmp_path, f"foraging-{seed}", [mean, mean], [True, seed == 1])
    _result(tmp_path, "maze-two-by-two-0", [1.0, 1.0, 0.0, 0.0], [True, True, True, False])
    _result(tmp_path, "memory-occlusion-none-0", [1.0, -1.0], [True, False])
    text = tables(tmp_path)
    cells = "1.0 (1.0, 1.0) | 10.0 (10.0, 10.0) | 19.00 (18.00, 20.00) | 19.53 | 75 (50, 100) | 97"
    assert f"| foraging | ours, the paper's values | {cells} |" in text
    assert "| two-by-two alone | stable-baselines3 | 75 | 75 | 75 | 75 |\n|  | published | 99 | 78 | 55 | 41 |" in text
    assert "| occlusion | none | 50 | 100 |" in text
    picture = draw(tmp_path, tmp_path / "images")
    assert picture.read_text().startswith("<?xml")
    page = tmp_path / "guides" / "page.md"
    page.parent.mkdir()
    page.write_text("Before.\n\n<!-- results -->\n\nOld.\n\n<!-- end of results -->\n\nAfter.\n")
    write_page(tmp_path, page, picture)
    shown = f"![Curves of all runs](../images/{picture.name})"
    assert page.read_text() == (
        f"Before.\n\n<!-- results -->\n\n{shown}\n\n{text}\n\n<!-- end of results -->\n\nAfter.\n"
    )
    with pytest.raises(ValueError, match="has no curves"):
        draw(tmp_path / "nothing", tmp_path)


def test_results_of_finished_runs_are_kept(tmp_path: Path) -> None:
    for seed, finished in ((0, True), (1, False), (2, True)):
        _result(tmp_path, f"foraging-{seed}", [20.0], [True], finished=finished)
    home = tmp_path / "home"
    assert keep(tmp_path, home) == ["foraging-0", "foraging-2"] == list(read_results(home))
    assert read_results(home)["foraging-2"] == read_results(tmp_path)["foraging-2"]


def test_the_page_shows_the_results_that_were_kept() -> None:
    assert tables(HOME) in PAGE.read_text()
    assert (PAGE.parent / "../images" / FILE).is_file() == bool(read_results(HOME))


def test_the_testbed_is_scored_by_level_and_by_condition(tmp_path: Path) -> None:
    tasks = ["testbed/01-01-1", "testbed/08-01-1", "testbed/08-02-1", "testbed/08-02-2"]
    own = {"task": tasks, "level": ["1", "8", "8", "8"], "return": [0.0] * 4, "passed": [True, False, True, False]}
    _result(tmp_path, "testbed-navigator", [0.0], [True], tests={"testbed": own, "held-out": own})
    text = tables(tmp_path)
    heads, _, *rows = text.split("### Testbed\n\n")[1].splitlines()[:5]
    assert heads == "| level | navigator: tests | navigator: controls |"
    assert rows == ["| 1 |  | 100.0 % |", "| 8 | 0.0 % | 50.0 % |", "| all | 0.0 % | 66.7 % |"], "08-01 is a test"
    assert "### Held-out tasks\n\n| level | navigator |\n| --- | --- |\n| 1 | 100.0 % |\n| 8 | 33.3 % |" in text
    assert "Sample of the original" not in text, "it was not played"


def test_a_run_that_starts_with_the_weights_of_another_waits_for_it(tmp_path: Path) -> None:
    first, second = chosen(["E4-training"])
    assert second.origin == first.name and first.parts == 0
    work = Work(tmp_path)
    assert pieces_of(second, work) == [] and state(second, tmp_path) == "not begun, needs generalist-1"
    checkpoint = tmp_path / first.name / "run"
    checkpoint.mkdir(parents=True)
    about = json.loads((generalist_agent.FOLDER / "about.json").read_text())
    for name in ("weights.pt", "done"):
        copyfile(generalist_agent.FOLDER / name, checkpoint / name)
    for step, ready in ((first.steps - 1, False), (first.steps, True)):
        (checkpoint / "about.json").write_text(json.dumps({**about, "step": step}))
        assert bool(pieces_of(second, work)) is ready
    plan = plan_of(second, tmp_path)
    assert plan.origin is not None and plan.origin.step == first.steps
    settings = plan.resolved.settings
    assert (settings["network"], settings["anneal_steps"]) == (about["settings"]["network"], 100_000_000)


def test_curves_are_means_of_a_hundred_episodes() -> None:
    episodes = [{"step": 10 * n, "return": float(n), "passed": n >= 150} for n in range(200)]
    points = curve(episodes)
    assert len(points["step"]) == 100 and points["step"][-1] == 1990
    assert points["return"][-1] == pytest.approx(149.5) and points["passed"][-1] == pytest.approx(0.5)
    assert points["return"][1] == pytest.approx(np.mean([0, 1, 2])), "the first ones of those there are"
    # Of a task that is played ten times as often as another, each episode says less.
    mixed = [
        {"step": n, "task": "often" if n % 11 else "seldom", "return": 0.0, "passed": n % 11 == 0} for n in range(660)
    ]
    assert curve(mixed, by_task=True)["passed"][-1] == pytest.approx(0.5)
    steps, returns = curves()["foraging"]
    assert len(steps) == 100 and returns[-1] == pytest.approx(18.96, abs=0.1)


def test_nothing_is_written_of_a_run_that_was_not_begun(tmp_path: Path) -> None:
    assert write_result(JOBS["foraging-0"], tmp_path) is None


@pytest.mark.parametrize(("task", "released"), [("lights-out", 14), ("occlusion", 15)])
def test_tasks_of_memory_look_alike_when_the_animal_may_choose(task: str, released: int) -> None:
    """The same actions on both sides: no picture differs between the release and the fall, or the end."""
    import puzzlebox
    from puzzlebox.run.tasks import find_tasks

    tasks = find_tasks([str(TASKS / f"{task}.yml")], variations=2)
    assert sorted(each.factors["side"] for each in tasks) == [-1, 1]
    envs = [puzzlebox.make(each.task, camera=32) for each in tasks]
    compared = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        first = [env.reset(seed=seed)[0] for env in envs]
        assert (first[0]["camera"] != first[1]["camera"]).any(), "what is to be remembered is seen"
        place, action = first[0]["vitals"][4:], 0
        for step in range(1, 120):
            action = int(rng.choice([1, 2, 3, 3, 3, 5, 6])) if step % 4 == 1 else action
            outcomes = [env.step(action) for env in envs]
            if any(each[2] or each[3] for each in outcomes):
                break
            seen, now = outcomes[0][0]["camera"], outcomes[0][0]["vitals"][4:]
            if now[1] < place[1] - 0.05:  # it has jumped down
                break
            same = (seen == outcomes[1][0]["camera"]).all()
            # Until then it could not move, so that its place says nothing of the side.
            assert same if step >= released else np.allclose(now, place, atol=0.05)
            compared += step >= released
    assert compared > 100
    for env in envs:
        env.close()
