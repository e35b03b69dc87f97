"""`puzzlebox.animalai.agents.braitenberg` under its older name."""

from puzzlebox.animalai.agents.braitenberg import Braitenberg

__all__ = ["Braitenberg"]
