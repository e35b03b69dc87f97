"""The Braitenberg agent where older scripts look for it."""

from puzzlebox.animalai.agents.braitenberg import Braitenberg

__all__ = ["Braitenberg"]
