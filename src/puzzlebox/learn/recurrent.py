"""Recurrent PPO: groups of environments take turns, and the learner learns from whole sequences."""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import torch
from torch import Tensor

from puzzlebox.learn.networks import Network, Policy, Shape
from puzzlebox.learn.precision import fastest_precision
from puzzlebox.learn.sampler import Episode, Rollout, Sampler, VectorLike
from puzzlebox.learn.threads import Threads, bounds
from puzzlebox.seeds import learner_seeds, rng_from, training_seed
from puzzlebox.text import nearest

# What `update` returns the means of, in the order in which a minibatch computes them.
_METRICS = ("policy_loss", "value_loss", "entropy", "approximate_kl", "clipped", "gradient_norm")
_CHOICES = {
    "network": ("nature", "impala", "mlp"),
    "memory": ("lstm", "gru", "none"),
    "precision": ("auto", "bf16", "fp32"),
}


@dataclass(frozen=True)
class Settings:
    """All settings of the learner.

    Attributes:
        envs: the number of environments.
        workers: the number of processes that run environments. Default: chosen by the vector.
        groups: into how many groups the environments are divided, which take turns between processor and GPU; 0 is 2
            with a GPU and several environments, otherwise 1.
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
        features: the number of features of a picture; 0 for the usual number: 512 of "nature", otherwise 256.
        precision: the type of numbers in large matrix products; weights and losses are always 32 bits. "auto" is "bf16"
            on a GPU or processor that has instructions for it, otherwise "fp32".
        compile: whether `torch.compile` compiles the networks, which takes a minute at the start.
        graphs: whether policy and learning steps on a GPU are captured as CUDA graphs.
        threads: without a GPU, the number of threads that take parts of each batch; 0 is torch's number of threads
            where there are pictures, otherwise 1. Sums are rounded differently with another number.
        keep_episodes: whether checkpoints hold the episodes that are being played, a hundred kilobytes for each
            environment; if not, a resumed run starts new ones.
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
    features: int = 0
    precision: Literal["auto", "bf16", "fp32"] = "auto"
    compile: bool = False
    graphs: bool = True
    threads: int = 0
    keep_episodes: bool = True

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        for name, known in _CHOICES.items():
            value = getattr(self, name)
            if value not in known:
                raise ValueError(f"{name} is {value!r}{nearest(str(value), known)}")
        for name, least in (
            ("envs", 1),
            ("groups", 0),
            ("threads", 0),
            ("rollout", 1),
            ("epochs", 1),
            ("minibatches", 1),
            ("memory_size", 1),
        ):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ValueError(f"{name} is {value!r}; it must be a whole number, {least} or more")
        sequences = self.envs if self.memory != "none" else self.envs * self.rollout
        if sequences % self.minibatches:
            what = "environments" if self.memory != "none" else "decisions of a rollout"
            raise ValueError(
                f"minibatches is {self.minibatches}; it must divide the {sequences} {what}, so that all are equal"
            )

    def vector(self, device: str = "cpu") -> dict[str, Any]:
        """Return the settings of `puzzlebox.make_vec` that this learner wants: workers, groups, autoreset."""
        groups = self.groups or (1 if device == "cpu" or self.envs == 1 else 2)
        return {"workers": self.workers, "groups": groups, "autoreset": "same_step"}


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
    """Proximal policy optimisation of a network with memory.

    The recurrent state at the start of each rollout is stored with it, so that a memory reaches further back than a
    rollout; within a sequence it starts afresh where an episode starts. Where an episode is cut off, the value of its
    last observation stands for the rewards that would have followed.

    Args:
        make_vector: called once with the number of environments; it returns a Gymnasium vector with
            `autoreset="same_step"`. A vector with `send` and `receive` (that of the arena) is sampled group by group.
            `settings.vector(device)` has what it should be made with.
        settings: the settings; the attribute has the precision that was chosen.
        seed: the seed of weights, actions, minibatches and environments.
        device: "cpu", "cuda" or "cuda:N".
    """

    def __init__(
        self, make_vector: Callable[[int], VectorLike], settings: Settings, seed: int, device: str = "cpu"
    ) -> None:
        if settings.precision == "auto":
            settings = replace(settings, precision=fastest_precision(device))
        self.settings, self.seed, self.device = settings, seed, torch.device(device)
        self.envs: Any = make_vector(settings.envs)
        weights, actions, minibatches = learner_seeds(seed)
        self._shape = Shape(settings.network, settings.memory, settings.memory_size, settings.features)
        spaces = self.envs.single_observation_space, self.envs.single_action_space
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(weights)
            self.network = Network(*spaces, self._shape).to(self.device)
        self._forward: Callable[..., Any] = (
            torch.compile(self.network, dynamic=False) if settings.compile else self.network
        )
        # Without pictures the network is so small that threads lose more by waiting for each other than they gain.
        usual = torch.get_num_threads() if self.network.pictures else 1
        threads = (settings.threads or usual) if self.device.type == "cpu" else 1
        half = self.device.type == "cpu" and settings.precision == "bf16"
        self._threads = Threads(self.network, threads, half)
        self._optimiser = self._make_optimiser()
        self._rng = rng_from(minibatches)
        self.steps = 0
        self._sampler = Sampler(
            self.envs,
            self.network,
            settings.rollout,
            actions,
            env_seed=seed,
            precise=self._precise,
            forward=self._act if self.device.type == "cpu" else self._forward,
            graph=settings.graphs,
        )
        self._targets = _Targets.empty(self._sampler.rollout.rewards)
        self._metrics = torch.zeros(len(_METRICS), device=self.device)
        sequences = settings.envs if settings.memory != "none" else settings.envs * settings.rollout
        self._sequences, self._chosen = sequences, torch.zeros(sequences // settings.minibatches, dtype=torch.int64)
        self._chosen = self._chosen.to(self.device)
        self._graph: torch.cuda.CUDAGraph | None = None
        if settings.graphs and self.device.type == "cuda":
            self._capture()

    def _make_optimiser(self) -> torch.optim.Adam:
        cuda = self.device.type == "cuda"
        rate = torch.tensor(self.settings.learning_rate, device=self.device) if cuda else self.settings.learning_rate
        return torch.optim.Adam(
            self.network.parameters(), lr=rate, eps=self.settings.adam_epsilon, fused=True, capturable=cuda
        )

    def _precise(self) -> AbstractContextManager[Any]:
        """Return the context in which the network is called."""
        # The cache of converted weights would be captured by a CUDA graph, and outlive a step of the optimiser.
        return torch.autocast(
            self.device.type, torch.bfloat16, enabled=self.settings.precision == "bf16", cache_enabled=False
        )

    def _act(self, observations: Mapping[str, Tensor], state: Tensor, starts: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return what the network returns, without gradients."""
        return self._threads.forward(observations, state, starts, self._precise)

    def update(self) -> Update:
        """Play one rollout of all environments and learn from it."""
        begin = time.perf_counter()
        clock = self._sampler.clock
        before = clock.environment, clock.policy
        with self._threads.alone():
            self._threads.refresh()
            rollout = self._sampler.sample()
            sampled = time.perf_counter()
            metrics = self._learn(rollout)
        end = time.perf_counter()
        steps = self.settings.envs * self.settings.rollout
        self.steps += steps
        clock.learning += end - sampled
        clock.total += end - begin
        return Update(
            steps,
            self._sampler.episodes,
            metrics,
            clock.environment - before[0],
            clock.policy - before[1],
            end - sampled,
        )

    # --- learning

    def _learn(self, rollout: Rollout) -> dict[str, float]:
        """Learn from a rollout; return measures of the update."""
        settings = self.settings
        rate = settings.learning_rate
        if settings.anneal_steps:
            rate *= max(0.0, 1 - self.steps / settings.anneal_steps)
        for group in self._optimiser.param_groups:
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate
        self._targets.compute(rollout, settings.gamma, settings.gae_lambda)
        self._metrics.zero_()
        for _ in range(settings.epochs):
            shuffled = torch.from_numpy(self._rng.permutation(self._sequences)).to(self.device)
            for chosen in shuffled.chunk(settings.minibatches):
                self._chosen.copy_(chosen)
                if self._graph is None:
                    self._step()
                else:
                    self._graph.replay()
        means = (self._metrics / (settings.epochs * settings.minibatches)).tolist()
        metrics = dict(zip(_METRICS, means, strict=True))
        metrics["explained_variance"] = self._targets.explained_variance(rollout)
        metrics["learning_rate"] = rate
        return metrics

    def _minibatch(self, chosen: Tensor) -> tuple[dict[str, Tensor], Tensor, Tensor, dict[str, Tensor]]:
        """Return observations, first states, starts and the rest of some sequences.

        Without memory, every decision is a sequence of its own.
        """
        rollout, length = self._sampler.rollout, self.settings.rollout
        single = self.settings.memory == "none"

        def take(values: Tensor) -> Tensor:
            values = values[:length]
            return (values.flatten(0, 1).unsqueeze(0) if single else values).index_select(1, chosen)

        rest = {
            "actions": rollout.actions,
            "log_probs": rollout.log_probs,
            "values": rollout.values,
            "advantages": self._targets.advantages,
            "returns": self._targets.returns,
        }
        state = take(rollout.states)[0] if single else rollout.states[0].index_select(0, chosen)
        return (
            {name: take(part) for name, part in rollout.observations.items()},
            state,
            take(rollout.starts),
            {name: take(part) for name, part in rest.items()},
        )

    def _step(self) -> None:
        """Take one step of the optimiser on the chosen sequences, and add its measures to the sums."""
        settings = self.settings
        self._optimiser.zero_grad(set_to_none=True)
        advantages = self._targets.advantages
        if settings.memory == "none":
            advantages = advantages.reshape(1, -1)
        spread, mean = torch.std_mean(advantages.index_select(1, self._chosen))
        count = len(self._chosen)
        parts = min(len(self._threads.networks), count)
        rows = bounds(count, parts)

        def part(number: int) -> Tensor:
            network = self._threads.networks[number]
            own = self._chosen[rows[number]]
            observations, state, starts, batch = self._minibatch(own)
            if settings.normalise_advantages:
                batch["advantages"] = (batch["advantages"] - mean) / (spread + 1e-8)
            with self._precise():
                forward = self._forward if network is self.network else network
                outputs, values, _ = forward(observations, state, starts)
            loss, measures = ppo_loss(network, settings, outputs, values, batch)
            share = len(own) / count
            (loss * share).backward()
            return torch.stack(measures) * share

        measures = torch.stack(self._threads.map(part, parts)).sum(0)
        self._threads.add_gradients()
        norm = torch.nn.utils.clip_grad_norm_(self.network.parameters(), settings.gradient_norm, foreach=True)
        self._optimiser.step()
        self._metrics += torch.cat([measures, norm.detach().reshape(1)])

    def _capture(self) -> None:
        """Capture a step of the optimiser as a CUDA graph; the steps that this takes are undone."""
        weights = {name: value.clone() for name, value in self.network.state_dict().items()}
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                self._step()
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self._step()
        self._graph = graph
        with torch.no_grad():
            for name, value in self.network.state_dict().items():
                value.copy_(weights[name])
            for values in self._optimiser.state.values():
                for value in values.values():
                    value.zero_()

    # --- state

    def state(self) -> dict[str, Any]:
        """Return all that is needed to resume exactly, for `torch.save`; read it with `weights_only=False`."""
        return {
            "steps": self.steps,
            "weights": {name: value.cpu().clone() for name, value in self.network.state_dict().items()},
            "optimiser": deepcopy(self._optimiser.state_dict()),
            "rng": self._rng.bit_generator.state,
            "sampler": self._sampler.state(self.settings.keep_episodes),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Resume from what `state` returned, with the same settings and the same kind of vector."""
        self.steps = state["steps"]
        self.network.load_state_dict(state["weights"])
        self._restore_optimiser(state["optimiser"])
        self._rng.bit_generator.state = state["rng"]
        self._sampler.restore(state["sampler"], training_seed(self.seed, f"resumed at {self.steps}"))

    def _restore_optimiser(self, stored: Mapping[str, Any]) -> None:
        """Write the state of the optimiser into the tensors it has: a CUDA graph refers to those."""
        own = self._optimiser.state_dict()
        if not own["state"]:
            self._optimiser.load_state_dict(dict(stored))
            return
        for index, values in stored["state"].items():
            for name, value in values.items():
                own["state"][index][name].copy_(value)

    def policy(self) -> Policy:
        """Return a copy of the current policy, for playing, on the processor."""
        policy = Policy(self.envs.single_observation_space, self.envs.single_action_space, self._shape)
        policy.network.load_state_dict({name: value.cpu() for name, value in self.network.state_dict().items()})
        return policy

    def shares(self) -> dict[str, float]:
        """Return the shares of the time of all updates so far: environment, policy, learning, other."""
        clock = self._sampler.clock
        total = clock.total or 1.0
        parts = {"environment": clock.environment, "policy": clock.policy, "learning": clock.learning}
        shares = {name: seconds / total for name, seconds in parts.items()}
        return {**shares, "other": max(0.0, 1.0 - sum(shares.values())) if clock.total else 0.0}

    # --- the vector

    def set_task_weights(self, weights: Any) -> None:
        """Set how probable each task of the vector is in the next episodes; None plays them in order again.

        Args:
            weights: one number, 0 or more, for each name in `task_names`.
        """
        if not hasattr(self.envs, "set_task_weights"):
            raise ValueError(f"{type(self.envs).__name__} has no weights of tasks; vectors of the arena have")
        self.envs.set_task_weights(weights)

    @property
    def task_names(self) -> list[str]:
        """Return the names of the tasks of the vector, in the order of its list; empty if it does not say."""
        return list(getattr(self.envs, "task_names", []))

    def close(self) -> None:
        """Close the vector and stop all threads."""
        self._threads.close()
        self.envs.close()


@dataclass
class _Targets:
    """What actions and values are moved towards, steps x environments."""

    advantages: Tensor
    returns: Tensor

    @classmethod
    def empty(cls, like: Tensor) -> "_Targets":
        return cls(torch.zeros_like(like), torch.zeros_like(like))

    def compute(self, rollout: Rollout, gamma: float, decay: float) -> None:
        """Compute generalised advantages, and the returns that values should predict."""
        length = len(rollout.rewards)
        values, following = rollout.values[:length], rollout.values[1:]
        following = torch.where(rollout.ends, rollout.last_values, following)
        # One step depends on the next: a GPU would wait for the start of each small product, so this is done beside it.
        errors = (rollout.rewards + gamma * following - values).cpu()
        weights = ((~rollout.ends).float() * (gamma * decay)).cpu()
        advantages = torch.empty_like(errors)
        advantage = torch.zeros_like(errors[0])
        for error, weight, target in zip(
            reversed(errors.unbind()), reversed(weights.unbind()), reversed(advantages.unbind()), strict=True
        ):
            advantage = torch.addcmul(error, weight, advantage, out=target)
        self.advantages.copy_(advantages)
        torch.add(self.advantages, values, out=self.returns)

    def explained_variance(self, rollout: Rollout) -> float:
        """Return the share of the variance of returns that the values explain."""
        errors = self.returns - rollout.values[: len(self.returns)]
        return float(1 - errors.var() / self.returns.var().clamp_min(1e-8))


def ppo_loss(
    network: Network, settings: Settings, outputs: Tensor, values: Tensor, batch: Mapping[str, Tensor]
) -> tuple[Tensor, list[Tensor]]:
    """Return the loss of a part of a minibatch, and the first five measures of `Update.metrics`."""
    advantages = batch["advantages"]
    log_probs = network.actions.log_prob(outputs, batch["actions"])
    change = log_probs - batch["log_probs"]
    ratio = change.exp()
    limited = ratio.clamp(1 - settings.clip, 1 + settings.clip)
    policy_loss = -torch.minimum(ratio * advantages, limited * advantages).mean()
    errors = (values - batch["returns"]).square()
    if settings.value_clip is not None:
        moved = batch["values"] + (values - batch["values"]).clamp(-settings.value_clip, settings.value_clip)
        errors = torch.maximum(errors, (moved - batch["returns"]).square())
    value_loss = errors.mean()
    entropy = network.actions.entropy(outputs).mean()
    loss = policy_loss + settings.value_weight * value_loss - settings.entropy * entropy
    with torch.no_grad():
        kl = (ratio - 1 - change).mean()
        clipped = ((ratio - 1).abs() > settings.clip).float().mean()
    return loss, [policy_loss.detach(), value_loss.detach(), entropy.detach(), kl, clipped]
