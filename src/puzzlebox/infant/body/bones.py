"""The body as one table: 47 bones with 82 degrees of freedom, at 18 months (81.5 cm, 10.6 kg).

The child stands upright with hanging arms and palms towards its thighs; in this posture all angles are 0 and the axes
of all bones are those of the world: x forwards, y to the child's left, z upwards. Positions and radii are metres,
angles degrees, torques newton metres, masses per cent of the body.

Right bones mirror the left ones, and so do their angles: a positive angle has the same meaning on both sides. The
exception is the sideways turn of the eyes, which is positive to the child's left in both eyes, so that equal turns move
them together and a difference is vergence.

The 82 degrees of freedom, without the six of the free pelvis:

| bones | joints | count |
|---|---|---|
| lumbar, thorax, chest, neck, head | bend, lean, twist of each | 15 |
| jaw | open | 1 |
| two eyes | turn, raise of each | 4 |
| two collarbones | raise, protract | 4 |
| two upper arms | flex, abduct, rotate | 6 |
| two forearms | flex, pronate | 4 |
| two hands | flex, deviate | 4 |
| two thumbs of three bones | oppose, close; flex; flex | 8 |
| index, ring and little fingers of two bones | flex, spread; flex | 18 |
| middle fingers of two bones (spread is measured from them) | flex; flex | 4 |
| two thighs | flex, abduct, rotate | 6 |
| two shins | flex | 2 |
| two feet | raise, invert | 4 |
| two bones of toes | raise | 2 |

The limits are round numbers for healthy toddlers and adults from textbooks of physiotherapy, and the torques are of the
order that other infant models use (10 N m at knees and trunk). Neither was measured on children for this table.
"""

from collections.abc import Iterator
from typing import NamedTuple

from puzzlebox.infant.body.shapes import Ball, Rod, Shape, Vector, mirrored

LEFT, RIGHT = "left_", "right_"
# Bones whose joints mean the same direction in space on both sides.
_UNMIRRORED = ("eye",)


class Joint(NamedTuple):
    """One degree of freedom: a hinge.

    Attributes:
        name: what a positive angle does.
        axis: the axis in the frame of the bone, by the right-hand rule.
        low: the lower limit in degrees.
        high: the upper limit in degrees.
        torque: the strength of its muscles in newton metres at 18 months.
    """

    name: str
    axis: Vector
    low: float
    high: float
    torque: float


class Bone(NamedTuple):
    """One rigid bone.

    Attributes:
        name: its name; bones of the left side are written without `left_`.
        parent: the bone it hangs from; "" for the root.
        at: its joint in the frame of the parent.
        region: the part of the body it grows with (`growth.Growth.scales`).
        share: its mass in per cent of the body.
        shapes: its collision shapes.
        joints: its degrees of freedom, in the order of rotation.
    """

    name: str
    parent: str
    at: Vector
    region: str
    share: float
    shapes: tuple[Shape, ...]
    joints: tuple[Joint, ...] = ()


# Positive rotations about these axes take ...
FORWARDS = (0.0, 1.0, 0.0)  # ... up to forwards, and a hanging limb backwards
BACKWARDS = (0.0, -1.0, 0.0)  # ... a hanging limb forwards
OUTWARDS = (1.0, 0.0, 0.0)  # ... a hanging left limb away from the body
INWARDS = (-1.0, 0.0, 0.0)
LEFTWARDS = (0.0, 0.0, 1.0)  # ... forwards to the left
RIGHTWARDS = (0.0, 0.0, -1.0)


def _spine(bend: tuple[float, float], lean: float, twist: float, torque: float) -> tuple[Joint, ...]:
    return (
        Joint("bend", FORWARDS, *bend, torque),
        Joint("lean", INWARDS, -lean, lean, torque * 0.8),
        Joint("twist", LEFTWARDS, -twist, twist, torque * 0.6),
    )


def _eye() -> tuple[Joint, ...]:
    return (Joint("turn", LEFTWARDS, -45, 45, 0.005), Joint("raise", BACKWARDS, -47, 33, 0.005))


# fmt: off
MIDDLE: tuple[Bone, ...] = (
    Bone("pelvis", "", (0, 0, 0.345), "trunk", 11.5, (
        Rod((-0.002, -0.030, 0.014), (-0.002, 0.030, 0.014), 0.055),
        Ball((-0.022, 0.032, 0.008), 0.045),
        Ball((-0.022, -0.032, 0.008), 0.045),
    )),
    Bone("lumbar", "pelvis", (0, 0, 0.050), "trunk", 10.5, (
        Rod((0.006, -0.025, 0.022), (0.006, 0.025, 0.022), 0.059),
    ), _spine((-15, 35), 15, 12, 12)),
    Bone("thorax", "lumbar", (0, 0, 0.054), "trunk", 13.0, (
        Rod((0.005, -0.026, 0.025), (0.005, 0.026, 0.025), 0.058),
    ), _spine((-12, 25), 12, 12, 12)),
    Bone("chest", "thorax", (0, 0, 0.059), "trunk", 13.0, (
        Rod((0.000, -0.030, 0.024), (0.000, 0.030, 0.024), 0.055),
        Rod((-0.006, -0.036, 0.062), (-0.006, 0.036, 0.062), 0.036),
    ), _spine((-8, 20), 10, 12, 12)),
    Bone("neck", "chest", (-0.005, 0, 0.086), "head", 1.6, (
        Rod((0, 0, -0.002), (0.003, 0, 0.038), 0.031),
    ), _spine((-30, 30), 20, 35, 3)),
    Bone("head", "neck", (0.004, 0, 0.041), "head", 18.5, (
        Rod((-0.012, 0, 0.112), (0.017, 0, 0.112), 0.068),
        Ball((0.032, 0, 0.058), 0.050),
    ), _spine((-25, 25), 18, 40, 2.5)),
    Bone("jaw", "head", (0.006, 0, 0.050), "head", 0.8, (
        Rod((0.050, -0.013, -0.026), (0.050, 0.013, -0.026), 0.020),
    ), (Joint("open", FORWARDS, 0, 25, 1.0),)),
)

# The left half of everything that there is twice.
SIDE: tuple[Bone, ...] = (
    Bone("eye", "head", (0.0690, 0.0250, 0.079), "head", 0.08, (Ball((0, 0, 0), 0.0130),), _eye()),
    # The arm hangs; the thumb points forwards and the palm to the body.
    Bone("collarbone", "chest", (-0.004, 0.020, 0.072), "trunk", 0.9, (
        Rod((0, 0.008, 0), (0, 0.052, -0.002), 0.026),
    ), (Joint("raise", OUTWARDS, -10, 30, 5), Joint("protract", RIGHTWARDS, -15, 25, 5))),
    Bone("upper_arm", "collarbone", (0, 0.062, -0.004), "arm", 2.5, (
        Rod((0, 0, -0.004), (0, 0, -0.112), 0.0255),
    ), (
        Joint("flex", BACKWARDS, -45, 165, 4),
        Joint("abduct", OUTWARDS, -20, 150, 4),
        Joint("rotate", LEFTWARDS, -75, 75, 2),
    )),
    Bone("forearm", "upper_arm", (0, 0, -0.122), "arm", 1.5, (
        Rod((0, 0, 0), (0, 0, -0.088), 0.0215),
    ), (Joint("flex", BACKWARDS, 0, 140, 3), Joint("pronate", RIGHTWARDS, -80, 80, 0.8))),
    Bone("hand", "forearm", (0, 0, -0.103), "hand", 0.5, (
        Rod((0.011, 0, -0.012), (0.013, 0, -0.040), 0.0105),
        Rod((-0.008, 0, -0.012), (-0.012, 0, -0.038), 0.0105),
    ), (Joint("flex", INWARDS, -60, 70, 0.8), Joint("deviate", BACKWARDS, -30, 20, 0.6))),
    Bone("thumb_base", "hand", (0.013, -0.004, -0.012), "hand", 0.03, (
        Rod((0.002, 0, -0.002), (0.010, -0.001, -0.014), 0.0082),
    ), (Joint("oppose", RIGHTWARDS, -10, 60, 0.3), Joint("close", FORWARDS, -25, 25, 0.3))),
    Bone("thumb_middle", "thumb_base", (0.011, -0.001, -0.016), "hand", 0.02, (
        Rod((0, 0, 0), (0.006, 0, -0.011), 0.0068),
    ), (Joint("flex", (-0.85, 0, -0.53), -10, 60, 0.25),)),
    Bone("thumb_tip", "thumb_middle", (0.0065, 0, -0.0125), "hand", 0.01, (
        Rod((0, 0, 0), (0.004, 0, -0.009), 0.0062),
    ), (Joint("flex", (-0.85, 0, -0.53), -10, 80, 0.2),)),
    Bone("index_base", "hand", (0.0175, 0, -0.047), "hand", 0.025, (
        Rod((0, 0, 0), (0, 0, -0.016), 0.0062),
    ), (Joint("flex", INWARDS, -15, 90, 0.3), Joint("spread", BACKWARDS, -5, 20, 0.1))),
    Bone("index_tip", "index_base", (0, 0, -0.018), "hand", 0.02, (
        Rod((0, 0, 0), (0, 0, -0.017), 0.0056),
    ), (Joint("flex", INWARDS, 0, 110, 0.25),)),
    Bone("middle_base", "hand", (0.006, 0, -0.049), "hand", 0.025, (
        Rod((0, 0, 0), (0, 0, -0.018), 0.0062),
    ), (Joint("flex", INWARDS, -15, 90, 0.3),)),
    Bone("middle_tip", "middle_base", (0, 0, -0.020), "hand", 0.02, (
        Rod((0, 0, 0), (0, 0, -0.018), 0.0056),
    ), (Joint("flex", INWARDS, 0, 110, 0.25),)),
    Bone("ring_base", "hand", (-0.0055, 0, -0.048), "hand", 0.025, (
        Rod((0, 0, 0), (0, 0, -0.016), 0.0060),
    ), (Joint("flex", INWARDS, -15, 90, 0.3), Joint("spread", FORWARDS, -5, 20, 0.1))),
    Bone("ring_tip", "ring_base", (0, 0, -0.018), "hand", 0.02, (
        Rod((0, 0, 0), (0, 0, -0.017), 0.0055),
    ), (Joint("flex", INWARDS, 0, 110, 0.25),)),
    Bone("little_base", "hand", (-0.0165, 0, -0.045), "hand", 0.02, (
        Rod((0, 0, 0), (0, 0, -0.012), 0.0055),
    ), (Joint("flex", INWARDS, -15, 90, 0.25), Joint("spread", FORWARDS, -5, 30, 0.1))),
    Bone("little_tip", "little_base", (0, 0, -0.014), "hand", 0.015, (
        Rod((0, 0, 0), (0, 0, -0.013), 0.0051),
    ), (Joint("flex", INWARDS, 0, 110, 0.2),)),
    Bone("thigh", "pelvis", (0, 0.046, 0), "leg", 5.6, (
        Rod((0, 0.002, -0.022), (0.002, 0, -0.130), 0.042),
    ), (
        Joint("flex", BACKWARDS, -20, 130, 10),
        Joint("abduct", OUTWARDS, -20, 65, 7),
        Joint("rotate", LEFTWARDS, -40, 60, 4),
    )),
    Bone("shin", "thigh", (0, 0, -0.155), "leg", 3.0, (
        Rod((0, 0, 0), (-0.003, 0, -0.122), 0.030),
    ), (Joint("flex", FORWARDS, 0, 145, 10),)),
    Bone("foot", "shin", (0, 0, -0.148), "foot", 1.0, (
        Ball((-0.020, 0, -0.022), 0.020),
        Rod((-0.008, 0.012, -0.028), (0.058, 0.014, -0.029), 0.0130),
        Rod((-0.008, -0.010, -0.028), (0.060, -0.012, -0.029), 0.0130),
    ), (Joint("raise", BACKWARDS, -45, 25, 4), Joint("invert", INWARDS, -20, 30, 1.5))),
    Bone("toes", "foot", (0.066, 0, -0.030), "foot", 0.2, (
        Rod((0.009, -0.014, -0.001), (0.004, 0.018, -0.002), 0.0105),
    ), (Joint("raise", BACKWARDS, -30, 50, 0.6),)),
)
# fmt: on


def _named(bone: Bone, side: str) -> Bone:
    """Return a bone of the left or right side; the right one is a mirror image."""
    parent = side + bone.parent if bone.parent in {each.name for each in SIDE} else bone.parent
    left = bone._replace(name=side + bone.name, parent=parent)
    if side == LEFT:
        return left
    joints = bone.joints
    if bone.name not in _UNMIRRORED:
        # A mirror image turns the other way about axes that lie in the mirror's plane.
        joints = tuple(each._replace(axis=(-each.axis[0], each.axis[1], -each.axis[2])) for each in joints)
    return left._replace(at=mirrored(bone.at), shapes=tuple(each.mirror() for each in bone.shapes), joints=joints)


BONES: tuple[Bone, ...] = (*MIDDLE, *(_named(each, LEFT) for each in SIDE), *(_named(each, RIGHT) for each in SIDE))
BONE_NAMES: tuple[str, ...] = tuple(bone.name for bone in BONES)


def all_joints() -> Iterator[tuple[str, Bone, Joint]]:
    """Yield every degree of freedom with its full name, such as `left_thigh.flex`, in the order of control."""
    for bone in BONES:
        for joint in bone.joints:
            yield f"{bone.name}.{joint.name}", bone, joint


JOINT_NAMES: tuple[str, ...] = tuple(name for name, _, _ in all_joints())
