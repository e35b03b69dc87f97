"""Films for the page: the distinct frames of a trial as PNG files in one block, painted as the films are written."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from puzzlebox.intuitions.episodes.stimulus import Stimulus, Trial
from puzzlebox.intuitions.pictures.painters import painter_named
from puzzlebox.scene.png import png
from puzzlebox.studio.protocol import compact, join_messages

# Pixels a side of the pictures of each view.
SIZES = {"flat": 400, "three-d": 320}
# Quick to compress; the page is usually on the same machine or network.
_LEVEL = 4


def trial_block(film: Stimulus, number: int, view: str) -> bytes:
    """Return a trial of a film as one block: a JSON header, then a PNG file for each run of equal frames.

    The header has `frames` (of this trial), `starts` (the first frame of each picture) and `lengths` (of all trials).
    """
    trial = film.trials[number]
    starts = [start for start, _ in trial.runs()]
    lengths = [each.frames for each in film.trials]
    header = {"frames": trial.frames, "starts": starts, "lengths": lengths}
    return join_messages([compact(header), *_painted(trial, view)])


# Both films of a generated pair have the same trials of familiarisation, which are painted once.
@lru_cache(maxsize=48)
def _painted(trial: Trial, view: str) -> tuple[bytes, ...]:
    painter = painter_named(view, SIZES[view])
    return tuple(png(painter.frame(trial, start), _LEVEL) for start, _ in trial.runs())


def picture_block(header: dict[str, Any], pictures: Sequence[Any]) -> bytes:
    """Return a JSON header and pictures (height x width x 3 bytes) as one block, each after its length."""
    return join_messages([compact(header), *(png(picture, _LEVEL) for picture in pictures)])


def same_trials(one: Stimulus, two: Stimulus) -> list[bool]:
    """Return for each trial whether it is the same in both films, so that it need not be painted twice."""
    return [first.same(second) for first, second in zip(one.trials, two.trials, strict=True)]
