"""The painters by name: flat, as in the published films, and in three dimensions."""

from collections.abc import Iterator
from typing import Protocol

from puzzlebox.intuitions.episodes.stimulus import Stimulus, Trial
from puzzlebox.intuitions.grid import SIZE
from puzzlebox.intuitions.pictures.flat import FlatPainter, Image
from puzzlebox.text import nearest

PAINTERS = ("flat", "three-d")


class TrialPainter(Protocol):
    """What both painters can do."""

    size: int

    def frame(self, trial: Trial, frame: int) -> Image:
        """Return one frame of a trial, height x width x 3 bytes."""

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Return column and row, in pixels from the top left, of a place on the floor in pixels of a flat film."""

    def frames(self, stimulus: Stimulus) -> Iterator[tuple[Image, int]]:
        """Yield the distinct frames of a film in order, each with the number of frames for which it is shown."""


def painter_named(name: str, size: int = SIZE) -> TrialPainter:
    """Return the painter `flat` or `three-d`, for square pictures of a size in pixels."""
    if name == "flat":
        return FlatPainter(size)
    if name == "three-d":
        from puzzlebox.intuitions.pictures.solid import SolidPainter

        return SolidPainter(size)
    raise ValueError(f"there is no painter {name!r}{nearest(name, PAINTERS)}")
