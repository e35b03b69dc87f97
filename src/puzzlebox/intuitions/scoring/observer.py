"""Observers: models (or people) that watch a film and are surprised by each frame of its test trial."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from puzzlebox.intuitions.episodes.stimulus import Stimulus

Numbers = NDArray[Any]


class Surprise(NamedTuple):
    """The surprise of an observer during a test trial.

    Attributes:
        frames: one number for each frame of the test trial, larger for more surprise; NaN where the observer judges
            nothing, as in the still frames that the published models leave out.
        parts: surprises that the observer keeps apart, by name, such as `target` and `efficiency`; each like `frames`.
            `frames` is how the observer combines them. Empty if it has one surprise only.
    """

    frames: Numbers
    parts: Mapping[str, Numbers] = {}


class Observer(Protocol):
    """Watches films; knows nothing of tasks, file names or which member of a pair a film is.

    Attributes:
        name: its name in tables.
    """

    @property
    def name(self) -> str:  # noqa: D102
        ...

    def surprise(self, stimulus: Stimulus) -> Surprise:
        """Return the surprise in each frame of the test trial, after the trials before it."""


@runtime_checkable
class Predicted(Protocol):
    """What an observer that predicts pictures offers in addition."""

    def predicted(self, stimulus: Stimulus) -> tuple[list[int], Numbers, Numbers]:
        """Return frames of the test that were predicted, and for each the predicted and the actual picture.

        Pictures are n x height x width x 3 bytes. The surprise at the frame before is the error of the prediction.
        """


def maximum(frames: Numbers) -> float:
    """Return the largest surprise of any frame: the read-out of the published models."""
    return float(np.nanmax(frames))


def mean(frames: Numbers) -> float:
    """Return the mean surprise of the frames that were judged."""
    return float(np.nanmean(frames))


# From the surprise in each frame to one number a film.
READ_OUTS: dict[str, Callable[[Numbers], float]] = {"maximum": maximum, "mean": mean}


def checked(surprise: Surprise, frames: int, name: str) -> Surprise:
    """Return a surprise; raise a ValueError if it does not fit a test trial of some frames."""
    for part, values in {"": surprise.frames, **surprise.parts}.items():
        what = f"the surprise {part!r} of {name}" if part else f"the surprise of {name}"
        if np.shape(values) != (frames,):
            raise ValueError(f"{what} has the shape {np.shape(values)}; the test trial has {frames} frames")
        if np.isnan(values).all():
            raise ValueError(f"{what} is not a number in any frame")
    return surprise
