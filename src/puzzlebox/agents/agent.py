"""The protocol of agents: anything with these three members. No base class is needed."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Agent(Protocol):
    """A program that plays.

    Attributes:
        senses: its senses, as settings of `puzzlebox.make`: `{"rays": 15, "camera": None}`.
    """

    senses: Mapping[str, Any]

    def begin(self, seed: int) -> None:
        """Start an episode; everything random in the agent must come from the seed."""

    def act(self, observation: dict[str, Any], info: dict[str, Any]) -> int:
        """Return the next action, 0 to 8, for what `reset` or `step` of the environment just returned."""
