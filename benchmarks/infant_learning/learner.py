"""One run: PPO or SAC on a task, from its last checkpoint, until it has finished or its time is over."""

import json
import os
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3 import PPO as Ppo
from stable_baselines3 import SAC as Sac
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.policies import ContinuousCritic
from stable_baselines3.common.preprocessing import get_flattened_obs_dim
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv, VecNormalize
from stable_baselines3.sac.policies import MultiInputPolicy
from torch import nn

from benchmarks.infant_learning.jobs import PPO, Job
from benchmarks.infant_learning.rows import Rows

LOG, CHECKPOINT = "log.jsonl", "checkpoint"
# Environments of a run; control steps between two lines of the log; seconds between two checkpoints.
ENVS, LINE, KEEP_SECONDS = 16, 5_000, 120.0
# Transitions that SAC collects between two looks at the clock.
SAC_CHUNK = 1_000
_GAMMA = 0.99
_PPO: Mapping[str, Any] = {
    "n_steps": 128,
    "batch_size": 256,
    "n_epochs": 5,
    "learning_rate": 3e-4,
    "ent_coef": 0.001,
    "gae_lambda": 0.95,
    "target_kl": 0.05,
}
_SAC: Mapping[str, Any] = {
    "buffer_size": 50_000,
    "learning_starts": 5_000,
    "learning_rate": 5e-4,
    "train_freq": 1,
    "ent_coef": "auto_0.1",
}
# How many transitions there are for each gradient step of SAC, and how many it learns from, with eyes and without.
_SAC_EVERY, _SAC_BATCH = (8, 2), (64, 128)


class Seeing(BaseFeaturesExtractor):
    """The vector as it is, beside two convolutions of the pictures of both eyes."""

    def __init__(self, observation_space: Any) -> None:
        eyes, vector = observation_space.spaces.get("eyes"), observation_space["vector"]
        super().__init__(observation_space, get_flattened_obs_dim(vector) + (64 if eyes else 0))
        self.look = None
        if eyes:
            # The first one has patches of 4 x 4 pixels, which is a quarter of the cost of patches that overlap.
            convolutions = nn.Sequential(
                nn.Conv2d(6, 24, 4, 4), nn.ReLU(), nn.Conv2d(24, 32, 3, 2), nn.ReLU(), nn.Flatten()
            )
            with torch.no_grad():
                length = convolutions(torch.zeros(1, *eyes.shape)).shape[1]
            self.look = nn.Sequential(convolutions, nn.Linear(length, 64), nn.ReLU())

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return one row of features for each observation."""
        if self.look is None:
            return observations["vector"]
        return torch.cat((observations["vector"], self.look(observations["eyes"])), 1)


class Critic(ContinuousCritic):
    """SAC's critic without a gradient of its features where only the actor learns: half the cost of its pictures."""

    def forward(self, obs: Any, actions: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return the values of actions; actions with a gradient come from the actor's loss."""
        with torch.set_grad_enabled(torch.is_grad_enabled() and not actions.requires_grad):
            features = self.extract_features(obs, self.features_extractor)
        inputs = torch.cat((features, actions), 1)
        return tuple(network(inputs) for network in self.q_networks)


class SacPolicy(MultiInputPolicy):
    """SAC's policy with this critic."""

    def make_critic(self, features_extractor: BaseFeaturesExtractor | None = None) -> Critic:
        """Return a critic."""
        arguments = self._update_features_extractor(self.critic_kwargs, features_extractor)
        return Critic(**arguments).to(self.device)


def _new(job: Job, rows: VecNormalize) -> BaseAlgorithm:
    policy = {"features_extractor_class": Seeing, "net_arch": [128, 128]}
    common: dict[str, Any] = {"gamma": _GAMMA, "seed": job.seed, "device": "cpu", "policy_kwargs": policy}
    if job.learner == PPO:
        return Ppo("MultiInputPolicy", rows, **_PPO, **common)
    batch = _SAC_BATCH["eyes" not in job.senses]
    return Sac(SacPolicy, rows, gradient_steps=_gradient_steps(job, rows), batch_size=batch, **_SAC, **common)


def _gradient_steps(job: Job, rows: VecEnv) -> int:
    """Return how many gradient steps SAC takes after each step of the vector."""
    return max(1, rows.num_envs // _SAC_EVERY["eyes" not in job.senses])


def restored(job: Job, folder: Path, bare: Rows) -> tuple[BaseAlgorithm, VecNormalize]:
    """Return the learner and the running means of a checkpoint, or new ones if there is none."""
    saved = folder / CHECKPOINT
    if saved.exists():
        rows = VecNormalize.load(str(saved / "means.pkl"), bare)
        kind: type[BaseAlgorithm] = Ppo if job.learner == PPO else Sac
        return kind.load(saved / "model.zip", rows, device="cpu"), rows
    rows = VecNormalize(bare, norm_obs_keys=["vector"], norm_reward=job.learner == PPO, gamma=_GAMMA, clip_obs=5.0)
    return _new(job, rows), rows


def train(job: Job, folder: Path, seconds: float, note: Callable[[str], None], envs: int = ENVS) -> bool:
    """Begin or resume a run; return whether it has finished.

    Args:
        job: the run.
        folder: its folder; it gets a log and a checkpoint.
        seconds: how long to go on at most; the time of building environments counts.
        note: is called with words about the progress.
        envs: environments side by side.
    """
    start = time.monotonic()
    torch.set_num_threads(1)
    folder.mkdir(parents=True, exist_ok=True)
    state = progress(folder)
    if state["step"] >= job.steps:
        return True
    bare = Rows(job.task, job.all_settings, envs, seed=1_000_000 * (job.seed + 1) + state["step"])
    model, rows = restored(job, folder, bare)
    _cut(folder / LOG, state["step"])
    # After a resume the buffer of SAC is empty: the policy refills it before the next gradient step.
    refilled = model.num_timesteps + _SAC["learning_starts"]
    before, line, kept = state["seconds"], state["step"] // LINE + 1, time.monotonic()
    chunk = _PPO["n_steps"] * bare.num_envs if job.learner == PPO else SAC_CHUNK
    with (folder / LOG).open("a", encoding="utf-8") as log:
        while True:
            if isinstance(model, Sac):
                model.gradient_steps = 0 if model.num_timesteps < refilled else _gradient_steps(job, rows)
            model.learn(chunk, reset_num_timesteps=False)
            step, spent = model.num_timesteps * bare.hold, before + time.monotonic() - start
            finished = step >= job.steps
            if (step >= line * LINE or finished) and bare.ended:
                text = json.dumps(_line(step, spent, bare))
                log.write(text + "\n")
                log.flush()
                note(text)
                line = step // LINE + 1
            over = time.monotonic() - start > seconds
            if finished or over or time.monotonic() - kept > KEEP_SECONDS:
                _keep(folder / CHECKPOINT, model, rows, {"step": step, "seconds": spent})
                kept = time.monotonic()
            if finished or over:
                return finished


def progress(folder: Path) -> dict[str, Any]:
    """Return the steps and seconds of the last checkpoint of a run."""
    file = folder / CHECKPOINT / "progress.json"
    if not file.exists():
        return {"step": 0, "seconds": 0.0}
    return dict(json.loads(file.read_text(encoding="utf-8")))


def read_log(folder: Path) -> list[dict[str, Any]]:
    """Return the lines of the log of a run."""
    file = folder / LOG
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _line(step: int, seconds: float, rows: Rows) -> dict[str, Any]:
    ended, rows.ended = rows.ended, []
    return {
        "step": step,
        "seconds": round(seconds, 1),
        "episodes": len(ended),
        "return": round(float(np.mean([each.total for each in ended])), 4),
        "passed": round(float(np.mean([each.passed for each in ended])), 4),
        "length": round(float(np.mean([each.length for each in ended])), 1),
    }


def _cut(log: Path, step: int) -> None:
    """Remove the lines of a log that are later than the checkpoint from which the run resumes."""
    if log.exists():
        lines = [line for line in log.read_text(encoding="utf-8").splitlines() if _whole(line, step)]
        log.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _whole(line: str, step: int) -> bool:
    try:
        return bool(json.loads(line)["step"] <= step)
    except ValueError:
        return False


def _keep(folder: Path, model: BaseAlgorithm, rows: VecNormalize, state: Mapping[str, Any]) -> None:
    """Write a checkpoint beside the last one, and then put it in its place."""
    aside = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    model.save(aside / "model.zip")
    rows.save(str(aside / "means.pkl"))
    (aside / "progress.json").write_text(json.dumps(state), encoding="utf-8")
    old = folder.with_name(f"{folder.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        os.replace(folder, old)
    os.replace(aside, folder)
    shutil.rmtree(old, ignore_errors=True)
