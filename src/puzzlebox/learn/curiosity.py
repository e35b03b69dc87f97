"""Curiosity: an intrinsic reward for what could not be predicted, after Pathak et al. (2017).

Two networks learn beside the agent. The inverse model guesses an action from the encodings of the observations before
and after it, so that the encoding keeps what the agent can influence; the forward model predicts the next encoding
from this one and the action. The intrinsic reward of a step is half the squared error of that prediction, at most 1,
times `strength`. An observation after which the episode ended is compared with the last one of that episode.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from gymnasium.spaces import Box, Discrete, MultiDiscrete
from gymnasium.spaces import Dict as DictSpace
from numpy.typing import NDArray
from torch import Tensor, nn

# Observations that are encoded at once.
_BATCH = 1024


class Encoder(nn.Module):
    """Encodes observations: pictures by four convolutions as published, everything else by two layers."""

    def __init__(self, space: DictSpace, features: int) -> None:
        super().__init__()
        self.parts = nn.ModuleDict()
        width = 0
        for name, part in space.items():
            assert isinstance(part, Box)
            if part.dtype == np.uint8 and len(part.shape) >= 3:
                height, columns, channels = _picture_shape(part.shape)
                layers: list[nn.Module] = []
                for _ in range(4):
                    layers += [nn.Conv2d(channels, 32, 3, 2, 1), nn.ELU()]
                    height, columns, channels = -(-height // 2), -(-columns // 2), 32
                self.parts[name] = nn.Sequential(*layers, nn.Flatten())
                width += 32 * height * columns
            else:
                size = int(np.prod(part.shape))
                self.parts[name] = nn.Sequential(_Scaled(part), nn.Linear(size, 128), nn.ELU())
                width += 128
        self.last = nn.Linear(width, features)

    def forward(self, observations: Mapping[str, Tensor]) -> Tensor:
        """Return the encodings."""
        encoded = []
        for name, network in self.parts.items():
            value = observations[name]
            if value.dtype == torch.uint8:
                if value.dim() == 5:  # several pictures, such as those of two eyes
                    value = value.movedim(1, -2).flatten(-2)
                encoded.append(network(value.movedim(-1, 1).float() / 255))
            else:
                encoded.append(network(value.float()))
        return self.last(torch.cat(encoded, 1))


class _Scaled(nn.Module):
    """Brings numbers from the bounds of their space to -1 to 1, where these are finite."""

    def __init__(self, space: Box) -> None:
        super().__init__()
        low, high = (torch.as_tensor(each, dtype=torch.float32).flatten() for each in (space.low, space.high))
        finite = (low.abs() < 1e6) & (high.abs() < 1e6) & (high > low)
        middle, half = torch.where(finite, (low + high) / 2, 0.0), torch.where(finite, (high - low) / 2, 1.0)
        self.register_buffer("middle", middle)
        self.register_buffer("spread", half)

    def forward(self, values: Tensor) -> Tensor:
        """Return the scaled numbers of each row."""
        return (values.flatten(1) - self.middle) / self.spread  # type: ignore[operator]


def _picture_shape(shape: Sequence[int]) -> tuple[int, int, int]:
    *several, height, width, channels = shape
    return height, width, channels * int(np.prod(several))


class CuriosityModel(nn.Module):
    """The encoder, the inverse model and the forward model."""

    def __init__(self, observations: DictSpace, actions: Any, features: int) -> None:
        super().__init__()
        self.encoder = Encoder(observations, features)
        self.counts = _counts(actions)
        self.action_size = sum(self.counts) if self.counts else int(np.prod(actions.shape))
        self.inverse = nn.Sequential(nn.Linear(2 * features, 256), nn.ELU(), nn.Linear(256, self.action_size))
        self.forward_model = nn.Sequential(
            nn.Linear(features + self.action_size, 256), nn.ELU(), nn.Linear(256, features)
        )

    def encode_actions(self, actions: NDArray[Any]) -> Tensor:
        """Return actions as numbers: a one-hot code for each discrete one."""
        values = torch.as_tensor(np.asarray(actions))
        if not self.counts:
            return values.reshape(len(values), -1).float()
        columns = values.reshape(len(values), -1)
        codes = [nn.functional.one_hot(columns[:, i], count) for i, count in enumerate(self.counts)]
        return torch.cat(codes, 1).float()

    def errors(self, before: Tensor, after: Tensor, actions: Tensor) -> Tensor:
        """Return half the squared error of each prediction of the forward model."""
        predicted = self.forward_model(torch.cat([before, actions], 1))
        return 0.5 * (predicted - after).square().sum(1)

    def inverse_loss(self, before: Tensor, after: Tensor, actions: Tensor) -> Tensor:
        """Return how badly the inverse model guesses actions."""
        guess = self.inverse(torch.cat([before, after], 1))
        if not self.counts:
            return nn.functional.mse_loss(guess, actions)
        losses = [
            -(target * nn.functional.log_softmax(part, 1)).sum(1).mean()
            for part, target in zip(guess.split(self.counts, 1), actions.split(self.counts, 1), strict=True)
        ]
        return torch.stack(losses).sum()


def _counts(actions: Any) -> list[int]:
    if isinstance(actions, Discrete):
        return [int(actions.n)]
    return np.asarray(actions.nvec).ravel().tolist() if isinstance(actions, MultiDiscrete) else []


class CuriousVector:
    """A vector whose rewards have an intrinsic part; everything else is that of the vector inside.

    Args:
        envs: a Gymnasium vector with `autoreset="same_step"` and Dict observations.
        settings: `strength`, `features`, `learning_rate`, `forward_share`, `batch_size`, `every`.
        seed: the seed of the networks.
        device: where they compute.

    Attributes:
        totals: for each episode that ended, in order, the sum of rewards without the intrinsic part; whoever logs the
            episodes takes them out.
        metrics: losses and the mean intrinsic reward of the latest learning.
    """

    def __init__(self, envs: Any, settings: Mapping[str, Any], seed: int, device: str = "cpu") -> None:
        self.envs, self._settings, self._device = envs, dict(settings), torch.device(device)
        self.num_envs = envs.num_envs
        self.single_observation_space, self.single_action_space = (
            envs.single_observation_space,
            envs.single_action_space,
        )
        self.observation_space, self.action_space = envs.observation_space, envs.action_space
        self.metadata, self.autoreset_mode = envs.metadata, getattr(envs, "autoreset_mode", None)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._model = CuriosityModel(
                self.single_observation_space, self.single_action_space, self._settings["features"]
            ).to(self._device)
        self._optimiser = torch.optim.Adam(self._model.parameters(), lr=self._settings["learning_rate"])
        self._rng = torch.Generator().manual_seed(seed)
        self._last: Any = None
        self._memory: list[tuple[dict[str, Any], dict[str, Any], Any]] = []
        self._sums = np.zeros(self.num_envs)
        self._paid = 0.0
        self.totals: list[float] = []
        self.metrics: dict[str, float] = {}

    @property
    def task_names(self) -> list[str]:
        """The names of the tasks."""
        return list(self.envs.task_names)

    def set_task_weights(self, weights: Any) -> None:
        """Set how probable each task is in the next episodes."""
        self.envs.set_task_weights(weights)

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        """Start an episode in every environment."""
        observations, infos = self.envs.reset(**arguments)
        self._last, self._sums = observations, np.zeros(self.num_envs)
        return observations, infos

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Step every environment; its reward includes the intrinsic one."""
        observations, rewards, terminated, truncated, infos = self.envs.step(actions)
        done = terminated | truncated
        after = observations
        if done.any():  # the observation here is the first of the next episode
            after = {name: part.copy() for name, part in observations.items()}
            for row in np.flatnonzero(done):
                for name in after:
                    after[name][row] = infos["final_obs"][row][name]
        self._sums += rewards
        for row in np.flatnonzero(done):
            self.totals.append(round(float(self._sums[row]), 6))
            self._sums[row] = 0.0
        intrinsic = self._intrinsic(self._last, after, actions)
        self._memory.append((self._last, after, np.array(actions)))
        self._last = observations
        if len(self._memory) >= self._settings["every"]:
            self._learn()
        return observations, rewards + intrinsic, terminated, truncated, infos

    def _intrinsic(self, before: Any, after: Any, actions: Any) -> NDArray[Any]:
        with torch.no_grad():
            errors = self._model.errors(
                self._encode(before), self._encode(after), self._model.encode_actions(actions).to(self._device)
            )
        paid = self._settings["strength"] * errors.clamp(max=1.0).cpu().numpy().astype(np.float64)
        self._paid += float(paid.mean())
        return paid

    def _encode(self, observations: Mapping[str, Any]) -> Tensor:
        parts = {name: torch.as_tensor(part).to(self._device) for name, part in observations.items()}
        count = len(next(iter(parts.values())))
        pieces = [
            self._model.encoder({name: part[low : low + _BATCH] for name, part in parts.items()})
            for low in range(0, count, _BATCH)
        ]
        return torch.cat(pieces)

    def _learn(self) -> None:
        """Learn once from every transition since the last time, and forget them."""
        steps, own = len(self._memory), self._settings
        before, after = (
            {name: np.concatenate([each[side][name] for each in self._memory]) for name in self._memory[0][side]}
            for side in (0, 1)
        )
        actions = self._model.encode_actions(np.concatenate([each[2] for each in self._memory])).to(self._device)
        self._memory = []
        order = torch.randperm(len(actions), generator=self._rng)
        losses = []
        for chosen in order.split(own["batch_size"]):
            rows = chosen.numpy()
            first = self._encode({name: part[rows] for name, part in before.items()})
            second = self._encode({name: part[rows] for name, part in after.items()})
            taken = actions[chosen.to(self._device)]
            forward = self._model.errors(first, second, taken).mean()
            inverse = self._model.inverse_loss(first, second, taken)
            loss = own["forward_share"] * forward + (1 - own["forward_share"]) * inverse
            self._optimiser.zero_grad()
            loss.backward()
            self._optimiser.step()
            losses.append((float(forward.detach()), float(inverse.detach())))
        means = np.mean(losses, axis=0)
        self.metrics = {
            "curiosity/forward_loss": float(means[0]),
            "curiosity/inverse_loss": float(means[1]),
            "curiosity/reward": self._paid / steps,
        }
        self._paid = 0.0

    def snapshot(self) -> dict[str, Any]:
        """Return the state of environments and networks."""
        return {
            "envs": self.envs.snapshot(),
            "model": self._model.state_dict(),
            "optimiser": self._optimiser.state_dict(),
            "rng": self._rng.get_state(),
            "memory": self._memory,
            **{"sums": self._sums.tolist(), "paid": self._paid, "totals": list(self.totals)},
        }

    def restore(self, state: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return to a snapshot; return what `reset` would return there."""
        self._model.load_state_dict(state["model"])
        self._optimiser.load_state_dict(state["optimiser"])
        self._rng.set_state(state["rng"].cpu())
        self._memory, self._paid = list(state["memory"]), state["paid"]
        self._sums, self.totals = np.array(state["sums"]), list(state["totals"])
        observations, infos = self.envs.restore(state["envs"])
        self._last = observations
        return observations, infos

    def close(self, **arguments: Any) -> None:
        """Close the vector inside."""
        self.envs.close(**arguments)
