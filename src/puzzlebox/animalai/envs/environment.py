"""`puzzlebox.animalai.environment` under its older name."""

from puzzlebox.animalai.environment import AnimalAIEnvironment, PlayTrain, UnityEnvironment

__all__ = ["AnimalAIEnvironment", "PlayTrain", "UnityEnvironment"]
