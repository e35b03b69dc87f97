"""Colours by name, for task files and pictures. Components are 0-255, as Animal-AI writes them."""

from collections.abc import Sequence

RGB = tuple[float, float, float]
# Amounts of light, 0 to 1: twice the number is twice the light.
Linear = tuple[float, float, float]

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


def _linear_channel(channel: float) -> float:
    share = channel / 255.0
    return share / 12.92 if share <= 0.04045 else float(((share + 0.055) / 1.055) ** 2.4)


def linear(color: Sequence[float]) -> Linear:
    """Return an sRGB colour (0-255) as amounts of light (0-1)."""
    red, green, blue = color
    return (_linear_channel(red), _linear_channel(green), _linear_channel(blue))
