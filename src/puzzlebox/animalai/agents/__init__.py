"""The original's two simple agents."""

from puzzlebox.animalai.agents.braitenberg import Braitenberg
from puzzlebox.animalai.agents.randomActionAgent import RandomActionAgent

__all__ = ["Braitenberg", "RandomActionAgent"]
