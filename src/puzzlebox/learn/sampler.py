"""Sampling: groups of environments and the policy take turns, and fill the arrays of a rollout.

While the policy chooses the actions of one group, the environments of the others step, so that neither waits for the
other as long as both have work. On a GPU, observations go from the memory that the environments write to straight to
the rollout on the GPU, and the step of the policy is one CUDA graph.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from torch import Tensor

from puzzlebox.learn.networks import WHOLE, Network, parts_of

Arrays = dict[str, npt.NDArray[Any]]
# How many last observations are valued at a time; a GPU always gets that many, since it is tuned for each number.
_CUT_BATCH = 64


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


class Results(Protocol):
    """What `receive` returns: the results of a step of one group (`puzzlebox.arena.envs.turns.Turn`)."""

    observations: Arrays
    reward: npt.NDArray[Any]
    terminated: npt.NDArray[Any]
    truncated: npt.NDArray[Any]
    finals: Mapping[int, tuple[Any, dict[str, Any]]]


class VectorLike(Protocol):
    """A Gymnasium vector; one that also has `groups`, `rows`, `send` and `receive` is sampled group by group."""

    num_envs: int
    single_observation_space: spaces.Space[Any]
    single_action_space: spaces.Space[Any]
    metadata: dict[str, Any]

    def reset(self, *, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode in every environment."""

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Step every environment."""

    def close(self) -> None:
        """Close the vector."""


@dataclass
class _Turn:
    """The results of a step of all environments of a vector without groups."""

    observations: Arrays
    reward: npt.NDArray[Any]
    terminated: npt.NDArray[Any]
    truncated: npt.NDArray[Any]
    finals: Mapping[int, tuple[Any, dict[str, Any]]]


class OneGroup:
    """Any Gymnasium vector as a vector with one group."""

    groups = 1

    def __init__(self, envs: Any) -> None:
        self._envs = envs
        self._actions: Any = None

    def rows(self, group: int) -> slice:
        """Return which environments are in a group: all."""
        return slice(0, self._envs.num_envs)

    def send(self, actions: Any, group: int = 0) -> None:
        """Keep the actions of the next step."""
        self._actions = actions

    def receive(self, group: int = 0, *, copy: bool = True) -> Results:
        """Step all environments."""
        observations, reward, terminated, truncated, infos = self._envs.step(self._actions)
        finals = {}
        ended = np.asarray(terminated) | np.asarray(truncated)
        if ended.any():
            final, info = infos["final_obs"], infos.get("final_info", {})
            for row in np.flatnonzero(ended).tolist():
                last = _row(final, row) if isinstance(final, Mapping) else final[row]
                finals[row] = (last, _row(info, row) if isinstance(info, Mapping) else info[row])
        return _Turn(as_parts(observations), reward, terminated, truncated, finals)


def _row(values: Mapping[str, Any], row: int) -> dict[str, Any]:
    """Return the entries of one environment out of those of a vector; those whose mask is False are None."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if name.startswith("_") and name[1:] in values:
            continue
        mask = values.get(f"_{name}")
        known = mask is None or isinstance(mask, Mapping) or bool(mask[row])
        found[name] = (_row(value, row) if isinstance(value, Mapping) else value[row]) if known else None
    return found


def as_parts(observations: Any) -> Arrays:
    """Return observations by the names of their parts."""
    return dict(observations) if isinstance(observations, Mapping) else {WHOLE: np.asarray(observations)}


@dataclass
class Clock:
    """The seconds that a learner has spent on each kind of work."""

    environment: float = 0.0
    policy: float = 0.0
    learning: float = 0.0
    total: float = 0.0


@dataclass
class Rollout:
    """What was sampled: arrays on the device, steps x environments; row `steps` holds what follows the last step.

    Attributes:
        observations: the parts of the observation before each step.
        starts: whether that observation is the first of its episode.
        states: the recurrent state before each step, also where an episode starts.
        actions: rows of actions.
        log_probs: their log probabilities.
        values: the value of each observation.
        rewards: the rewards.
        ends: whether the episode ended with the step.
        last_values: where an episode was cut off, the value of its last observation; elsewhere 0.
    """

    observations: dict[str, Tensor]
    starts: Tensor
    states: Tensor
    actions: Tensor
    log_probs: Tensor
    values: Tensor
    rewards: Tensor
    ends: Tensor
    last_values: Tensor

    @classmethod
    def empty(
        cls, network: Network, space: spaces.Space[Any], steps: int, envs: int, device: torch.device
    ) -> "Rollout":
        """Return a rollout of zeros."""

        def zeros(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
            return torch.zeros(*shape, dtype=dtype, device=device)

        observations = {}
        for name, part in parts_of(space).items():
            dtype = torch.uint8 if part.dtype == np.uint8 else torch.float32
            observations[name] = zeros(steps + 1, envs, *(part.shape or ()), dtype=dtype)
        return cls(
            observations,
            zeros(steps + 1, envs, dtype=torch.bool),
            zeros(steps + 1, envs, network.width),
            zeros(steps + 1, envs, network.actions.width, dtype=network.actions.dtype),
            zeros(steps + 1, envs),
            zeros(steps + 1, envs),
            zeros(steps, envs),
            zeros(steps, envs, dtype=torch.bool),
            zeros(steps, envs),
        )


class _Actor:
    """The policy of one group: reads its observations, chooses actions, and writes both into the rollout.

    Observations are read straight into their row of the rollout. A CUDA graph always reads from and writes to the same
    places: then they are read into arrays of their own, and the graph finds its row by a counter on the GPU.
    """

    def __init__(self, sampler: "Sampler", rows: slice, graph: bool) -> None:
        self._sampler, self._rows = sampler, rows
        rollout, device = sampler.rollout, sampler.device
        count = rows.stop - rows.start
        self._row = 0
        self._inputs = {name: part[0, rows] for name, part in rollout.observations.items()}
        self.starts = torch.ones(count, dtype=torch.bool, device=device)
        self.state = torch.zeros(count, sampler.network.width, device=device)
        pinned = device.type == "cuda"
        actions = sampler.network.actions
        self._actions = torch.zeros(count, actions.width, dtype=actions.dtype, pin_memory=pinned)
        self._host_starts = torch.ones(count, dtype=torch.bool, pin_memory=pinned)
        self._done = torch.cuda.Event() if pinned else None
        self._graph: torch.cuda.CUDAGraph | None = None
        if graph:
            self._capture()

    def observe(self, observations: Arrays, starts: npt.NDArray[np.bool_]) -> None:
        """Read observations, and which of them are the first of an episode."""
        self._host_starts.numpy()[:] = starts
        self.starts.copy_(self._host_starts, non_blocking=True)
        for name, target in self._inputs.items():
            target.copy_(torch.from_numpy(observations[name]), non_blocking=True)

    def act(self) -> npt.NDArray[Any]:
        """Choose actions for the observations that were read, and go to the next row of the rollout."""
        if self._graph is None:
            self._choose()
            self.go_to(self._row + 1)
        else:
            self._graph.replay()
        if self._done is not None:
            self._done.record()
            self._done.synchronize()
        return self._sampler.network.actions.for_env(self._actions.numpy())

    def finish(self) -> None:
        """Go back to the last observation of the rollout, whose action is that of the next rollout."""
        self.state.copy_(self._sampler.rollout.states[-1, self._rows])
        self.go_to(len(self._sampler.rollout.rewards))

    def begin(self) -> None:
        """Go to the first row of a new rollout, with the observation that was read last."""
        pending = self._inputs
        self.go_to(0)
        for name, target in self._inputs.items():
            if target.data_ptr() != pending[name].data_ptr():
                target.copy_(pending[name])

    def go_to(self, row: int) -> None:
        """Go to a row of the rollout."""
        if self._graph is not None:
            self._step.fill_(row)
            return
        self._row = row
        if row <= len(self._sampler.rollout.rewards):
            parts = self._sampler.rollout.observations.items()
            self._inputs = {name: part[row, self._rows] for name, part in parts}

    @torch.no_grad()
    def _choose(self, step: Tensor | None = None) -> None:
        """Choose actions and write them into the rollout; `step` is the row on the GPU, if it is captured."""
        sampler, rows = self._sampler, self._rows
        rollout, network = sampler.rollout, sampler.network
        inputs = {name: part.unsqueeze(0) for name, part in self._inputs.items()}
        with sampler.precise():
            outputs, values, state = sampler.forward(inputs, self.state, self.starts.unsqueeze(0))
        outputs = outputs[0]
        noise = sampler.noise[:, rows]
        noise = noise[self._row] if step is None else noise.index_select(0, step).squeeze(0)
        actions = network.actions.sample(outputs, noise)
        written = [
            (rollout.starts, self.starts),
            (rollout.states, self.state),
            (rollout.actions, actions),
            (rollout.log_probs, network.actions.log_prob(outputs, actions)),
            (rollout.values, values[0]),
        ]
        if step is not None:
            observed = rollout.observations.items()
            written += [(_packed(part), _packed(self._inputs[name].unsqueeze(0))[0]) for name, part in observed]
        for target, value in written:
            if step is None:
                target[self._row, rows] = value
            elif value.numel():  # there is no state without memory
                target[:, rows].index_copy_(0, step, value.unsqueeze(0))
        self.state.copy_(state)
        self._actions.copy_(actions, non_blocking=True)

    def _capture(self) -> None:
        """Capture the step as a CUDA graph."""
        self._inputs = {name: torch.zeros_like(part) for name, part in self._inputs.items()}
        self._step = torch.zeros(1, dtype=torch.int64, device=self.state.device)
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                self._choose(self._step)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self._choose(self._step)
            self._step.add_(1)
        self._graph = graph
        self._step.zero_()
        self.state.zero_()


class Sampler:
    """Plays rollouts with all environments of a vector.

    Args:
        envs: a vector with `autoreset="same_step"`.
        network: the network on its device.
        steps: the decisions of each environment in a rollout.
        seed: the seed of the actions.
        env_seed: the seed of the environments.
        precise: returns the context in which the network is called, for the precision of its numbers.
        forward: the network, possibly compiled. Default: `network`.
        graph: whether steps on a GPU are captured as CUDA graphs.

    Attributes:
        rollout: the last rollout.
        episodes: the episodes that ended in it.
        clock: the seconds spent so far.
        page_locked: whether observations are copied to the GPU straight from the memory of the environments.
    """

    def __init__(
        self,
        envs: Any,
        network: Network,
        steps: int,
        seed: int,
        *,
        env_seed: int,
        precise: Callable[[], Any],
        forward: Callable[..., Any] | None = None,
        graph: bool = True,
    ) -> None:
        mode = envs.metadata.get("autoreset_mode")
        if mode != AutoresetMode.SAME_STEP:
            name = mode.name.lower() if isinstance(mode, AutoresetMode) else mode
            raise ValueError(f"the vector's autoreset is {name!r}; the learner needs 'same_step'")
        self.envs = envs
        self.turns = envs if hasattr(envs, "receive") else OneGroup(envs)
        self.network, self.forward, self.precise = network, forward or network, precise
        self.device = next(network.parameters()).device
        self.clock = Clock()
        self.episodes: list[Episode] = []
        self._steps, self._envs = steps, envs.num_envs
        self.rollout = Rollout.empty(network, envs.single_observation_space, steps, self._envs, self.device)
        self.generator = torch.Generator(self.device).manual_seed(seed)
        self.noise = network.actions.noise((steps + 1, self._envs), self.generator)
        self.page_locked = self.device.type == "cuda" and _page_lock(getattr(envs, "memory", None))
        self._rewards = np.zeros((steps, self._envs), np.float32)
        self._ends = np.zeros((steps, self._envs), np.bool_)
        self._totals, self._lengths = np.zeros(self._envs), np.zeros(self._envs, np.int64)
        graph = graph and self.device.type == "cuda"
        self._actors = [_Actor(self, self.turns.rows(group), graph) for group in range(self.turns.groups)]
        observations, _ = envs.reset(seed=env_seed)
        self._observe_all(observations, np.ones(self._envs, np.bool_))

    def _observe_all(self, observations: Any, starts: npt.NDArray[np.bool_]) -> None:
        parts = as_parts(observations)
        for group, actor in enumerate(self._actors):
            rows = self.turns.rows(group)
            actor.observe({name: part[rows] for name, part in parts.items()}, starts[rows])

    def sample(self) -> Rollout:
        """Play a rollout."""
        begin = time.perf_counter()
        waited = 0.0
        self.episodes = []
        cut: list[tuple[int, int, Any]] = []
        self.noise.copy_(self.network.actions.noise(self.noise.shape[:2], self.generator))
        for group, actor in enumerate(self._actors):
            actor.begin()
            self.turns.send(actor.act(), group)
        for step in range(self._steps):
            for group, actor in enumerate(self._actors):
                asked = time.perf_counter()
                turn = self.turns.receive(group, copy=False)
                waited += time.perf_counter() - asked
                ends = self._record(step, group, turn, cut)
                actor.observe(turn.observations, ends)
                actions = actor.act()
                if step + 1 < self._steps:
                    self.turns.send(actions, group)
        for actor in self._actors:
            actor.finish()
        self.rollout.rewards.copy_(torch.from_numpy(self._rewards))
        self.rollout.ends.copy_(torch.from_numpy(self._ends))
        self._value_cut(cut)
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        self.clock.environment += waited
        self.clock.policy += time.perf_counter() - begin - waited
        return self.rollout

    def _record(self, step: int, group: int, turn: Results, cut: list[tuple[int, int, Any]]) -> npt.NDArray[np.bool_]:
        """Record the results of a step of a group; return which episodes ended."""
        rows = self.turns.rows(group)
        ends: npt.NDArray[np.bool_] = turn.terminated | turn.truncated
        self._rewards[step, rows] = turn.reward
        self._ends[step, rows] = ends
        self._totals[rows] += turn.reward
        self._lengths[rows] += 1
        for offset in np.flatnonzero(ends).tolist():
            row = rows.start + offset
            last, info = turn.finals[row]
            terminated, truncated = bool(turn.terminated[offset]), bool(turn.truncated[offset])
            passed = info.get("passed")
            self.episodes.append(
                Episode(
                    row,
                    str(info.get("task", "")),
                    float(self._totals[row]),
                    int(self._lengths[row]),
                    None if passed is None or passed not in (0, 1) else bool(passed),
                    terminated,
                    truncated,
                )
            )
            if truncated and not terminated:
                cut.append((step, row, last))
        self._totals[rows][ends] = 0.0
        self._lengths[rows][ends] = 0
        return ends

    @torch.no_grad()
    def _value_cut(self, cut: list[tuple[int, int, Any]]) -> None:
        """Write the value of the last observation of each episode that was cut off into the rollout."""
        self.rollout.last_values.zero_()
        if not cut:
            return
        for first in range(0, len(cut), _CUT_BATCH):
            part = cut[first : first + _CUT_BATCH]
            filled = part + part[:1] * (_CUT_BATCH - len(part)) if self.device.type == "cuda" else part
            steps, rows = (torch.tensor([each[index] for each in filled], device=self.device) for index in (0, 1))
            lasts = [as_parts(last) for *_, last in filled]
            inputs = {
                name: torch.from_numpy(np.stack([last[name] for last in lasts])).to(self.device, whole.dtype)[None]
                for name, whole in self.rollout.observations.items()
            }
            states = self.rollout.states[steps + 1, rows]  # after the last step, before it starts afresh
            starts = torch.zeros(1, len(filled), dtype=torch.bool, device=self.device)
            with self.precise():
                _, values, _ = self.network(inputs, states, starts)
            self.rollout.last_values[steps, rows] = values[0]

    def state(self, episodes: bool = True) -> dict[str, Any]:
        """Return all that is needed to resume: random streams, recurrent states, episodes if wanted and possible."""
        snapshots = self.envs.snapshot() if episodes and hasattr(self.envs, "snapshot") else None
        return {
            "generator": self.generator.get_state(),
            "states": torch.cat([actor.state for actor in self._actors]).cpu(),
            "starts": torch.cat([actor.starts for actor in self._actors]).cpu(),
            "totals": self._totals.copy(),
            "lengths": self._lengths.copy(),
            "snapshots": snapshots,
        }

    def restore(self, state: Mapping[str, Any], env_seed: int) -> None:
        """Resume from what `state` returned; without episodes, new ones start with a seed."""
        self.generator.set_state(state["generator"].cpu())
        starts = state["starts"].numpy().copy()
        self._totals[:], self._lengths[:] = state["totals"], state["lengths"]
        if state["snapshots"] is not None:
            observations, _ = self.envs.restore(state["snapshots"])
        else:
            observations, _ = self.envs.reset(seed=env_seed)
            starts[:] = True
            self._totals[:], self._lengths[:] = 0.0, 0
        for actor in self._actors:
            actor.go_to(0)
        self._observe_all(observations, starts)
        for group, actor in enumerate(self._actors):
            actor.state.copy_(state["states"][self.turns.rows(group)])


def _packed(part: Tensor) -> Tensor:
    """Return steps x environments x bytes with eight bytes in a number where that is possible: it is copied faster."""
    if part.dtype != torch.uint8 or part.ndim < 3:
        return part
    flat = part.flatten(2)
    return flat.view(torch.int64) if flat.shape[2] % 8 == 0 else flat


def _page_lock(memory: Any) -> bool:
    """Lock a buffer in memory for fast copies to the GPU; return whether that was possible."""
    if memory is None:
        return False
    array = np.frombuffer(memory, np.uint8)
    page = 4096
    first = array.ctypes.data // page * page
    size = -(-(array.ctypes.data + array.nbytes - first) // page) * page
    try:
        return int(torch.cuda.cudart().cudaHostRegister(first, size, 0)) == 0
    except RuntimeError:
        return False
