"""A picture of touch: the skin of a child, coloured where it feels something."""

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.looks.portrait import Portrait
from puzzlebox.infant.senses.taxels import Taxels
from puzzlebox.scene.colours import linear

# Skin that feels nothing, little, and as much as it can.
_NOTHING, _LITTLE, _MUCH = (206, 206, 210), (250, 190, 90), (196, 30, 40)


def paint_touch(portrait: Portrait, taxels: Taxels, felt: NDArray[np.floating]) -> None:
    """Colour the skin of a portrait by what its taxels feel, from 0 (grey) to 1 (red).

    A vertex has the colour of the strongest taxel on the triangles around it.
    """
    skin = portrait.skin
    strength = np.zeros(len(skin.at))
    for corner in range(3):
        np.maximum.at(strength, skin.triangles[taxels.triangle, corner], felt)
    # Vertices on the edges of clothes are there once for each colour.
    _, place = np.unique(skin.at, axis=0, return_inverse=True)
    place = place.reshape(-1)
    strongest = np.zeros(int(place.max()) + 1)
    np.maximum.at(strongest, place, strength)
    portrait.scene.vertices["color"] = touch_colours(strongest[place])


def touch_colours(strength: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the colour of each strength from 0 to 1, as linear red, green and blue."""
    share = np.asarray(strength)[:, None]
    nothing, little, much = (np.array(linear(colour)) for colour in (_NOTHING, _LITTLE, _MUCH))
    return np.where(share > 0, little + np.sqrt(share) * (much - little), nothing)


def touch_legend(count: int) -> NDArray[np.uint8]:
    """Return the colours from the weakest to the strongest touch, `count` x 3 bytes of sRGB."""
    light = touch_colours(np.linspace(0.0, 1.0, count + 1)[1:])
    shares = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.asarray(np.rint(255 * shares), np.uint8)
