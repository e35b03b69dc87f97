"""Runs that start with the weights of another one: what they take over, what is refused, and how they are resumed."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from command import puzzlebox
from puzzlebox.agents import agent_named
from puzzlebox.learn import generalist_agent
from puzzlebox.learn.checkpoints import checkpoints, find_checkpoint
from puzzlebox.learn.origin import find_origin, history_of
from puzzlebox.learn.trained import TrainedAgent
from puzzlebox.learn.trainer import Plan, train
from puzzlebox.run.play import play
from puzzlebox.run.tasks import find_tasks
from training_helpers import lines, small_plan, train_until, trained

pytest.importorskip("stable_baselines3")

OURS = ("envs=4", "workers=1", "rollout=16", "memory_size=16", "features=16", "threads=1")
SHORT = ("max_episode_steps=30",)


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    home = tmp_path_factory.mktemp("sources")
    for learner in ("recurrent", "ppo", "dqn"):
        own = OURS if learner == "recurrent" else ()
        trained(small_plan(*own, "strength=0.1", learner=learner, steps=256), home / learner)
    return {each.name: each for each in home.iterdir()}


def further(source: Path, *changes: str, task: str = "examples/wall", steps: int = 128) -> Plan:
    """Return the plan of a run on another task that starts from a run."""
    plan = small_plan(tasks=(task,), steps=steps)
    start = find_origin(str(source))
    return replace(plan, origin=start, resolved=start.resolve(plan.course.tasks.wing, [*SHORT, *changes]))


def weights_of(run: Path) -> dict[str, Any]:
    import torch

    state = torch.load(find_checkpoint(run).folder / "weights.pt", weights_only=True)
    state = state.get("weights", state)
    # Target networks follow the others at a rate of their own.
    return {name: value.flatten().tolist() for name, value in state.items() if "target" not in name}


@pytest.mark.parametrize("learner", ["recurrent", "ppo", "dqn"])
def test_a_run_starts_with_the_weights_of_another(sources: dict[str, Path], tmp_path: Path, learner: str) -> None:
    source = sources[learner]
    # What is learned at a rate of 0 is what there was before the first update.
    train(further(source, "learning_rate=0"), tmp_path / "still")
    assert weights_of(tmp_path / "still") == weights_of(source)
    task = find_tasks(["examples/food"])[0].task
    agents = [TrainedAgent(each) for each in (source, tmp_path / "still")]
    assert len({tuple(play(task, each, seed=1).actions) for each in agents}) == 1
    train(further(source), tmp_path / "moved")
    assert weights_of(tmp_path / "moved") != weights_of(source)


def test_sac_starts_with_the_weights_of_another_run(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    settings = ("envs=2", "workers=1", "learning_starts=8", "buffer_size=64", "log_every=16", "batch_size=8")
    senses = ('environment.senses=["joints"]',)
    plan = small_plan(*settings, tasks=("infant/kick-the-ball",), senses=senses, learner="sac", steps=32)
    trained(plan, tmp_path / "source")
    start = find_origin(str(tmp_path / "source"))
    resolved = start.resolve(plan.course.tasks.wing, ["learning_rate=0"])
    train(replace(plan, resolved=resolved, origin=start), tmp_path / "still")
    assert weights_of(tmp_path / "still") == weights_of(tmp_path / "source")


def test_learner_settings_and_senses_are_taken_over_and_nothing_else(sources: dict[str, Path]) -> None:
    resolved = further(sources["recurrent"], "gamma=0.9").resolved
    assert resolved.learner == "recurrent" and resolved.preset == ""
    assert resolved.settings["rollout"] == 16 and resolved.settings["gamma"] == 0.9
    assert resolved.settings["precision"] == "auto", "another machine may multiply otherwise"
    assert resolved.environment == {"camera": None, "rays": 3, "max_episode_steps": 30}
    assert resolved.curiosity["strength"] == 0


def test_a_run_knows_where_its_weights_came_from_and_all_their_tasks(sources: dict[str, Path], tmp_path: Path) -> None:
    train(further(sources["ppo"]), tmp_path / "run")
    start = json.loads((tmp_path / "run" / "run.json").read_text())["origin"]
    source = find_checkpoint(sources["ppo"])
    assert (start["path"], start["weights"], start["step"]) == (str(sources["ppo"]), source.weights_hash, 256)
    for each in checkpoints(tmp_path / "run"):
        assert [task["name"] for task in each.about["tasks"]] == ["examples/wall", "examples/food"]
    hashes = [each.hash for each in find_tasks(["examples/food", "examples/wall", "examples/ramp"])]
    assert [each in TrainedAgent(tmp_path / "run").trained_on for each in hashes] == [True, True, False]
    train(further(tmp_path / "run", task="examples/ramp"), tmp_path / "third")
    history = history_of(find_checkpoint(tmp_path / "third"))
    assert [each["steps"] for each in history] == [256, 128, 128]
    assert {each["device"] for each in history} == {"cpu"} and {each["precision"] for each in history} == {"fp32"}
    assert all(each in TrainedAgent(tmp_path / "third").trained_on for each in hashes)


@pytest.mark.parametrize("learner", ["recurrent", "ppo"])
def test_it_is_resumed_as_any_other_run_and_without_its_source(
    sources: dict[str, Path], tmp_path: Path, learner: str
) -> None:
    source = shutil.copytree(sources[learner], tmp_path / "source")
    plan = further(source, "checkpoint_every=64", steps=320)
    train(plan, tmp_path / "whole")
    train_until(plan, tmp_path / "parts", 192)
    shutil.rmtree(source)
    train(replace(plan, origin=None), tmp_path / "parts", resume=True)
    assert (tmp_path / "parts" / "episodes.jsonl").read_bytes() == (tmp_path / "whole" / "episodes.jsonl").read_bytes()
    assert weights_of(tmp_path / "parts") == weights_of(tmp_path / "whole")


def test_before_its_first_checkpoint_it_needs_its_source(sources: dict[str, Path], tmp_path: Path) -> None:
    source = shutil.copytree(sources["ppo"], tmp_path / "source")
    plan = further(source, "checkpoint_every=128")
    train(plan, tmp_path / "whole")
    train_until(plan, tmp_path / "parts", 64)
    shutil.copytree(tmp_path / "parts", tmp_path / "late")
    train(replace(plan, origin=None), tmp_path / "parts", resume=True)
    assert weights_of(tmp_path / "parts") == weights_of(tmp_path / "whole")
    shutil.rmtree(source)
    with pytest.raises(ValueError, match="no longer has the weights that the run starts from, and there is no check"):
        train(plan, tmp_path / "late", resume=True)


def test_a_run_that_started_from_other_weights_is_not_resumed(sources: dict[str, Path], tmp_path: Path) -> None:
    plan = further(sources["ppo"])
    train(replace(plan, origin=None), tmp_path / "new")
    with pytest.raises(ValueError, match=r"it started from new weights, not from .*ppo \([0-9a-f]{8}\); name another"):
        train(plan, tmp_path / "new", resume=True)
    data = json.loads((tmp_path / "new" / "run.json").read_text())
    (tmp_path / "new" / "run.json").write_text(json.dumps({**data, "origin": {"path": "x"}}))
    with pytest.raises(ValueError, match=r"run\.json is damaged: its origin is \{'path': 'x'\}"):
        train(replace(plan, origin=None), tmp_path / "new", resume=True)


@pytest.mark.parametrize(
    ("learner", "arguments", "sentence"),
    [
        ("ppo", ["--learner", "dqn"], "was trained by ppo, whose weights do not fit dqn; leave --learner out"),
        ("ppo", ["--preset", "rays"], "--from brings settings, and so does --preset; leave one of them out"),
        ("ppo", ["--resume"], "a run that is resumed has weights of its own; leave --from out, or --resume"),
        ("ppo", ["rays=5"], "other observations: rays has 60 numbers there, 100 numbers here; leave out"),
        ("ppo", ["vitals=false"], "other observations: it had vitals, which is missing here; leave out the settings"),
        ("ppo", ["camera=36"], "other observations: it had no camera; leave out the settings that change them"),
        ("recurrent", ["memory_size=8"], "has a network with memory_size=16, whose weights do not fit one with memory"),
        ("recurrent", ["memory=gru"], "has a network with memory=lstm, whose weights do not fit one with memory=gru"),
        ("recurrent", ["memory_sise=8"], "there is no setting 'memory_sise'; did you mean `memory_size`?"),
        ("infant", [], "was trained on tasks of infant, and these are of arena; name tasks of infant, or leave"),
        ("damaged", [], "weights.pt is damaged: its SHA-256 is not the one in the file done"),
        ("lacking", [], "about.json is damaged: it lacks tasks"),
        ("nothing", ["--from", "generalist"], "this copy of Puzzlebox has no weights of generalist; name the folder"),
        ("nothing", [], "nothing is not a run of `puzzlebox train`, nor one of its checkpoints"),
    ],
)
def test_weights_that_cannot_be_taken_are_refused_in_one_sentence(
    sources: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    learner: str,
    arguments: list[str],
    sentence: str,
) -> None:
    monkeypatch.setattr(generalist_agent, "FOLDER", tmp_path / "none")
    source = tmp_path / learner
    if learner != "nothing":
        shutil.copytree(sources.get(learner, sources["ppo"]), source)
        folder = find_checkpoint(source).folder
        about = json.loads((folder / "about.json").read_text())
        if learner == "damaged":
            (folder / "weights.pt").write_bytes(b"words")
        if learner == "lacking":
            del about["tasks"]
        if learner == "infant":
            about["wing"] = "infant"
        (folder / "about.json").write_text(json.dumps(about))
    command = ["train", "examples/wall", "--from", str(source), "--steps", "64", "-o", "run", "--device", "cpu"]
    done = puzzlebox(*command, *arguments, cwd=tmp_path)
    assert done.returncode == 1 and sentence in done.stderr, done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_other_actions_are_refused(sources: dict[str, Path]) -> None:
    from gymnasium.spaces import Box, Discrete

    from puzzlebox.learn.spaces import space_of

    about = find_checkpoint(sources["ppo"]).about
    start = find_origin(str(sources["ppo"]))
    for space, words in ((Discrete(5), "9 choices there, 5 choices here"), (Box(-1, 1, (3,)), "3 numbers here")):
        with pytest.raises(ValueError, match=f"was trained with other actions: .*{words}; train on tasks with"):
            start.give(None, None, (space_of(about["observations"]), space))  # type: ignore[arg-type]


def test_the_command_starts_from_a_run_and_resumes_by_itself(sources: dict[str, Path], tmp_path: Path) -> None:
    source = shutil.copytree(sources["recurrent"], tmp_path / "source")
    command = ["train", "examples/wall", "--from", "source/latest", "--steps", "64", "-o", "run", "--device", "cpu"]
    done = puzzlebox(*command, *SHORT, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    shutil.rmtree(source)
    again = puzzlebox("train", "-o", "run", "--resume", "--steps", "128", "--device", "cpu", cwd=tmp_path)
    assert again.returncode == 0 and "128" in again.stdout, again.stderr
    assert agent_named(str(tmp_path / "run")).senses == {"camera": None, "rays": 3}
    assert len(lines(tmp_path / "run" / "log.jsonl")) == 2
