"""`puzzlebox.animalai.environment` under its older name."""

from puzzlebox.animalai.environment import AnimalAIEnvironment, PlayTrain

__all__ = ["AnimalAIEnvironment", "PlayTrain"]
