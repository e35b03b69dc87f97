"""Learners of infant tasks: their features, the vector of children, resuming, the pool, table and pictures."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from benchmarks.infant_learning import learner, pages, pool
from benchmarks.infant_learning.__main__ import main
from benchmarks.infant_learning.baselines import measure
from benchmarks.infant_learning.jobs import BASELINES, JOBS
from benchmarks.infant_learning.rows import Rows
from benchmarks.infant_learning.senses import BANDS, FRAMES, Features, Touch, hear

from puzzlebox.infant.sound.rate import FRAME, SAMPLE_RATE
from puzzlebox.infant.tasks.settings import Settings
from puzzlebox.infant.tasks.two_hands import TwoHandsSettings


def test_there_are_the_runs_of_figure_7_and_of_the_toolkit() -> None:
    names = list(JOBS)
    assert len(names) == 15 + 16
    assert [name for name in names if JOBS[name].group == "7a" and JOBS[name].hearing == "silent"] == [
        f"kick-silent-{seed}" for seed in range(3)
    ]
    assert all(JOBS[name].steps >= (500_000 if JOBS[name].group.startswith("7") else 200_000) for name in names)
    assert JOBS["grab-no-touch-0"].senses == ("joints",)
    assert {task for task, _ in BASELINES.values()} == {job.task for job in JOBS.values()}


def test_a_tone_at_one_ear_is_in_its_band_and_louder_on_its_side() -> None:
    wave = np.zeros((2, FRAME), np.float32)
    wave[0] = 0.1 * np.sin(2 * np.pi * 1000 * np.arange(FRAME) / SAMPLE_RATE)
    heard = hear(wave)
    band = int(np.log(1000 / 300) / np.log(16_000 / 300) * BANDS)
    assert heard[:BANDS].argmax() == band
    assert heard[BANDS:].argmax() == band
    assert heard[BANDS + band] > 5
    assert hear(np.zeros((2, FRAME), np.float32)) == pytest.approx([-10] * BANDS + [0] * BANDS)


@pytest.mark.parametrize(("hearing", "sounds", "directed"), [("hrtf", 1, 1), ("plain", 1, 0), ("silent", 0, 0)])
def test_the_ears_of_figure_7a_hear_what_their_name_says(hearing: str, sounds: bool, directed: bool) -> None:
    job = JOBS[f"kick-{hearing}-0"]
    rows = Rows(job.task, job.all_settings, 1, seed=5)
    rows.reset()
    for _ in range(5):
        seen, *_ = rows.step(np.array([[0.3, 0.5]], np.float32))
    frames = seen["vector"][0, 2:].reshape(FRAMES, 2, BANDS)
    assert (frames[:, 0].max() > -9) == sounds
    assert (np.abs(frames[:, 1]).max() > 0.01) == directed


def test_the_last_frames_of_the_ears_are_kept_and_forgotten_at_the_start_of_an_episode() -> None:
    features = Features(Settings(senses=("ears",)), 2, (), 0)
    loud = np.random.default_rng(0).uniform(-0.5, 0.5, (2, FRAME)).astype(np.float32)
    quiet = loud / 100
    action = np.zeros(2)
    first = features.of({"ears": loud}, action, first=True)[2:].reshape(FRAMES, -1)
    assert np.ptp(first, axis=0).max() == 0
    second = features.of({"ears": quiet}, action, first=False)[2:].reshape(FRAMES, -1)
    assert (second[:2] == first[1:]).all() and (second[2] != first[2]).any()
    third = features.of({"ears": quiet}, action, first=True)[2:].reshape(FRAMES, -1)
    assert (third == second[2]).all()


def test_touch_is_pooled_by_the_bones_of_both_hands() -> None:
    settings = TwoHandsSettings(senses=("skin",))
    touch = Touch(settings)
    count = len(touch.bones)
    assert count == 24
    skin = np.zeros(len(touch._order), np.float32)
    assert (touch.feel(skin) == 0).all()
    skin[7] = 0.5
    felt = touch.feel(skin)
    assert (felt[:count] == 0.5).sum() == 1 and (felt[count:] > 0).sum() == 1
    assert felt[:count].argmax() == felt[count:].argmax()
    assert 0 < felt[count:].max() < 0.5


def test_without_touch_the_learner_has_the_joints_alone() -> None:
    both = [Rows("grab-object", JOBS[name].all_settings, 1, seed=1) for name in ("grab-touch-0", "grab-no-touch-0")]
    sizes = [rows.observation_space["vector"].shape[0] for rows in both]
    assert sizes == [18 + 36 + 48, 18 + 36]


def test_actions_move_the_targets_of_joints_little_and_are_held_for_two_steps() -> None:
    rows = Rows("grab-object", JOBS["grab-no-touch-0"].all_settings, 1, seed=1)
    before = rows.reset()["vector"][0, :18]
    after = rows.step(np.ones((1, 18), np.float32))[0]["vector"][0, :18]
    assert after == pytest.approx(np.minimum(before + 0.2, 1.0), abs=1e-6)
    assert rows.hold == 2


def test_a_learner_of_walking_always_walks_forwards() -> None:
    rows = Rows("object-nav", {"senses": ("target",)}, 1, seed=1)
    rows.reset()
    done = [rows.step(np.array([[walk, 0.5]], np.float32))[0]["vector"][0, :2] for walk in (-1.0, 0.0, 1.0)]
    assert done == [pytest.approx(each) for each in ((0.1, 0.5), (0.5, 0.5), (0.9, 0.5))]


def test_children_of_one_environment_are_rows_that_end_together() -> None:
    rows = Rows("multi-agent-nav", {"senses": ("target",), "max_steps": 3}, 2, seed=1)
    rows.reset()
    assert rows.num_envs == 4
    for _ in range(3):
        _, rewards, ends, infos = rows.step(np.array([[1.0, 0.0]] * 4, np.float32))
    assert ends.all() and len(rows.ended) == 4
    assert all(info["TimeLimit.truncated"] and "vector" in info["terminal_observation"] for info in infos)
    assert [each.length for each in rows.ended] == [3] * 4
    # Walking changes the distance to the target, which the learner feels and the logged return does not.
    assert np.abs(rewards).max() > 0 and all(each.total == 0 for each in rows.ended)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs take small steps and write a line at each."""
    monkeypatch.setattr(learner, "LINE", 32)
    monkeypatch.setattr(learner, "_PPO", {**learner._PPO, "n_steps": 32, "batch_size": 32, "n_epochs": 1})
    monkeypatch.setattr(learner, "_SAC", {**learner._SAC, "learning_starts": 32, "buffer_size": 500})
    monkeypatch.setattr(learner, "SAC_CHUNK", 64)


@pytest.mark.parametrize("kind", ["ppo", "sac"])
def test_a_run_that_was_stopped_resumes_where_it_was(kind: str, tmp_path: Path, short: None) -> None:
    job = replace(JOBS["kick-silent-0"], learner=kind, steps=256, settings={"max_steps": 10})
    words: list[str] = []
    assert not learner.train(job, tmp_path, 0.0, words.append, envs=2)
    first = learner.progress(tmp_path)
    assert first["step"] == 64 and first["seconds"] > 0
    with (tmp_path / learner.LOG).open("a") as log:  # what a process that was killed had written after its checkpoint
        log.write(json.dumps({"step": 128}) + '\n{"st')
    assert not learner.train(job, tmp_path, 0.0, words.append, envs=2)
    assert learner.progress(tmp_path)["step"] == 128
    assert learner.train(job, tmp_path, 600.0, words.append, envs=2)
    lines = learner.read_log(tmp_path)
    assert [line["step"] for line in lines] == [64, 128, 192, 256]
    assert [line["seconds"] for line in lines] == sorted(line["seconds"] for line in lines)
    assert set(lines[0]) == {"step", "seconds", "episodes", "return", "passed", "length"}
    assert lines[0]["length"] == 10 and len(words) == 4
    assert learner.train(job, tmp_path, 0.0, words.append) and len(words) == 4


def test_a_resumed_run_has_the_networks_and_means_of_its_checkpoint(tmp_path: Path, short: None) -> None:
    job = replace(JOBS["kick-silent-0"], steps=256, settings={"max_steps": 10})
    learner.train(job, tmp_path, 0.0, str, envs=2)
    rows = [learner.restored(job, tmp_path, Rows(job.task, job.all_settings, 2, seed=3)) for _ in range(2)]
    weights = [model.get_parameters()["policy"] for model, _ in rows]
    assert all((weights[0][name] == weights[1][name]).all() for name in weights[0])
    assert rows[0][0].num_timesteps == 64
    assert rows[0][1].obs_rms["vector"].count > 60
    assert rows[0][0].policy.optimizer.state_dict()["state"][0]["step"] > 0


def test_the_pool_goes_on_when_a_run_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    class Process:
        def __init__(self, code: int) -> None:
            self.returncode = code

        def poll(self) -> int:
            return self.returncode

    def start(name: str, out: Path, seconds: float) -> Any:
        started.append(name)
        return Process(int(name == "kick-hrtf-0"))

    monkeypatch.setattr(pool, "_start", start)
    monkeypatch.setattr(pool, "_POLL_SECONDS", 0.0)
    names = ["sac-object-nav-easy", "kick-hrtf-0", "grab-touch-0"]
    states = pool.run_all(names, tmp_path, 1, 5.0, str)
    assert started == ["grab-touch-0", "kick-hrtf-0", "sac-object-nav-easy"]  # those that need longest begin first
    assert states["kick-hrtf-0"].startswith("failed") and states["grab-touch-0"] == "unfinished"


def test_table_and_pictures_show_runs_beside_random_actions_and_the_script(tmp_path: Path) -> None:
    for name, level in (("kick-hrtf-0", 0.6), ("kick-hrtf-1", 0.4), ("ppo-kick-the-ball-easy", 0.5)):
        (tmp_path / name).mkdir()
        lines = [
            {"step": step, "seconds": step / 500, "episodes": 10, "return": level, "passed": level, "length": 40}
            for step in range(5_000, 60_000, 5_000)
        ]
        (tmp_path / name / learner.LOG).write_text("".join(json.dumps(line) + "\n" for line in lines))
    measure("baseline-kick-the-ball-easy", tmp_path / "baseline-kick-the-ball-easy", episodes=4)
    text = pages.table(tmp_path)
    assert "| kick-hrtf-0 | 55,000 | 110 | 0.60 | 0.60 | 60 % |" in text
    files = pages.draw(tmp_path, tmp_path / "images")
    assert [file.name for file in files] == ["infant-learning-senses.svg", "infant-learning-tasks.svg"]
    assert all(file.stat().st_size > 1000 for file in files)


def test_an_unknown_job_is_answered_with_the_nearest() -> None:
    with pytest.raises(SystemExit, match=r"there is no job kick-hrtf-7.*did you mean"):
        main(["kick-hrtf-7"])


def test_the_loss_of_the_actor_costs_the_critic_no_gradient_of_pictures() -> None:
    job = JOBS["sac-object-nav-easy"]
    model, _ = learner.restored(job, Path("nowhere"), Rows(job.task, job.all_settings, 1, seed=1))
    critic = model.policy.critic
    seen, _ = model.policy.obs_to_tensor(model.env.reset())
    for own, learns in ((False, True), (True, False)):
        critic.zero_grad()
        actions = torch.zeros((1, 2), requires_grad=own)
        sum(critic(seen, actions)).sum().backward()
        gradients = [each.grad for each in critic.features_extractor.parameters()]
        assert all(each is not None and each.any() for each in gradients[-2:]) == learns
        assert (actions.grad is not None) == own
