"""The recurrent learner: targets against a hand computation, resuming, and that it learns to remember."""

import json
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

torch = pytest.importorskip("torch")

import puzzlebox  # noqa: E402
from cue_envs import CueEnvs  # noqa: E402
from puzzlebox.learn.networks import Network, Shape  # noqa: E402
from puzzlebox.learn.precision import fastest_precision  # noqa: E402
from puzzlebox.learn.recurrent import RecurrentPPO, Settings, _Targets  # noqa: E402
from puzzlebox.learn.threads import Threads, bounds  # noqa: E402

SMALL = Settings(
    envs=8, rollout=6, minibatches=2, network="mlp", memory_size=16, features=16, precision="fp32", threads=1
)


def advantages(rewards: Any, values: Any, ends: Any, lasts: Any, gamma: float, decay: float) -> list[float]:
    """Return the advantages of one environment, as a sum over all later steps of its episode."""
    length, found = len(rewards), []
    for start in range(length):
        total, weight = 0.0, 1.0
        for step in range(start, length):
            following = lasts[step] if ends[step] else values[step + 1]
            total += weight * (rewards[step] + gamma * following - values[step])
            weight *= gamma * decay
            if ends[step]:
                break
        found.append(total)
    return found


def test_advantages_end_with_their_episode_and_go_on_where_it_was_cut() -> None:
    learner = RecurrentPPO(lambda count: CueEnvs(count, 4), SMALL, 0)
    rollout = learner._sampler.rollout
    draw = torch.Generator().manual_seed(0)
    rollout.rewards.copy_(torch.randn(6, 8, generator=draw))
    rollout.values.copy_(torch.randn(7, 8, generator=draw))
    rollout.ends.copy_(torch.rand(6, 8, generator=draw) < 0.3)
    # Half of the ends were cuts, whose last observation has a value; the others have none.
    cuts = rollout.ends & (torch.rand(6, 8, generator=draw) < 0.5)
    rollout.last_values.copy_(torch.where(cuts, torch.randn(6, 8, generator=draw), 0.0))
    targets = _Targets.empty(rollout.rewards)
    targets.compute(rollout, 0.9, 0.8)
    for env in range(8):
        row = (rollout.rewards, rollout.values, rollout.ends, rollout.last_values)
        expected = advantages(*(part[:, env].tolist() for part in row), 0.9, 0.8)
        assert targets.advantages[:, env].tolist() == pytest.approx(expected, abs=1e-5)
    assert torch.equal(targets.returns, targets.advantages + rollout.values[:6])


@torch.no_grad()
@pytest.mark.parametrize("cut", [True, False])
def test_the_last_observation_of_a_cut_episode_is_valued_with_its_memory(cut: bool) -> None:
    learner = RecurrentPPO(lambda count: CueEnvs(count, 4, cut), SMALL, 0)
    for _ in range(2):
        rollout = learner._sampler.sample()
        if not cut:
            assert rollout.ends.any() and not rollout.last_values.any()
            continue
        network = learner.network
        for env in range(8):
            state = rollout.states[0, env : env + 1]
            for step in range(6):
                seen = {"seen": rollout.observations["seen"][step, env].reshape(1, 1, 2)}
                starts = rollout.starts[step, env].reshape(1, 1)
                _, value, state = network(seen, state, starts)
                assert float(value) == pytest.approx(float(rollout.values[step, env]), abs=1e-5)
                if rollout.ends[step, env]:
                    # The vector shows no cue in the last observation, and that all time is over.
                    last = {"seen": torch.tensor([[[0.0, 1.0]]])}
                    _, value, _ = network(last, state, torch.zeros(1, 1, dtype=torch.bool))
                    assert float(rollout.last_values[step, env]) == pytest.approx(float(value), abs=1e-5)
                else:
                    assert rollout.last_values[step, env] == 0
        assert rollout.ends.any()


def test_the_recurrent_state_is_carried_from_rollout_to_rollout() -> None:
    learner = RecurrentPPO(lambda count: CueEnvs(count, 50), SMALL, 0)
    sampler = learner._sampler
    first = sampler.sample()
    end, seen = first.states[-1].clone(), first.observations["seen"][-1].clone()
    second = sampler.sample()
    assert end.abs().sum() > 0 and torch.equal(second.states[0], end)
    assert torch.equal(second.observations["seen"][0], seen)


def test_threads_give_the_same_gradients() -> None:
    one = RecurrentPPO(lambda count: CueEnvs(count), SMALL, 3)
    two = RecurrentPPO(lambda count: CueEnvs(count), replace(SMALL, threads=2), 3)
    for _ in range(3):
        a, b = one.update(), two.update()
    assert a.episodes == b.episodes
    assert a.metrics == pytest.approx(b.metrics, rel=1e-3, abs=1e-5)
    for own, other in zip(one.network.parameters(), two.network.parameters(), strict=True):
        assert torch.allclose(own, other, atol=1e-5)
    two.close()


def test_weights_of_16_bits_for_acting_change_nothing() -> None:
    torch.manual_seed(0)
    network = Network(
        gym.spaces.Box(0, 255, (36, 36, 3), np.uint8), gym.spaces.Discrete(3), Shape("nature", "lstm", 16)
    )
    threads = Threads(network, 2, half=True)
    with torch.no_grad():
        for weight in network.parameters():
            weight.add_(0.01)
    threads.refresh()
    seen = {"observation": torch.randint(0, 256, (1, 20, 36, 36, 3), dtype=torch.uint8)}
    state, starts = torch.randn(20, network.width), torch.zeros(1, 20, dtype=torch.bool)

    def precise() -> Any:
        return torch.autocast("cpu", torch.bfloat16, cache_enabled=False)

    acted = threads.forward(seen, state, starts, precise)
    with torch.no_grad(), precise():
        parts = [
            network({"observation": seen["observation"][:, own]}, state[own], starts[:, own]) for own in bounds(20, 2)
        ]
    for ours, one, two in zip(acted, *parts, strict=True):
        assert torch.equal(ours, torch.cat([one, two], 0 if ours.shape == state.shape else 1))
    threads.close()


def success(settings: Settings, updates: int, seed: int = 1, length: int = 5) -> float:
    """Return the share of successful episodes in the last updates."""
    learner = RecurrentPPO(lambda count: CueEnvs(count, length), settings, seed)
    passed: list[float] = []
    for number in range(updates):
        episodes = learner.update().episodes
        if number >= updates - 5:
            passed += [episode.total for episode in episodes]
    learner.close()
    return float(np.mean(passed))


LEARNING = replace(SMALL, envs=64, rollout=16, epochs=2, minibatches=4, learning_rate=3e-3, memory_size=32, features=32)


@pytest.mark.parametrize("memory", ["lstm", pytest.param("gru", marks=pytest.mark.slow)])
def test_it_learns_to_remember(memory: Any) -> None:
    assert success(replace(LEARNING, memory=memory), 60) > 0.95


def test_without_memory_it_cannot() -> None:
    assert 0.35 < success(replace(LEARNING, memory="none"), 30) < 0.65


def test_numbers_as_actions_through_any_vector() -> None:
    def make(count: int) -> SyncVectorEnv:
        makers = [lambda: gym.make("Pendulum-v1", max_episode_steps=9)] * count
        return SyncVectorEnv(makers, autoreset_mode=AutoresetMode.SAME_STEP)

    learner = RecurrentPPO(make, replace(SMALL, rollout=20), 0)
    update = learner.update()
    assert update.steps == 160 and len(update.episodes) == 16
    assert {(each.length, each.truncated, each.terminated) for each in update.episodes} == {(9, True, False)}
    assert all(np.isfinite(value) for value in update.metrics.values())
    assert learner._sampler.rollout.last_values.count_nonzero() == 16
    before = [weight.clone() for weight in learner.network.parameters()]
    learner.update()
    assert not any(torch.equal(*pair) for pair in zip(before, learner.network.parameters(), strict=True))


ARENA = """
import json, sys
import torch
import puzzlebox
from puzzlebox.learn.recurrent import RecurrentPPO, Settings

def make(count):
    tasks = ["testbed-train/03", "foraging"]
    senses = {"camera": None, "rays": 3, "max_episode_steps": 9}
    return puzzlebox.make_vec(tasks, count, workers=1, autoreset="same_step", **senses)

settings = Settings(envs=4, rollout=8, minibatches=2, network="mlp", memory_size=16, features=16, threads=1)
learner = RecurrentPPO(make, settings, 5)
if len(sys.argv) > 2:
    learner.restore(torch.load(sys.argv[2], weights_only=False))
    learner.set_task_weights([3, 1])
else:
    learner.set_task_weights([1, 1])
    for _ in range(3):
        learner.update()
    torch.save(learner.state(), sys.argv[1])
    learner.set_task_weights([3, 1])
told = [learner.update() for _ in range(5)]
print(json.dumps([[list(map(list, update.episodes)), update.metrics] for update in told]))
"""


def test_a_learner_goes_back_to_its_state() -> None:
    def make(count: int) -> Any:
        senses: dict[str, Any] = {"camera": None, "rays": 3, "max_episode_steps": 5}
        return puzzlebox.make_vec("operant-curriculum/*", count, workers=0, autoreset="same_step", **senses)

    learner = RecurrentPPO(make, SMALL, 2)
    learner.update()
    stored = pickle.loads(pickle.dumps(learner.state()))
    expected = [learner.update() for _ in range(3)]
    other = RecurrentPPO(make, SMALL, 9)
    other.update()
    for restored in (learner, other):
        restored.restore(stored)
        again = [restored.update() for _ in range(3)]
        assert [each.episodes for each in again] == [each.episodes for each in expected]
        assert [each.metrics for each in again] == [each.metrics for each in expected]
    assert sum(len(each.episodes) for each in expected) > 20


def test_without_its_episodes_a_state_is_small_and_resumes_with_new_ones() -> None:
    def make(count: int) -> Any:
        senses: dict[str, Any] = {"camera": None, "rays": 3, "max_episode_steps": 20}
        return puzzlebox.make_vec("testbed-train/03", count, workers=0, autoreset="same_step", **senses)

    settings = replace(SMALL, keep_episodes=False)
    learner = RecurrentPPO(make, settings, 2)
    learner.update()
    first = learner._sampler.rollout.observations["rays"][0].clone()
    stored = pickle.dumps(learner.state())
    learner.settings = SMALL
    assert len(stored) < len(pickle.dumps(learner.state()))
    twins = [RecurrentPPO(make, settings, 2) for _ in range(2)]
    for twin in twins:
        twin.restore(pickle.loads(stored))
        assert twin.steps == learner.steps and twin._sampler.state()["starts"].all()
    assert twins[0].update().metrics == twins[1].update().metrics
    assert not torch.equal(twins[0]._sampler.rollout.observations["rays"][0], first), "other episodes than at first"


@pytest.mark.slow
def test_a_resumed_run_equals_an_uninterrupted_one(tmp_path: Path) -> None:
    state = str(tmp_path / "state.pt")

    def run(*words: str) -> Any:
        done = subprocess.run([sys.executable, "-c", ARENA, *words], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    uninterrupted, resumed = run(state), run("", state)
    assert uninterrupted == resumed
    episodes = [episode for told, _ in uninterrupted for episode in told]
    assert {episode[1] for episode in episodes} == {"testbed-train/03", "foraging"}
    assert len(episodes) > 12


@pytest.mark.parametrize("precision", ["auto", "bf16", "fp32"])
def test_every_precision_learns_from_pictures_in_as_many_threads(precision: Any) -> None:
    def make(count: int) -> Any:
        return puzzlebox.make_vec("foraging", count, workers=1, camera=36, autoreset="same_step")

    settings = Settings(envs=16, rollout=4, minibatches=2, features=16, memory_size=16, precision=precision, threads=2)
    learner = RecurrentPPO(make, settings, 0)
    try:
        assert learner.settings.precision == (fastest_precision("cpu") if precision == "auto" else precision)
        before = [value.clone() for value in learner.network.parameters()]
        metrics = learner.update().metrics
        assert all(np.isfinite(value) for value in metrics.values()), metrics
        after = list(learner.network.parameters())
        assert all(value.dtype == torch.float32 for value in after)
        assert all((new != old).any() for new, old in zip(after, before, strict=True))
    finally:
        learner.close()


def test_settings_that_cannot_work_are_refused() -> None:
    with pytest.raises(ValueError, match="minibatches is 3; it must divide the 64 environments"):
        Settings(minibatches=3)
    with pytest.raises(ValueError, match=r"network is 'natur'.*did you mean"):
        Settings(network="natur")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="rollout is 0; it must be a whole number, 1 or more"):
        Settings(rollout=0)
    with pytest.raises(ValueError, match="the vector's autoreset is 'next_step'; the learner needs 'same_step'"):
        RecurrentPPO(lambda count: puzzlebox.make_vec("foraging", count, workers=0, camera=None, rays=3), SMALL, 0)
    learner = RecurrentPPO(lambda count: CueEnvs(count), SMALL, 0)
    with pytest.raises(ValueError, match="CueEnvs has no weights of tasks; vectors of the arena have"):
        learner.set_task_weights([1])
