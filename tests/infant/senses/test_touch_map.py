"""The picture of touch."""

import numpy as np
import pytest

import puzzlebox.infant
from infant_bodies import child_of
from puzzlebox.infant.looks.photo import photograph
from puzzlebox.infant.looks.portrait import Portrait
from puzzlebox.infant.senses.skin import Skin, SkinSettings
from puzzlebox.infant.senses.touch_map import paint_touch


def reddish(picture: np.ndarray) -> np.ndarray:
    picture = picture.astype(int)
    return picture[..., 0] - picture[..., 2] > 60


def test_the_soles_of_a_standing_child_are_red_and_nothing_else_below_the_knees() -> None:
    child = child_of()
    child.reset(pose="stand")
    for _ in range(15):
        child.step()
    portrait, skin = Portrait(child), Skin(child, SkinSettings(habituation=0.0))
    paint_touch(portrait, skin.taxels, np.zeros(len(skin.taxels)))
    assert reddish(photograph(portrait, "below", 100, 100, samples=1)).sum() < 20
    paint_touch(portrait, skin.taxels, skin.read())
    below = reddish(photograph(portrait, "below", 100, 100, samples=1))
    assert below.sum() > 80
    middles = np.flatnonzero(below.any(axis=0))
    assert middles.min() < 45 and middles.max() > 55, "both feet"


def test_names_of_the_wing_are_found_when_they_are_used() -> None:
    assert puzzlebox.infant.Infant.__name__ == "Infant"
    with pytest.raises(AttributeError, match="no attribute 'Toddler'"):
        _ = puzzlebox.infant.Toddler
