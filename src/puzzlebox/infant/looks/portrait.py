"""The Scene of a child alone: its figure and a bare room around it."""

from typing import Protocol

import numpy as np

from puzzlebox.infant.body.body import Body
from puzzlebox.infant.body.bones import BONES
from puzzlebox.infant.looks.axes import ORIGIN
from puzzlebox.infant.looks.figure import Figure
from puzzlebox.scene.scene import POSE, Scene, Table
from puzzlebox.scene.surroundings import surroundings
from puzzlebox.scene.themes import Look, Surface

_ROOM = Look(
    floor=Surface((206, 190, 168), "planks", (186, 168, 146)),
    fence=Surface((222, 226, 230)),
    walls=Surface((222, 226, 230)),
    sky=Surface((222, 228, 236), "gradient", (238, 240, 243)),
)
# Lamps of a room: soft light from above, in front and to the right of the child, and much light from all sides.
_LIGHT = {
    "sun": (0.38, 0.72, 0.58),
    "sunlight": (0.56, 0.53, 0.48),
    "above": (0.60, 0.61, 0.64),
    "beside": (0.50, 0.51, 0.54),
    "below": (0.40, 0.37, 0.34),
}


def room() -> Table:
    """Return the surroundings of a child alone: a wooden floor and a pale background."""
    table = surroundings(_ROOM, 2 * ORIGIN[0], 2 * ORIGIN[2])
    row = table[0]
    row["floor_top"], row["fence_top"], row["post_top"], row["halo"] = 0.0, 0.0, 0.0, 0.0
    row["floor"]["scale"] = 0.14
    sun = np.array(_LIGHT["sun"])
    for name, numbers in _LIGHT.items():
        row[name] = numbers if name != "sun" else sun / np.linalg.norm(sun)
    return table


class Sights(Protocol):
    """A Scene with bodies that eyes can see.

    Attributes:
        scene: the Scene.
    """

    scene: Scene

    @property
    def dark(self) -> bool:
        """Whether the lamp is off, so that only what glows can be seen."""

    def update(self) -> Scene:
        """Move the Scene to the current state, and return it."""

    def first_row(self, body: Body) -> int:
        """Return the row of the Scene's poses in which the bones of a body begin."""


class Portrait:
    """A child as a Scene that follows its body.

    The first rows of `scene.poses` are the bones, in the order of `BONES`. Things that a world adds come after them.
    """

    dark = False

    def __init__(self, child: Body) -> None:
        self.child = child
        self.figure = Figure(child)
        self.skin = self.figure.skin
        self.scene = Scene(
            parts=self.figure.parts,
            poses=np.zeros(len(BONES), POSE),
            surroundings=room(),
            vertices=self.figure.vertices,
            triangles=self.figure.triangles,
            bones=self.figure.bones,
            owners=np.zeros(len(BONES), np.int32),
        )
        self.update()

    def update(self) -> Scene:
        """Move the Scene to the current posture of the child, and return it."""
        self.figure.update(self.scene.poses)
        return self.scene

    def first_row(self, body: Body) -> int:
        """Return the row in which the bones of the child begin."""
        return self.figure.first_row
