"""A process that learns with PPO of stable-baselines3: `learner_peer.py VECTOR ENVS ROLLOUT EPOCHS MINIBATCHES`.

For each line on its standard input it plays and learns from a rollout with torch's usual number of threads, then with
one, and prints the decisions a second of the faster of the two.
"""

import sys
import time
from typing import Any

OUR_VECTOR = "make_sb3"
VECTORS = ("DummyVecEnv", OUR_VECTOR)


def main(vector: str, envs: int, rollout: int, epochs: int, minibatches: int) -> None:
    """Answer each line with a rate."""
    import torch
    from stable_baselines3 import PPO

    network = {"net_arch": [], "features_extractor_kwargs": {"cnn_output_dim": 512}}
    steps = envs * rollout
    model = PPO(
        "MultiInputPolicy",
        _vector(vector, envs),
        n_steps=rollout,
        batch_size=steps // minibatches,
        n_epochs=epochs,
        policy_kwargs=network,
    )
    model.learn(steps)
    usual = torch.get_num_threads()
    for _ in sys.stdin:
        rates = []
        for threads in sorted({1, usual}):
            torch.set_num_threads(threads)
            began = time.perf_counter()
            model.learn(steps, reset_num_timesteps=False)
            rates.append(steps / (time.perf_counter() - began))
        print(max(rates), flush=True)


def _vector(name: str, count: int) -> Any:
    from stable_baselines3.common.env_util import make_vec_env

    import puzzlebox
    from puzzlebox.arena.envs.speed import arena

    if name == OUR_VECTOR:
        return puzzlebox.make_sb3(arena(), count, camera=64, vitals=False)
    return make_vec_env(lambda: puzzlebox.make(arena(), camera=64, vitals=False), count)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
