"""The body as a MuJoCo model, built from the table of bones.

How it is kept still and stable at about 100 physics steps a second:

- Each joint has an armature in proportion to its strength, so that a muscle and a finger of two grams never oscillate
  faster than `_FASTEST` radians a second, whatever the bone weighs.
- The servo of a joint is damped critically for the inertia of the joint in the standing body; MuJoCo's `implicitfast`
  integrator treats this damping implicitly.
- Contacts are soft: skin gives way by some millimetres, which is what the sense of touch measures.

Measured with random targets that change three times a second, and with random torques, at 1, 6, 18 and 24 months:
with 150 steps a second and half the damping, a body of 24 months went far beyond its limits and one of 18 months failed
after 400 control steps of random torques. With the values below, 5,000 control steps gave no warning at any age; 240
and 300 steps a second changed speeds and limits hardly, and cost in proportion. What still threw limbs about was a
solver that gave up, in 12 of 1,200,000 physics steps of random torques at 12 months (`Physics`).
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import Enum
from itertools import combinations

import mujoco
import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.bones import BONES, JOINT_NAMES, all_joints
from puzzlebox.infant.body.growth import Growth
from puzzlebox.infant.body.shapes import Ball, Rod, Shape, Vector, scaled

# Seconds of one physics step: 12 of them are a control step of 1/15 s. `python -m benchmarks infant` compares others.
PHYSICS_STEP = 1 / 180
# A servo exerts its full strength at this error, in radians: the stiffness of a joint is its strength over it.
_FULL_ERROR = 0.25
# The fastest oscillation of a servo with its armature alone, in radians a second; the armature follows from it.
_FASTEST = 45.0
# Damping and stiffness of a joint without muscles: torque over strength at 1 rad/s and at 1 rad from its rest.
_PASSIVE_DAMPING, _PASSIVE_STIFFNESS = 0.06, 0.01
# The speed that a velocity target of 1 asks for, in radians a second.
FASTEST_TARGET = 6.0
# Contact of skin: MuJoCo's time constant and damping ratio, and impedances that let it give way by about 2 mm at rest.
_SOFT_SOLREF, _SOFT_SOLIMP = (0.02, 1.0), (0.6, 0.95, 0.005, 0.5, 2.0)
# The thickest flesh over the bones of each region in metres: what is nearer to a bone may touch the skin above it.
FLESH = {"head": 0.023, "trunk": 0.020, "arm": 0.017, "hand": 0.009, "leg": 0.019, "foot": 0.018}
_FRICTION = (0.9, 0.005, 0.0001)
# How firmly hands hold the chest of a child that stands, and a high chair the pelvis of one that sits in it.
_GENTLE = ((0.05, 1.0), (0.3, 0.8, 0.05, 0.5, 2.0))
_FIRM = ((0.02, 1.0), (0.9, 0.99, 0.002, 0.5, 2.0))
ROOT = "root"
FLOOR = "floor"
SUPPORT = "support"
SEAT = "seat"

# Bones that lie in the same soft mass never collide: fingers of a hand, and neighbours up to this many joints apart.
_NEAR_JOINTS = 2
_TRUNK = frozenset(
    ("pelvis", "lumbar", "thorax", "chest", "neck", "head", "jaw", "left_collarbone", "right_collarbone")
)

Furnish = Callable[[mujoco.MjSpec], None]


class Control(Enum):
    """What the numbers of an action mean, each from -1 to 1."""

    POSITION = "position"  # a target angle: -1 is the lower limit of the joint, 1 the upper one
    VELOCITY = "velocity"  # a target speed: 1 is `FASTEST_TARGET`
    TORQUE = "torque"  # a torque: 1 is the full strength of the joint


@dataclass(frozen=True)
class Tables:
    """What is known of a body in a model, whatever moves it.

    Attributes:
        model: the MuJoCo model.
        growth: the size of the body.
        low: the lower limit of each joint in radians, in the order of `JOINT_NAMES`.
        high: the upper limits.
        strength: the strength of each joint in newton metres.
        bodies: the MuJoCo body of each bone, in the order of `BONES`.
    """

    model: mujoco.MjModel
    growth: Growth
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    strength: NDArray[np.float64]
    bodies: NDArray[np.int32]


@dataclass(frozen=True)
class Built(Tables):
    """A compiled body with joints and muscles.

    Attributes:
        control: what its actuators do.
        moving: the joints that the model has, as rows of `JOINT_NAMES`; the others are locked.
        positions: the row of each of these joints in `qpos`.
        speeds: the row of each of these joints in `qvel`.
        fixed: whether the pelvis has no degrees of freedom.
    """

    control: Control
    fixed: bool
    moving: NDArray[np.intp]
    positions: NDArray[np.int32]
    speeds: NDArray[np.int32]


def empty_world(physics_step: float = PHYSICS_STEP) -> mujoco.MjSpec:
    """Return the description of a world with an endless floor and nothing on it.

    Args:
        physics_step: the seconds of a physics step.
    """
    spec = mujoco.MjSpec()
    spec.modelname = "infant"
    _set_options(spec)
    spec.option.timestep = physics_step
    spec.worldbody.add_geom(name=FLOOR, type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], friction=_FRICTION, condim=3)
    return spec


def build(
    growth: Growth,
    control: Control = Control.POSITION,
    furnish: Furnish | None = None,
    *,
    locked: Collection[str] = (),
    fixed: bool = False,
) -> Built:
    """Return the compiled body on an endless floor.

    Args:
        growth: the size of the body.
        control: what an action means.
        furnish: adds things to the description of the world before it is compiled.
        locked: joints that the model does not have, by name; `Child.set_angles` turns their bones.
        fixed: whether the pelvis is moved from outside, and has no degrees of freedom.
    """
    spec = empty_world()
    bodies = _add_bones(spec, growth, locked, fixed)
    _add_holder(spec, SUPPORT, bodies["chest"], _GENTLE)
    _add_holder(spec, SEAT, bodies["pelvis"], _FIRM)
    _exclude_neighbours(spec)
    _add_sensors(spec, bodies["head"])
    strength = _strengths(growth)
    moving = np.array([row for row, name in enumerate(JOINT_NAMES) if name not in locked], np.intp)
    names = [JOINT_NAMES[row] for row in moving]
    for name, torque in zip(names, strength[moving], strict=True):
        spec.add_actuator(
            name=name,
            target=name,
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            gaintype=mujoco.mjtGain.mjGAIN_FIXED,
            biastype=mujoco.mjtBias.mjBIAS_AFFINE,
            forcelimited=True,
            forcerange=[-torque, torque],
        )
    if furnish is not None:
        furnish(spec)
    model = spec.compile()
    joints = [model.joint(name) for name in names]
    low, high = np.radians([(joint.low, joint.high) for _, _, joint in all_joints()]).T.copy()
    built = Built(
        model=model,
        control=control,
        fixed=fixed,
        moving=moving,
        growth=growth,
        low=low,
        high=high,
        strength=strength,
        positions=np.array([joint.qposadr[0] for joint in joints], np.int32),
        speeds=np.array([joint.dofadr[0] for joint in joints], np.int32),
        bodies=np.array([model.body(bone.name).id for bone in BONES], np.int32),
    )
    _tune_servos(built)
    return built


def _set_options(spec: mujoco.MjSpec) -> None:
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_PYRAMIDAL
    spec.option.iterations = 20
    spec.option.ls_iterations = 10
    spec.compiler.degree = True
    spec.compiler.boundmass = 1e-5
    spec.compiler.boundinertia = 1e-9


def _add_bones(spec: mujoco.MjSpec, growth: Growth, locked: Collection[str], fixed: bool) -> dict[str, mujoco.MjsBody]:
    bodies: dict[str, mujoco.MjsBody] = {"": spec.worldbody}
    regions = {bone.name: bone.region for bone in BONES}
    masses = _masses(growth)
    for bone in BONES:
        own = growth.scales[bone.region]
        # A joint lies where the parent's bone ends, so its place grows with the parent.
        place = scaled(bone.at, growth.scales[regions.get(bone.parent, "leg")])
        body = bodies[bone.parent].add_body(name=bone.name, pos=place)
        bodies[bone.name] = body
        if not bone.parent:
            if fixed:
                body.mocap = True
            else:
                body.add_freejoint(name=ROOT)
        for joint in bone.joints:
            if f"{bone.name}.{joint.name}" in locked:
                continue
            strength = joint.torque * _volume(own)
            stiffness = strength / _FULL_ERROR
            body.add_joint(
                name=f"{bone.name}.{joint.name}",
                type=mujoco.mjtJoint.mjJNT_HINGE,
                axis=joint.axis,
                limited=True,
                range=[joint.low, joint.high],
                armature=stiffness / _FASTEST**2,
                damping=strength * _PASSIVE_DAMPING,
                stiffness=strength * _PASSIVE_STIFFNESS,
                solref_limit=[0.012, 1.0],
                solimp_limit=[0.9, 0.99, 0.01, 0.5, 2.0],
            )
        shapes = [shape.grown(own) for shape in bone.shapes]
        volume = sum(shape.volume for shape in shapes)
        for number, shape in enumerate(shapes):
            geom = _add_geom(body, f"{bone.name}.{number}", shape, masses[bone.name] * shape.volume / volume)
            # MuJoCo reports what is this near, and lets it act only when it touches.
            geom.margin, geom.gap = 0.0, FLESH[bone.region] * max(own)
            if bone.name.endswith("_eye"):
                geom.contype = geom.conaffinity = 0
    return bodies


def add_mocap_bones(spec: mujoco.MjSpec, growth: Growth, prefix: str) -> None:
    """Add the bones of a body that is moved from outside: each is a body of its own without degrees of freedom.

    Args:
        spec: the description of the world.
        growth: the size of the body.
        prefix: what stands before the name of each bone.
    """
    for bone in BONES:
        own = growth.scales[bone.region]
        body = spec.worldbody.add_body(name=prefix + bone.name, mocap=True)
        for number, shape in enumerate(bone.shapes):
            geom = _add_geom(body, f"{prefix}{bone.name}.{number}", shape.grown(own), 0.0)
            geom.margin, geom.gap = 0.0, FLESH[bone.region] * max(own)
            if bone.name.endswith("_eye"):
                geom.contype = geom.conaffinity = 0


def _add_geom(body: mujoco.MjsBody, name: str, shape: Shape, mass: float) -> mujoco.MjsGeom:
    geom = body.add_geom(name=name, mass=mass, friction=_FRICTION, condim=3, group=1)
    geom.solref, geom.solimp = _SOFT_SOLREF, _SOFT_SOLIMP
    if isinstance(shape, Ball):
        geom.type = mujoco.mjtGeom.mjGEOM_SPHERE
        geom.pos, geom.size = shape.at, [shape.radius, 0, 0]
    elif isinstance(shape, Rod):
        geom.type = mujoco.mjtGeom.mjGEOM_CAPSULE
        geom.fromto, geom.size = [*shape.start, *shape.end], [shape.radius, 0, 0]
    else:
        geom.type = mujoco.mjtGeom.mjGEOM_ELLIPSOID
        geom.pos, geom.size = shape.at, list(shape.radii)
    return geom


def _add_holder(
    spec: mujoco.MjSpec, name: str, bone: mujoco.MjsBody, grip: tuple[tuple[float, ...], tuple[float, ...]]
) -> None:
    """Add something that can hold a bone where it is; it holds only while the equality of its name is active.

    Args:
        spec: the description of the world.
        name: of the holder and of its equality.
        bone: what it holds.
        grip: how firmly: MuJoCo's time constant with damping ratio, and its impedances.
    """
    holder = spec.worldbody.add_body(name=name, mocap=True, pos=[0, 0, 0])
    spec.add_equality(
        name=name,
        type=mujoco.mjtEq.mjEQ_WELD,
        objtype=mujoco.mjtObj.mjOBJ_BODY,
        name1=holder.name,
        name2=bone.name,
        active=False,
        solref=list(grip[0]),
        solimp=list(grip[1]),
    )


def _add_sensors(spec: mujoco.MjSpec, head: mujoco.MjsBody) -> None:
    """Add the organs of balance at the middle of the head, between the ears."""
    shape = next(bone for bone in BONES if bone.name == "head").shapes[0]
    assert isinstance(shape, Rod)
    head.add_site(name="balance", pos=[0.0, 0.0, shape.start[2] * 0.75])
    for name, kind in (
        ("acceleration", mujoco.mjtSensor.mjSENS_ACCELEROMETER),
        ("rotation", mujoco.mjtSensor.mjSENS_GYRO),
    ):
        spec.add_sensor(name=name, type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, objname="balance")


def neighbours() -> frozenset[frozenset[str]]:
    """Return the pairs of bones that lie in each other's flesh: they neither collide nor feel each other."""
    parents = {bone.name: bone.parent for bone in BONES}

    def line(name: str) -> list[str]:
        return [name, *line(parents[name])] if name else []

    def joints_between(one: str, two: str) -> int:
        first, second = line(one), line(two)
        shared = len(set(first) & set(second))
        return len(first) + len(second) - 2 * shared

    regions = {bone.name: bone.region for bone in BONES}
    pairs = set()
    for one, two in combinations(parents, 2):
        side = one.partition("_")[0] == two.partition("_")[0]
        same_hand = side and regions[one] == regions[two] == "hand"
        if joints_between(one, two) <= _NEAR_JOINTS or same_hand or {one, two} <= _TRUNK:
            pairs.add(frozenset((one, two)))
    return frozenset(pairs)


def _exclude_neighbours(spec: mujoco.MjSpec) -> None:
    for one, two in sorted(map(sorted, neighbours())):
        spec.add_exclude(name=f"{one} {two}", bodyname1=one, bodyname2=two)


def _volume(scale: Vector) -> float:
    """Return the factor of volumes, masses and strengths: muscles have the same strength per area at all ages."""
    return scale[0] * scale[1] * scale[2]


def _masses(growth: Growth) -> dict[str, float]:
    """Return the mass of each bone: its share at 18 months times the growth of its volume, scaled to the whole."""
    raw = {bone.name: bone.share * _volume(growth.scales[bone.region]) for bone in BONES}
    total = sum(raw.values())
    return {name: growth.mass * each / total for name, each in raw.items()}


def _strengths(growth: Growth) -> NDArray[np.float64]:
    return np.array([joint.torque * _volume(growth.scales[bone.region]) for _, bone, joint in all_joints()])


def _tune_servos(built: Built) -> None:
    """Set the gains of the actuators for the kind of control."""
    model, rows = built.model, built.speeds
    stiffness = built.strength[built.moving] / _FULL_ERROR
    damping = 2 * np.sqrt(stiffness * model.dof_M0[rows])
    count = len(built.moving)
    model.actuator_gainprm[:count] = 0.0
    model.actuator_biasprm[:count] = 0.0
    if built.control is Control.POSITION:
        model.actuator_gainprm[:count, 0] = stiffness
        model.actuator_biasprm[:count, 1] = -stiffness
        model.actuator_biasprm[:count, 2] = -damping
    elif built.control is Control.VELOCITY:
        # Speeds are held four times as stiffly as a servo damps them, so that gravity slows a limb only a little.
        model.actuator_gainprm[:count, 0] = 4 * damping
        model.actuator_biasprm[:count, 2] = -4 * damping
    else:
        model.actuator_gainprm[:count, 0] = 1.0
