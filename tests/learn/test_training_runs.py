"""Runs of training: what they write, how they are resumed, and what is refused."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from command import puzzlebox
from puzzlebox.learn.checkpoints import checkpoints, find_checkpoint
from puzzlebox.learn.logs import Logs
from puzzlebox.learn.trainer import train
from training_helpers import lines, small_plan, train_until, trained

pytest.importorskip("stable_baselines3")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished") / "run"
    plan = small_plan("checkpoint_every=64", evaluate=("examples/wall",), evaluate_every=128)
    trained(plan, folder)
    return folder


def test_a_run_holds_its_settings_tasks_versions_and_commands(finished: Path) -> None:
    run = json.loads((finished / "run.json").read_text())
    assert run["settings"]["n_steps"] == 32 and run["environment"]["rays"] == 3
    assert [each["name"] for each in run["tasks"]] == ["examples/food"] and len(run["tasks"][0]["hash"]) == 64
    assert "torch" in run["commands"][0]["versions"] and run["commands"][0]["step"] == 256


def test_every_episode_is_logged_with_its_task_and_length(finished: Path) -> None:
    episodes = lines(finished / "episodes.jsonl")
    assert sum(each["length"] for each in episodes) <= 256 and len(episodes) >= 8
    assert {each["task"] for each in episodes} == {"examples/food"}
    assert max(each["length"] for each in episodes) == 30
    log = lines(finished / "log.jsonl")
    assert [each["step"] for each in log] == [64, 128, 192, 256]
    assert log[-1]["episodes"] == len(episodes) and "train/loss" in log[-1]["metrics"]


def test_each_checkpoint_is_complete_and_names_its_tasks(finished: Path) -> None:
    found = checkpoints(finished)
    assert [each.step for each in found] == [64, 128, 192, 256]
    run = json.loads((finished / "run.json").read_text())
    for each in found:
        assert each.about["tasks"] == run["tasks"]
    # What only resuming needs is kept once.
    assert [(each.folder / "resume.pt").exists() for each in found] == [False, False, False, True]
    assert find_checkpoint(finished / "latest").step == find_checkpoint(finished).step == 256


def test_evaluations_happen_at_their_steps_and_say_whether_tasks_were_trained_on(finished: Path) -> None:
    evaluations = lines(finished / "evaluation.jsonl")
    assert [each["step"] for each in evaluations] == [128, 256]
    assert evaluations[0]["episodes"] == 1 and not evaluations[0]["tasks"]["examples/wall"]["trained_on"]


def test_tensorboard_files_have_the_curves(finished: Path) -> None:
    data = b"".join(each.read_bytes() for each in (finished / "tensorboard").iterdir())
    assert b"train/mean_return" in data and b"train/loss" in data


@pytest.mark.parametrize("learner", ["ppo", "dqn"])
def test_a_resumed_run_equals_an_uninterrupted_one(tmp_path: Path, learner: str) -> None:
    plan = small_plan("checkpoint_every=64", learner=learner, steps=320 if learner == "ppo" else 400)
    trained(plan, tmp_path / "whole")
    crash = 192 if learner == "ppo" else 300
    train_until(plan, tmp_path / "parts", crash)
    outcome = train(plan, tmp_path / "parts", resume=True)
    assert outcome.finished and len(lines(tmp_path / "whole" / "episodes.jsonl")) >= 10
    for name in ("episodes.jsonl",):
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    whole, parts = find_checkpoint(tmp_path / "whole"), find_checkpoint(tmp_path / "parts")
    assert _tensors(whole.folder) == _tensors(parts.folder)


def _tensors(folder: Path) -> dict[str, list[float]]:
    import torch

    state = torch.load(folder / "weights.pt", weights_only=True)
    return {name: value.flatten().tolist() for name, value in state.items()}


@pytest.mark.parametrize("step", [0, 200])
def test_tensorboard_hides_what_was_logged_after_the_checkpoint_and_nothing_else(tmp_path: Path, step: int) -> None:
    event_pb2 = pytest.importorskip("tensorboardX.proto.event_pb2")
    logs = Logs(tmp_path, None if step == 0 else {"episodes.jsonl": 0, "log.jsonl": 0}, step)
    logs.close()
    (data,) = [each.read_bytes() for each in (tmp_path / "tensorboard").iterdir()]
    events, at = [], 0
    while at < len(data):  # length, its checksum, an event, its checksum
        size = int.from_bytes(data[at : at + 8], "little")
        events.append(event_pb2.Event.FromString(data[at + 12 : at + 12 + size]))
        at += size + 16
    starts = [each.step for each in events if each.HasField("session_log")]
    assert starts == [step + 1]  # TensorBoard removes entries from this step on


def test_a_resumed_run_may_be_longer_and_continues_its_log(tmp_path: Path) -> None:
    trained(small_plan(steps=64), tmp_path / "run")
    before = lines(tmp_path / "run" / "episodes.jsonl")
    outcome = train(small_plan(steps=128), tmp_path / "run", resume=True)
    after = lines(tmp_path / "run" / "episodes.jsonl")
    assert outcome.progress.step == 128 and after[: len(before)] == before and len(after) > len(before)
    again = train(small_plan(steps=128), tmp_path / "run", resume=True)
    assert again.finished and lines(tmp_path / "run" / "episodes.jsonl") == after


def test_what_is_in_the_folder_decides_whether_it_can_be_used(finished: Path, tmp_path: Path) -> None:
    plan = small_plan("checkpoint_every=64", evaluate=("examples/wall",), evaluate_every=128)
    with pytest.raises(ValueError, match=r"holds a run with 256 decisions; add --resume"):
        train(plan, finished)
    with pytest.raises(ValueError, match=r"n_steps is 32 there, not 64"):
        train(small_plan("n_steps=64", "checkpoint_every=64"), finished, resume=True)
    with pytest.raises(ValueError, match=r"it has the task examples/food"):
        train(small_plan("checkpoint_every=64", tasks=("examples/wall",)), finished, resume=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("mine")
    with pytest.raises(ValueError, match="not empty and no run"):
        train(plan, tmp_path / "other")
    with pytest.raises(ValueError, match="there is no run"):
        train(plan, tmp_path / "none", resume=True)


def test_two_commands_cannot_train_in_one_folder(finished: Path, tmp_path: Path) -> None:
    from puzzlebox.file_lock import lock_file

    shutil.copytree(finished, tmp_path / "run")
    with (tmp_path / "run" / ".lock").open("a") as file:
        assert lock_file(file)
        with pytest.raises(BlockingIOError, match="another command is training"):
            plan = small_plan("checkpoint_every=64", evaluate=("examples/wall",), evaluate_every=128)
            train(plan, tmp_path / "run", resume=True)


def test_what_another_command_wrote_before_the_lock_was_free_is_kept(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from puzzlebox.learn import run_folder

    shutil.copytree(finished, tmp_path / "run")
    file = tmp_path / "run" / "run.json"

    def other_command_ends(lock: Any) -> bool:
        data = json.loads(file.read_text())
        file.write_text(json.dumps({**data, "commands": [*data["commands"], {"command": "another"}]}))
        return True

    monkeypatch.setattr(run_folder, "lock_file", other_command_ends)
    plan = small_plan("checkpoint_every=64", evaluate=("examples/wall",), evaluate_every=128)
    with run_folder.RunFolder(tmp_path / "run", plan.plain(), resume=True, command="mine"):
        pass
    assert [each["command"] for each in json.loads(file.read_text())["commands"]] == ["", "another", "mine"]


def test_a_run_on_a_file_says_where_it_can_be_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from puzzlebox.batteries.index import bundled_path

    path = bundled_path("examples/food")
    assert path is not None
    (tmp_path / "own.yml").write_bytes(path.read_bytes())
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    train(small_plan(steps=64, tasks=("own.yml",)), tmp_path / "run")
    again = ["train", "-o", str(tmp_path / "run"), "--resume"]
    done = puzzlebox(*again, cwd=tmp_path / "elsewhere")
    assert done.returncode == 1 and len(done.stderr.strip().splitlines()) == 1
    assert f"resume the run in {tmp_path}, where it began, or name its tasks in the command" in done.stderr
    assert puzzlebox(*again, "../own.yml", cwd=tmp_path / "elsewhere").returncode == 0


def test_the_command_trains_resumes_and_is_an_agent(tmp_path: Path) -> None:
    small = ["n_steps=32", "envs=2", "workers=1", "batch_size=32", "camera=null", "rays=3", "max_episode_steps=20"]
    command = ["train", "examples/food", "--learner", "ppo", "-o", "run", "--device", "cpu", "--seed", "5"]
    done = puzzlebox(*command, "--steps", "64", *small, cwd=tmp_path)
    assert done.returncode == 0 and "64" in done.stdout, done.stderr
    assert "wrote run/latest" in done.stderr
    assert "add --resume" in puzzlebox(*command, "--steps", "64", *small, cwd=tmp_path).stderr
    again = puzzlebox("train", "-o", "run", "--resume", "--steps", "128", cwd=tmp_path)
    assert again.returncode == 0 and "128" in again.stdout, again.stderr
    # A setting may be repeated without the others; one that differs is named.
    same = puzzlebox("train", "-o", "run", "--resume", small[0], cwd=tmp_path)
    assert same.returncode == 0, same.stderr
    other = puzzlebox("train", "-o", "run", "--resume", "learning_rate=0.5", cwd=tmp_path)
    assert other.returncode == 1 and "learning_rate is 0.0003 there, not 0.5" in other.stderr
    seed = puzzlebox("train", "-o", "run", "--resume", "--seed", "0", cwd=tmp_path)
    assert seed.returncode == 1 and "run holds another run: its seed is 5, not 0" in seed.stderr, seed.stderr
    played = puzzlebox(
        *("run", "examples/wall", "--agent", "run/latest", "--agent", "run(greedy=true)", "--workers", "1"),
        *("-o", "out"),
        cwd=tmp_path,
    )
    assert played.returncode == 0, played.stderr
    agents = json.loads((tmp_path / "out" / "run.json").read_text())["agents"]
    assert [each["options"] for each in agents] == [{"greedy": False}, {"greedy": True}]
    weights = find_checkpoint(tmp_path / "run").weights_hash
    assert all(each["code"].endswith(weights) for each in agents)
    # Such a folder of episodes is not an agent.
    wrong = puzzlebox("run", "examples/wall", "--agent", "./out", "-o", "other", cwd=tmp_path)
    assert wrong.returncode == 1, wrong.stderr
    assert "out is a folder of episodes (`puzzlebox run`), not of training" in wrong.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["examples/food", "--learner", "sac"], "sac learns continuous actions only, and these tasks have 9 discrete"),
        (["examples/food", "learning_rat=1"], "there is no setting 'learning_rat'; did you mean `learning_rate`?"),
        (["examples/food", "--preset", "ppo-2025"], "there is no preset 'ppo-2025'"),
        (["examples/food", "--learner", "dqn", "--preset", "ppo-2024"], "is one of the learner ppo, not of dqn"),
        (["examples/food", "--learner", "ppo", "n_steps=many"], "n_steps is 'many'; it must be a whole number"),
        (["examples/food", "--learner", "ppo", "policy=MlpPolici"], "policy is 'MlpPolici'; allowed: auto, MlpPolicy,"),
        (["examples/food", "--learner", "sac"], "sac learns continuous actions only"),
        (["intuitions/preference"], "`puzzlebox intuitions train` trains models of them"),
        (["examples/food", "infant/grab-object"], "these are of arena and infant"),
        (["examples/food", "--curriculum", "operand"], "did you mean `operant`?"),
        (["examples/food", "--curriculum", "operant"], "has its own tasks; leave examples/food out"),
        (["examples/food", "--device", "tpu"], "there is no device 'tpu'"),
        (["examples/food", "envs=1e9"], "envs is 1000000000; it must be a whole number from 1 to 65536"),
        (["examples/food", "--learner", "ppo", "envs=0"], "envs is 0; it must be a whole number from 1 to 65536"),
        (["examples/food", "--from", ""], "--from names nothing"),
        (["examples/food", "envs=4", "workers=1", "rollout=1000000000000"], "there is not enough memory"),
        (["examples/food", "--evaluate-every", "10"], "--evaluate-every needs --evaluate TASK"),
        (["examples/food", "--minutes", "0"], "--minutes is 0; it must be above 0"),
        ([], "there is nothing to train on"),
    ],
)
def test_what_cannot_be_trained_is_refused_in_one_sentence(tmp_path: Path, arguments: list[str], sentence: str) -> None:
    done = puzzlebox("train", *arguments, "--steps", "100", "-o", "run", cwd=tmp_path)
    assert done.returncode == 1 and sentence in done.stderr, done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("learner", ["recurrent", "ppo"])
def test_a_run_that_diverges_stops_and_keeps_its_last_good_checkpoint(tmp_path: Path, learner: str) -> None:
    own = (
        ("envs=2", "workers=1", "rollout=32", "minibatches=2", "memory_size=8", "threads=1")
        if learner == "recurrent"
        else ()
    )
    plan = small_plan("learning_rate=1e30", "checkpoint_every=64", *own, learner=learner, steps=10_000)
    with pytest.raises(
        ValueError, match=r"^training has diverged: after \d+ decisions \S*loss is (nan|-?inf); .* learning_rate$"
    ):
        train(plan, tmp_path / "run")
    assert len(checkpoints(tmp_path / "run")) < 10


def test_a_run_keeps_the_precision_it_began_with_on_another_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = ("envs=2", "workers=1", "rollout=32", "minibatches=2", "memory_size=8", "features=8", "threads=1")
    plan = small_plan(*own, learner="recurrent", steps=64)
    for has, precision in ((True, "bf16"), (False, "fp32")):
        run = tmp_path / precision
        monkeypatch.setattr("puzzlebox.learn.precision._has_instructions", lambda has=has: has)
        train(plan, run)
        monkeypatch.setattr("puzzlebox.learn.precision._has_instructions", lambda has=has: not has)
        train(replace(plan, steps=128), run, resume=True)
        assert json.loads((run / "run.json").read_text())["settings"]["precision"] == precision
        assert [each.about["settings"]["precision"] for each in checkpoints(run)][-1] == precision
        other = small_plan(*own, f"precision={'fp32' if has else 'bf16'}", learner="recurrent", steps=128)
        with pytest.raises(ValueError, match=f"precision is '{precision}' there, not "):
            train(other, run, resume=True)
