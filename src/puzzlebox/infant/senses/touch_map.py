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
    strength = strongest[place][:, None]
    nothing, little, much = (np.array(linear(colour)) for colour in (_NOTHING, _LITTLE, _MUCH))
    touched = little + np.sqrt(strength) * (much - little)
    portrait.scene.vertices["color"] = np.where(strength > 0, touched, nothing)
