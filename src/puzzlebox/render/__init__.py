"""Painters: they draw pictures of a Scene, and import nothing of the world behind it."""

from puzzlebox.render.eye import Eye, Pose
from puzzlebox.render.painter import CEILING, FENCE, FLOOR, FOV_DEGREES, SKY, Painter
from puzzlebox.render.views import View

__all__ = ["CEILING", "FENCE", "FLOOR", "FOV_DEGREES", "SKY", "Eye", "Painter", "Pose", "View"]
