"""A wing outside the package can be run, recorded, replayed, exported and reported on."""

import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from corridor import CorridorWing, Drunkard, Walker
from puzzlebox import wings
from puzzlebox.agents import agent_named
from puzzlebox.cli.app import app
from puzzlebox.record import Store
from puzzlebox.record.episode import EPISODES
from puzzlebox.record.export import export
from puzzlebox.report import gather, make_report
from puzzlebox.run.journal import trajectory
from puzzlebox.run.play import play
from puzzlebox.run.runs import run
from puzzlebox.run.tasks import find_tasks

WING = CorridorWing()


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(wings._WINGS, WING.name, WING)
    yield


def agents() -> list[str]:
    return ["corridor:Walker", "corridor:Drunkard"]


def table(path: Path) -> list[dict[str, Any]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def replayed(record: Any) -> Any:
    for session, _ in WING.replay(record):
        last = session
    return last


def test_a_wing_is_run_and_replayed(tmp_path: Path) -> None:
    done = run(find_tasks(["corridor/*"]), agents(), tmp_path / "out", episodes=3, workers=1)
    assert len(done.episodes) == 12 and not any(each.error for each in done.episodes)
    assert {each.wing for each in done.episodes} == {"corridor"}
    assert all(each.passed for each in done.episodes if each.agent == "corridor:Walker")
    for each in done.episodes:
        session = replayed(trajectory(f"{tmp_path / 'out'}/{each.trajectory}"))
        assert (session.total, session.clock, session.passed()) == (each.total, each.steps, each.passed)
    rows = table(tmp_path / "out" / "episodes.csv")
    assert [row["seconds"] for row in rows] == [str(round(0.1 * int(row["steps"]), 6)) for row in rows]
    again = run(find_tasks(["corridor/*"]), agents(), tmp_path / "out", episodes=3, workers=1)
    assert again.played == 0 and again.episodes == done.episodes


def test_the_last_values_of_its_measures_are_in_the_tables_of_episodes(tmp_path: Path) -> None:
    out, arena = tmp_path / "out", tmp_path / "arena"
    done = run(find_tasks(["corridor/short"]), agents(), out, workers=1)
    rows = table(out / "episodes.csv")
    assert list(rows[0])[-2:] == ["final_x", "final_to_go"]
    for row, each in zip(rows, done.episodes, strict=True):
        last = replayed(trajectory(f"{out}/{each.trajectory}")).measures()
        assert {name: float(row[f"final_{name}"]) for name in last} == last
    # The table of a run that is resumed is the same.
    before = (out / "episodes.csv").read_bytes()
    assert run(find_tasks(["corridor/short"]), agents(), out, workers=1).played == 0
    assert (out / "episodes.csv").read_bytes() == before
    # The arena has measures of each step only, and its tables the columns of all wings.
    run(find_tasks(["examples/food"]), ["random"], arena, workers=1)
    assert list(table(arena / "episodes.csv")[0]) == [column.name for column in EPISODES]


def test_the_last_values_of_its_measures_are_exported(tmp_path: Path) -> None:
    with Store(tmp_path / "r.sqlite") as store:
        for name, agent in (("corridor/short", Walker()), ("examples/food", agent_named("random"))):
            (subject,) = find_tasks([name])
            play(subject.task, agent, store=store, name=subject.name)
        second, first = store.episodes()
        export(store, [first, second], tmp_path / "both")
        export(store, [second], tmp_path / "arena")
        last = store.steps(first.id)
    walk, food = table(tmp_path / "both" / "episodes.csv")
    assert (float(walk["final_x"]), float(walk["final_to_go"])) == (last["x"][-1], last["to_go"][-1])
    assert (food["final_x"], food["final_to_go"]) == ("", "")
    assert list(table(tmp_path / "arena" / "episodes.csv")[0]) == [column.name for column in EPISODES]


def test_recordings_are_exported_without_their_wing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (subject,) = find_tasks(["corridor/short"])
    with Store(tmp_path / "r.sqlite") as store:
        play(subject.task, Walker(), store=store, name=subject.name)
        (episode,) = store.episodes()
        export(store, [episode], tmp_path / "with")
    monkeypatch.delitem(wings._WINGS, "corridor")
    words = ["export", "--store", str(tmp_path / "r.sqlite"), "-o", str(tmp_path / "without")]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0 and "wrote 1 episode:" in done.stderr
    assert (
        "warning: 1 episode is written without names of actions and rules, flags, goals, latency and idle time, which "
        "only its wing knows: there is no wing 'corridor'; there are arena, infant, intuitions\n"
    ) in done.stderr
    for name in ("steps", "events"):
        assert table(tmp_path / "without" / f"{name}.csv") == table(tmp_path / "with" / f"{name}.csv")
    (here,), (there,) = table(tmp_path / "without" / "episodes.csv"), table(tmp_path / "with" / "episodes.csv")
    assert here == there | {"rules": ""} and here["final_to_go"]
    replay = CliRunner().invoke(app, ["replay", "last", "--store", str(tmp_path / "r.sqlite")])
    assert replay.exit_code == 1 and "cannot be used here: there is no wing 'corridor'" in replay.stderr


def test_episodes_of_a_wing_are_recorded_and_exported(tmp_path: Path) -> None:
    (run_task,) = find_tasks(["corridor/short"])
    with Store(tmp_path / "r.sqlite") as store:
        for number, agent in enumerate((Walker(), Drunkard())):
            play(run_task.task, agent, seed=number, store=store, name=run_task.name)
        store.flush()
        first, second = store.episodes()[::-1]
        assert first.passed and first.ended_by == "completed" and second.wing == "corridor"
        record = store.record(first.id)
        assert replayed(record).total == first.total
        export(store, [first, second], tmp_path / "tables")
    steps = [row for row in table(tmp_path / "tables" / "steps.csv") if row["episode"] == first.id]
    assert len(steps) == (first.steps or 0) + 1 and float(steps[1]["seconds"]) == 0.1
    assert [json.loads(row["action"])[0] for row in steps[1:]] == [float(each[0][0]) for each in record.actions]
    assert float(steps[-1]["to_go"]) < 0.3 and steps[-1]["events"] == "arrived"
    rows = table(tmp_path / "tables" / "episodes.csv")
    assert [row["wing"] for row in rows] == ["corridor"] * 2 and rows[0]["passed"] == "True"
    assert table(tmp_path / "tables" / "events.csv")[-1]["kind"] == "arrived"


def test_a_log_format_of_a_wing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def export_log(store: Store, episodes: Any, folder: Path, progress: Any, warn: Any, left_out: Any) -> list[Path]:
        folder.mkdir()
        (folder / "log.txt").write_text("\n".join(each.id for each in episodes))
        warn("one differs")
        return [folder / "log.txt"]

    module = SimpleNamespace(
        files=lambda folder, episodes: {folder / "log.txt": episodes},
        index_of=lambda folder: folder / "index.txt",
        export=export_log,
    )
    (subject,) = find_tasks(["corridor/short"])
    with Store(tmp_path / "r.sqlite") as store:
        play(subject.task, Walker(), store=store, name=subject.name)
        store.flush()
        (episode,) = store.episodes()
    words = ["export", "--store", str(tmp_path / "r.sqlite"), "-o", str(tmp_path / "logs"), "--log", "lines"]
    refused = CliRunner().invoke(app, words)
    assert refused.exit_code == 1
    assert refused.stderr == "error: --log lines is not a log format of corridor; there is none\n"
    monkeypatch.setitem(sys.modules, "corridor_log", module)  # type: ignore[arg-type]
    monkeypatch.setattr(CorridorWing, "logs", {"lines": "corridor_log"})
    written = CliRunner().invoke(app, words)
    assert written.exit_code == 0 and written.stderr == "warning: one differs\nwrote 1 episode:\n"
    assert (tmp_path / "logs" / "log.txt").read_text() == episode.id
    again = CliRunner().invoke(app, words)
    assert again.exit_code == 1 and "log.txt is already there" in again.stderr


def test_a_log_holds_episodes_of_one_wing(tmp_path: Path) -> None:
    with Store(tmp_path / "r.sqlite") as store:
        for name, agent in (("corridor/short", Walker()), ("examples/food", agent_named("random"))):
            (subject,) = find_tasks([name])
            play(subject.task, agent, store=store, name=subject.name)
    words = ["export", "--store", str(tmp_path / "r.sqlite"), "-o", str(tmp_path / "logs"), "--log", "animalai"]
    refused = CliRunner().invoke(app, words)
    assert refused.exit_code == 1 and not (tmp_path / "logs").exists()
    assert "--log writes episodes of one wing, and these are of arena and corridor" in refused.stderr
    one = CliRunner().invoke(app, [*words, "--episode", "last"])
    assert one.exit_code == 0, one.stderr


@pytest.mark.usefixtures("unpainted_figures")
def test_a_run_of_a_wing_is_reported_on(tmp_path: Path) -> None:
    run(find_tasks(["corridor/*"]), agents(), tmp_path / "out", episodes=5, workers=1)
    results = gather([tmp_path / "out"])
    assert len(results.rows) == 20 and results.tasks == ["corridor/long", "corridor/short"]
    report = make_report([tmp_path / "out"], tmp_path / "report")
    assert "corridor/short" in report.page.read_text(encoding="utf-8")


def test_commands_accept_a_wing(tmp_path: Path) -> None:
    arguments = ["run", "corridor/short", "--agent", "corridor:Walker", "-o", str(tmp_path / "out"), "--workers", "1"]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    replay = CliRunner().invoke(app, ["replay", f"{tmp_path / 'out'}#corridor/short/1/corridor:Walker/0"])
    assert replay.exit_code == 0 and "arrived" in replay.output and "passed" in replay.output
    film = CliRunner().invoke(
        app, ["replay", f"{tmp_path / 'out'}#corridor/short/1/corridor:Walker/0", "-o", str(tmp_path / "f.gif")]
    )
    assert film.exit_code == 1 and "episodes of the wing 'corridor' have no pictures" in film.stderr


def test_unknown_tasks_and_rules_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="corridor has no task 'wide'; it has short, long"):
        find_tasks(["corridor/wide"])
    with pytest.raises(ValueError, match="a run has tasks of one wing, and these are of corridor and arena"):
        find_tasks(["corridor/short", "foraging"])
    with pytest.raises(ValueError, match=r"corridor has no rules '3\.1'; leave them out"):
        run(find_tasks(["corridor/short"]), agents(), tmp_path / "out", rules="3.1", workers=1)
