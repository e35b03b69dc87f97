"""The picture of a moment: layout, waves and letters."""

import itertools
from typing import Any

import numpy as np
import pytest

from puzzlebox.infant.looks.letters import text_mask, text_width
from puzzlebox.infant.looks.panel import DEFAULT, SMALLEST, Layout, Moment, compose, layout_of, wave

RED = (200, 0, 0)


def boxes_of(layout: Layout) -> list[tuple[int, int, int, int]]:
    return [layout.header, layout.outside, *layout.eyes, *layout.ears, *layout.touch]


@pytest.mark.parametrize("size", [DEFAULT, SMALLEST, (1920, 1080), (640, 480), (1200, 420), (961, 541)])
def test_all_parts_are_inside_and_none_covers_another(size: tuple[int, int]) -> None:
    layout = layout_of(*size)
    used = np.zeros((size[1], size[0]), int)
    for left, top, wide, high in boxes_of(layout):
        assert left > 0 and top > 0 and left + wide < size[0] and top + high < size[1]
        assert wide >= 60 and high >= 10
        used[top : top + high, left : left + wide] += 1
    assert used.max() == 1
    assert layout.eyes[0][2] == layout.eyes[0][3]


def test_a_wave_is_as_high_as_it_is_loud_and_now_is_at_its_right() -> None:
    samples = np.concatenate((np.zeros(500), np.tile((0.5, -0.5), 250)))
    drawn = wave(samples, 2000, 1.0, (200, 60), RED)
    inked = (drawn == RED).all(axis=2).sum(axis=0)
    # Nothing before the beginning, a line of silence, then half the height.
    assert not inked[:99].any()
    assert (inked[101:149] >= 1).all() and (inked[101:149] <= 2).all()
    assert (abs(inked[151:] - 29) <= 1).all()


@pytest.mark.parametrize("loudest", [0.0, 1.0])
def test_silence_is_a_line(loudest: float) -> None:
    drawn = wave(np.zeros(5000), 2000, loudest, (50, 20), RED)
    assert ((drawn == RED).all(axis=2).sum(axis=0) == 1).all()


def test_pictures_are_where_the_layout_says() -> None:
    layout = layout_of(*DEFAULT)
    shades = itertools.count(10, 20)

    def plain(box: Any) -> Any:
        return np.full((box[3], box[2], 3), next(shades), np.uint8)

    pictures = [plain(box) for box in (layout.outside, *layout.eyes, *layout.touch)]
    outside, left, right, front, back = pictures
    sound, legend = np.zeros((2, 100)), np.zeros((8, 3), np.uint8)
    moment = Moment("a task", "1.0 s", outside, (left, right), (front, back), sound, 0.0, 1000, "2 seconds", legend)
    page = compose(layout, moment)
    assert page.shape == (DEFAULT[1], DEFAULT[0], 3)
    for picture, (x, y, wide, high) in zip(pictures, (layout.outside, *layout.eyes, *layout.touch), strict=True):
        assert np.array_equal(page[y : y + high, x : x + wide], picture)
    x, y, wide, high = layout.header
    assert page[y : y + high, x : x + 60].min() < 100 and page[y : y + high, x + wide - 20 : x + wide].min() < 100


def test_every_letter_differs_from_all_others_and_is_drawn_whole() -> None:
    signs = "abcdefghijklmnopqrstuvwxyz0123456789-.,:/"
    drawn = {sign: text_mask(sign, 40.0) for sign in signs}
    for one, two in itertools.combinations(signs, 2):
        assert drawn[one].shape != drawn[two].shape or not np.array_equal(drawn[one], drawn[two])
    for sign, mask in drawn.items():
        assert mask.shape == (40, text_width(sign, 40.0)) and mask.max() == 1.0, sign
        assert not mask[0].any() and not mask[-1].any(), sign
    assert np.array_equal(text_mask("Ab", 20.0), text_mask("ab", 20.0))
