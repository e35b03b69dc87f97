"""What an agent is: anything with these three names. No base class is needed."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Agent(Protocol):
    """Somebody who plays.

    Attributes:
        senses: what it perceives, as settings of `puzzlebox.make`: `{"rays": 15, "camera": None}`.
    """

    senses: Mapping[str, Any]

    def begin(self, seed: int) -> None:
        """An episode begins; all chance the agent uses comes from the seed."""

    def act(self, observation: dict[str, Any], info: dict[str, Any]) -> int:
        """The next action, 0 to 8, from what `reset` or `step` of the environment just gave."""
