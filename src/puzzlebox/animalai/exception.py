"""ML-Agents' exceptions under their original module name."""

from puzzlebox.animalai.base_env import (
    UnityActionException,
    UnityCommunicationException,
    UnityEnvironmentException,
    UnityException,
    UnityTimeOutException,
)

__all__ = [
    "UnityActionException",
    "UnityCommunicationException",
    "UnityEnvironmentException",
    "UnityException",
    "UnityTimeOutException",
]
