"""Eyes and brows of a child as parts of a Scene: simple shapes on the bones of head and eyes, at 18 months."""

from typing import NamedTuple

from puzzlebox.infant.body.bones import LEFT, RIGHT
from puzzlebox.infant.body.shapes import Vector, mirrored
from puzzlebox.infant.looks.paint import SKIN, Colour


class Feature(NamedTuple):
    """An ellipsoid on a bone: where, its radii, its colour, and how far it is tilted about x in degrees."""

    bone: str
    at: Vector
    radii: Vector
    colour: Colour
    tilt: float = 0.0
    glows: bool = False


_WHITE, _IRIS, _RIM, _PUPIL = (250, 248, 244), (104, 72, 44), (64, 42, 28), (14, 12, 12)
_LASH, _BROW = (70, 44, 30), (132, 92, 58)
_LID = (230, 178, 150)

_EYE = (
    Feature("eye", (0, 0, 0), (0.0125, 0.0125, 0.0125), _WHITE),
    Feature("eye", (0.0080, 0, 0), (0.0047, 0.0071, 0.0071), _RIM),
    Feature("eye", (0.0085, 0, 0), (0.0046, 0.0063, 0.0063), _IRIS),
    Feature("eye", (0.0103, 0, 0), (0.0031, 0.0033, 0.0033), _PUPIL),
)
# Beside the middle of the left eye; the right one has the mirror image.
_AROUND = (
    Feature("head", (0.0602, 0.0245, 0.0862), (0.0137, 0.0142, 0.0134), _LASH),  # lashes: a dark rim of the lid
    Feature("head", (0.0604, 0.0245, 0.0870), (0.0137, 0.0144, 0.0134), _LID),
    Feature("head", (0.0602, 0.0245, 0.0725), (0.0130, 0.0136, 0.0100), SKIN),  # the lower lid
    Feature("head", (0.0765, 0.0265, 0.1050), (0.0030, 0.0112, 0.0017), _BROW, tilt=-7.0),
)
_GLINT = Feature("eye", (0.0122, 0.0028, 0.0030), (0.0013, 0.0013, 0.0013), (255, 255, 255), glows=True)


def all_features() -> tuple[Feature, ...]:
    """Return the features of both sides."""
    out: list[Feature] = []
    for side in (LEFT, RIGHT):
        out += [each._replace(bone=side + each.bone) for each in (*_EYE, _GLINT)]
        for each in _AROUND:
            out.append(each if side == LEFT else each._replace(at=mirrored(each.at), tilt=-each.tilt))
    return tuple(out)
