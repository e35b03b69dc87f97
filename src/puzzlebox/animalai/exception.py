"""ML-Agents' complaints, where its scripts look for them."""

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
