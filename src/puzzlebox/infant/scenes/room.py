"""The room of a scene: its size, walls and floor, for physics, pictures and sound."""

from dataclasses import dataclass

import mujoco

from puzzlebox.infant.looks.portrait import room as bare_room
from puzzlebox.infant.scenes.props import RGB
from puzzlebox.infant.sound import propagation
from puzzlebox.scene.colours import linear
from puzzlebox.scene.scene import Table

# The thickness of a wall in metres.
_THICK = 0.05
WALL_NAMES = ("front wall", "back wall", "left wall", "right wall")


@dataclass(frozen=True)
class Room:
    """A room around the origin.

    Attributes:
        depth: its size along x in metres.
        width: its size along y.
        height: the height of its walls; 0 for an open floor without walls.
        floor: the colour of the floor, bytes of sRGB. Default: wooden planks.
        walls: the colour of the walls: front (+x), back, left (+y), right; one colour stands for all.
        reflection: the share of the sound pressure that walls, floor and ceiling reflect, for ears that hear it.
    """

    depth: float = 3.0
    width: float = 3.0
    height: float = 2.0
    floor: RGB | None = None
    walls: tuple[RGB, ...] = ((226, 224, 216),)
    reflection: float = 0.6

    def __post_init__(self) -> None:
        """Raise a ValueError if a number makes no sense."""
        for name in ("depth", "width"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be more than 0 metres")
        if not self.height >= 0:
            raise ValueError(f"height is {self.height!r}; it must be 0 metres or more")
        if len(self.walls) not in (1, 4):
            raise ValueError(f"walls has {len(self.walls)} colours; it must have 1 or 4")

    def boxes(self) -> list[tuple[str, tuple[float, float, float], tuple[float, float, float], RGB]]:
        """Return name, middle, half size and colour of each wall."""
        if not self.height:
            return []
        x, y, z = self.depth / 2 + _THICK, self.width / 2 + _THICK, self.height / 2
        colours = self.walls * (4 // len(self.walls))
        places = ((x, 0.0, z), (-x, 0.0, z), (0.0, y, z), (0.0, -y, z))
        halves = ((_THICK, y + _THICK, z),) * 2 + ((x + _THICK, _THICK, z),) * 2
        return list(zip(WALL_NAMES, places, halves, colours, strict=True))

    def add_to(self, spec: mujoco.MjSpec) -> None:
        """Add the walls to the description of a world."""
        for name, middle, half, _ in self.boxes():
            spec.worldbody.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_BOX, pos=middle, size=half)

    def surroundings(self) -> Table:
        """Return floor, sky and light for painters."""
        table = bare_room()
        if self.floor is not None:
            row = table[0]
            colour = linear(self.floor)
            row["floor"]["color"], row["floor"]["other"] = colour, tuple(0.9 * each for each in colour)
        return table

    def acoustics(self) -> propagation.Room:
        """Return the room as ears hear it, for `EarsSettings.room`."""
        low = (-self.depth / 2, -self.width / 2, 0.0)
        high = (self.depth / 2, self.width / 2, self.height or 2.5)
        return propagation.Room(low, high, self.reflection)
