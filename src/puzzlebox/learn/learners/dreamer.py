"""DreamerV3 of SheepRL: its networks, losses and replay buffer, played and saved piece by piece by our loop.

SheepRL's own program cannot be resumed in the middle of an episode and writes its own folders; only its parts are used
here. On a CPU a resumed run equals one that was not interrupted.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium.spaces import Box, Discrete, MultiDiscrete
from gymnasium.spaces import Dict as DictSpace

from puzzlebox.learn.checkpoints import RESUME, WEIGHTS
from puzzlebox.learn.episodes import EpisodeCounter
from puzzlebox.learn.learners.dreamer_config import configuration, make_fabric, picture_parts
from puzzlebox.learn.learners.learner import CannotStart, Job
from puzzlebox.learn.recurrent import Update
from puzzlebox.seeds import agent_seed, rng_from

try:
    import hydra
    from sheeprl.algos.dreamer_v2.utils import sample_batches
    from sheeprl.algos.dreamer_v3.agent import build_agent
    from sheeprl.algos.dreamer_v3.dreamer_v3 import train
    from sheeprl.algos.dreamer_v3.utils import Moments, prepare_obs
    from sheeprl.data.buffers import EnvIndependentReplayBuffer, SequentialReplayBuffer
    from sheeprl.utils.utils import Ratio
except ModuleNotFoundError as problem:
    raise ModuleNotFoundError(
        f"the learner dreamer needs {problem.name}; pip install 'puzzlebox[dreamer]' brings it", name=problem.name
    ) from None

_REPLAY = "resume-replay.pt"
_NETWORKS = ("world_model", "actor", "critic", "target_critic")


class _Means:
    """Takes the place of SheepRL's aggregator of metrics: the mean of each since they were last taken."""

    disabled = False

    def __init__(self) -> None:
        self._sums: dict[str, list[Any]] = {}

    def update(self, name: str, value: Any) -> None:
        self._sums.setdefault(name, []).append(value)

    def take(self) -> dict[str, float]:
        means = {
            name: float(torch.stack([torch.as_tensor(each) for each in values]).float().mean())
            for name, values in self._sums.items()
        }
        self._sums = {}
        return means


def action_sizes(space: Any) -> tuple[tuple[int, ...], bool]:
    """Return the number of choices of each discrete action, or the number of continuous ones; and which it is."""
    if isinstance(space, Box):
        return tuple(space.shape), True
    if isinstance(space, MultiDiscrete):
        return tuple(np.asarray(space.nvec).ravel().tolist()), False
    if isinstance(space, Discrete):
        return (int(space.n),), False
    raise ValueError(f"dreamer cannot choose actions of the space {space}")


def channels_first(observations: Mapping[str, Any], pictures: Sequence[str]) -> dict[str, Any]:
    """Return observations with the channels of pictures first; several pictures are one with more channels."""
    parts = {}
    for name, part in observations.items():
        value = np.asarray(part)
        if name in pictures:
            value = np.ascontiguousarray(np.moveaxis(value, -1, -3))
        parts[name] = value
    return parts


class _Networks:
    """The networks of an agent, and how it acts."""

    def __init__(self, settings: Mapping[str, Any], spaces: tuple[Any, Any], envs: int, device: str) -> None:
        observation, action = spaces
        if not isinstance(observation, DictSpace):
            raise ValueError(f"dreamer needs observations with named parts, not {observation}")
        self.pictures = picture_parts(observation)
        self.fabric = make_fabric(settings, device)
        self.config = configuration(settings, observation, envs)
        self.sizes, self.continuous = action_sizes(action)
        self.space = action
        moved = {
            name: Box(0, 255, tuple(np.moveaxis(np.empty(part.shape or ()), -1, -3).shape), np.uint8)
            if name in self.pictures
            else part
            for name, part in observation.items()
        }
        built = build_agent(self.fabric, self.sizes, self.continuous, self.config, DictSpace(moved))
        self.world_model, self.actor, self.critic, self.target_critic, self.player = built

    def act(self, observations: Mapping[str, Any], envs: int, greedy: bool = False) -> tuple[Any, Any]:
        """Return actions for the environments, and the same as the networks store them."""
        seen = prepare_obs(self.fabric, dict(observations), cnn_keys=self.pictures, num_envs=envs)
        with torch.no_grad():
            actions = self.player.get_actions(seen, greedy)
        stored = torch.cat(actions, -1).cpu().numpy()
        return self.real_actions(stored.reshape(envs, -1)), stored

    def load(self, name: str, values: Mapping[str, Any]) -> None:
        """Set the weights of a network.

        They are copied in place: Fabric's wrappers have other names when they load than when they are saved, and the
        player shares its weights with the networks that learn.
        """
        own = getattr(self, name).state_dict()
        if own.keys() != values.keys():
            raise ValueError(f"the {name} of the checkpoint has other layers; its settings have changed")
        with torch.no_grad():
            for key, value in values.items():
                own[key].copy_(value)

    def real_actions(self, stored: Any) -> Any:
        """Return actions as the networks store them as those of the action space."""
        if self.continuous:
            low, high = self.space.low, self.space.high
            scaled = low + (np.clip(stored, -1.0, 1.0) + 1.0) / 2.0 * (high - low)
            return scaled.astype(self.space.dtype)
        chosen, first = [], 0
        for size in self.sizes:
            chosen.append(stored[:, first : first + size].argmax(-1))
            first += size
        return chosen[0] if isinstance(self.space, Discrete) else np.stack(chosen, -1)

    def random_actions(self, rng: np.random.Generator, envs: int) -> Any:
        """Return random actions as the networks store them."""
        if self.continuous:
            return rng.uniform(-1.0, 1.0, (1, envs, self.sizes[0])).astype(np.float32)
        codes = [np.eye(size, dtype=np.float32)[rng.integers(size, size=envs)] for size in self.sizes]
        return np.concatenate(codes, -1)[None]


class DreamerLearner:
    """DreamerV3.

    Attributes:
        vector: the vector in which it plays.
    """

    def __init__(self, job: Job) -> None:
        self._settings = dict(job.settings)
        self._envs = self._settings["envs"]
        self.vector = job.make_vector(self._envs, workers=self._settings["workers"])
        try:
            torch.manual_seed(job.seed)
            spaces = (self.vector.single_observation_space, self.vector.single_action_space)
            self._networks = networks = _Networks(self._settings, spaces, self._envs, job.device)
        except BaseException:
            self.vector.close()
            raise
        config = networks.config
        self._optimisers = {
            name: networks.fabric.setup_optimizers(
                hydra.utils.instantiate(cfg.optimizer, params=module.parameters(), _convert_="all")
            )
            for name, cfg, module in (
                ("world", config.algo.world_model, networks.world_model),
                ("actor", config.algo.actor, networks.actor),
                ("critic", config.algo.critic, networks.critic),
            )
        }
        own = config.algo.actor.moments
        self._moments = Moments(own.decay, own.max, own.percentile.low, own.percentile.high)
        self._ratio = Ratio(self._settings["replay_ratio"])
        self._seed, self._steps, self._learned = job.seed, 0, 0
        self._replay = self._new_replay()
        self._rng = rng_from(job.seed)
        self._counter = EpisodeCounter(self._envs)
        self._means = _Means()
        self._step: dict[str, Any] = {}
        self._observations: Any = None

    def _new_replay(self) -> Any:
        size = self._settings["buffer_size"] // self._envs
        if size < self._settings["sequence_length"]:
            least = self._envs * self._settings["sequence_length"]
            raise ValueError(
                f"buffer_size is {self._settings['buffer_size']}; for {self._envs} environments and sequences of "
                f"{self._settings['sequence_length']} decisions it must be {least} or more"
            )
        return EnvIndependentReplayBuffer(
            size, n_envs=self._envs, memmap=False, buffer_cls=SequentialReplayBuffer, seed=self._seed
        )

    def update(self) -> Update:
        """Play some decisions, and learn after each as often as the ratio says."""
        start, learning, ended = time.perf_counter(), 0.0, []
        if self._observations is None:
            self._begin()
        for _ in range(max(1, self._settings["log_every"] // self._envs)):
            ended += self._play()
            before = time.perf_counter()
            self._learn()
            learning += time.perf_counter() - before
        steps = max(1, self._settings["log_every"] // self._envs) * self._envs
        taken = time.perf_counter() - start
        return Update(
            steps, ended, self._means.take(), learning_seconds=learning, other_seconds=max(0.0, taken - learning)
        )

    def _begin(self) -> None:
        observations, _ = self.vector.reset(seed=self._seed)
        self._observations = channels_first(observations, self._networks.pictures)
        none = np.zeros((1, self._envs, 1), np.float32)
        self._step = {"rewards": none, "truncated": none.copy(), "terminated": none.copy(), "is_first": none + 1}
        self._networks.player.num_envs = self._envs
        self._networks.player.init_states()

    def _play(self) -> list[Any]:
        """Play one decision of every environment; return the episodes that ended."""
        networks, envs, step = self._networks, self._envs, self._step
        random = self._steps < self._settings["learning_starts"]
        if random:
            stored = networks.random_actions(self._rng, envs)
            real = networks.real_actions(stored.reshape(envs, -1))
        else:
            real, stored = networks.act(self._observations, envs)
        step |= {name: part[None] for name, part in self._observations.items()}
        step["actions"] = stored.reshape(1, envs, -1)
        self._replay.add(step)
        seen, rewards, terminated, truncated, infos = self.vector.step(real)
        self._steps += envs
        ended = self._counter.count(rewards, terminated, truncated, infos)
        self._observations = channels_first(seen, networks.pictures)
        columns = {"rewards": rewards, "terminated": terminated, "truncated": truncated}
        step |= {name: np.asarray(value, np.float32).reshape(1, envs, 1) for name, value in columns.items()}
        step["is_first"] = np.zeros((1, envs, 1), np.float32)
        rows = np.flatnonzero(terminated | truncated).tolist()
        if rows:
            self._end_episodes(rows, infos)
        return ended

    def _end_episodes(self, rows: list[int], infos: Mapping[str, Any]) -> None:
        """Store the last observations of episodes, and begin the next ones."""
        step, networks = self._step, self._networks
        finals = [channels_first(infos["final_obs"][row], networks.pictures) for row in rows]
        last = {name: np.stack([each[name] for each in finals])[None] for name in finals[0]}
        last |= {name: step[name][:, rows].copy() for name in ("rewards", "terminated", "truncated")}
        last["actions"] = np.zeros((1, len(rows), sum(networks.sizes)), np.float32)
        last["is_first"] = np.zeros_like(last["terminated"])
        self._replay.add(last, rows)
        for name in ("rewards", "terminated", "truncated"):
            step[name][:, rows] = 0.0
        step["is_first"][:, rows] = 1.0
        networks.player.init_states(rows)

    def _learn(self) -> None:
        own, networks = self._settings, self._networks
        first = max(own["learning_starts"], own["sequence_length"] * self._envs)
        if self._steps < first:
            return
        config = networks.config
        for batch in sample_batches(networks.fabric, config, self._replay, self._ratio(self._steps - first)):
            share = 1.0 if not self._learned else config.algo.critic.tau
            pairs = zip(networks.critic.parameters(), networks.target_critic.parameters(), strict=True)
            for mine, target in pairs:
                target.data.copy_(share * mine.data + (1 - share) * target.data)
            optimisers = (self._optimisers[name] for name in ("world", "actor", "critic"))
            train(
                *(networks.fabric, networks.world_model, networks.actor, networks.critic, networks.target_critic),
                *optimisers,
                *(batch, self._means, config, networks.continuous, networks.sizes, self._moments),
            )
            self._learned += 1

    def set_task_weights(self, weights: Sequence[float] | None) -> None:
        """Set how probable each task is in the next episodes."""
        self.vector.set_task_weights(weights)

    def save(self, folder: Path) -> None:
        """Write the networks, and all that resuming needs."""
        networks, player = self._networks, self._networks.player
        states = {name: getattr(networks, name).state_dict() for name in _NETWORKS}
        torch.save({name: states[name] for name in ("world_model", "actor")}, folder / WEIGHTS)
        state = {
            "networks": states,
            "optimisers": {name: each.state_dict() for name, each in self._optimisers.items()},
            "moments": self._moments.state_dict(),
            "ratio": self._ratio.state_dict(),
            "counts": (self._steps, self._learned),
            "memory": (player.recurrent_state, player.stochastic_state, player.actions),
            "observations": self._observations,
            "step": self._step,
            "episodes": self._counter.state(),
            "vector": self.vector.snapshot(),
            "rng": (torch.get_rng_state(), self._rng.bit_generator.state),
        }
        torch.save(state, folder / RESUME)
        if self._settings["keep_replay"]:
            torch.save(self._replay, folder / _REPLAY)

    def load(self, folder: Path) -> None:
        """Resume from a checkpoint."""
        networks, player = self._networks, self._networks.player
        # The file holds the state of environments, which is no tensor; it is one of the user's own.
        state = torch.load(folder / RESUME, map_location=networks.fabric.device, weights_only=False)
        for name in _NETWORKS:
            networks.load(name, state["networks"][name])
        for name, each in self._optimisers.items():
            each.load_state_dict(state["optimisers"][name])
        self._moments.load_state_dict(state["moments"])
        self._ratio.load_state_dict(state["ratio"])
        self._steps, self._learned = state["counts"]
        player.num_envs = self._envs
        player.recurrent_state, player.stochastic_state, player.actions = state["memory"]
        self._observations, self._step = state["observations"], state["step"]
        self._counter.restore(state["episodes"])
        self.vector.restore(state["vector"])
        if (folder / _REPLAY).exists():
            self._replay = torch.load(folder / _REPLAY, weights_only=False)
        torch.set_rng_state(state["rng"][0].cpu())
        self._rng.bit_generator.state = state["rng"][1]

    def start_from(self, folder: Path) -> None:
        """Refuse: only what resuming needs has the critic.

        Raises:
            CannotStart: always.
        """
        raise CannotStart(
            f"dreamer cannot start from {folder}, whose {WEIGHTS} lacks the critic; "
            "`puzzlebox train -o RUN --resume --steps N` trains that run longer"
        )

    def close(self) -> None:
        """Close the vector."""
        self.vector.close()


class DreamerPlayer:
    """Plays a policy of DreamerV3, with its memory; with `greedy`, it takes the most probable action."""

    def __init__(
        self, folder: Path, settings: Mapping[str, Any], spaces: tuple[Any, Any], greedy: bool, device: str
    ) -> None:
        self._stream = torch.get_rng_state()
        self._greedy = greedy
        with self._own_stream():
            self._networks = _Networks(settings, spaces, 1, device)
        state = torch.load(folder / WEIGHTS, map_location=device, weights_only=True)
        for name, values in state.items():
            self._networks.load(name, values)

    @contextmanager
    def _own_stream(self) -> Iterator[None]:
        """Let torch draw from the stream of this player, and leave that of others as it was."""
        with torch.random.fork_rng(devices=[]):
            torch.set_rng_state(self._stream)
            yield
            self._stream = torch.get_rng_state()

    def begin(self, seed: int) -> None:
        """Start an episode with an empty memory."""
        self._stream = torch.Generator().manual_seed(agent_seed(seed)).get_state()
        self._networks.player.num_envs = 1
        self._networks.player.init_states()

    def act(self, observation: Any) -> Any:
        """Return the next action."""
        parts = {name: np.asarray(part)[None] for name, part in observation.items()}
        with self._own_stream():
            actions, _ = self._networks.act(channels_first(parts, self._networks.pictures), 1, self._greedy)
        return actions[0]
