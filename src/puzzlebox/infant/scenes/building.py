"""Things as bodies of a MuJoCo world."""

from collections.abc import Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.scenes.props import Form, Freedom, Kind, Prop, Tie

_GEOMS = {
    Kind.BOX: mujoco.mjtGeom.mjGEOM_BOX,
    Kind.BALL: mujoco.mjtGeom.mjGEOM_SPHERE,
    Kind.CAPSULE: mujoco.mjtGeom.mjGEOM_CAPSULE,
    Kind.CYLINDER: mujoco.mjtGeom.mjGEOM_CYLINDER,
    Kind.ELLIPSOID: mujoco.mjtGeom.mjGEOM_ELLIPSOID,
}
_JOINTS = {
    Freedom.HINGE: mujoco.mjtJoint.mjJNT_HINGE,
    Freedom.SLIDE: mujoco.mjtJoint.mjJNT_SLIDE,
    Freedom.BALL: mujoco.mjtJoint.mjJNT_BALL,
}
# Contact of a sponge, as MuJoCo's time constant with damping ratio, and impedances.
_SPONGE = ((0.04, 1.0), (0.3, 0.9, 0.01, 0.5, 2.0))
# Friction against spinning and rolling; the latter in metres, so that balls come to rest.
_SPIN, _ROLL = 0.005, 0.0005


# Bits of what collides with what, beside 1, which everything has but hands of puppets. Those have only these bits, and
# a thing without them passes through hands alone.
TAKES_HANDS, FROM_HANDS = 4, 8


def add_prop(spec: mujoco.MjSpec, prop: Prop) -> None:
    """Add a thing to the description of a world: its base has its name, its links have `name/link`."""
    base = spec.worldbody.add_body(name=prop.name, pos=prop.at, quat=prop.turn, mocap=not prop.free)
    if prop.free:
        base.add_freejoint(name=prop.name)
    bodies = {"": base}
    _add_forms(base, prop, prop.forms, prop.mass)
    for link in prop.links:
        body = bodies[link.parent].add_body(name=f"{prop.name}/{link.name}", pos=link.at)
        bodies[link.name] = body
        joint = body.add_joint(
            name=f"{prop.name}/{link.name}",
            type=_JOINTS[link.freedom],
            axis=link.axis,
            damping=link.damping,
            stiffness=link.stiffness,
        )
        if link.low != link.high:
            joint.limited, joint.range = True, [link.low, link.high]
        _add_forms(body, prop, link.forms, link.mass)
        spec.add_exclude(
            name=f"{prop.name}/{link.name} and its parent",
            bodyname1=body.name,
            bodyname2=bodies[link.parent].name,
        )


def _add_forms(body: mujoco.MjsBody, prop: Prop, forms: Sequence[Form], mass: float) -> None:
    volumes = [form.reach[0] * form.reach[1] * form.reach[2] for form in forms]
    for form, volume in zip(forms, volumes, strict=True):
        geom = body.add_geom(
            type=_GEOMS[form.kind],
            pos=form.at,
            quat=form.turn,
            size=[*form.size, *([0.0] * (3 - len(form.size)))],
            mass=mass * volume / sum(volumes),
            friction=[prop.friction, _SPIN, _ROLL],
            # Balls roll to a stop, and round things stop spinning, only with more directions of friction.
            condim=6 if form.kind is Kind.BALL else 3 if form.kind is Kind.BOX else 4,
        )
        geom.contype, geom.conaffinity = (1 | FROM_HANDS, 1 | TAKES_HANDS) if form.solid else (0, 0)
        if prop.soft:
            geom.solref, geom.solimp = _SPONGE


def add_ties(spec: mujoco.MjSpec, ties: Sequence[Tie]) -> None:
    """Add knots between things."""
    for tie in ties:
        spec.add_equality(
            name=tie_name(tie),
            type=mujoco.mjtEq.mjEQ_CONNECT,
            objtype=mujoco.mjtObj.mjOBJ_BODY,
            name1=tie.one,
            name2=tie.two,
            data=[*tie.at, *([0.0] * 9)],
            active=tie.tied,
        )


def tie_name(tie: Tie) -> str:
    """Return the name of a knot."""
    return f"{tie.one} and {tie.two}"


def set_hands(model: mujoco.MjModel, hands: NDArray[np.int32], child: NDArray[np.int32]) -> None:
    """Let hands of puppets touch things and a jointed child by bits of their own.

    Args:
        model: the world.
        hands: the bodies of the hands and fingers of puppets.
        child: the bodies of a jointed child.
    """
    solid = model.geom_contype > 0
    own = np.isin(model.geom_bodyid, hands) & solid
    model.geom_contype[own], model.geom_conaffinity[own] = TAKES_HANDS, FROM_HANDS
    model.geom_contype[np.isin(model.geom_bodyid, child) & solid] |= FROM_HANDS
