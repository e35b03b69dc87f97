"""Eyes and brows of a child as parts of a Scene: simple shapes on the bones of head and eyes, at 18 months."""

from typing import NamedTuple

from puzzlebox.infant.body.bones import LEFT, RIGHT
from puzzlebox.infant.body.shapes import Vector, mirrored
from puzzlebox.infant.looks.paint import Colour


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
    Feature("eye", (0, 0, 0), (0.0130, 0.0130, 0.0130), _WHITE),
    Feature("eye", (0.0080, 0, 0), (0.0052, 0.0080, 0.0080), _RIM),
    Feature("eye", (0.0085, 0, 0), (0.0051, 0.0072, 0.0072), _IRIS),
    Feature("eye", (0.0106, 0, 0), (0.0034, 0.0038, 0.0038), _PUPIL),
)
# Beside the middle of the left eye; the right one has the mirror image.
_AROUND = (
    Feature("head", (0.0658, 0.0252, 0.0858), (0.0141, 0.0150, 0.0134), _LASH),  # lashes: a dark rim of the lid
    Feature("head", (0.0660, 0.0252, 0.0866), (0.0141, 0.0152, 0.0134), _LID),
    Feature("head", (0.0808, 0.0262, 0.1035), (0.0034, 0.0105, 0.0016), _BROW, tilt=-4.0),
)
_MOUTH = Feature("head", (0.0824, 0.0, 0.0409), (0.0018, 0.0100, 0.0006), (168, 92, 82))
_GLINT = Feature("eye", (0.0126, 0.0030, 0.0034), (0.0015, 0.0015, 0.0015), (255, 255, 255), glows=True)


def all_features() -> tuple[Feature, ...]:
    """Return the features of both sides."""
    out: list[Feature] = [_MOUTH]
    for side in (LEFT, RIGHT):
        out += [each._replace(bone=side + each.bone) for each in (*_EYE, _GLINT)]
        for each in _AROUND:
            out.append(each if side == LEFT else each._replace(at=mirrored(each.at), tilt=-each.tilt))
    return tuple(out)
