"""`puzzlebox.animalai.actions` under its older name."""

from puzzlebox.animalai.actions import AAIAction, AAIActions

__all__ = ["AAIAction", "AAIActions"]
