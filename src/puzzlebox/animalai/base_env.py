"""The data ML-Agents passes between an environment and a learner, as far as scripts for Animal-AI use it."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from enum import Enum, Flag
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int32]
BehaviorName = str
AgentId = int


class UnityException(Exception):
    """The base of ML-Agents' exceptions."""


class UnityEnvironmentException(UnityException):
    """Raised if the environment does not support a call."""


class UnityCommunicationException(UnityException):
    """Never raised: there is no communication with another process."""


class UnityTimeOutException(UnityException):
    """Never raised: the environment never waits for another process."""


class UnityActionException(UnityException):
    """Raised for actions of the wrong shape or value."""


class DimensionProperty(Flag):
    """The meaning of an axis of an observation."""

    UNSPECIFIED = 0
    NONE = 1
    TRANSLATIONAL_EQUIVARIANCE = 2
    VARIABLE_SIZE = 4


class ObservationType(Enum):
    """The purpose of an observation."""

    DEFAULT = 0
    GOAL_SIGNAL = 1


class ObservationSpec(NamedTuple):
    """Shape, meaning of the axes, kind and name of an observation."""

    shape: tuple[int, ...]
    dimension_property: tuple[DimensionProperty, ...]
    observation_type: ObservationType
    name: str


class ActionTuple:
    """The actions of agents: a row for each, with a continuous and a discrete part."""

    def __init__(self, continuous: Any = None, discrete: Any = None) -> None:
        self._continuous: Floats | None = None
        self._discrete: Integers | None = None
        if continuous is not None:
            self.add_continuous(continuous)
        if discrete is not None:
            self.add_discrete(discrete)

    @property
    def continuous(self) -> Floats:
        """Return the continuous part; Animal-AI has none."""
        return np.zeros((self.discrete.shape[0], 0), np.float32) if self._continuous is None else self._continuous

    @property
    def discrete(self) -> Integers:
        """Return the discrete part: move and turn."""
        if self._discrete is not None:
            return self._discrete
        rows = 0 if self._continuous is None else len(self._continuous)
        return np.zeros((rows, 0), np.int32)

    def add_continuous(self, continuous: Any) -> None:
        """Set the continuous part."""
        self._continuous = np.asarray(continuous, np.float32)

    def add_discrete(self, discrete: Any) -> None:
        """Set the discrete part."""
        self._discrete = np.asarray(discrete, np.int32)


class ActionSpec(NamedTuple):
    """The number of continuous values of an action, and the number of choices of each discrete branch."""

    continuous_size: int
    discrete_branches: tuple[int, ...]

    @property
    def discrete_size(self) -> int:
        """Return the number of branches."""
        return len(self.discrete_branches)

    def is_discrete(self) -> bool:
        """Return whether there are only branches."""
        return self.discrete_size > 0 and self.continuous_size == 0

    def is_continuous(self) -> bool:
        """Return whether there are only continuous numbers."""
        return self.discrete_size == 0 and self.continuous_size > 0

    def empty_action(self, n_agents: int) -> ActionTuple:
        """Return the action that does nothing."""
        return ActionTuple(
            np.zeros((n_agents, self.continuous_size), np.float32), np.zeros((n_agents, self.discrete_size), np.int32)
        )

    def random_action(self, n_agents: int) -> ActionTuple:
        """Return a random action."""
        columns = [np.random.randint(0, branch, n_agents) for branch in self.discrete_branches]
        return ActionTuple(np.zeros((n_agents, 0), np.float32), np.stack(columns, axis=1).astype(np.int32))


class BehaviorSpec(NamedTuple):
    """The observations and actions of agents of one kind."""

    observation_specs: list[ObservationSpec]
    action_spec: ActionSpec


class BehaviorMapping(Mapping[BehaviorName, BehaviorSpec]):
    """The kinds of agents by name, read-only."""

    def __init__(self, specs: Mapping[BehaviorName, BehaviorSpec]) -> None:
        self._specs = dict(specs)

    def __len__(self) -> int:
        return len(self._specs)

    def __getitem__(self, behavior: BehaviorName) -> BehaviorSpec:
        return self._specs[behavior]

    def __iter__(self) -> Iterator[BehaviorName]:
        return iter(self._specs)


class DecisionStep(NamedTuple):
    """An agent that waits for an action."""

    obs: list[Floats]
    reward: float
    agent_id: AgentId
    action_mask: list[npt.NDArray[np.bool_]] | None
    group_id: int
    group_reward: float


class TerminalStep(NamedTuple):
    """An agent whose episode has ended."""

    obs: list[Floats]
    reward: float
    interrupted: bool
    agent_id: AgentId
    group_id: int
    group_reward: float


class _Steps(Mapping[AgentId, Any]):
    """A batch of agents, a row for each."""

    def __init__(self, obs: list[Floats], reward: Floats, agent_id: Integers) -> None:
        self.obs = obs
        self.reward = reward
        self.agent_id = agent_id
        self.group_id = np.zeros(len(agent_id), np.int32)
        self.group_reward = np.zeros(len(agent_id), np.float32)

    @property
    def agent_id_to_index(self) -> dict[AgentId, int]:
        """Return the row of each agent."""
        return {int(agent): row for row, agent in enumerate(self.agent_id)}

    def __len__(self) -> int:
        return len(self.agent_id)

    def __iter__(self) -> Iterator[Any]:
        yield from self.agent_id

    def __eq__(self, other: object) -> bool:
        """Return whether both hold the same values of the same agents; a plain Mapping cannot compare arrays."""
        return type(other) is type(self) and all(_same(part, vars(other)[name]) for name, part in vars(self).items())

    __hash__ = None  # type: ignore[assignment]

    def _row(self, agent_id: AgentId) -> int:
        if agent_id not in self.agent_id_to_index:
            raise KeyError(f"agent_id {agent_id} is not among {list(self.agent_id_to_index)}")
        return self.agent_id_to_index[agent_id]


class DecisionSteps(_Steps):
    """The agents that wait for an action."""

    def __init__(
        self, obs: list[Floats], reward: Floats, agent_id: Integers, action_mask: list[npt.NDArray[np.bool_]] | None
    ) -> None:
        super().__init__(obs, reward, agent_id)
        self.action_mask = action_mask

    def __getitem__(self, agent_id: AgentId) -> DecisionStep:
        row = self._row(agent_id)
        mask = None if self.action_mask is None else [branch[row] for branch in self.action_mask]
        return DecisionStep([part[row] for part in self.obs], float(self.reward[row]), agent_id, mask, 0, 0.0)

    @staticmethod
    def empty(spec: BehaviorSpec) -> "DecisionSteps":
        """Return a batch without agents."""
        obs, reward, agents = _empty_batch(spec)
        return DecisionSteps(obs, reward, agents, None)


class TerminalSteps(_Steps):
    """The agents whose episode has ended."""

    def __init__(
        self, obs: list[Floats], reward: Floats, interrupted: npt.NDArray[np.bool_], agent_id: Integers
    ) -> None:
        super().__init__(obs, reward, agent_id)
        self.interrupted = interrupted

    def __getitem__(self, agent_id: AgentId) -> TerminalStep:
        row = self._row(agent_id)
        return TerminalStep(
            [part[row] for part in self.obs], float(self.reward[row]), bool(self.interrupted[row]), agent_id, 0, 0.0
        )

    @staticmethod
    def empty(spec: BehaviorSpec) -> "TerminalSteps":
        """Return a batch without agents."""
        obs, reward, agents = _empty_batch(spec)
        return TerminalSteps(obs, reward, np.zeros(0, np.bool_), agents)


class BaseEnv(ABC):
    """The interface of every environment of ML-Agents."""

    @abstractmethod
    def step(self) -> None:
        """Step all agents by the actions set before."""

    @abstractmethod
    def reset(self) -> None:
        """Start the next episode."""

    @abstractmethod
    def close(self) -> None:
        """Close the environment."""

    @property
    @abstractmethod
    def behavior_specs(self) -> BehaviorMapping:
        """Return the observations and actions of agents, by the name of their behaviour."""

    @abstractmethod
    def set_actions(self, behavior_name: BehaviorName, action: ActionTuple) -> None:
        """Set the next actions of all agents, a row for each."""

    @abstractmethod
    def set_action_for_agent(self, behavior_name: BehaviorName, agent_id: AgentId, action: ActionTuple) -> None:
        """Set the next action of one agent."""

    @abstractmethod
    def get_steps(self, behavior_name: BehaviorName) -> tuple[DecisionSteps, TerminalSteps]:
        """Return the agents that wait for an action, and those whose episode ended in the last step."""


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same, a, b))
    return bool(np.array_equal(a, b))


def _empty_batch(spec: BehaviorSpec) -> tuple[list[Floats], Floats, Integers]:
    obs = [np.zeros((0, *each.shape), np.float32) for each in spec.observation_specs]
    return obs, np.zeros(0, np.float32), np.zeros(0, np.int32)
