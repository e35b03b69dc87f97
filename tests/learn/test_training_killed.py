"""Whatever stops a run of training, no checkpoint is lost, and the run is resumed as if nothing had happened."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from puzzlebox.learn import checkpoints as module
from puzzlebox.learn.checkpoints import checkpoints, find_checkpoint
from puzzlebox.learn.trainer import train
from training_helpers import Stop, lines, small_plan, train_until, trained

pytest.importorskip("stable_baselines3")


@pytest.mark.parametrize("broken", ["write_json", "sync_files", "sync_folder", "write_text", "_tidy"])
def test_a_crash_while_a_checkpoint_is_written_loses_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    """The third checkpoint fails at one stage of writing; the second or the third is complete, and training goes on."""
    plan = small_plan("checkpoint_every=64", steps=256)
    trained(plan, tmp_path / "whole")
    working, calls = getattr(module, broken), 0

    def fail_later(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if len(checkpoints(tmp_path / "run")) == 2 + (broken == "_tidy") and calls > 2:
            raise Stop
        return working(*arguments)

    monkeypatch.setattr(module, broken, fail_later)
    with pytest.raises(Stop):
        train(plan, tmp_path / "run")
    monkeypatch.undo()
    newest = checkpoints(tmp_path / "run")[-1].step
    # The pointer is written after the mark: for that moment it names the checkpoint before.
    assert newest in (128, 192) and newest - 64 <= find_checkpoint(tmp_path / "run" / "latest").step <= newest
    for each in checkpoints(tmp_path / "run"):
        assert (each.folder / "weights.pt").stat().st_size and each.about["step"] == each.step
    train(plan, tmp_path / "run", resume=True)
    assert (tmp_path / "run" / "episodes.jsonl").read_bytes() == (tmp_path / "whole" / "episodes.jsonl").read_bytes()
    assert [each.step for each in checkpoints(tmp_path / "run")] == [64, 128, 192, 256]
    assert not list((tmp_path / "run" / "checkpoints").glob(".*"))


def test_lines_after_the_checkpoint_are_not_counted_twice(tmp_path: Path) -> None:
    plan = small_plan("checkpoint_every=128", steps=256)
    train_until(plan, tmp_path / "run", 192)
    with (tmp_path / "run" / "episodes.jsonl").open("a") as file:
        file.write('{"step": 192, "tas')  # half a line, as a crash leaves it
    train(plan, tmp_path / "run", resume=True)
    log = lines(tmp_path / "run" / "log.jsonl")
    assert [each["step"] for each in log] == [64, 128, 192, 256]
    assert log[-1]["episodes"] == len(lines(tmp_path / "run" / "episodes.jsonl"))


def test_a_log_that_lost_lines_is_refused(tmp_path: Path) -> None:
    plan = small_plan("checkpoint_every=64", steps=192)
    train_until(plan, tmp_path / "run", 128)
    (tmp_path / "run" / "log.jsonl").write_text("")
    with pytest.raises(ValueError, match="lacks lines that were written before the checkpoint"):
        train(plan, tmp_path / "run", resume=True)


def _start(folder: Path, steps: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "puzzlebox.cli", "train", "-o", str(folder)]
    if (folder / "run.json").exists():
        command += ["--resume"]
    else:
        command += ["examples/food", "--learner", "ppo", "--steps", str(steps), "--device", "cpu", "envs=2"]
        command += ["workers=1", "n_steps=32", "batch_size=32", "camera=null", "rays=3", "max_episode_steps=30"]
        command += ["checkpoint_every=64"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def _wait(process: subprocess.Popen[bytes], until: Callable[[], bool], seconds: float) -> None:
    """Wait until something is true, the process has ended or the time is over."""
    end = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < end and not until():
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.parametrize("kills", [20])
def test_killing_training_at_random_moments_never_loses_a_checkpoint(tmp_path: Path, kills: int) -> None:
    """Processes are killed without warning, also while they start; the log at the end is that of a run in one piece."""
    steps, run = 200_000, tmp_path / "run"
    rng, latest, killed = random.Random(20), 0, 0
    while killed < kills:
        process = _start(run, steps)
        # Half of the kills come while checkpoints are being written, the others at any time, also at the start.
        if killed % 2:
            _wait(process, lambda before=latest: bool(checkpoints(run)) and checkpoints(run)[-1].step > before, 120.0)
            _wait(process, lambda: False, rng.uniform(0.0, 2.0))
        else:
            _wait(process, lambda: False, rng.uniform(0.1, 10.0))
        assert process.poll() is None, (process.stderr.read() if process.stderr else b"").decode()
        process.send_signal(signal.SIGKILL)
        process.wait()
        if process.stderr:
            process.stderr.close()
        killed += 1
        found = checkpoints(run)
        for each in found[-2:]:
            assert each.about["step"] == each.step and (each.folder / "weights.pt").stat().st_size
        newest = found[-1].step if found else 0
        assert newest >= latest, f"after kill {killed} the latest checkpoint was {newest}, before {latest}"
        latest = newest
    assert latest > 0
    # The rest in this process, and the whole in one piece.
    end = latest + 256
    plan = small_plan("checkpoint_every=64", "n_epochs=4", steps=end, seed=0)
    run_file = run / "run.json"
    run_file.write_text(run_file.read_text().replace('"steps": 200000', f'"steps": {end}'))
    train(plan, run, resume=True)
    train(plan, tmp_path / "whole")
    assert (run / "episodes.jsonl").read_bytes() == (tmp_path / "whole" / "episodes.jsonl").read_bytes()
