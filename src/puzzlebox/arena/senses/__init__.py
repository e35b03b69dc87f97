"""The senses of an animal: camera, rays, vitals and heading, each a `Sense` that reads a World for one animal."""

from puzzlebox.arena.senses.camera import Camera, Depth, Segments
from puzzlebox.arena.senses.heading import Heading
from puzzlebox.arena.senses.rays import Rays
from puzzlebox.arena.senses.sense import SENSES, Cruising, Sense
from puzzlebox.arena.senses.vitals import Vitals

__all__ = ["SENSES", "Camera", "Cruising", "Depth", "Heading", "Rays", "Segments", "Sense", "Vitals"]
