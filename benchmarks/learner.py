"""Measure the recurrent learner on this machine's cores, beside PPO of stable-baselines3 with the same network.

Both learn from the same arena with the same camera, number of environments, rollout, minibatches and epochs; a decision
counts when it was played and learned from. They take turns, and the fastest round of each counts. Stable-baselines3
runs in a process of its own (`learner_peer.py`), since the learner sets how the C library keeps memory, which makes
stable-baselines3 faster, too. It plays with its own `DummyVecEnv` and with `puzzlebox.make_sb3`, each with torch's
usual number of threads and with one, since its threads hinder each other on a busy machine. It computes with numbers
of 32 bits; ours is measured with its default, products of 16 bits where the processor has instructions for them, and
with 32 bits.
"""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.learner_peer import OUR_VECTOR, VECTORS
from benchmarks.measure import Result

_ENVS, _ROLLOUT, _ROUNDS = 64, 64, 4
# Epochs and minibatches: the learner's own, and more epochs.
_CASES = ((1, 4), (4, 4))
_PEER = Path(__file__).with_name("learner_peer.py")


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


class _Theirs:
    """Stable-baselines3 in a process of its own."""

    def __init__(self, vector: str, epochs: int, minibatches: int) -> None:
        numbers = (_ENVS, _ROLLOUT, epochs, minibatches)
        self._process = subprocess.Popen(
            [sys.executable, str(_PEER), vector, *map(str, numbers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def rate(self) -> float:
        """Return the decisions a second of the fastest of some rounds."""
        assert self._process.stdin is not None and self._process.stdout is not None
        print("round", file=self._process.stdin, flush=True)
        return float(self._process.stdout.readline())

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def run() -> list[Result]:
    """Run the benchmark."""
    from puzzlebox.learn.precision import fastest_precision

    own = fastest_precision("cpu")
    kinds = {f"without memory, {each}": ("none", each) for each in dict.fromkeys((own, "fp32"))}
    kinds[f"with an LSTM, {own}"] = ("lstm", own)
    results = []
    for epochs, minibatches in _CASES:
        ours = {name: _ours(epochs, minibatches, *kind) for name, kind in kinds.items()}
        theirs = {name: _Theirs(name, epochs, minibatches) for name in VECTORS}
        rates: dict[str, list[float]] = {name: [] for name in (*ours, *theirs)}
        for learner in ours.values():
            learner.update()
        for _ in range(_ROUNDS):
            for name, learner in ours.items():
                rates[name].append(_rate(learner.update))
            for name, peer in theirs.items():
                rates[name].append(peer.rate())
        best = {name: max(each) for name, each in rates.items()}
        what = f"{epochs} epoch{'s' if epochs > 1 else ''} of {minibatches} minibatches"
        for name, learner in ours.items():
            shares = ", ".join(f"{part} {share:.0%}" for part, share in learner.shares().items() if part != "other")
            for peer_name in theirs if name == f"without memory, {own}" else (OUR_VECTOR,):
                results.append(
                    Result(
                        f"learner {name}, {what} ({shares})",
                        best[name],
                        "/s",
                        "3 times stable-baselines3" if name == f"without memory, {own}" else "",
                        best[peer_name],
                        f"stable-baselines3 with {peer_name}, without memory",
                    )
                )
            learner.close()
        for peer in theirs.values():
            peer.close()
    return results
