"""Measure the recurrent learner on this machine's cores, beside PPO of stable-baselines3 with the same network.

Both learn from the same arena with the same camera, number of environments, rollout, minibatches and epochs; a decision
counts when it was played and learned from. They take turns, and the fastest round of each counts. For stable-baselines3
it is the better one of torch's number of threads and a single thread, since its threads hinder each other on a busy
machine. It computes with numbers of 32 bits; ours is measured with its default, products of 16 bits where the processor
has instructions for them, and with 32 bits.
"""

import time
from collections.abc import Callable
from typing import Any

from benchmarks.measure import Result

_ENVS, _ROLLOUT, _ROUNDS = 64, 64, 4
# Epochs and minibatches: the learner's own, and more epochs.
_CASES = ((1, 4), (4, 4))


def _rate(play: Callable[[], object]) -> float:
    """Return the decisions a second of one round."""
    began = time.perf_counter()
    play()
    return _ENVS * _ROLLOUT / (time.perf_counter() - began)


def _ours(epochs: int, minibatches: int, memory: Any, precision: Any) -> Any:
    import puzzlebox
    from puzzlebox.arena.envs.speed import arena
    from puzzlebox.learn.recurrent import RecurrentPPO, Settings

    settings = Settings(
        envs=_ENVS, rollout=_ROLLOUT, epochs=epochs, minibatches=minibatches, memory=memory, precision=precision
    )

    def vector(count: int) -> Any:
        return puzzlebox.make_vec(arena(), count, camera=64, vitals=False, **settings.vector("cpu"))

    return RecurrentPPO(vector, settings, 1)


def _theirs(epochs: int, minibatches: int) -> Any:
    from stable_baselines3 import PPO

    import puzzlebox
    from puzzlebox.arena.envs.speed import arena

    envs = puzzlebox.make_sb3(arena(), _ENVS, camera=64, vitals=False)
    batch = _ENVS * _ROLLOUT // minibatches
    network = {"net_arch": [], "features_extractor_kwargs": {"cnn_output_dim": 512}}
    model = PPO("MultiInputPolicy", envs, n_steps=_ROLLOUT, batch_size=batch, n_epochs=epochs, policy_kwargs=network)
    model.learn(_ENVS * _ROLLOUT)
    return model


def run() -> list[Result]:
    """Run the benchmark."""
    import torch

    from puzzlebox.learn.precision import fastest_precision

    own = fastest_precision("cpu")
    kinds = {f"without memory, {each}": ("none", each) for each in dict.fromkeys((own, "fp32"))}
    kinds[f"with an LSTM, {own}"] = ("lstm", own)
    usual = torch.get_num_threads()
    results = []
    for epochs, minibatches in _CASES:
        ours = {name: _ours(epochs, minibatches, *kind) for name, kind in kinds.items()}
        theirs = _theirs(epochs, minibatches)
        rates: dict[str, list[float]] = {name: [] for name in (*ours, "stable-baselines3")}
        for learner in ours.values():
            learner.update()
        for _ in range(_ROUNDS):
            for name, learner in ours.items():
                rates[name].append(_rate(learner.update))
            for threads in {1, usual}:
                torch.set_num_threads(threads)
                learn = theirs.learn
                rates["stable-baselines3"].append(
                    _rate(lambda: learn(_ENVS * _ROLLOUT, reset_num_timesteps=False))  # noqa: B023
                )
            torch.set_num_threads(usual)
        what = f"{epochs} epoch{'s' if epochs > 1 else ''} of {minibatches} minibatches"
        for name, learner in ours.items():
            shares = ", ".join(f"{part} {share:.0%}" for part, share in learner.shares().items() if part != "other")
            results.append(
                Result(
                    f"learner {name}, {what} ({shares})",
                    max(rates[name]),
                    "/s",
                    "3 times stable-baselines3" if name == f"without memory, {own}" else "",
                    max(rates["stable-baselines3"]),
                    "stable-baselines3, without memory",
                )
            )
            learner.close()
        theirs.get_env().close()
    return results
