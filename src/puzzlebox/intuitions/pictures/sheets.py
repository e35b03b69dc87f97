"""Pictures for people: a contact sheet of a pair, and a pair side by side as a film."""

from collections.abc import Iterator
from itertools import zip_longest

import numpy as np

from puzzlebox.intuitions.episodes.stimulus import Pair, Trial
from puzzlebox.intuitions.grid import SIZE
from puzzlebox.intuitions.pictures.flat import Image
from puzzlebox.intuitions.pictures.painters import TrialPainter

# Pixels between pictures, and the colours of the frames around tests: expected, unexpected.
_GAP = 6
_PAPER = 235
_FRAME = {"e": (46, 125, 50), "u": (198, 40, 40)}
_PATH = (230, 30, 30)
# The width of the frame around a test, in pixels.
_LINE = 3


def trial_picture(painter: TrialPainter, trial: Trial) -> Image:
    """Return a trial in one picture: its last frame, or its first one if a barrier vanishes, with the agent's path."""
    vanishes = bool((trial.barrier.until < trial.frames).any())
    image = painter.frame(trial, 0 if vanishes else trial.frames - 1)
    _draw_path(image, trial, painter)
    return image


def _draw_path(image: Image, trial: Trial, painter: TrialPainter) -> None:
    """Draw the way of the agent's centre on the floor as a dotted line, over whatever stands before it."""
    reach = max(1, round(painter.size / SIZE))
    for x, y in trial.path[::3].tolist():
        column, row = (round(each) for each in painter.point(x, y))
        image[max(0, row - reach) : row + reach, max(0, column - reach) : column + reach] = _PATH


def contact_sheet(pair: Pair, painter: TrialPainter) -> Image:
    """Return all trials of a pair in one picture, one row a member; a frame marks the tests.

    A green frame is around the test of the member `e`, a red one around that of the member `u`.
    """
    rows = []
    for member, stimulus in pair.members():
        pictures = []
        for trial in stimulus.trials:
            image = trial_picture(painter, trial)
            if trial is stimulus.test:
                image = _framed(image, _FRAME[member])
            pictures.append(np.pad(image, ((_GAP, 0), (_GAP, 0), (0, 0)), constant_values=_PAPER))
        rows.append(np.hstack(pictures))
    return np.pad(np.vstack(rows), ((0, _GAP), (0, _GAP), (0, 0)), constant_values=_PAPER)


def _framed(image: Image, color: tuple[int, int, int]) -> Image:
    framed = image.copy()
    for side in (np.s_[:_LINE], np.s_[-_LINE:], np.s_[:, :_LINE], np.s_[:, -_LINE:]):
        framed[side] = color
    return framed


def side_by_side(pair: Pair, painter: TrialPainter, every: int = 1, test_only: bool = False) -> Iterator[Image]:
    """Yield the frames of a pair's films side by side, trial by trial; the shorter one waits for the other.

    Args:
        pair: the episode.
        painter: paints the frames.
        every: show only every n-th frame.
        test_only: leave out the familiarisation.
    """
    films = [stimulus.trials[-1:] if test_only else stimulus.trials for _, stimulus in pair.members()]
    gap = np.full((painter.size, _GAP, 3), _PAPER, np.uint8)
    for trials in zip_longest(*films):
        longest = max(trial.frames for trial in trials)
        shown: list[tuple[int, Image]] = [(-1, gap)] * len(trials)
        for frame in range(0, longest, every):
            for place, trial in enumerate(trials):
                now = min(frame, trial.frames - 1)
                if shown[place][0] != now:
                    shown[place] = (now, painter.frame(trial, now))
            images = [image for _, image in shown]
            yield images[0] if len(images) == 1 else np.hstack((images[0], gap, images[1]))
