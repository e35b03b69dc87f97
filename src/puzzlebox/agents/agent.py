"""The protocol of agents: anything with these three members. No base class is needed."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Agent(Protocol):
    """A program that plays.

    An agent may have two more methods. `prepare(task, start)` is called before an episode of a run begins, and
    `use_space(space)` after `begin`, in wings of Gymnasium environments, with the action space of the environment.

    An agent that talks to a language model has an attribute `transcript` (a `puzzlebox.agents.language.Transcript` of
    the episode), which a run keeps, and a method `use_ledger(ledger)`, called once, by which a run limits its costs.

    An agent may also have an attribute `wing`, the name of the only wing whose tasks it can play.

    Attributes:
        senses: its senses: in the arena, settings of `puzzlebox.make` such as `{"rays": 15, "camera": None}`.
    """

    senses: Mapping[str, Any]

    def begin(self, seed: int) -> None:
        """Start an episode; everything random in the agent must come from the seed."""

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        """Return the next action for what `reset` or `step` of the environment just returned.

        It is an element of the environment's action space: in the arena, an integer from 0 to 8.
        """
