"""Small letters for labels in pictures: single strokes, drawn by numpy alone in any size.

The letters are our own: circles, arcs and lines. There are small letters, digits and a few signs; a capital letter is
drawn as the small one.
"""

from functools import cache
from itertools import pairwise
from math import ceil

import numpy as np
from numpy.typing import NDArray

Coverage = NDArray[np.float32]
# Heights above the line on which letters stand: of small letters, of tall ones, and of what hangs below it.
_SMALL, _TALL, _BELOW = 5.0, 7.4, -2.2
# The width of a stroke and the gap between letters, in the same units; the height of a line of text.
_STROKE, _GAP, _LINE = 0.86, 1.4, 12.0
# Steps of a full circle.
_STEPS = 32

_Path = tuple[tuple[float, float], ...]


def _arc(x: float, y: float, wide: float, high: float, start: float, end: float) -> _Path:
    """Return a part of an ellipse from one angle to another, in degrees, counter-clockwise from the right."""
    angles = np.radians(np.linspace(start, end, max(3, round(abs(end - start) / 360 * _STEPS) + 1)))
    return tuple(zip((x + wide * np.cos(angles)).tolist(), (y + high * np.sin(angles)).tolist(), strict=True))


def _bowl(x: float = 2.2) -> _Path:
    return _arc(x, 2.5, 2.2, 2.5, 0, 360)


def _hook(x: float, turn: float = 0.0) -> _Path:
    """Return the arch of n, m and h, which begins at the left stem."""
    return (*_arc(x + 1.8, 3.1, 1.8, 1.9, 180 - turn, 0), (x + 3.6, 0.0))


# Each sign: its width and its strokes.
_SIGNS: dict[str, tuple[float, tuple[_Path, ...]]] = {
    " ": (2.3, ()),
    "a": (4.4, (_bowl(), ((4.4, 5.0), (4.4, 0.0)))),
    "b": (4.4, (_bowl(), ((0.0, _TALL), (0.0, 0.0)))),
    "c": (3.9, (_arc(2.2, 2.5, 2.2, 2.5, 48, 312),)),
    "d": (4.4, (_bowl(), ((4.4, _TALL), (4.4, 0.0)))),
    "e": (4.4, (((0.0, 2.6), (4.4, 2.6), *_arc(2.2, 2.5, 2.2, 2.5, 2, 315)),)),
    "f": (2.5, ((*_arc(2.4, 6.0, 1.5, 1.4, 75, 180), (0.9, 0.0)), ((0.0, 4.8), (2.4, 4.8)))),
    "g": (4.4, (_bowl(), ((4.4, 5.0), *_arc(2.2, 0.1, 2.2, 2.3, 0, -145)))),
    "h": (3.6, (((0.0, _TALL), (0.0, 0.0)), _hook(0.0))),
    "i": (0.2, (((0.1, 5.0), (0.1, 0.0)), ((0.1, 6.95), (0.1, 7.05)))),
    "j": (1.2, (((1.0, 5.0), (1.0, -1.0), *_arc(-0.3, -1.0, 1.3, 1.2, 0, -80)), ((1.0, 6.95), (1.0, 7.05)))),
    "k": (3.6, (((0.0, _TALL), (0.0, 0.0)), ((3.4, 5.0), (0.0, 2.0)), ((1.3, 3.1), (3.6, 0.0)))),
    "l": (0.2, (((0.1, _TALL), (0.1, 0.0)),)),
    "m": (6.4, (((0.0, 5.0), (0.0, 0.0)), (*_arc(1.6, 3.2, 1.6, 1.8, 180, 0), (3.2, 0.0)),
                (*_arc(4.8, 3.2, 1.6, 1.8, 180, 0), (6.4, 0.0)))),
    "n": (3.6, (((0.0, 5.0), (0.0, 0.0)), _hook(0.0))),
    "o": (4.6, (_arc(2.3, 2.5, 2.3, 2.5, 0, 360),)),
    "p": (4.4, (_bowl(), ((0.0, 5.0), (0.0, _BELOW)))),
    "q": (4.4, (_bowl(), ((4.4, 5.0), (4.4, _BELOW)))),
    "r": (2.2, (((0.0, 5.0), (0.0, 0.0)), _arc(1.9, 3.0, 1.9, 1.95, 180, 75))),
    "s": (3.3, ((*_arc(1.65, 3.75, 1.5, 1.25, 40, 270), *_arc(1.65, 1.25, 1.65, 1.25, 90, -140)),)),
    "t": (2.4, (((0.9, 6.6), (0.9, 1.2), *_arc(2.1, 1.2, 1.2, 1.2, 180, 285)), ((0.0, 4.8), (2.3, 4.8)))),
    "u": (3.6, (((0.0, 5.0), *_arc(1.8, 1.9, 1.8, 1.9, 180, 360)), ((3.6, 5.0), (3.6, 0.0)))),
    "v": (4.0, (((0.0, 5.0), (2.0, 0.0), (4.0, 5.0)),)),
    "w": (6.0, (((0.0, 5.0), (1.6, 0.0), (3.0, 4.6), (4.4, 0.0), (6.0, 5.0)),)),
    "x": (3.6, (((0.0, 5.0), (3.6, 0.0)), ((3.6, 5.0), (0.0, 0.0)))),
    "y": (4.0, (((0.0, 5.0), (2.05, 0.0)), ((4.0, 5.0), (1.6, -1.3), (0.3, _BELOW)))),
    "z": (3.5, (((0.1, 5.0), (3.4, 5.0), (0.0, 0.0), (3.5, 0.0)),)),
    "0": (4.2, (_arc(2.1, 3.6, 2.1, 3.6, 0, 360),)),
    "1": (4.2, (((0.9, 5.8), (2.6, 7.2), (2.6, 0.0)),)),
    "2": (4.2, ((*_arc(2.1, 5.2, 1.95, 2.0, 165, -35), (0.1, 0.0), (4.2, 0.0)),)),
    "3": (4.2, (_arc(2.0, 5.45, 1.7, 1.75, 150, -90), _arc(2.0, 1.85, 2.0, 1.85, 90, -155))),
    "4": (4.2, (((3.1, 0.0), (3.1, 7.2), (0.0, 1.9), (4.2, 1.9)),)),
    "5": (4.2, (((3.8, 7.2), (0.8, 7.2), (0.5, 3.9), *_arc(2.0, 2.3, 2.1, 2.3, 125, -150)),)),
    "6": (4.2, (_arc(2.1, 2.2, 2.1, 2.2, 0, 360), ((3.0, 7.2), *_arc(4.5, 2.2, 4.5, 4.3, 150, 180)))),
    "7": (4.2, (((0.0, 7.2), (4.1, 7.2), (1.4, 0.0)),)),
    "8": (4.2, (_arc(2.1, 5.5, 1.75, 1.7, 0, 360), _arc(2.1, 1.9, 2.1, 1.9, 0, 360))),
    "9": (4.2, (_arc(2.1, 5.0, 2.1, 2.2, 0, 360), ((1.2, 0.0), *_arc(-0.3, 5.0, 4.5, 4.3, -30, 0)))),
    "-": (2.6, (((0.0, 2.6), (2.6, 2.6)),)),
    ".": (0.4, (((0.2, 0.05), (0.2, 0.15)),)),
    ",": (0.6, (((0.4, 0.2), (0.0, -1.2)),)),
    ":": (0.4, (((0.2, 0.05), (0.2, 0.15)), ((0.2, 4.3), (0.2, 4.4)))),
    "/": (3.0, (((0.0, -1.0), (3.0, 7.6)),)),
}  # fmt: skip


def text_width(text: str, size: float) -> int:
    """Return how wide a text is in pixels, at a height of a line of `size` pixels."""
    scale = size / _LINE
    widths = [_SIGNS.get(sign, _SIGNS["-"])[0] for sign in text.lower()]
    return ceil((sum(widths) + _GAP * max(0, len(widths) - 1) + _STROKE) * scale) if widths else 0


@cache
def text_mask(text: str, size: float) -> Coverage:
    """Return how much of each pixel a text covers, from 0 to 1.

    Args:
        text: one line; a sign that is not known is drawn as a hyphen.
        size: the height of the line in pixels.

    Returns:
        A picture as high as the line and as wide as `text_width` says.
    """
    scale = size / _LINE
    out = np.zeros((ceil(size), text_width(text, size)), np.float32)
    base, left = size * 0.74, _STROKE / 2
    half = max(0.5, _STROKE * scale / 2)
    for sign in text.lower():
        wide, strokes = _SIGNS.get(sign, _SIGNS["-"])
        first = max(0, int((left - 1.5) * scale) - 1)
        last = min(out.shape[1], ceil((left + wide + 1.5) * scale) + 1)
        rows, columns = np.mgrid[: out.shape[0], first:last] + 0.5
        for stroke in strokes:
            points = np.array(stroke) * (scale, -scale) + (left * scale, base)
            away = np.full(rows.shape, np.inf)
            for start, end in pairwise(points):
                away = np.minimum(away, _distance(columns, rows, start, end))
            np.maximum(out[:, first:last], np.clip(half + 0.5 - away, 0, 1), out=out[:, first:last], casting="unsafe")
        left += wide + _GAP
    return out


def _distance(
    x: NDArray[np.float64], y: NDArray[np.float64], start: NDArray[np.float64], end: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return how far each pixel is from a line."""
    along = end - start
    share = ((x - start[0]) * along[0] + (y - start[1]) * along[1]) / max(float(along @ along), 1e-9)
    share = np.clip(share, 0.0, 1.0)
    return np.asarray(np.hypot(x - start[0] - share * along[0], y - start[1] - share * along[1]))
