"""Floor, fence, sky, ceiling and light as a row of numbers, from a theme and the size of the arena."""

import numpy as np

from puzzlebox.scene.colours import Linear, linear
from puzzlebox.scene.scene import SURROUNDINGS, Pattern, Table
from puzzlebox.scene.themes import Look, Surface

FLOOR_TOP = -0.01
# A white directional light of intensity 1.0, rotated by (50, -30, 0) degrees. The ambient light is the rest of the
# light in the screenshots (docs/original/looks.md): a face with normal x gets (0.456, 0.59, 0.74).
SUN = (0.321, 0.766, -0.557)
_DAYLIGHT = (SUN, (1.0, 1.0, 1.0), (0.170, 0.310, 0.500), (0.135, 0.270, 0.420), (0.200, 0.250, 0.290))
# Under a ceiling the light is that of lamps: from all directions, most of it from above.
_LAMPS = ((0.267, 0.928, -0.258), (0.48,) * 3, (0.46, 0.47, 0.49), (0.50, 0.51, 0.53), (0.78, 0.79, 0.80))
# The brightness of the sky towards the sun, relative to overhead, and its limit; fitted to the classic sky.
_HALO, _BRIGHTEST_HALO = 3.5, 1.1
# The fence of the original: three panels a side of 40 m, boards to 5.9 m and posts to 7.1 m.
_BOARDS, _POSTS, _POST_WIDTH, _PANEL = 5.9, 7.1, 2.1, 40 / 3
_CEILING = 8.0
_LINE_BRIGHTNESS = 0.62
_HORIZON_PALENESS = 0.55
# The distance between the lines of each pattern, in metres.
_SCALE = {
    **{"plain": 1.0, "tiles": 0.7, "bricks": 0.4, "stripes": 1.0, "pickets": 1.1},
    **{"planks": 0.5, "grass": 0.15, "gradient": 1.0},
}
PATTERN_OF = {pattern.name.lower(): pattern for pattern in Pattern}


def _mix(one: Linear, two: Linear, share: float) -> Linear:
    return tuple(a + (b - a) * share for a, b in zip(one, two, strict=True))  # type: ignore[return-value]


def _horizon(sky: Linear, light: float) -> Linear:
    """Return the colour of the sky at the horizon: paler than overhead, but hardly so at night."""
    brightest = max(*sky, 1e-3)
    pale = _mix((sky[0] / brightest, sky[1] / brightest, sky[2] / brightest), (1.0, 1.0, 1.0), 0.6)
    return _mix(sky, pale, _HORIZON_PALENESS * light * light)


def second_colour(surface: Surface) -> Linear:
    """Return the second colour of a pattern: that of the theme, or without one a darker first colour."""
    if surface.other is not None:
        return linear(surface.other)
    return _mix((0.0, 0.0, 0.0), linear(surface.color), _LINE_BRIGHTNESS)


def _row(surface: Surface, other: Linear) -> tuple[object, ...]:
    return (linear(surface.color), other, float(PATTERN_OF[surface.pattern]), _SCALE[surface.pattern])


def surroundings(look: Look, width: float, depth: float) -> Table:
    """Return the row of numbers that painters read (`SURROUNDINGS`)."""
    table = np.zeros(1, SURROUNDINGS)
    row = table[0]
    for name in ("floor", "fence"):
        surface: Surface = getattr(look, name)
        row[name] = _row(surface, second_colour(surface))
    sky = linear(look.sky.color)
    if look.sky.pattern == "gradient":
        row["sky"] = _row(look.sky, _horizon(sky, look.light) if look.sky.other is None else linear(look.sky.other))
        row["halo"] = [min(_HALO * channel, _BRIGHTEST_HALO) for channel in sky]
    else:
        row["sky"] = _row(look.sky, second_colour(look.sky))
    if look.ceiling is not None:
        row["lid"] = _row(look.ceiling, second_colour(look.ceiling))
        row["ceiling"] = _CEILING
    row["size"], row["floor_top"] = (width, depth), FLOOR_TOP
    row["fence_top"] = row["post_top"] = _BOARDS if look.ceiling is None else _CEILING
    if look.fence.pattern == "pickets" and look.ceiling is None:
        row["post_top"], row["post_width"] = _POSTS, _POST_WIDTH
    row["panels"] = (max(1, round(width / _PANEL)), max(1, round(depth / _PANEL)))
    row["light"] = look.light
    light = _DAYLIGHT if look.ceiling is None else _LAMPS
    for name, numbers in zip(("sun", "sunlight", "above", "beside", "below"), light, strict=True):
        row[name] = numbers
    return table
