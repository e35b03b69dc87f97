"""Recurrent PPO: samples with two halves of a vector in turn, and learns from whole sequences."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import torch


@dataclass(frozen=True)
class Settings:
    """All settings of the learner.

    Attributes:
        envs: the number of environments.
        workers: the number of processes that run environments. Default: chosen by the vector.
        groups: into how many groups the environments are divided, which take turns between processor and GPU; 0 is 2
            with a GPU and 1 without.
        rollout: the number of decisions of each environment between two updates.
        epochs: how often an update goes through its rollout.
        minibatches: the number of parts of a rollout, each of which is one step of the optimiser.
        learning_rate: the learning rate of Adam at the start.
        anneal_steps: the number of decisions over which the learning rate falls linearly to zero; 0 keeps it constant.
        adam_epsilon: the epsilon of Adam.
        gamma: the discount of a decision.
        gae_lambda: the lambda of generalised advantage estimation.
        clip: how far the probability ratio of an action may move from 1.
        value_clip: how far a value may move in an update; None does not limit it.
        entropy: the weight of the entropy bonus.
        value_weight: the weight of the value loss.
        gradient_norm: the largest norm of a gradient.
        normalise_advantages: whether advantages of each minibatch are brought to mean 0 and deviation 1.
        network: the network for pictures; observations without pictures use "mlp".
        memory: the recurrent layer.
        memory_size: the number of its units.
        features: the number of features that the network passes to the recurrent layer.
        precision: the type of numbers in large matrix products; weights and losses are always 32 bits.
        compile: whether `torch.compile` compiles the networks, which takes a minute at the start.
        graphs: whether policy and learning steps on a GPU are captured as CUDA graphs.
    """

    envs: int = 64
    workers: int | None = None
    groups: int = 0
    rollout: int = 64
    epochs: int = 1
    minibatches: int = 4
    learning_rate: float = 3e-4
    anneal_steps: int = 0
    adam_epsilon: float = 1e-5
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip: float = 0.2
    value_clip: float | None = None
    entropy: float = 0.01
    value_weight: float = 0.5
    gradient_norm: float = 0.5
    normalise_advantages: bool = True
    network: Literal["nature", "impala", "mlp"] = "nature"
    memory: Literal["lstm", "gru", "none"] = "lstm"
    memory_size: int = 256
    features: int = 512
    precision: Literal["bf16", "fp32"] = "bf16"
    compile: bool = False
    graphs: bool = True

    def vector(self, device: str = "cpu") -> dict[str, Any]:
        """Return the settings of `puzzlebox.make_vec` that this learner wants: workers, groups, autoreset."""
        groups = self.groups or (1 if device == "cpu" else 2)
        return {"workers": self.workers, "groups": groups, "autoreset": "same_step"}


class Episode(NamedTuple):
    """A finished episode.

    Attributes:
        env: the index of its environment.
        task: the name of its task; "" if the environment does not say.
        total: the sum of its rewards.
        length: the number of its decisions.
        passed: whether it was passed; None if the environment does not say.
        terminated: whether it ended by itself.
        truncated: whether it was cut off, by a time limit for example.
    """

    env: int
    task: str
    total: float
    length: int
    passed: bool | None
    terminated: bool
    truncated: bool


@dataclass
class Update:
    """What one call of `RecurrentPPO.update` did.

    Attributes:
        steps: the number of decisions of all environments together.
        episodes: the episodes that ended, in the order of their ends; those of the same step by environment.
        metrics: losses and other measures, by name.
        environment_seconds: the time spent waiting for environments.
        policy_seconds: the time spent choosing actions.
        learning_seconds: the time spent learning.
        other_seconds: the rest.
    """

    steps: int
    episodes: list[Episode] = field(default_factory=list)
    metrics: dict[str, float] = field(default_factory=dict)
    environment_seconds: float = 0.0
    policy_seconds: float = 0.0
    learning_seconds: float = 0.0
    other_seconds: float = 0.0


class RecurrentPPO:
    """The learner.

    Args:
        make_vector: called once with the number of environments; it returns a Gymnasium vector with
            `autoreset="same_step"`. A vector with `send` and `receive` (that of the arena) is sampled group by group.
            `settings.vector(device)` has what it should be made with.
        settings: the settings.
        seed: the seed of weights, actions, minibatches and environments.
        device: "cpu", "cuda" or "cuda:N".
    """

    def __init__(self, make_vector: Callable[[int], Any], settings: Settings, seed: int, device: str = "cpu") -> None:
        raise NotImplementedError

    def update(self) -> Update:
        """Play one rollout of all environments and learn from it."""
        raise NotImplementedError

    def state(self) -> dict[str, Any]:
        """Return all that is needed to resume exactly, for `torch.save`; read it with `weights_only=False`."""
        raise NotImplementedError

    def restore(self, state: Mapping[str, Any]) -> None:
        """Resume from what `state` returned, with the same settings and the same kind of vector."""
        raise NotImplementedError

    def policy(self) -> "Policy":
        """Return a copy of the current policy, for playing."""
        raise NotImplementedError

    def shares(self) -> dict[str, float]:
        """Return the shares of the time of all updates so far: environment, policy, learning, other."""
        raise NotImplementedError

    def set_task_weights(self, weights: Any) -> None:
        """Set how probable each task of the vector is in the next episodes; None plays them in order again.

        Args:
            weights: one number, 0 or more, for each name in `task_names`.
        """
        raise NotImplementedError

    @property
    def task_names(self) -> list[str]:
        """Return the names of the tasks of the vector, in the order of its list; empty if it does not say."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the vector."""
        raise NotImplementedError


class Policy(torch.nn.Module):
    """A policy for playing, in `networks.py`.

    `policy.save(path)` writes the weights and a description of spaces and network; `Policy.load(path, device)` reads
    them with `weights_only=True`.
    """

    def initial(self, count: int) -> torch.Tensor:
        """Return the recurrent state at the start of an episode, one row for each of `count` environments."""
        raise NotImplementedError

    def act(
        self, observation: Mapping[str, Any], state: torch.Tensor, generator: torch.Generator | None = None
    ) -> tuple[Any, torch.Tensor]:
        """Choose actions.

        Args:
            observation: the parts of the observation as arrays with one row for each environment.
            state: the recurrent state of each environment; start again from `initial` when an episode starts.
            generator: the stream from which actions are drawn; None chooses the most probable ones.

        Returns:
            The actions as an array for the vector, and the next recurrent state.
        """
        raise NotImplementedError
