"""The cast of an episode: which shapes and colours its agents, objects and key have."""

from itertools import combinations
from random import Random
from typing import NamedTuple

from puzzlebox.intuitions.catalogue import FAMILIAR
from puzzlebox.intuitions.grid import Cell

RGB = tuple[int, int, int]

# Shapes of the background tasks ("familiar"), with the published names, and others of our own ("new").
OBJECT_SHAPES = {
    "familiar": (
        *("heart", "clove_tree", "moon", "wine", "double_dia", "flag"),
        *("capsule", "vase", "curved_triangle", "spoon", "medal"),
    ),
    "new": ("star", "mushroom", "drop", "arrow", "cross", "hourglass", "fish", "house"),
}
AGENT_SHAPES = {
    "familiar": ("pentagon", "clove", "kite", "shield"),
    "new": ("gear", "bean", "hexagon", "crown"),
}
# The folder of a set's pictures in the published names.
_FOLDER = {"familiar": "train", "new": "test"}
ORIENTATIONS = (0, 90, 180, 270)

HOME_COLOR: RGB = (255, 105, 180)
KEY_COLOR: RGB = (184, 134, 11)
LOCK_COLOR: RGB = (105, 105, 105)
WALL_COLOR: RGB = (0, 0, 0)
BARRIER_COLOR: RGB = (80, 146, 56)
FLOOR_COLOR: RGB = (255, 255, 255)
AGENT_COLORS: tuple[RGB, ...] = (
    *((0, 0, 128), (255, 140, 0), (128, 128, 128), (139, 69, 19)),
    *((0, 0, 205), (128, 0, 0), (0, 100, 100), (75, 0, 130)),
)
OBJECT_COLORS: tuple[RGB, ...] = (
    *((245, 222, 179), (0, 255, 255), (255, 0, 255), (30, 144, 255)),
    *((255, 215, 0), (255, 160, 200), (60, 179, 113), (169, 169, 169)),
)
# The least distance of two colours of a cast, in units of a channel.
_COLORS_APART = 90


class Look(NamedTuple):
    """The look of an entity: the path of its icon, as files name it, and its colour."""

    icon: str
    color: RGB


class Cast(NamedTuple):
    """The cast of an episode.

    Attributes:
        agent: the agent of the familiarisation.
        newcomer: another agent.
        wanted: the object that the agent goes to, A.
        other: the other object, B.
        wanted_first: whether files list A before B; the same in all trials of an episode.
    """

    agent: Look
    newcomer: Look
    wanted: Look
    other: Look
    wanted_first: bool = True

    def listed(self, wanted: Cell, other: Cell) -> list[tuple[Look, Cell]]:
        """Return both objects with their places in the order in which files list them."""
        both = [(self.wanted, wanted), (self.other, other)]
        return both if self.wanted_first else both[::-1]


HOME = Look("./shapes/home/square.png", HOME_COLOR)


def draw_cast(rng: Random, shapes: str = FAMILIAR) -> Cast:
    """Draw two agents and two objects; no two share a shape, and no two colours are alike."""
    folder = f"./shapes/{_FOLDER[shapes]}"
    bodies, things = rng.sample(AGENT_SHAPES[shapes], 2), rng.sample(OBJECT_SHAPES[shapes], 2)
    while True:
        colors = (*rng.sample(AGENT_COLORS, 2), *rng.sample(OBJECT_COLORS, 2))
        if all(_squared(one, two) >= _COLORS_APART**2 for one, two in combinations(colors, 2)):
            break
    icons = (
        *(f"{folder}/agents/{shape}.png" for shape in bodies),
        *(f"{folder}/objects/{shape}.png" for shape in things),
    )
    agent, newcomer, wanted, other = (Look(icon, color) for icon, color in zip(icons, colors, strict=True))
    return Cast(agent, newcomer, wanted, other)


def _squared(one: RGB, two: RGB) -> int:
    """Return the square of the distance of two colours."""
    return sum((a - b) ** 2 for a, b in zip(one, two, strict=True))


def key_and_lock(orientation: int) -> tuple[Look, Look]:
    """Return a key and the lock that it fits: both have the same orientation, in degrees."""
    return (
        Look(f"./shapes/keys/triangle{orientation}.png", KEY_COLOR),
        Look(f"./shapes/keys/triangle_slot{orientation}.png", LOCK_COLOR),
    )
