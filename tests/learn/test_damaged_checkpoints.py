"""Files of a run that are cut off, missing or full of something else: one sentence each, and nothing more is lost."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from puzzlebox.learn.checkpoints import checkpoints, find_checkpoint, mark, write_checkpoint
from puzzlebox.learn.run_folder import read_run
from puzzlebox.learn.trained import TrainedAgent
from puzzlebox.learn.trainer import train
from training_helpers import small_plan, trained

OURS = ("envs=2", "workers=1", "rollout=32", "minibatches=2", "memory_size=8", "threads=1", "checkpoint_every=64")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished") / "run"
    trained(small_plan(*OURS, learner="recurrent", steps=128), folder)
    return folder


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    return shutil.copytree(finished, tmp_path / "run")


def longer(run: Path) -> int:
    return train(small_plan(*OURS, learner="recurrent", steps=192), run, resume=True).progress.step


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:1000])


def flip(path: Path) -> None:
    """Change one bit in the middle of a file."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def rewrite(path: Path) -> None:
    """Write something else, with the mark that belongs to it."""
    path.write_bytes(b"words")
    (path.parent / "done").write_text(mark(path.parent, [path.name]))


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda newest: cut(newest / "resume.pt"), "resume.pt is damaged: its SHA-256 is not the one in the file done"),
        (
            lambda newest: flip(newest / "resume.pt"),
            "resume.pt is damaged: its SHA-256 is not the one in the file done",
        ),
        (lambda newest: (newest / "resume.pt").write_bytes(b""), "resume.pt is damaged"),
        (lambda newest: rewrite(newest / "resume.pt"), "are damaged, so the run cannot be resumed: UnpicklingError"),
        (lambda newest: (newest / "resume.pt").unlink(), "has no resume.pt, so the run cannot be resumed"),
        (lambda newest: (newest / "about.json").write_text("{}"), "about.json is damaged: it lacks step"),
    ],
)
def test_a_run_with_a_damaged_checkpoint_is_not_resumed(
    run: Path, damage: Callable[[Path], object], sentence: str
) -> None:
    damage(find_checkpoint(run).folder)
    with pytest.raises(ValueError) as refusal:
        longer(run)
    assert sentence in str(refusal.value)


def test_nothing_is_removed_if_the_run_cannot_be_resumed(run: Path) -> None:
    newest = find_checkpoint(run).folder
    done = (newest / "done").rename(run / "done")
    with pytest.raises(ValueError, match=r"000000000064 has no resume\.pt"):
        longer(run)
    done.rename(newest / "done")
    assert longer(run) == 192


def test_what_somebody_put_beside_the_checkpoints_is_left_alone(run: Path) -> None:
    shutil.copytree(find_checkpoint(run).folder, run / "checkpoints" / "best")
    (run / "checkpoints" / "notes").mkdir()
    assert longer(run) == 192
    assert [each.step for each in checkpoints(run)] == [64, 128, 192]
    assert (run / "checkpoints" / "notes").is_dir() and (run / "checkpoints" / "best" / "resume.pt").exists()


@pytest.mark.parametrize("content", [b"", b"words", None])
def test_an_agent_with_damaged_weights_is_refused(run: Path, content: bytes | None) -> None:
    path = find_checkpoint(run).folder / "weights.pt"
    path.write_bytes(path.read_bytes()[:1000] if content is None else content)
    with pytest.raises(ValueError, match=r"weights\.pt is damaged: its SHA-256 is not the one in the file done"):
        TrainedAgent(run)


def test_a_changed_byte_among_the_weights_is_noticed(run: Path) -> None:
    flip(find_checkpoint(run).folder / "weights.pt")
    with pytest.raises(ValueError, match=r"weights\.pt is damaged: .*; the checkpoint before it is .*000000000064$"):
        TrainedAgent(run)
    assert TrainedAgent(run / "checkpoints" / "000000000064").identity


def test_weights_of_another_network_are_refused(run: Path) -> None:
    folder = find_checkpoint(run).folder
    torch.save({"layer": torch.zeros(2)}, folder / "weights.pt")
    (folder / "done").write_text(mark(folder, ["weights.pt"]))
    with pytest.raises(ValueError, match=r"weights\.pt is damaged, or not of this learner: KeyError$"):
        TrainedAgent(run)


def test_a_run_without_some_of_its_settings_is_refused(run: Path) -> None:
    data = json.loads((run / "run.json").read_text())
    del data["curriculum"]
    (run / "run.json").write_text(json.dumps(data))
    with pytest.raises(ValueError, match=r"run\.json is damaged: it lacks curriculum"):
        read_run(run)


def test_a_full_disk_is_named_and_leaves_the_latest_checkpoint(run: Path) -> None:
    def save(folder: Path) -> None:
        raise RuntimeError("[enforce fail at inline_container.cc:672] . unexpected pos 2432 vs 2326")

    with pytest.raises(OSError, match="could not be written; is the disk full"):
        write_checkpoint(run, 192, {}, save)
    assert find_checkpoint(run).step == 128
