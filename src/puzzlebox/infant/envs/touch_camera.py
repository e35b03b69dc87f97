"""Pictures of what the skin of a child feels, from the front and from behind."""

from math import radians, tan

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.body import Body
from puzzlebox.infant.looks.gaze import view_along
from puzzlebox.infant.looks.portrait import Portrait
from puzzlebox.infant.senses.taxels import Taxels, spread_taxels
from puzzlebox.infant.senses.touch_map import paint_touch
from puzzlebox.render import Painter
from puzzlebox.scene.colours import linear
from puzzlebox.scene.scene import Pattern

Image = NDArray[np.uint8]
# The camera of the skin: its field of view, how much higher than the child it is, and the room around the child.
_FOV_DEGREES, _HIGHER, _ROOM = 30.0, 0.10, 1.04
# Nothing but this colour is behind the skin; the floor is so deep, in metres, that it is out of sight.
_BEHIND, _DEEP = (238, 240, 243), -100.0
# Even light, so that colours can be compared also on a child that lies on its belly.
_LIGHT = {"sunlight": 0.25, "above": 0.75, "beside": 0.66, "below": 0.60}


class TouchCamera:
    """Paints the skin of a body by what it feels, from the front and from behind; the cameras follow the body.

    Args:
        body: the body.
        taxels: how many places on its skin feel.
        samples: samples along each side of a pixel.
    """

    def __init__(self, body: Body, taxels: int, samples: int = 2) -> None:
        self._body, self._samples = body, samples
        self._taxels: Taxels = spread_taxels(taxels)
        self._portrait = Portrait(body)
        around = self._portrait.scene.surroundings
        around["floor_top"], around["halo"] = _DEEP, 0.0
        for name in ("floor", "fence", "sky"):
            around[name]["color"] = around[name]["other"] = linear(_BEHIND)
            around[name]["pattern"] = Pattern.PLAIN
        for name, light in _LIGHT.items():
            around[name] = light
        rows = body.built.bodies
        skin = self._portrait.skin.moved(body.data.xpos[rows], body.data.xmat[rows].reshape(-1, 3, 3))
        middle = (skin.min(axis=0) + skin.max(axis=0)) / 2
        place, turn = self._pelvis()
        self._middle = turn.T @ (middle - place)
        self._reach = float(np.linalg.norm(skin - middle, axis=1).max())

    def _pelvis(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        row = self._body.row("pelvis")
        return self._body.data.xpos[row].copy(), self._body.data.xmat[row].reshape(3, 3).copy()

    def paint(self, felt: NDArray[np.floating], size: tuple[int, int]) -> tuple[Image, Image]:
        """Return the picture from the front and the one from behind."""
        paint_touch(self._portrait, self._taxels, felt)
        painter = Painter(self._portrait.update())
        place, turn = self._pelvis()
        middle, distance = place + turn @ self._middle, _ROOM * self._reach / tan(radians(_FOV_DEGREES / 2))
        out = []
        for side in (1.0, -1.0):
            away = turn @ (np.array((side, 0.0, _HIGHER)) / np.hypot(1.0, _HIGHER))
            view = view_along(middle + distance * away, -away, turn[:, 2], _FOV_DEGREES)
            out.append(painter.picture(view, *size, samples=self._samples))
        return out[0], out[1]
