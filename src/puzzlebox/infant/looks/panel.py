"""One picture of a moment: the child from outside, both eyes, both ears and the skin, side by side with small labels.

Everything here is a function of arrays: pictures, samples and texts go in, a picture comes out.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.looks.letters import text_mask, text_width

Image = NDArray[np.uint8]
# Left, top, width and height in pixels.
Box = tuple[int, int, int, int]
Colour = tuple[int, int, int]

# The layout is drawn for this height and scaled to others; below the smallest size its labels cannot be read.
_HEIGHT = 540
SMALLEST, DEFAULT = (640, 360), (960, 540)
_MARGIN, _GAP, _SPLIT, _LABEL, _HEADER = 16, 12, 16, 19, 28
# The side of an eye's picture and the height of the waves, relative to the height and to the space below the header.
_EYE, _WAVES = 208 / 540, 0.25
_TEXT, _TITLE = 13.0, 16.0
_PAPER, _PANEL, _LINE = (247, 246, 243), (255, 255, 255), (222, 220, 214)
_INK, _GREY = (45, 48, 56), (112, 116, 126)
_LEFT, _RIGHT = (36, 112, 160), (200, 96, 40)


@dataclass(frozen=True)
class Layout:
    """Where everything is in a picture of a size.

    Attributes:
        size: width and height of the whole.
        scale: how much larger it is than what the layout was drawn for.
        header: the line of the title.
        outside: the picture from outside.
        eyes: the pictures of the left and the right eye.
        ears: the waves of the left and the right ear.
        touch: the pictures of the skin from the front and from behind.
    """

    size: tuple[int, int]
    scale: float
    header: Box
    outside: Box
    eyes: tuple[Box, Box]
    ears: tuple[Box, Box]
    touch: tuple[Box, Box]


@dataclass(frozen=True)
class Moment:
    """What a picture shows.

    Attributes:
        title: a text at its upper left.
        clock: a text at its upper right.
        outside: the picture from outside, as large as the layout says; so are the others.
        eyes: those of the left and the right eye.
        touch: those of the skin from the front and from behind.
        sound: samples of both ears up to this moment, 2 x any number.
        loudest: the sample that fills the height of a wave; 0 if there is no sound.
        window: how many samples the width of a wave shows.
        window_text: how long that is, for the label.
        legend: colours for touch from weak to strong (n x 3 bytes).
    """

    title: str
    clock: str
    outside: Image
    eyes: tuple[Image, Image]
    touch: tuple[Image, Image]
    sound: NDArray[np.floating]
    loudest: float
    window: int
    window_text: str
    legend: Image


@cache
def layout_of(width: int, height: int) -> Layout:
    """Return the layout of a picture, which is best if it is about 16 to 9.

    Raises:
        ValueError: the picture is too small for its labels, or so narrow or flat that parts would have no room.
    """
    if width < SMALLEST[0] or height < SMALLEST[1]:
        least = "x".join(map(str, SMALLEST))
        raise ValueError(f"{width}x{height} is too small for all senses side by side; it must be at least {least}")
    if not 1.2 <= width / height <= 3.0:
        raise ValueError(f"{width}x{height} has no room for all senses; the width must be 1.2 to 3 times the height")
    # A picture that is less wide than 16:9 has smaller eyes.
    scale = min(height, width * 9 / 16) / _HEIGHT
    margin, gap, split, label, header = (round(each * scale) for each in (_MARGIN, _GAP, _SPLIT, _LABEL, _HEADER))
    eye = round(_EYE * _HEIGHT * scale)
    top, bottom = margin + header, height - margin
    left, inner = margin, gap // 2
    right = width - margin - 2 * eye - gap
    first, second = right, right + eye + gap
    touch_top = top + label + eye + gap + label
    touch = bottom - touch_top
    wide = right - split - left
    waves = round(_WAVES * (bottom - top))
    ear = (waves - inner) // 2
    ears_top = bottom - 2 * ear - inner
    return Layout(
        size=(width, height),
        scale=scale,
        header=(left, margin, width - 2 * margin, header),
        outside=(left, top + label, wide, ears_top - label - gap - top - label),
        eyes=((first, top + label, eye, eye), (second, top + label, eye, eye)),
        ears=((left, ears_top, wide, ear), (left, ears_top + ear + inner, wide, ear)),
        touch=((first, touch_top, eye, touch), (second, touch_top, eye, touch)),
    )


def compose(layout: Layout, moment: Moment) -> Image:
    """Return the picture of a moment."""
    page = np.empty((layout.size[1], layout.size[0], 3), np.uint8)
    page[:] = _PAPER
    text = _TEXT * layout.scale
    left, top, wide, _ = layout.header
    write(page, moment.title, left, top, _TITLE * layout.scale, _INK)
    clock = _TITLE * layout.scale
    write(page, moment.clock, left + wide - text_width(moment.clock, clock), top, clock, _INK)
    pictures = (moment.outside, *moment.eyes, *moment.touch)
    boxes = (layout.outside, *layout.eyes, *layout.touch)
    labels = ("from outside", "left eye", "right eye", "touch, from the front", "from behind")
    for picture, box, name in zip(pictures, boxes, labels, strict=True):
        _place(page, picture, box)
        _label(page, layout, box, name)
    for channel, (box, colour) in enumerate(zip(layout.ears, (_LEFT, _RIGHT), strict=True)):
        drawn = wave(moment.sound[channel], moment.window, moment.loudest, (box[2], box[3]), colour)
        _place(page, drawn, box)
        inset = round(6 * layout.scale)
        write(page, ("left ear", "right ear")[channel], box[0] + inset, box[1] + inset // 2, text, colour)
    heard = f"sound, the last {moment.window_text}" if moment.loudest > 0 else "sound: silence"
    _label(page, layout, layout.ears[0], heard)
    _legend(page, layout, moment.legend)
    return page


def wave(samples: NDArray[np.floating], window: int, loudest: float, size: tuple[int, int], colour: Colour) -> Image:
    """Draw the last samples of one ear: in each column of pixels, all that lies between the lowest and the highest.

    Args:
        samples: those up to now; what is missing at the beginning is silence.
        window: how many samples the width shows.
        loudest: the sample that fills the height; 0 draws a line.
        size: width and height in pixels.
        colour: that of the wave.
    """
    width, height = size
    recent = np.zeros(window, np.float64)
    if len(samples):
        last = np.asarray(samples[-window:], np.float64)
        recent[window - len(last) :] = last
    edges = np.linspace(0, window, width + 1).astype(np.intp)
    low, high = (each.reduceat(recent, edges[:-1]) for each in (np.minimum, np.maximum))
    middle, reach = height // 2 + 0.5, (height / 2 - 2) / (loudest or 1.0)
    upper, lower = middle - high * reach - 0.5, middle - low * reach + 0.5
    rows = np.arange(height)[:, None]
    covered = np.clip(np.minimum(lower, rows + 1) - np.maximum(upper, rows), 0, 1)[..., None]
    # Before the episode began there was no sound, not even silence.
    covered[:, : np.searchsorted(edges, window - len(samples))] = 0
    page = np.full((height, 1, 3), _PANEL, np.float64)
    page[height // 2] = _LINE
    drawn: Image = np.rint(page + covered * (np.array(colour) - page)).astype(np.uint8)
    return drawn


def write(page: Image, text: str, left: int, top: int, size: float, colour: Colour) -> None:
    """Write a text on a picture, in place; what is beyond its edges is cut off."""
    mask = text_mask(text, size)
    area = page[top : top + mask.shape[0], left : left + mask.shape[1]]
    covered = mask[: area.shape[0], : area.shape[1], None]
    area[:] = np.rint(area + covered * (np.array(colour, np.float32) - area)).astype(np.uint8)


def _place(page: Image, picture: Image, box: Box) -> None:
    """Put a picture in its box, with a thin line around it."""
    left, top, wide, high = box
    page[top - 1 : top + high + 1, left - 1 : left + wide + 1] = _LINE
    page[top : top + high, left : left + wide] = picture


def _label(page: Image, layout: Layout, box: Box, text: str) -> None:
    write(page, text, box[0], box[1] - round(_LABEL * layout.scale), _TEXT * layout.scale, _GREY)


def _legend(page: Image, layout: Layout, colours: Image) -> None:
    """Draw the colours of touch at the right end of the label above the skin."""
    left, top, wide, _ = layout.touch[1]
    size = _TEXT * layout.scale
    end, line = left + wide, top - round(_LABEL * layout.scale)
    strong, weak = text_width("strong", size), text_width("weak", size)
    bar, space = round(40 * layout.scale), round(5 * layout.scale)
    start = end - strong - space - bar
    write(page, "strong", end - strong, line, size, _GREY)
    write(page, "weak", start - space - weak, line, size, _GREY)
    high = max(2, round(6 * layout.scale))
    from_top = line + round(0.56 * size) - high // 2
    page[from_top : from_top + high, start : start + bar] = colours[np.arange(bar) * len(colours) // bar]
