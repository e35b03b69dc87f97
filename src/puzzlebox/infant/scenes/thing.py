"""A thing of a stage: where it is, moving it, hiding it, giving it to a hand."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from puzzlebox.infant.body.body import Body, lowest
from puzzlebox.infant.scenes.building import FROM_HANDS, TAKES_HANDS
from puzzlebox.infant.scenes.props import RGB, Form, Prop
from puzzlebox.text import closest

if TYPE_CHECKING:
    from puzzlebox.infant.scenes.motion import Mover

Array = NDArray[np.float64]
# How far a hand with its fingers reaches from its wrist, in metres; for the largest people.
_HAND = 0.10


class Grip(NamedTuple):
    """How a thing is held: by which MuJoCo body, and its pose in the frame of that body."""

    body: int
    at: tuple[float, ...]
    turn: tuple[float, ...]


class ThingSnapshot(NamedTuple):
    """What of a thing is not in the state of MuJoCo."""

    hidden: bool
    grip: Grip | None
    left: int
    colour: RGB
    glows: bool


class Thing:
    """A thing on a stage.

    Attributes:
        prop: its description.
        id: its number in segments.
        bodies: its MuJoCo bodies, each with its shapes; the first is its base.
        hidden: whether it is absent: nothing sees or touches it, and it stays where it is.
        grip: how it is held by a hand, or None.
        glows: whether light and darkness leave its colour as it is.
        geoms: its MuJoCo geoms.
        solid: those that collide while it is not hidden.
        reach: the radius of a ball around its frame that holds it all, in metres; links do not count.
    """

    def __init__(self, prop: Prop, number: int, data: mujoco.MjData, model: mujoco.MjModel) -> None:
        self.prop, self.id = prop, number
        self.model, self.data = model, data
        links = {"": prop.name, **{link.name: f"{prop.name}/{link.name}" for link in prop.links}}
        forms = {"": prop.forms, **{link.name: link.forms for link in prop.links}}
        self._link_bodies = {link: int(model.body(name).id) for link, name in links.items()}
        self.bodies: list[tuple[int, tuple[Form, ...]]] = [(self._link_bodies[link], forms[link]) for link in links]
        self.body = self.bodies[0][0]
        self.geoms = np.flatnonzero(np.isin(model.geom_bodyid, [body for body, _ in self.bodies]))
        self.solid: list[int] = [int(geom) for geom in self.geoms if model.geom_contype[geom] > 0]
        self._solid = (model.geom_contype[self.geoms].copy(), model.geom_conaffinity[self.geoms].copy())
        self.mocap = int(model.body_mocapid[self.body])
        joint = int(model.body_jntadr[self.body])
        self.free = prop.free
        self.qpos = int(model.jnt_qposadr[joint]) if prop.free else -1
        self.qvel = int(model.jnt_dofadr[joint]) if prop.free else -1
        self._link_joints = {link.name: model.joint(f"{prop.name}/{link.name}") for link in prop.links}
        self.hidden, self.glows = prop.hidden, prop.glows
        self.grip: Grip | None = None
        # The body that let it go and is still so near that the two pass through each other; -1: none.
        self.left = -1
        self.reach = float(
            model.geom_rbound[self.geoms].max() + np.linalg.norm(model.geom_pos[self.geoms], axis=1).max()
        )
        self._colour: RGB = prop.colour
        self.mover: Mover | None = None
        self.repaint: Callable[[Thing], None] = lambda thing: None

    @property
    def name(self) -> str:
        """Its name."""
        return self.prop.name

    @property
    def position(self) -> Array:
        """Where its frame is, in metres."""
        return np.array(self.data.xpos[self.body])

    @property
    def rotation(self) -> Array:
        """How it is turned (w, x, y, z)."""
        return np.array(self.data.xquat[self.body])

    @property
    def velocity(self) -> Array:
        """Its velocity in metres a second; that of things a script moves is the one of the last control step."""
        if self.free:
            return np.array(self.data.qvel[self.qvel : self.qvel + 3])
        return np.array(self._mover.physics.drift[self.body])

    @property
    def lowest(self) -> float:
        """The height of its lowest point above the floor, in metres."""
        return lowest(self.model, self.data, self.geoms)

    def place(self, position: ArrayLike, rotation: ArrayLike | None = None) -> None:
        """Put it somewhere at once, at rest; a hand that holds it lets it go.

        Args:
            position: of its frame, in metres.
            rotation: (w, x, y, z). Default: as before.
        """
        self.grip = None
        turn = self.rotation if rotation is None else np.asarray(rotation, np.float64)
        self._mover.place(self, np.asarray(position, np.float64), turn)

    def move(self, position: ArrayLike, rotation: ArrayLike | None = None) -> None:
        """Let it be somewhere at the end of the next control step, moving evenly; for things that are not free."""
        if self.free:
            raise ValueError(f"thing {self.name!r} is free: forces move it; use place, or hold it")
        turn = None if rotation is None else np.asarray(rotation, np.float64)
        self._mover.move(self, np.asarray(position, np.float64), turn)

    def hide(self) -> None:
        """Make it absent: nothing sees or touches it, and it stays where it is; a hand that holds it lets it go."""
        self.grip = None
        self._set_hidden(True)
        self._mover.find_contacts()

    def show(self) -> None:
        """Make it present again, where it is."""
        self._set_hidden(False)
        self._mover.find_contacts()

    def hold(self, by: Body, bone: str = "right_hand", *, at: ArrayLike | None = None) -> None:
        """Let a bone carry it, until `release`; then it moves with what velocity it has.

        Args:
            by: whose bone.
            bone: which bone, such as `left_hand`.
            at: where its frame is to be, in the frame of the bone, in metres. Default: where it is.
        """
        if not self.free:
            raise ValueError(f"thing {self.name!r} is not free; only free things can be held")
        row = by.row(bone)
        turn, place = np.empty(4), np.empty(3)
        inverse, minus = np.empty(4), np.empty(3)
        mujoco.mju_negPose(minus, inverse, self.data.xpos[row], self.data.xquat[row])
        mujoco.mju_mulPose(place, turn, minus, inverse, self.position, self.rotation)
        if at is not None:
            place = np.asarray(at, np.float64)
        self.grip = Grip(row, tuple(place.tolist()), tuple(turn.tolist()))

    def release(self) -> None:
        """Let forces move it again; until it is clear of the hand that held it, it passes through hands."""
        if self.grip is not None:
            self.left = self.grip.body
            self.grip = None
            self._set_solid()
            self._mover.find_contacts()

    def clear_hand(self) -> None:
        """Let it touch hands again if it is clear of the one that let it go."""
        if self.left >= 0:
            away = float(np.linalg.norm(self.data.xpos[self.body] - self.data.xpos[self.left]))
            if away > self.reach + _HAND:
                self.left = -1
                self._set_solid()

    @property
    def held(self) -> bool:
        """Whether a hand holds it."""
        return self.grip is not None

    @property
    def colour(self) -> RGB:
        """Its colour, bytes of sRGB; it may be set."""
        return self._colour

    @colour.setter
    def colour(self, colour: RGB) -> None:
        self._colour = colour
        self.repaint(self)

    def glow(self, glows: bool) -> None:
        """Let it glow, so that it is seen in the dark, or not."""
        self.glows = glows
        self.repaint(self)

    def angle(self, link: str) -> float:
        """Return how far a link has moved: degrees for a hinge, metres for a slide."""
        joint = self._joint(link)
        value = float(self.data.qpos[joint.qposadr[0]])
        return float(np.degrees(value)) if joint.type[0] == mujoco.mjtJoint.mjJNT_HINGE else value

    def set_angle(self, link: str, value: float) -> None:
        """Move a link at once: degrees for a hinge, metres for a slide."""
        joint = self._joint(link)
        hinge = joint.type[0] == mujoco.mjtJoint.mjJNT_HINGE
        self.data.qpos[joint.qposadr[0]] = np.radians(value) if hinge else value
        self.data.qvel[joint.dofadr[0]] = 0.0
        mujoco.mj_kinematics(self.model, self.data)

    def link_position(self, link: str) -> Array:
        """Return where the joint of a link is, in metres."""
        if link not in self._link_bodies:
            raise ValueError(f"thing {self.name!r} has no link {link!r}{closest(link, list(self._link_joints))}")
        return np.array(self.data.xpos[self._link_bodies[link]])

    def _joint(self, link: str) -> "mujoco._structs._MjModelJointViews":
        if link not in self._link_joints:
            raise ValueError(f"thing {self.name!r} has no link {link!r}{closest(link, list(self._link_joints))}")
        return self._link_joints[link]

    def _set_hidden(self, hidden: bool) -> None:
        self.hidden = hidden
        self._set_solid()

    def _set_solid(self) -> None:
        kind, affinity = self._solid
        if self.hidden:
            kind, affinity = 0 * kind, 0 * affinity
        elif self.left >= 0:
            kind, affinity = kind & ~FROM_HANDS, affinity & ~TAKES_HANDS
        self.model.geom_contype[self.geoms], self.model.geom_conaffinity[self.geoms] = kind, affinity

    @property
    def _mover(self) -> "Mover":
        assert self.mover is not None
        return self.mover

    def reset(self) -> None:
        """Go back to the start of an episode, except for its pose."""
        self.grip, self.left, self._colour, self.glows = None, -1, self.prop.colour, self.prop.glows
        self._set_hidden(self.prop.hidden)
        self.repaint(self)

    def snapshot(self) -> ThingSnapshot:
        """Return what of it is not in the state of MuJoCo."""
        return ThingSnapshot(self.hidden, self.grip, self.left, self._colour, self.glows)

    def restore(self, snapshot: ThingSnapshot) -> None:
        """Go back to a state."""
        self.grip, self.left = snapshot.grip, snapshot.left
        self._colour, self.glows = snapshot.colour, snapshot.glows
        self._set_hidden(snapshot.hidden)
        self.repaint(self)
