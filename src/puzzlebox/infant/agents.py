"""Agents that only play infant tasks."""

from collections.abc import Mapping
from typing import Any, ClassVar


class ScriptedAgent:
    """Follows the script of each infant task, which knows everything: it shows that the tasks can be solved."""

    wing: ClassVar[str] = "infant"
    senses: ClassVar[Mapping[str, Any]] = {"script": True}

    def begin(self, seed: int) -> None:
        """Start an episode: nothing is random."""

    def act(self, observation: Any, info: Mapping[str, Any]) -> Any:
        """Return the action of the script."""
        return info["script"]
