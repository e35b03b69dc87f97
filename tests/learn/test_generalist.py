"""The trained agent of the package: its folder is written from a run, plays, and begins further runs."""

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from command import puzzlebox
from conftest import ROOT
from puzzlebox.agents import agent_named, agent_names
from puzzlebox.learn import generalist_agent
from puzzlebox.learn.checkpoints import find_checkpoint
from puzzlebox.learn.networks import Policy
from puzzlebox.run.play import play
from puzzlebox.run.tasks import find_tasks
from training_helpers import small_plan, trained

torch = pytest.importorskip("torch")

AGENT = "puzzlebox.learn.generalist_agent:generalist"
OURS = ("envs=4", "workers=1", "rollout=16", "memory_size=16", "features=16", "threads=1")


def tool() -> Any:
    """`tools/generalist.py`, as a module."""
    spec = importlib.util.spec_from_file_location("generalist", ROOT / "tools" / "generalist.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "run"
    trained(small_plan(*OURS, learner="recurrent", steps=256), folder)
    return folder


@pytest.fixture
def folder(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tool().write(run, tmp_path / "generalist")
    monkeypatch.setattr(generalist_agent, "FOLDER", tmp_path / "generalist")
    return tmp_path / "generalist"


def test_its_folder_holds_what_playing_needs_with_half_the_bits(run: Path, folder: Path) -> None:
    assert sorted(each.name for each in folder.iterdir()) == ["about.json", "done", "weights.pt"]
    before = Policy.load(find_checkpoint(run).folder / "weights.pt").network.state_dict()
    stored = torch.load(folder / "weights.pt", weights_only=True)["weights"]
    after = Policy.load(folder / "weights.pt").network.state_dict()
    for name, value in before.items():
        assert stored[name].dtype == torch.bfloat16 and after[name].dtype == torch.float32
        assert torch.equal(after[name], value.bfloat16().float())
    source, about = (json.loads((each / "about.json").read_text()) for each in (find_checkpoint(run).folder, folder))
    assert {name: about[name] for name in ("learner", "senses", "tasks", "step", "episodes")} == {
        name: source[name] for name in ("learner", "senses", "tasks", "step", "episodes")
    }
    (history,) = about["history"]
    assert (history["steps"], history["device"], history["sources"]) == (256, "cpu", ["examples/food"])
    assert history["precision"] == history["settings"]["precision"] in ("bf16", "fp32")
    # Others who start with it need not have the machine on which it was trained.
    assert (history["settings"]["envs"], about["settings"]["envs"]) == (4, 64)
    assert about["settings"]["rollout"] == history["settings"]["rollout"] == 16


def test_it_plays_as_other_agents_do(folder: Path) -> None:
    (food, wall) = find_tasks(["examples/food", "examples/wall"])
    agent = agent_named(AGENT)
    assert [each.hash in agent.trained_on for each in (food, wall)] == [True, False]  # type: ignore[attr-defined]
    first, again, greedy = (
        play(food.task, each, seed=1).actions for each in (agent, agent_named(AGENT), agent_named(AGENT, greedy=True))
    )
    assert first == again != greedy


def test_it_begins_a_run_whose_history_goes_on(folder: Path, tmp_path: Path) -> None:
    command = ("train", "examples/wall", "--from", "generalist", "--steps", "128", "-o", "run", "--device", "cpu")
    done = puzzlebox(*command, "max_episode_steps=30", "envs=2", "minibatches=2", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    start = json.loads((tmp_path / "run" / "run.json").read_text())["origin"]
    assert start["path"] == "generalist" and start["step"] == 256
    # The folder is written anew from the run that began with it.
    about = tool().write(tmp_path / "run", folder)
    assert about["step"] == 384 and [each["steps"] for each in about["history"]] == [256, 128]
    assert about["episodes"] == sum(each["episodes"] for each in about["history"]) > about["history"][0]["episodes"]
    assert [each["name"] for each in about["tasks"]] == ["examples/wall", "examples/food"]
    assert find_checkpoint(folder).step == 384 and agent_named(AGENT).senses == {"camera": None, "rays": 3}


def test_it_is_an_agent_of_the_arena_where_its_weights_are() -> None:
    there = (generalist_agent.FOLDER / "done").exists()
    assert ("generalist" in agent_names("arena")) == there and "generalist" not in agent_names("infant")


def test_without_torch_a_sentence_says_what_brings_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("trained", "learners.learner", "recurrent"):
        monkeypatch.delitem(sys.modules, f"puzzlebox.learn.{name}")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(
        ValueError, match=r'cannot be made: it needs torch; pip install "puzzlebox\[learn\]" brings it$'
    ):
        agent_named(AGENT)
