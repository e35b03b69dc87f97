"""Themes: the look of the floor, the fence, the walls and the sky of an arena, and its light."""

from dataclasses import dataclass

from puzzlebox.scene.colours import RGB

PATTERNS = ("plain", "tiles", "bricks", "stripes", "pickets", "planks", "grass", "gradient")


@dataclass(frozen=True)
class Surface:
    """The paint of a surface: a colour (0-255), one of `PATTERNS`, and the pattern's second colour.

    Without a second colour, the lines of a pattern are a darker first colour, and a sky is paler at the horizon.
    """

    color: RGB
    pattern: str = "plain"
    other: RGB | None = None


@dataclass(frozen=True)
class Look:
    """A complete theme: every surface, an optional ceiling, and the light (1 is full daylight, 0 is dark)."""

    floor: Surface
    fence: Surface
    walls: Surface
    sky: Surface
    ceiling: Surface | None = None
    light: float = 1.0


THEMES: dict[str, Look] = {
    # Fitted to screenshots of the original (docs/original/looks.md#screenshots).
    "classic": Look(
        floor=Surface((133, 121, 88), "tiles", (98, 80, 44)),
        fence=Surface((162, 181, 199), "pickets", (153, 171, 188)),
        walls=Surface((128, 128, 128), "bricks"),
        sky=Surface((90, 115, 155), "gradient", (188, 226, 254)),
    ),
    "laboratory": Look(
        floor=Surface((214, 218, 222), "tiles"),
        fence=Surface((236, 238, 240)),
        walls=Surface((176, 186, 196)),
        sky=Surface((226, 230, 235)),
        ceiling=Surface((250, 250, 250), "tiles"),
    ),
    "meadow": Look(
        floor=Surface((104, 152, 72), "grass"),
        fence=Surface((150, 110, 70), "planks"),
        walls=Surface((150, 130, 105), "bricks"),
        sky=Surface((120, 180, 240), "gradient"),
    ),
    "desert": Look(
        floor=Surface((222, 190, 130)),
        fence=Surface((190, 120, 80), "bricks"),
        walls=Surface((205, 150, 100), "bricks"),
        sky=Surface((240, 200, 150), "gradient"),
    ),
    "snow": Look(
        floor=Surface((238, 242, 248)),
        fence=Surface((120, 90, 70), "planks"),
        walls=Surface((170, 185, 205), "bricks"),
        sky=Surface((200, 212, 226), "gradient"),
        light=0.9,
    ),
    "night": Look(
        floor=Surface((70, 74, 92), "tiles"),
        fence=Surface((96, 100, 122), "pickets"),
        walls=Surface((84, 86, 104), "bricks"),
        sky=Surface((16, 20, 44), "gradient"),
        light=0.35,
    ),
}
DEFAULT_THEME = "classic"
