"""Runs that are resumed: failed episodes are played again, and two versions of an agent are never mixed."""

import json
import socket
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from episodes import rows_of
from puzzlebox.arena.schema import load_task
from puzzlebox.run import runs, workers
from puzzlebox.run.journal import JOURNAL, trajectories, trajectory
from puzzlebox.run.runs import RunError, run
from puzzlebox.run.tasks import RunTask, find_tasks
from test_run import command, table

TASK = load_task("arenas: [{time_limit: 12, items: [{name: Agent}]}]")
AGENT = """
class G:
    senses = {"camera": None}
    def begin(self, seed): ...
    def act(self, observation, info): %s
"""


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Write the code of `mine:G`, and have Python import it again, as a new command would."""
    monkeypatch.syspath_prepend(str(tmp_path))
    # Python treats a file with the same second and size as unchanged.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def written(act: str) -> None:
        (tmp_path / "mine.py").write_text(AGENT % act)
        monkeypatch.delitem(sys.modules, "mine", raising=False)

    return written


def again(out: Path, episodes: int = 2, **settings: Any) -> runs.Outcome:
    return run([RunTask("t", TASK)], ["mine:G", "random"], out, episodes=episodes, **{"workers": 1, **settings})


def test_an_agent_that_changed_is_refused(agent: Any, tmp_path: Path) -> None:
    out = tmp_path / "run"
    agent("return 3")
    again(out)
    agent("return 6")
    with pytest.raises(
        RunError, match="the agent mine:G has changed since: its weights, or a module that holds its code"
    ):
        again(out, episodes=4)
    agent("return 3")
    assert again(out, episodes=4).played == 4


def test_another_version_is_refused_and_runs_of_earlier_versions_are_resumed(agent: Any, tmp_path: Path) -> None:
    out = tmp_path / "run"
    agent("return 3")
    again(out)
    settings = json.loads((out / "run.json").read_text())
    for each in settings["agents"]:
        del each["code"]
    (out / "run.json").write_text(json.dumps(settings))
    assert again(out, episodes=3).played == 2
    (out / "run.json").write_text(json.dumps(settings | {"puzzlebox": "0.0.1"}))
    with pytest.raises(RunError, match=r"Puzzlebox 0\.0\.1 played it, and this is .*; name another folder"):
        again(out, episodes=3)


def test_failed_episodes_are_played_again_and_counted_once(agent: Any, tmp_path: Path) -> None:
    out = tmp_path / "run"
    agent("raise RuntimeError('no memory')")
    first = again(out)
    assert [row["ended_by"] for row in rows_of(first.episodes)] == ["error", "error", "time", "time"]
    # The agent is corrected: nothing of one that has only failed is kept.
    agent("return 3")
    second = again(out)
    assert (second.played, second.again) == (2, 2)
    assert (
        not any(row["error"] for row in rows_of(second.episodes))
        and rows_of(second.episodes)[2:] == rows_of(first.episodes)[2:]
    )
    assert [row["steps"] for row in table(out)] == ["60"] * 4
    assert len((out / JOURNAL).read_text().splitlines()) == 6
    assert len(dict(trajectories(out))) == len(list(trajectories(out))) == 4
    assert len(trajectory(f"{out}#t/1/mine:G/0").actions) == 20
    assert (again(out).played, again(out).again) == (0, 0)


def test_an_agent_with_results_is_not_mended_in_place(agent: Any, tmp_path: Path) -> None:
    out = tmp_path / "run"
    often = (
        "import pathlib; p = pathlib.Path(__file__).with_name('n'); n = p.exists(); p.touch(); return 3 if n else 99"
    )
    agent(often)
    assert [bool(row["error"]) for row in rows_of(again(out).episodes)] == [True, False, False, False]
    agent("return 3")
    with pytest.raises(RunError, match="has changed since"):
        again(out)
    agent(often)
    assert (again(out).again, again(out).again) == (1, 0)


def test_a_refused_command_changes_no_settings(agent: Any, tmp_path: Path) -> None:
    """Neither a command with other settings, nor one in a folder with an empty run."""
    out = tmp_path / "run"
    out.mkdir()
    (out / JOURNAL).touch()
    agent("return 3")
    again(out)
    before = (out / "run.json").read_text()
    journal = runs.Journal(out)
    with pytest.raises(BlockingIOError):
        again(out, episodes=5)
    journal.close()
    assert (out / "run.json").read_text() == before


def test_the_command_counts_failures_apart(agent: Any, tmp_path: Path) -> None:
    (tmp_path / "t.yml").write_text("arenas: [{time_limit: 12, pass_mark: -2, items: [{name: Agent}]}]")
    arguments = [str(tmp_path / "t.yml"), "--agent", "mine:G", "--agent", "random", "-o", str(tmp_path / "run")]
    agent("raise SystemExit(3)")
    done = command(*arguments)
    assert done.exit_code == 1, done.output
    lines = {line.split()[0]: line for line in done.stdout.splitlines() if "all" in line}
    assert "0 (1 failed)" in lines["mine:G"] and "%" not in lines["mine:G"]
    assert "100.0 %" in lines["random"]
    assert f"1 episode failed, the first on t: SystemExit: 3 ({tmp_path / 'mine.py'}:5)" in done.stderr
    assert f"all reasons are in the column `error` of {tmp_path / 'run' / 'episodes.csv'}" in done.stderr
    agent("return 3")
    again = command(*arguments)
    assert again.exit_code == 0 and "1 episode had failed before and was played again" in again.stderr


@pytest.mark.parametrize("act", ["raise SystemExit(3)", "raise KeyboardInterrupt"])
def test_whatever_an_agent_raises_costs_no_worker(act: str, agent: Any, tmp_path: Path) -> None:
    agent(act)
    rows = rows_of(again(tmp_path / "run", workers=2).episodes)
    error = act.removeprefix("raise ").replace("(", ": ").rstrip(")") + f" ({tmp_path / 'mine.py'}:5)"
    assert [row["error"] for row in rows] == [error, error, None, None]


def test_all_broken_tasks_are_named(tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"{number:02}.yml").write_text("arenas: [{items: [{name: Walll}]}]")
    (tmp_path / "good.yml").write_text("arenas: [{items: [{name: Agent}]}]")
    with pytest.raises(ValueError) as problem:
        find_tasks([str(tmp_path)])
    first, *lines, last = str(problem.value).splitlines()
    assert first == "12 tasks cannot be read" and last == "and 2 more"
    assert all(f"{number:02}.yml:1:" in line for number, line in enumerate(lines)) and len(lines) == 10


def test_the_bundled_task_with_two_animals_can_be_run(tmp_path: Path) -> None:
    pytest.importorskip("pettingzoo")
    (company,) = find_tasks(["generalisation/company"])
    assert company.task.bodies == 2
    (row,) = rows_of(run([company], ["heuristic"], tmp_path / "run", longest=60).episodes)
    assert (row["error"], row["steps"]) == (None, 60)


def test_a_ray_cluster_that_does_not_answer_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(workers, "find_spec", lambda name: True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    for text in (address, f"ray://{address}"):
        monkeypatch.setenv("RAY_ADDRESS", text)
        started = time.monotonic()
        with pytest.raises(ConnectionError, match=f"no Ray cluster answers at RAY_ADDRESS, {text}: Connection refused"):
            run([RunTask("t", TASK)], ["random"], tmp_path / "run", backend="ray")
        assert time.monotonic() - started < 10
    assert not (tmp_path / "run").exists()
