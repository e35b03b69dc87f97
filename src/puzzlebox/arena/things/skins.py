"""Skins of animals: three sets of round parts around the ball that is the body. They face along z; purely visual."""

from functools import cache

from puzzlebox.scene.colours import Linear, linear
from puzzlebox.scene.parts import UPRIGHT, Part, Quaternion, tilted
from puzzlebox.scene.scene import Kind, Pattern
from puzzlebox.scene.shapes import Vector

_X, _Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
_WHITE, _BLACK = linear((244, 242, 236)), linear((38, 36, 40))
_PINK, _ROSE, _DARK_ROSE = linear((246, 172, 178)), linear((228, 130, 142)), linear((150, 66, 80))
_SAND, _BROWN, _SPINE_TIP = linear((226, 190, 146)), linear((104, 74, 52)), linear((214, 186, 150))
# Eyes and noses are small; a glint makes them visible.
_GLINT = (1.0, 1.0, 1.0)


def _blob(at: Vector, half: Vector, color: Linear, turn: Quaternion = UPRIGHT) -> Part:
    return Part(Kind.ELLIPSOID, half, color, at, turn)


def _ball(at: Vector, radius: float, color: Linear) -> Part:
    return Part(Kind.BALL, (radius, radius, radius), color, at)


def _pair(part: Part) -> tuple[Part, Part]:
    """Return a part and its mirror image on the other side."""
    (x, y, z), (w, i, j, k) = part.at, part.turn
    return part, part._replace(at=(-x, y, z), turn=(w, i, -j, -k))


def _eyes(at: Vector, size: float) -> tuple[Part, ...]:
    x, y, z = at
    glint = (x - 0.35 * size, y + 0.4 * size, z + 0.75 * size)
    return (*_pair(_ball(at, size, _BLACK)), *_pair(Part(Kind.BALL, (0.3 * size,) * 3, _GLINT, glint, glows=True)))


def _panda() -> tuple[Part, ...]:
    return (
        _blob((0.0, -0.06, -0.05), (0.47, 0.44, 0.46), _WHITE),
        _blob((0.0, 0.06, -0.05), (0.485, 0.19, 0.475), _BLACK),
        _ball((0.0, 0.3, 0.22), 0.36, _WHITE),
        *_pair(_ball((0.27, 0.56, 0.14), 0.125, _BLACK)),
        *_pair(_blob((0.15, 0.33, 0.51), (0.085, 0.115, 0.07), _BLACK, tilted(_Z, -25))),
        *_eyes((0.145, 0.345, 0.565), 0.035),
        _blob((0.0, 0.2, 0.52), (0.13, 0.1, 0.09), _WHITE),
        _blob((0.0, 0.235, 0.6), (0.055, 0.04, 0.035), _BLACK),
        *_pair(_blob((0.38, -0.12, 0.24), (0.12, 0.22, 0.13), _BLACK, tilted(_X, -35))),
        *_pair(_blob((0.27, -0.38, 0.22), (0.15, 0.12, 0.2), _BLACK)),
        _ball((0.0, -0.12, -0.5), 0.1, _WHITE),
    )


def _pig() -> tuple[Part, ...]:
    snout = tilted(_X, 90)
    return (
        _blob((0.0, -0.04, -0.06), (0.46, 0.43, 0.5), _PINK),
        _ball((0.0, 0.16, 0.26), 0.34, _PINK),
        Part(Kind.CYLINDER, (0.14, 0.08, 0.14), _ROSE, (0.0, 0.12, 0.6), snout),
        *_pair(_blob((0.05, 0.125, 0.68), (0.025, 0.04, 0.015), _DARK_ROSE)),
        *_pair(_blob((0.2, 0.47, 0.22), (0.11, 0.15, 0.05), _ROSE, tilted(_Z, -28))),
        *_eyes((0.145, 0.26, 0.535), 0.045),
        *_pair(Part(Kind.CYLINDER, (0.1, 0.09, 0.1), _ROSE, (0.25, -0.41, 0.2))),
        *_pair(Part(Kind.CYLINDER, (0.1, 0.09, 0.1), _ROSE, (0.25, -0.41, -0.26))),
        _blob((0.03, 0.1, -0.58), (0.06, 0.06, 0.03), _ROSE),
        _blob((-0.02, 0.15, -0.6), (0.05, 0.05, 0.03), _ROSE),
    )


def _hedgehog() -> tuple[Part, ...]:
    back = _blob((0.0, 0.02, -0.08), (0.5, 0.46, 0.52), _BROWN)
    return (
        back._replace(pattern=Pattern.SPINES, other=_SPINE_TIP, scale=0.09),
        _blob((0.0, -0.16, 0.06), (0.4, 0.32, 0.46), _SAND),
        _blob((0.0, 0.02, 0.34), (0.27, 0.25, 0.24), _SAND),
        _blob((0.0, -0.04, 0.55), (0.12, 0.1, 0.17), _SAND, tilted(_X, 8)),
        _ball((0.0, -0.02, 0.72), 0.058, _BLACK),
        *_eyes((0.13, 0.1, 0.54), 0.045),
        *_pair(_ball((0.24, 0.24, 0.3), 0.085, _SAND)),
        *_pair(_blob((0.2, -0.43, 0.3), (0.1, 0.07, 0.14), _SAND)),
        *_pair(_blob((0.2, -0.43, -0.25), (0.1, 0.07, 0.14), _SAND)),
    )


_SKINS = {"panda": _panda, "pig": _pig, "hedgehog": _hedgehog}


@cache
def skin(name: str) -> tuple[Part, ...]:
    """Return the parts of a skin."""
    return _SKINS[name]()
