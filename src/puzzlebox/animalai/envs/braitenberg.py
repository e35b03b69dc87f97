"""The Braitenberg agent where older scripts look for it."""

from puzzlebox.animalai.agents import Braitenberg

__all__ = ["Braitenberg"]
