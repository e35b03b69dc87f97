"""The presets `ppo-2024` and `ppo-2024-fast` are one algorithm: the same data and weights give the same new weights."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from puzzlebox.learn.curriculum_names import find_course
from puzzlebox.learn.recurrent import RecurrentPPO, Settings
from puzzlebox.learn.settings import resolve

pytest.importorskip("stable_baselines3")

# Small numbers in place of 2,048 decisions, so that the update takes a second; all else is that of the presets.
_STEPS, _BATCH, _EPOCHS = 96, 16, 1
_TASK = "examples/food"


def _settings(preset: str, *changes: str) -> Any:
    course = find_course(None, [_TASK])
    return course.tasks, resolve(None, preset, [*changes, "max_episode_steps=20"], {"max_episode_steps": None})


def _theirs() -> Any:
    """Return a learner of stable-baselines3 that has played a rollout, and what that rollout was."""
    from puzzlebox.learn.learners.learner import Job
    from puzzlebox.learn.learners.sb3 import SB3Learner

    changes = f"n_steps={_STEPS}", f"batch_size={_BATCH}", f"n_epochs={_EPOCHS}", "workers=1"
    tasks, resolved = _settings("ppo-2024", *changes)
    environment = dict(resolved.environment)
    learner = SB3Learner(
        "ppo",
        Job(lambda n, **more: tasks.vector(n, environment, **more), dict(resolved.settings), 5, "cpu", _STEPS),
    )
    rows: list[Any] = []
    step = learner._envs.step_wait

    def record() -> Any:
        observations, rewards, done, infos = step()
        rows.append((rewards.copy(), done.copy(), dict(infos[0])))
        return observations, rewards, done, infos

    learner._envs.step_wait = record  # type: ignore[method-assign]
    model = learner._model
    train, model.train = model.train, lambda: None
    model.learn(_STEPS, reset_num_timesteps=False, log_interval=None)
    return learner, rows, train


def _copy_weights(policy: Any, network: Any) -> None:
    """Write the weights of a policy of stable-baselines3 into our network."""
    picture = network.pictures["camera"]
    convolutions = [picture.first, *[each for each in picture.rest if isinstance(each, torch.nn.Conv2d)]]
    own = [*convolutions, picture.last, network.policy, network.value]
    theirs = [each for each in policy.features_extractor.cnn if isinstance(each, torch.nn.Conv2d)]
    theirs += [policy.features_extractor.linear[0], policy.action_net, policy.value_net]
    with torch.no_grad():
        for target, source in zip(own, theirs, strict=True):
            target.weight.copy_(_ordered(source.weight, target is picture.last))
            target.bias.copy_(source.bias)


def _ordered(weight: Tensor, flattened: bool) -> Tensor:
    """Return weights in our order: theirs lists the outputs of the convolutions by channel, ours by pixel."""
    if not flattened:
        return weight
    return weight.reshape(-1, 64, 4, 4).permute(0, 2, 3, 1).flatten(1)


class _InOrder:
    """In the place of a random stream: nothing is shuffled."""

    def permutation(self, count: int) -> Any:
        return np.arange(count)


def test_one_update_on_the_same_data_gives_the_same_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs, rows, train = _theirs()
    model = theirs._model
    minibatches = f"minibatches={_STEPS // _BATCH}"
    tasks, resolved = _settings("ppo-2024-fast", f"rollout={_STEPS}", minibatches, f"epochs={_EPOCHS}")
    settings = Settings(**resolved.settings)
    environment = dict(resolved.environment)
    ours = RecurrentPPO(lambda n: tasks.vector(n, environment, **settings.vector()), settings, 5)
    try:
        assert ours.envs.workers == 1
        _copy_weights(model.policy, ours.network)
        before = {name: value.clone() for name, value in ours.network.state_dict().items()}
        rollout, buffer = ours._sampler.rollout, model.rollout_buffer
        pictures = torch.as_tensor(buffer.observations[:, 0]).permute(0, 2, 3, 1)
        rollout.observations["camera"][:_STEPS, 0] = pictures
        last = torch.as_tensor(model._last_obs).permute(0, 2, 3, 1)
        rollout.observations["camera"][_STEPS] = last
        rollout.actions[:_STEPS, 0, 0] = torch.as_tensor(buffer.actions[:, 0, 0])
        rollout.rewards[:, 0] = torch.as_tensor(np.array([reward[0] for reward, _, _ in rows]))
        rollout.ends[:, 0] = torch.as_tensor(np.array([done[0] for _, done, _ in rows]))
        cut = [(step, 0, {"camera": info["terminal_observation"]}) for step, (*_, info) in enumerate(rows) if info]
        assert cut and all(info["TimeLimit.truncated"] for *_, info in rows if info)
        ours._sampler._value_cut(cut)
        with torch.no_grad():
            state, starts = rollout.states[0], rollout.starts
            outputs, values, _ = ours.network(rollout.observations, state, starts)
            rollout.values.copy_(values)
            rollout.log_probs[:_STEPS] = ours.network.actions.log_prob(outputs, rollout.actions)[:_STEPS]
        # What was sampled is the same for both.
        np.testing.assert_allclose(rollout.values[:_STEPS].numpy(), buffer.values, atol=1e-6)
        np.testing.assert_allclose(rollout.log_probs[:_STEPS].numpy(), buffer.log_probs, atol=1e-6)
        # The same order of decisions in both updates.
        ours._rng = _InOrder()  # type: ignore[assignment]
        monkeypatch.setattr(np.random, "permutation", np.arange)
        train()
        ours._learn(rollout)
        np.testing.assert_allclose(ours._targets.advantages.numpy(), buffer.advantages.reshape(-1, 1), atol=1e-5)
        np.testing.assert_allclose(ours._targets.returns.numpy(), buffer.returns.reshape(-1, 1), atol=1e-5)
        after = {name: value.clone() for name, value in ours.network.state_dict().items()}
        _copy_weights(model.policy, ours.network)
        for name, value in ours.network.state_dict().items():
            torch.testing.assert_close(after[name], value, atol=1e-5, rtol=0)
            # A test of weights that hardly moved would say nothing.
            assert (value - before[name]).abs().max() > 1e-4, name
    finally:
        theirs.close()
        ours.close()


def test_new_weights_have_the_same_distribution() -> None:
    """Orthogonal matrices with gains of sqrt 2 in the network, 0.01 for actions and 1 for the value; no biases."""
    theirs, _, _ = _theirs()
    try:
        policy = theirs._model.policy
        tasks, resolved = _settings("ppo-2024-fast", "rollout=64", "minibatches=1")
        settings = Settings(**resolved.settings)
        environment = dict(resolved.environment)
        ours = RecurrentPPO(lambda n: tasks.vector(n, environment, **settings.vector()), settings, 5)
        own = {name: value.clone() for name, value in ours.network.state_dict().items()}
        _copy_weights(policy, ours.network)
        for name, value in ours.network.state_dict().items():
            if name.endswith("bias"):
                assert not own[name].any() and not value.any()
                continue
            one, other = (torch.linalg.svdvals(each.flatten(1)) for each in (own[name], value))
            torch.testing.assert_close(one, other, atol=1e-5, rtol=0)
        ours.close()
    finally:
        theirs.close()


def test_one_environment_is_one_group_in_this_process_also_with_a_gpu() -> None:
    assert Settings(envs=1, minibatches=1).vector("cuda")["groups"] == 1
    assert Settings(envs=2, minibatches=1).vector("cuda")["groups"] == 2
