"""What environments of a Gymnasium wing report: values of numpy are converted, and others refused by name."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete
from typer.testing import CliRunner

from puzzlebox import wings
from puzzlebox.cli.app import app
from puzzlebox.columns import Column
from puzzlebox.record import Store, StoreError
from puzzlebox.record.export import export
from puzzlebox.record.tables import recorded_episodes
from puzzlebox.report import make_report
from puzzlebox.run.play import play
from puzzlebox.run.runs import RunError, run
from puzzlebox.run.tasks import find_tasks
from puzzlebox.wings.gymnasium_wing import GymnasiumTask, GymnasiumWing, TaskEntry

SPACE = Dict({"joints": Box(-1.0, 1.0, (2,), np.float32), "grip": Discrete(2)})


class Arm(gym.Env[Any, Any]):
    action_space = SPACE
    observation_space = Dict({"angles": Box(-9.0, 9.0, (2,), np.float32)})
    info: ClassVar[dict[str, Any]] = {}
    reward: ClassVar[Any] = np.float32(0.5)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self._angles, self._steps = np.zeros(2, np.float32), 0
        return {"angles": self._angles}, {}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        self._steps += 1
        self._angles = self._angles + action["joints"]
        return {"angles": self._angles}, self.reward, self._steps == 3, False, dict(self.info)


class ArmWing(GymnasiumWing):
    name = "arm"
    measures = (Column("distance", "number", "distance from the hand to the target", "m"),)

    def tasks(self) -> Mapping[str, Mapping[str, Any]]:
        return {"still": {"n": np.int64(3)}, "moving": {}}

    def make(self, task: GymnasiumTask, **senses: Any) -> gym.Env[Any, Any]:
        return Arm()


class Mover:
    senses: ClassVar[dict[str, Any]] = {}

    def begin(self, seed: int) -> None:
        pass

    def act(self, observation: Any, info: Any) -> Any:
        return {"joints": np.full(2, 0.25, np.float32), "grip": np.int64(1)}


class Clumsy(Mover):
    def act(self, observation: Any, info: Any) -> Any:
        return {"joints": [0.0, 0.0, 0.0], "grip": 1}


class Wild(Mover):
    def act(self, observation: Any, info: Any) -> Any:
        return {"joints": np.array([0.0, 1.5], np.float32), "grip": 1}


@pytest.fixture(autouse=True)
def wing(monkeypatch: pytest.MonkeyPatch) -> Iterator[ArmWing]:
    made = ArmWing()
    monkeypatch.setitem(wings._WINGS, "arm", made)
    monkeypatch.setattr(Arm, "info", {"passed": np.bool_(True), "measures": {"distance": np.float32(0.1)}})
    yield made


def test_values_of_numpy_are_recorded_and_exported(tmp_path: Path) -> None:
    (found,) = find_tasks(["arm/still"])
    with Store(tmp_path / "r.sqlite") as store:
        play(found.task, Mover(), store=store, name=found.name)
        (episode,) = store.episodes()
        assert (episode.passed, episode.total, episode.steps) == (True, 1.5, 3)
        store.require_whole(episode)
        assert store.steps(episode.id)["distance"][-1] == pytest.approx(0.1)
    outcome = run([found], [f"{__name__}:Mover"], tmp_path / "out", workers=1)
    assert [(each.passed, each.error) for each in outcome.episodes] == [(True, None)]


def test_an_error_of_the_environment_is_recorded_as_in_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Arm, "info", {"passed": True, "error": "the motor is stuck"})
    (found,) = find_tasks(["arm/still"])
    with Store(tmp_path / "r.sqlite") as store:
        play(found.task, Mover(), store=store, name=found.name)
        (episode,) = store.episodes()
        store.require_whole(episode)
        assert (episode.error, episode.ended_by, episode.passed) == ("the motor is stuck", "error", None)
        export(store, [episode], tmp_path / "tables")
    (played,) = run([found], [f"{__name__}:Mover"], tmp_path / "out", workers=1).episodes
    assert (played.error, played.ended_by, played.passed) == (episode.error, episode.ended_by, episode.passed)
    assert "the motor is stuck" in (tmp_path / "tables" / "episodes.csv").read_text()
    shown = CliRunner().invoke(app, ["replay", "last", "--store", str(tmp_path / "r.sqlite")]).stdout
    assert "error     the motor is stuck\n" in shown
    with closing(sqlite3.connect(tmp_path / "r.sqlite")) as connection:
        connection.execute("UPDATE episodes SET error = NULL")
        connection.commit()
    with pytest.raises(StoreError, match="it was changed after it was recorded"):
        store.require_whole(episode)


@pytest.mark.parametrize(
    ("info", "reward", "sentence"),
    [
        ({"passed": "yes"}, 0.0, "`passed` in info is 'yes'; it must be True, False or None"),
        ({"measures": {"distance": "near"}}, 0.0, "the measure 'distance' in info is 'near'; it must be a number"),
        ({"events": [{"kind": "hit", "details": {"x": np.nan}}]}, 0.0, "numbers must be finite"),
        ({}, np.nan, "the reward is nan; it must be finite"),
    ],
)
def test_values_that_cannot_be_recorded_end_the_episode_with_a_sentence(
    info: dict[str, Any], reward: float, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Arm, "info", info)
    monkeypatch.setattr(Arm, "reward", reward)
    outcome = run(find_tasks(["arm/moving"]), [f"{__name__}:Mover"], tmp_path / "out", workers=1)
    assert [sentence in (each.error or "") for each in outcome.episodes] == [True]


def test_an_action_of_another_shape_is_named_with_its_space(tmp_path: Path) -> None:
    outcome = run(find_tasks(["arm/moving"]), [f"{__name__}:Clumsy"], tmp_path / "out", workers=1)
    assert "does not fit the action space Dict(" in (outcome.episodes[0].error or "")


def test_an_action_out_of_bounds_ends_the_episode_with_a_sentence(tmp_path: Path) -> None:
    outcome = run(find_tasks(["arm/moving"]), [f"{__name__}:Wild"], tmp_path / "out", workers=1)
    assert "1.5 in the action (0.0, 1.5) is out of bounds; it must be from -1 to 1" in (outcome.episodes[0].error or "")
    assert outcome.episodes[0].steps == 0


def summary_of(folder: Path, *options: str) -> str:
    words = ["run", "arm/moving", "--agent", f"{__name__}:Mover", "-o", str(folder), "--workers", "1", *options]
    return CliRunner().invoke(app, words).stdout


def test_a_run_without_verdicts_is_not_called_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Arm, "info", {})
    done = summary_of(tmp_path / "whole")
    assert "no verdict" in done and "cut off" not in done
    stopped = summary_of(tmp_path / "stopped", "--longest", "2")
    assert "unknown (1 cut off)" in stopped and "verdict" not in stopped


def test_tasks_may_have_a_title_a_level_a_variant_and_tags(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = TaskEntry({"n": 3}, title="Hold still", level="easy", variant="left", tags=("balance", "one arm"))
    monkeypatch.setattr(ArmWing, "tasks", lambda self: {"still": entry, "moving": {}})
    still, moving = find_tasks(["arm"])
    assert (still.task.title, still.level, still.variant) == ("Hold still", "easy", "left")
    assert (moving.task.title, moving.level, moving.variant) == ("moving", "", "")
    # They describe a task and are no part of it: results before and after are of the same task.
    assert still.text == GymnasiumTask("arm", "still", {"n": 3}).text
    listed = CliRunner().invoke(app, ["tasks"]).stdout
    (line,) = [each for each in listed.splitlines() if "arm/still" in each]
    assert "easy" in line and "Hold still" in line and "balance, one arm" in line
    data = {each["name"]: each for each in json.loads(CliRunner().invoke(app, ["tasks", "--json"]).stdout)}
    assert data["arm/still"]["title"] == "Hold still" and data["arm/still"]["tags"] == ["balance", "one arm"]
    outcome = run([still], [f"{__name__}:Mover"], tmp_path / "out", workers=1)
    assert [(each.title, each.level, each.variant) for each in outcome.episodes] == [("Hold still", "easy", "left")]
    with Store(tmp_path / "r.sqlite") as store:
        play(still.task, Mover(), store=store, name=still.name)
        (row,) = recorded_episodes(store, store.episodes())
    assert (row.title, row.level, row.variant) == ("Hold still", "easy", "left")


def test_tasks_of_a_wing_are_found_by_name_pattern_and_wing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [each.name for each in find_tasks(["arm"])] == ["arm/still", "arm/moving"]
    assert [each.name for each in find_tasks(["arm/st*"])] == ["arm/still"]
    with pytest.raises(FileNotFoundError, match="did you mean `still`"):
        find_tasks(["arm/stil"])
    # A file of that name takes precedence, as everywhere.
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm").mkdir()
    (tmp_path / "arm" / "mine.yml").write_text("arenas: [{items: [{name: Agent}]}]")
    assert [each.task.wing for each in find_tasks(["arm/mine.yml"])] == ["arena"]


def test_a_wing_named_like_a_battery_does_not_hide_it(monkeypatch: pytest.MonkeyPatch, wing: ArmWing) -> None:
    monkeypatch.setitem(wings._WINGS, "memory", wing)
    assert [each.task.wing for each in find_tasks(["memory/four-arms"])] == ["arena"]


def test_equal_tasks_of_two_wings_are_different_tasks() -> None:
    assert GymnasiumTask("arm", "easy", {}).text != GymnasiumTask("leg", "easy", {}).text


@pytest.mark.usefixtures("unpainted_figures")
def test_a_report_of_a_wing_with_a_camera_and_no_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ArmWing, "views", ("front",))
    run(find_tasks(["arm/*"]), [f"{__name__}:Mover"], tmp_path / "out", workers=1)
    assert (
        "There are no paths: these tasks have none."
        in make_report([tmp_path / "out"], tmp_path / "report").page.read_text()
    )


def test_a_run_is_not_continued_with_other_code_of_its_wing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from puzzlebox.run import runs

    run(find_tasks(["arm/moving"]), [f"{__name__}:Mover"], tmp_path / "out", workers=1)
    monkeypatch.setattr(runs, "fingerprint", lambda *_: "another")
    with pytest.raises(RunError, match="the module of the wing arm has changed since"):
        run(find_tasks(["arm/moving"]), [f"{__name__}:Mover"], tmp_path / "out", workers=1, episodes=2)


@pytest.mark.parametrize("faulty", ["class", "tasks"])
def test_a_faulty_wing_costs_a_warning(faulty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ArmWing, "tasks", lambda self: {}["nothing"])
    if faulty == "class":
        monkeypatch.setitem(wings._WINGS, "arm", f"{__name__}:ArmWing")
    done = CliRunner().invoke(app, ["tasks"])
    assert done.exit_code == 0 and "foraging" in done.stdout
    assert (
        "a class and not an instance of it" in done.stderr if faulty == "class" else "the wing arm fails" in done.stderr
    )
    assert "wing arm" in CliRunner().invoke(app, ["doctor"]).stdout
