"""Networks: pictures and numbers in, features; a memory over time; action outputs and a value."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import prod
from os import PathLike
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from torch import Tensor, nn
from torch.nn import functional

from puzzlebox.learn.distributions import actions_of
from puzzlebox.learn.pictures import Picture, orthogonal
from puzzlebox.text import nearest

PICTURE_NETWORKS = ("nature", "impala")
MEMORIES = ("lstm", "gru", "none")
# The name of an observation that is not a dictionary.
WHOLE = "observation"
_FEATURES = {"nature": 512, "impala": 256, "mlp": 256}
_NUMBER_FEATURES = 128
# At first, units of a memory keep what they hold for up to so many steps.
_LONGEST_MEMORY = 128
# Bounds beyond this say nothing of how large numbers usually are.
_UNBOUNDED = 1e6


@dataclass(frozen=True)
class Shape:
    """The shape of a network.

    Attributes:
        network: "nature" or "impala", for pictures, or "mlp".
        memory: "lstm", "gru" or "none".
        memory_size: the number of units of the memory.
        features: the number of features of a picture; 0 for the usual number: 512 of "nature", otherwise 256.
    """

    network: str = "nature"
    memory: str = "lstm"
    memory_size: int = 256
    features: int = 0

    def __post_init__(self) -> None:
        """Refuse unknown names."""
        for name, known in (("network", (*PICTURE_NETWORKS, "mlp")), ("memory", MEMORIES)):
            value = getattr(self, name)
            if value not in known:
                raise ValueError(f"{name} is {value!r}{nearest(str(value), known)}")


def parts_of(space: spaces.Space[Any]) -> dict[str, spaces.Space[Any]]:
    """Return the parts of an observation space by name; one that is no dictionary has a single part."""
    return dict(space.spaces) if isinstance(space, spaces.Dict) else {WHOLE: space}


def is_picture(space: spaces.Space[Any]) -> bool:
    """Return whether a part of an observation is a picture: three dimensions of bytes."""
    return isinstance(space, spaces.Box) and space.dtype == np.uint8 and len(space.shape) == 3


class Values(nn.Module):
    """Features of all parts of an observation that are no pictures, in one row.

    Numbers with finite bounds are brought between -1 and 1; others become the sign and logarithm of their size.
    """

    def __init__(self, parts: Mapping[str, spaces.Space[Any]], features: int) -> None:
        super().__init__()
        self._choices = {name: int(part.n) for name, part in parts.items() if isinstance(part, spaces.Discrete)}
        self._names = list(parts)
        count = 0
        for name, part in parts.items():
            if isinstance(part, spaces.Discrete):
                count += int(part.n)
                continue
            if not isinstance(part, spaces.Box | spaces.MultiBinary):
                raise ValueError(
                    f"{name} of the observation is {type(part).__name__}; it must be Box, Discrete or MultiBinary"
                )
            size = prod(part.shape)
            low = part.low.reshape(-1) if isinstance(part, spaces.Box) else np.zeros(size)
            high = part.high.reshape(-1) if isinstance(part, spaces.Box) else np.ones(size)
            bounded = (low > -_UNBOUNDED) & (high < _UNBOUNDED) & (high > low)
            low, high = np.where(bounded, low, -1.0), np.where(bounded, high, 1.0)
            middle, half = (low + high) / 2, (high - low) / 2
            for key, values in (("middle", middle), ("half", half), ("bounded", bounded)):
                self.register_buffer(f"{key}_{name}", torch.tensor(values, dtype=torch.float32), persistent=False)
            count += size
        self.layers = nn.Sequential(
            orthogonal(nn.Linear(count, features)), nn.Tanh(), orthogonal(nn.Linear(features, features)), nn.Tanh()
        )

    def forward(self, observation: Mapping[str, Tensor]) -> Tensor:
        """Return the features of each row."""
        rows = []
        for name in self._names:
            if name in self._choices:
                rows.append(functional.one_hot(observation[name].long(), self._choices[name]).float())
                continue
            values = observation[name].flatten(1).float()
            scaled = (values - getattr(self, f"middle_{name}")) / getattr(self, f"half_{name}")
            size = values.sign() * values.abs().log1p()
            rows.append(torch.where(getattr(self, f"bounded_{name}") > 0, scaled, size))
        return self.layers(torch.cat(rows, -1))


class Memory(nn.Module):
    """A recurrent layer that starts afresh within a sequence wherever an episode starts.

    The products with the inputs are taken for the whole sequence at once; only those with the state are taken step by
    step, because cuDNN's layers cannot be reset within a sequence.

    Attributes:
        width: the numbers of a state; those of an LSTM are its outputs and its cells.
    """

    def __init__(self, kind: str, inputs: int, size: int) -> None:
        super().__init__()
        self._kind, self._size = kind, size
        self.width = {"lstm": 2 * size, "gru": size, "none": 0}[kind]
        self.outputs = inputs if kind == "none" else size
        if kind == "none":
            return
        gates = 4 if kind == "lstm" else 3
        self.inputs = nn.Linear(inputs, gates * size)
        self.hidden = nn.Linear(size, gates * size, bias=kind == "gru")
        with torch.no_grad():
            for layer in (self.inputs, self.hidden):
                for part in layer.weight.chunk(gates):
                    nn.init.orthogonal_(part)
                if layer.bias is not None:
                    layer.bias.zero_()
            # Each unit forgets at first after a number of steps of its own (Tallec & Ollivier, 2018).
            kept = torch.empty(size).uniform_(1, _LONGEST_MEMORY - 1).log()
            if kind == "lstm":
                self.inputs.bias[:size], self.inputs.bias[size : 2 * size] = -kept, kept
            else:
                self.inputs.bias[size : 2 * size] = kept

    def forward(self, features: Tensor, state: Tensor, starts: Tensor) -> tuple[Tensor, Tensor]:
        """Return the outputs of each step, and the state after the last.

        Args:
            features: the features of each step: steps x sequences x numbers.
            state: the state before the first step: sequences x `width`.
            starts: True where a step is the first of its episode: steps x sequences.
        """
        if self._kind == "none":
            return features, state
        gates = self.inputs(features)
        keep = (~starts).to(state.dtype).unsqueeze(-1)
        step = self._lstm if self._kind == "lstm" else self._gru
        outputs = []
        for now, kept in zip(gates.unbind(), keep.unbind(), strict=True):
            state = step(now, state * kept)
            outputs.append(state[:, : self._size])
        return torch.stack(outputs), state

    def _lstm(self, gates: Tensor, state: Tensor) -> Tensor:
        hidden, cells = state.split(self._size, 1)
        gates = (gates + self.hidden(hidden)).float()
        enter, forget, new, leave = gates.chunk(4, 1)
        cells = torch.sigmoid(forget) * cells + torch.sigmoid(enter) * torch.tanh(new)
        return torch.cat([torch.sigmoid(leave) * torch.tanh(cells), cells], 1)

    def _gru(self, gates: Tensor, state: Tensor) -> Tensor:
        recurrent = self.hidden(state).float()
        reset, update = torch.sigmoid(gates[:, : 2 * self._size].float() + recurrent[:, : 2 * self._size]).chunk(2, 1)
        new = torch.tanh(gates[:, 2 * self._size :].float() + reset * recurrent[:, 2 * self._size :])
        return new + update * (state - new)


class Network(nn.Module):
    """Observations in, action outputs and values out, with a memory between them.

    Attributes:
        actions: the meaning of the outputs.
        width: the numbers of a recurrent state.
    """

    def __init__(self, observation: spaces.Space[Any], action: spaces.Space[Any], shape: Shape) -> None:
        super().__init__()
        parts = parts_of(observation)
        pictures = {name: part.shape for name, part in parts.items() if is_picture(part) and shape.network != "mlp"}
        features = shape.features or _FEATURES[shape.network if pictures else "mlp"]
        self.pictures = nn.ModuleDict(
            {name: Picture(name, size or (), shape.network, features) for name, size in pictures.items()}
        )
        rest = {name: part for name, part in parts.items() if name not in pictures}
        self.values = Values(rest, _NUMBER_FEATURES if pictures else features) if rest else None
        count = len(pictures) * features + (0 if not rest else _NUMBER_FEATURES if pictures else features)
        self.memory = Memory(shape.memory, count, shape.memory_size)
        self.actions = actions_of(action)
        self.policy = orthogonal(nn.Linear(self.memory.outputs, self.actions.outputs), 0.01)
        self.value = orthogonal(nn.Linear(self.memory.outputs, 1), 1.0)
        self.width = self.memory.width

    def forward(
        self, observation: Mapping[str, Tensor], state: Tensor, starts: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return outputs and values of each step, and the state after the last.

        Args:
            observation: its parts: steps x sequences x shape.
            state: the recurrent state before the first step: sequences x `width`.
            starts: True where a step is the first of its episode: steps x sequences.
        """
        flat = {name: part.flatten(0, 1) for name, part in observation.items()}
        features = [picture(flat[name]) for name, picture in self.pictures.items()]
        if self.values is not None:
            features.append(self.values(flat))
        joined = features[0] if len(features) == 1 else torch.cat(features, -1)
        seen, state = self.memory(joined.unflatten(0, starts.shape), state, starts)
        with torch.autocast(seen.device.type, enabled=False):
            seen = seen.float()
            return self.policy(seen), self.value(seen).squeeze(-1), state


class Policy(nn.Module):
    """A trained network for playing.

    Attributes:
        network: the network.
        description: spaces and shape of the network as plain data, from which `Policy.of` makes it again.
    """

    def __init__(self, observation: spaces.Space[Any], action: spaces.Space[Any], shape: Shape) -> None:
        super().__init__()
        self.network = Network(observation, action, shape)
        self.description: dict[str, Any] = {
            "observation": _described(observation),
            "action": _described(action),
            "shape": asdict(shape),
        }
        self.eval()

    @classmethod
    def of(cls, description: Mapping[str, Any]) -> Self:
        """Return a policy with a description, with new weights."""
        observation, action = (_space(description[name]) for name in ("observation", "action"))
        return cls(observation, action, Shape(**description["shape"]))

    def save(self, path: str | PathLike[str]) -> None:
        """Write description and weights to a file."""
        torch.save({"description": self.description, "weights": self.network.state_dict()}, path)

    @classmethod
    def load(cls, path: str | PathLike[str], device: str = "cpu") -> Self:
        """Read a policy from a file that `save` wrote; the file can run no code.

        Weights that were rounded to 16 bits become numbers of 32 bits again.
        """
        stored = torch.load(path, map_location=device, weights_only=True)
        policy = cls.of(stored["description"]).to(device)
        policy.network.load_state_dict(stored["weights"])
        return policy

    def initial(self, count: int) -> Tensor:
        """Return the recurrent state at the start of an episode, one row for each of `count` environments."""
        return torch.zeros(count, self.network.width, device=next(self.parameters()).device)

    @torch.no_grad()
    def act(
        self, observation: Any, state: Tensor, generator: torch.Generator | None = None
    ) -> tuple[npt.NDArray[Any], Tensor]:
        """Choose actions.

        Args:
            observation: the parts of the observation as arrays, or one array, with a row for each environment.
            state: the recurrent state of each environment; it is that of `initial` when an episode starts.
            generator: the stream on this policy's device from which actions are drawn; None chooses the most probable
                ones.

        Returns:
            The actions as an array for the vector, and the next recurrent state.
        """
        parts = observation if isinstance(observation, Mapping) else {WHOLE: observation}
        device = state.device
        seen = {name: torch.as_tensor(np.asarray(part), device=device).unsqueeze(0) for name, part in parts.items()}
        starts = torch.zeros(1, len(state), dtype=torch.bool, device=device)
        outputs, _, state = self.network(seen, state, starts)
        actions = self.network.actions
        if generator is None:
            chosen = actions.best(outputs[0])
        else:
            chosen = actions.sample(outputs[0], actions.noise((len(state),), generator))
        return actions.for_env(chosen.cpu().numpy()), state


def _described(space: spaces.Space[Any]) -> dict[str, Any]:
    """Return a space as plain data."""
    if isinstance(space, spaces.Dict):
        return {"kind": "Dict", "parts": {name: _described(part) for name, part in space.items()}}
    if isinstance(space, spaces.Box):
        low, high = ([float(value) for value in side.reshape(-1)] for side in (space.low, space.high))
        bounds = (low[0], high[0]) if len(set(low)) == 1 and len(set(high)) == 1 else (low, high)
        return {
            "kind": "Box",
            "low": bounds[0],
            "high": bounds[1],
            "shape": list(space.shape),
            "dtype": str(space.dtype),
        }
    if isinstance(space, spaces.Discrete):
        return {"kind": "Discrete", "n": int(space.n), "start": int(space.start)}
    if isinstance(space, spaces.MultiDiscrete):
        return {"kind": "MultiDiscrete", "nvec": space.nvec.tolist(), "start": space.start.tolist()}
    if isinstance(space, spaces.MultiBinary):
        return {"kind": "MultiBinary", "n": list(space.shape)}
    raise ValueError(f"a space is {type(space).__name__}; it must be Dict, Box, Discrete, MultiDiscrete or MultiBinary")


def _space(data: Mapping[str, Any]) -> spaces.Space[Any]:
    """Return the space that plain data describes."""
    kind, values = data["kind"], {name: value for name, value in data.items() if name != "kind"}
    if kind == "Dict":
        return spaces.Dict({name: _space(part) for name, part in values["parts"].items()})
    if kind == "Box":
        shape, dtype = tuple(values["shape"]), np.dtype(values["dtype"])
        low, high = (
            side if isinstance(side, float) else np.array(side, dtype).reshape(shape)
            for side in (values["low"], values["high"])
        )
        return spaces.Box(low, high, shape, dtype.type)
    known = {"Discrete": spaces.Discrete, "MultiDiscrete": spaces.MultiDiscrete, "MultiBinary": spaces.MultiBinary}
    if kind not in known:
        raise ValueError(f"the kind of a space is {kind!r}{nearest(str(kind), ['Dict', 'Box', *known])}")
    return known[kind](**values)
