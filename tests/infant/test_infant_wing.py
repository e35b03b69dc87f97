"""The infant wing: its tasks are listed, run, recorded, replayed, painted and reported on like those of any wing."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from puzzlebox.cli.app import app
from puzzlebox.infant.catalogue import CATALOGUE
from puzzlebox.infant.envs.views import VIEWS
from puzzlebox.record import Store
from puzzlebox.report import gather
from puzzlebox.run.journal import trajectory
from puzzlebox.run.play import play
from puzzlebox.run.runs import run
from puzzlebox.run.tasks import find_tasks
from puzzlebox.wings import wing_named

WING: Any = wing_named("infant")


def test_importing_puzzlebox_and_gymnasium_does_not_import_mujoco() -> None:
    code = (
        "import sys, puzzlebox, gymnasium, puzzlebox.infant.wing as wing; list(wing.WING.bundled())\n"
        "assert 'puzzlebox/Infant-GrabObject-v1' in gymnasium.registry\n"
        "assert 'mujoco' not in sys.modules and 'slab' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_all_tasks_are_listed_with_title_group_and_tags() -> None:
    listed = {each.name: each for each in WING.bundled()}
    assert list(listed) == [f"infant/{name}" for name in CATALOGUE]
    assert all(each.title and each.level and each.tags for each in listed.values())
    assert WING.views == VIEWS


def test_random_and_scripted_agents_play_and_every_episode_replays(tmp_path: Path) -> None:
    tasks = find_tasks(["infant/kick-the-ball", "infant/object-nav"])
    done = run(tasks, ["random", "infant-script"], tmp_path / "out", episodes=1, workers=1)
    assert len(done.episodes) == 4
    assert not any(each.error for each in done.episodes)
    for each in done.episodes:
        *_, (session, _) = WING.replay(trajectory(f"{tmp_path / 'out'}/{each.trajectory}"))
        assert (session.total, session.clock, session.passed()) == (each.total, each.steps, each.passed)
    assert {each.task for each in gather([tmp_path / "out"]).rows} == {each.name for each in tasks}


def test_an_episode_is_recorded_and_painted_in_every_view(tmp_path: Path) -> None:
    from puzzlebox.agents import agent_named

    task = find_tasks(["infant/object-nav"])[0].task
    with Store(tmp_path / "store.db") as store:
        record = play(task, agent_named("infant-script"), seed=4, store=store, name="infant/object-nav")
        assert len(store.episodes()) == 1
    pictures = {view: WING.camera(view, (64, 48)) for view in VIEWS}
    session, _ = next(WING.replay(record))
    painted = {view: camera.paint(session) for view, camera in pictures.items()}
    assert all(picture.shape == (48, 64, 3) and picture.std() > 1 for picture in painted.values())
    assert not np.array_equal(painted["left-eye"], painted["right-eye"])
    with pytest.raises(ValueError, match=r"no view 'lefteye'.*left-eye"):
        WING.camera("lefteye", (64, 48))
    replay = ["replay", "last", "--store", str(tmp_path / "store.db")]
    shown = CliRunner().invoke(app, replay)
    assert shown.exit_code == 0 and "-o last.png" in shown.stderr and "--path" not in shown.stderr
    refused = CliRunner().invoke(app, [*replay, "--path", "-o", str(tmp_path / "path.png")])
    assert refused.exit_code == 1 and not (tmp_path / "path.png").exists()
    assert "episodes of the wing 'infant' have no path\nhint: leave out --path" in refused.stderr


def test_a_summary_says_why_an_episode_failed_and_nothing_of_arenas(tmp_path: Path, monkeypatch: Any) -> None:
    from puzzlebox.agents import agent_named

    task = find_tasks(["infant/kick-the-ball"])[0].task
    with Store(tmp_path / "store.db") as store:
        for seed in range(20):
            record = play(task, agent_named("random"), seed=seed, store=store, name="infant/kick-the-ball")
            *_, (session, outcome) = WING.replay(record)
            if session.passed() is False:
                break
    (event,) = [each for each in outcome.events if each.kind == "failed"]
    assert event.details["reason"] in (
        "the ball has left the field, and the child did not meet it",
        "the child has left the field",
    )
    replay = ["replay", "last", "--store", str(tmp_path / "store.db")]
    shown = CliRunner().invoke(app, replay).stdout
    assert f"failed (reason {event.details['reason']})" in shown
    assert f"seed      {seed}\n" in shown and "arena" not in shown and "rules" not in shown
    export = CliRunner().invoke(app, ["export", "--store", str(tmp_path / "store.db"), "-o", str(tmp_path / "out")])
    assert export.exit_code == 0, export.stderr
    assert event.details["reason"] in (tmp_path / "out" / "events.csv").read_text()
    # Long work is not silent where there is no terminal.
    monkeypatch.setattr("puzzlebox.cli.recordings._SILENT_SECONDS", 0.0)
    painted = CliRunner().invoke(app, [*replay, "-o", str(tmp_path / "last.png"), "--size", "32x24"])
    assert f"replaying: {len(record.actions)} of {len(record.actions)}" in painted.stderr
    assert "left-eye" in CliRunner().invoke(app, ["replay", "--help"], env={"COLUMNS": "200"}).stdout
