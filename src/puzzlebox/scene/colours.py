"""Colours by name, for task files and pictures. Components are 0-255, as Animal-AI writes them."""

RGB = tuple[float, float, float]

NAMED_COLOURS: dict[str, RGB] = {
    "black": (0, 0, 0),
    "white": (255, 255, 255),
    "grey": (153, 153, 153),  # the testbed's plain walls
    "red": (222, 0, 0),
    "orange": (255, 140, 0),
    "yellow": (255, 221, 0),
    "green": (0, 160, 60),
    "cyan": (0, 190, 210),
    "blue": (0, 0, 255),  # the testbed's platforms
    "purple": (128, 0, 160),
    "pink": (255, 0, 255),  # the testbed's ramps
    "brown": (140, 90, 43),
}
