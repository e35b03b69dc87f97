"""`puzzlebox.animalai.raycastparser` under its older name."""

from puzzlebox.animalai.raycastparser import RayCastObjects, RayCastParser

__all__ = ["RayCastObjects", "RayCastParser"]
