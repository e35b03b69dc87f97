"""What a network's outputs mean as actions: probabilities of choices, or the mean and spread of numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from torch import Tensor, nn
from torch.nn import functional


class Actions(nn.Module):
    """Actions as a row of numbers each, drawn from a network's outputs and noise.

    Noise is drawn apart from the outputs, so that a whole rollout draws it at once and an action depends on its own
    row alone.

    Attributes:
        outputs: the number of outputs of the network.
        width: the numbers of a row of actions.
        dtype: their type.
    """

    outputs: int
    width: int
    dtype: torch.dtype

    def noise(self, shape: Sequence[int], generator: torch.Generator) -> Tensor:
        """Return noise for actions of some shape, on the device of the generator."""
        raise NotImplementedError

    def sample(self, outputs: Tensor, noise: Tensor) -> Tensor:
        """Return the actions that follow from outputs and noise."""
        raise NotImplementedError

    def best(self, outputs: Tensor) -> Tensor:
        """Return the most probable actions."""
        raise NotImplementedError

    def log_prob(self, outputs: Tensor, actions: Tensor) -> Tensor:
        """Return the logarithm of the probability (density) of actions."""
        raise NotImplementedError

    def entropy(self, outputs: Tensor) -> Tensor:
        """Return the entropy."""
        raise NotImplementedError

    def for_env(self, actions: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return rows of actions as the environment takes them."""
        raise NotImplementedError


class Choices(Actions):
    """One choice, or several independent ones at a time: `Discrete` and `MultiDiscrete`."""

    def __init__(self, space: "spaces.Discrete[Any] | spaces.MultiDiscrete") -> None:
        super().__init__()
        self._single = isinstance(space, spaces.Discrete)
        sizes = [space.n] if isinstance(space, spaces.Discrete) else list(space.nvec.ravel())
        self._sizes = [int(size) for size in sizes]
        self._start = np.asarray(space.start).reshape(-1)
        self._shape = space.shape or ()
        self._env_dtype = space.dtype
        self.outputs, self.width, self.dtype = sum(self._sizes), len(self._sizes), torch.int64

    def _parts(self, outputs: Tensor) -> list[Tensor]:
        return list(outputs.split(self._sizes, dim=-1)) if len(self._sizes) > 1 else [outputs]

    def noise(self, shape: Sequence[int], generator: torch.Generator) -> Tensor:
        """Return Gumbel noise: adding it to the outputs and choosing the largest draws from the softmax."""
        drawn = torch.empty(*shape, self.outputs, device=generator.device)
        return drawn.exponential_(generator=generator).log_().neg_()

    def sample(self, outputs: Tensor, noise: Tensor) -> Tensor:
        """Return the actions that follow from outputs and noise."""
        return self.best(outputs + noise)

    def best(self, outputs: Tensor) -> Tensor:
        """Return the most probable actions."""
        return torch.stack([part.argmax(-1) for part in self._parts(outputs)], -1)

    def log_prob(self, outputs: Tensor, actions: Tensor) -> Tensor:
        """Return the logarithm of the probability of actions."""
        parts = zip(self._parts(outputs), actions.split(1, dim=-1), strict=True)
        return torch.stack([functional.log_softmax(part, -1).gather(-1, own).squeeze(-1) for part, own in parts]).sum(0)

    def entropy(self, outputs: Tensor) -> Tensor:
        """Return the entropy, the sum of that of all choices."""
        logs = [functional.log_softmax(part, -1) for part in self._parts(outputs)]
        return torch.stack([-(log.exp() * log).sum(-1) for log in logs]).sum(0)

    def for_env(self, actions: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return rows of actions as the environment takes them."""
        chosen = (actions + self._start).astype(self._env_dtype, copy=False)
        return chosen[:, 0] if self._single else chosen.reshape(len(actions), *self._shape)


class Numbers(Actions):
    """Real numbers, normally distributed with a spread that does not depend on the observation: `Box`.

    Where the space is bounded, -1 and 1 are its bounds, and what lies outside is moved to them.
    """

    def __init__(self, space: spaces.Box) -> None:
        super().__init__()
        self._shape = space.shape
        self._env_dtype = space.dtype
        self._low, self._high = space.low.reshape(-1), space.high.reshape(-1)
        self._bounded = np.isfinite(self._low) & np.isfinite(self._high)
        self.outputs = self.width = int(np.prod(space.shape))
        self.dtype = torch.float32
        self.log_std = nn.Parameter(torch.zeros(self.width))

    def noise(self, shape: Sequence[int], generator: torch.Generator) -> Tensor:
        """Return normally distributed noise."""
        return torch.randn(*shape, self.width, generator=generator, device=generator.device)

    def sample(self, outputs: Tensor, noise: Tensor) -> Tensor:
        """Return the actions that follow from outputs and noise."""
        return outputs + self.log_std.exp() * noise

    def best(self, outputs: Tensor) -> Tensor:
        """Return the most probable actions."""
        return outputs

    def log_prob(self, outputs: Tensor, actions: Tensor) -> Tensor:
        """Return the logarithm of the probability density of actions."""
        scaled = (actions - outputs) * (-self.log_std).exp()
        return -(0.5 * scaled.square() + self.log_std + 0.5 * np.log(2 * np.pi)).sum(-1)

    def entropy(self, outputs: Tensor) -> Tensor:
        """Return the entropy, which is the same for all outputs."""
        return (self.log_std + 0.5 * np.log(2 * np.pi * np.e)).sum().expand(outputs.shape[:-1])

    def for_env(self, actions: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return rows of actions as the environment takes them."""
        low, high = np.where(self._bounded, self._low, 0.0), np.where(self._bounded, self._high, 0.0)
        scaled = np.where(self._bounded, low + (actions + 1) * (high - low) / 2, actions)
        return np.clip(scaled, self._low, self._high).astype(self._env_dtype).reshape(len(actions), *self._shape)


def actions_of(space: spaces.Space[Any]) -> Actions:
    """Return the actions of a space.

    Raises:
        ValueError: the space is of another kind.
    """
    if isinstance(space, spaces.Discrete | spaces.MultiDiscrete):
        return Choices(space)
    if isinstance(space, spaces.Box):
        return Numbers(space)
    raise ValueError(f"the action space is {type(space).__name__}; it must be Discrete, MultiDiscrete or Box")
