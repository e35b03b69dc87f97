"""The flesh over the bones at 18 months, as one table of soft shapes that only the skin follows.

The skin is the surface of a smooth union of these shapes and of the collision shapes of all bones. `blend` is how far,
in metres, a shape melts into its neighbours. Positions are in the frame of the bone (`body.bones`).
"""

from typing import NamedTuple

from puzzlebox.infant.body.bones import BONES, LEFT, RIGHT, SIDE
from puzzlebox.infant.body.shapes import Ball, Egg, Rod, Shape


class Flesh(NamedTuple):
    """A soft shape over a bone."""

    bone: str
    shape: Shape
    blend: float


# How far the collision shapes of each region melt into their neighbours.
BLENDS = {"head": 0.016, "trunk": 0.026, "arm": 0.014, "hand": 0.0028, "leg": 0.022, "foot": 0.008}
# Bones whose collision shapes are no part of the skin: eyes are drawn as balls of their own.
_BARE = ("eye",)

# fmt: off
_MIDDLE = (
    Flesh("pelvis", Egg((0.004, 0, 0.020), (0.056, 0.078, 0.050)), 0.03),
    Flesh("lumbar", Egg((0.012, 0, 0.020), (0.064, 0.078, 0.060)), 0.03),  # a toddler's belly
    Flesh("thorax", Egg((0.004, 0, 0.030), (0.060, 0.080, 0.060)), 0.03),
    Flesh("chest", Egg((0.000, 0, 0.030), (0.054, 0.082, 0.055)), 0.03),
    Flesh("chest", Egg((-0.010, 0, 0.080), (0.040, 0.068, 0.031)), 0.024),  # the slope of the shoulders
    Flesh("neck", Rod((0.001, 0, 0.000), (0.006, 0, 0.034), 0.0365), 0.022),
    Flesh("jaw", Egg((0.026, 0, -0.034), (0.034, 0.036, 0.018)), 0.016),  # under the chin
    Flesh("head", Egg((0.000, 0, 0.112), (0.083, 0.069, 0.068)), 0.012),  # a long skull
    Flesh("head", Egg((0.052, 0, 0.128), (0.032, 0.046, 0.030)), 0.020),  # a round forehead
    Flesh("head", Egg((-0.052, 0, 0.104), (0.034, 0.046, 0.040)), 0.020),  # the back of the head
    Flesh("head", Egg((0.028, 0, 0.050), (0.048, 0.052, 0.046)), 0.016),
    Flesh("head", Ball((0.0830, 0, 0.0655), 0.0078), 0.008),  # the nose: tip and bridge
    Flesh("head", Rod((0.076, 0, 0.086), (0.082, 0, 0.070), 0.0046), 0.010),
    Flesh("head", Rod((0.0788, -0.0080, 0.0445), (0.0788, 0.0080, 0.0445), 0.0042), 0.005),  # upper lip
    Flesh("jaw", Rod((0.0705, -0.0060, -0.0130), (0.0705, 0.0060, -0.0130), 0.0046), 0.005),  # lower lip
    Flesh("jaw", Ball((0.0575, 0, -0.0300), 0.0155), 0.010),  # chin
)
_SIDE = (
    Flesh("head", Egg((0.046, 0.031, 0.052), (0.027, 0.025, 0.027)), 0.014),  # cheek
    Flesh("head", Ball((0.0795, 0.0062, 0.0640), 0.0045), 0.005),  # wing of the nose
    Flesh("head", Egg((0.066, 0.024, 0.098), (0.008, 0.015, 0.006)), 0.012),  # brow
    Flesh("head", Egg((-0.006, 0.0690, 0.076), (0.0120, 0.0070, 0.0165)), 0.004),  # ear: lobe and shell
    Flesh("head", Egg((-0.011, 0.0745, 0.081), (0.0145, 0.0062, 0.0185)), 0.003),
    Flesh("chest", Egg((-0.004, 0.058, 0.060), (0.034, 0.034, 0.030)), 0.02),  # shoulder
    Flesh("upper_arm", Rod((0, 0, -0.010), (0, 0, -0.060), 0.0290), 0.016),
    Flesh("forearm", Rod((0.001, 0.001, -0.012), (0.001, 0.001, -0.045), 0.0250), 0.012),
    Flesh("hand", Egg((0.001, 0.002, -0.030), (0.0225, 0.0105, 0.0240)), 0.004),
    Flesh("hand", Egg((0.013, -0.005, -0.022), (0.0085, 0.0075, 0.0140)), 0.004),  # ball of the thumb
    Flesh("pelvis", Egg((-0.030, 0.032, 0.006), (0.036, 0.040, 0.042)), 0.02),  # buttock
    Flesh("thigh", Rod((0.002, 0.004, -0.025), (0.002, 0.002, -0.075), 0.0480), 0.022),
    Flesh("shin", Egg((-0.008, 0.001, -0.042), (0.031, 0.033, 0.046)), 0.016),  # calf
    Flesh("shin", Ball((0.010, 0, -0.004), 0.026), 0.014),  # knee
    Flesh("foot", Egg((0.018, 0.001, -0.020), (0.044, 0.025, 0.020)), 0.010),  # instep
    Flesh("foot", Ball((-0.006, 0, -0.004), 0.026), 0.012),  # ankle
    Flesh("toes", Egg((0.011, -0.0135, 0.000), (0.0125, 0.0078, 0.0088)), 0.003),  # big toe
    Flesh("toes", Ball((0.0125, -0.0015, -0.002), 0.0072), 0.0025),
    Flesh("toes", Ball((0.0100, 0.0075, -0.002), 0.0067), 0.0025),
    Flesh("toes", Ball((0.0065, 0.0155, -0.003), 0.0063), 0.0025),
    Flesh("toes", Ball((0.0010, 0.0225, -0.003), 0.0060), 0.0025),
)
# fmt: on


def all_flesh() -> tuple[Flesh, ...]:
    """Return every shape under the skin: those of the bones first, the finest blends last."""
    paired = {bone.name for bone in SIDE}
    shapes = [
        Flesh(bone.name, shape, BLENDS[bone.region])
        for bone in BONES
        if not bone.name.endswith(_BARE)
        for shape in bone.shapes
    ]
    shapes += _MIDDLE
    for side in (LEFT, RIGHT):
        for bone, shape, blend in _SIDE:
            name = side + bone if bone in paired else bone
            shapes.append(Flesh(name, shape if side == LEFT else shape.mirror(), blend))
    return tuple(sorted(shapes, key=lambda each: -each.blend))
