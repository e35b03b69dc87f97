"""The Scene of a stage: all people, things and walls, which every eye sees."""

from collections.abc import Sequence
from typing import Protocol

import mujoco
import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.body import Body
from puzzlebox.infant.body.bones import BONES
from puzzlebox.infant.looks.axes import place_in_scene, to_scene, turn_in_scene
from puzzlebox.infant.looks.figure import Figure
from puzzlebox.infant.scenes.people import Person
from puzzlebox.infant.scenes.props import RGB, Form, Prop
from puzzlebox.infant.scenes.props import Kind as FormKind
from puzzlebox.infant.scenes.room import Room
from puzzlebox.render.painter import FENCE
from puzzlebox.scene.colours import linear
from puzzlebox.scene.parts import Part, row_of
from puzzlebox.scene.scene import PART, POSE, Flag, Kind, Scene, State, Table

_KINDS = {
    FormKind.BOX: Kind.BOX,
    FormKind.BALL: Kind.BALL,
    FormKind.CAPSULE: Kind.CAPSULE,
    FormKind.CYLINDER: Kind.CYLINDER,
    FormKind.ELLIPSOID: Kind.ELLIPSOID,
}
# With less light than this, eyes of people do not glint.
_DIM = 0.3


class Shown(Protocol):
    """A thing of a stage, as far as it is seen."""

    prop: Prop
    hidden: bool
    id: int
    bodies: list[tuple[int, tuple[Form, ...]]]


class StageSights:
    """The Scene of a stage.

    Attributes:
        scene: the Scene; its owners are the ids of people and things, and `FENCE` for walls.
        figures: the bodies in it.
    """

    def __init__(
        self, data: mujoco.MjData, people: Sequence[tuple[Person, Body, int]], things: Sequence[Shown], room: Room
    ) -> None:
        """Make the tables.

        Args:
            data: the state of the world.
            people: who is there, each with a body and an id.
            things: what is there.
            room: the room around them.
        """
        self.data, self.things = data, things
        self.figures: list[Figure] = []
        for person, body, _ in people:
            last = self.figures
            self.figures.append(
                Figure(
                    body,
                    first_row=len(last) * len(BONES),
                    first_vertex=sum(len(each.vertices) for each in last),
                    first_triangle=sum(len(each.triangles) for each in last),
                    first_bone=len(last) * len(BONES),
                    clothes=person.clothes,
                )
            )
        owners = [number for _, _, number in people for _ in BONES]
        wall = len(owners)
        parts = [each.parts for each in self.figures]
        parts += [box_part(wall, *each[1:]) for each in room.boxes()]
        owners.append(FENCE)
        self._rows: list[tuple[Shown, NDArray[np.intp], NDArray[np.intp]]] = []
        self._parts: dict[int, list[tuple[int, Form]]] = {}
        count = sum(map(len, parts))
        for thing in things:
            rows, bodies = [], []
            self._parts[thing.id] = []
            for row, forms in thing.bodies:
                for form in forms:
                    parts.append(_form(len(owners), form, thing.prop))
                    self._parts[thing.id].append((count, form))
                    count += 1
                rows.append(len(owners))
                bodies.append(row)
                owners.append(thing.id)
            self._rows.append((thing, np.array(rows, np.intp), np.array(bodies, np.intp)))
        self.scene = Scene(
            parts=np.concatenate(parts) if parts else np.zeros(0, PART),
            poses=np.zeros(len(owners), POSE),
            surroundings=room.surroundings(),
            owners=np.array(owners, np.int32),
        )
        if self.figures:
            self.scene.vertices = np.concatenate([each.vertices for each in self.figures])
            self.scene.triangles = np.concatenate([each.triangles for each in self.figures])
            self.scene.bones = np.concatenate([each.bones for each in self.figures])
        self.scene.poses["turn"][:, 0] = 1.0
        self._light = float(self.scene.surroundings["light"][0])
        self._body_parts = sum(len(each.parts) for each in self.figures)
        self._glints = (self.scene.parts["flags"][: self._body_parts] & Flag.GLOWS).astype(np.uint8)
        self.lamp = 1.0
        self._body_rows = np.concatenate([rows for _, rows, _ in self._rows] or [np.zeros(0, np.intp)])
        self._bodies = np.concatenate([bodies for _, _, bodies in self._rows] or [np.zeros(0, np.intp)])
        self.light(1.0)
        self.update()

    @property
    def dark(self) -> bool:
        """Whether the lamp is off, so that only what glows can be seen."""
        return self.lamp <= 0.0

    def light(self, lamp: float) -> None:
        """Set the light of the lamp, 0 (dark) to 1."""
        self.lamp = float(lamp)
        self.scene.surroundings["light"] = self._light * self.lamp
        flags = self.scene.parts["flags"][: self._body_parts]
        flags &= np.uint8(~int(Flag.GLOWS) & 0xFF)
        if self.lamp >= _DIM:
            flags |= self._glints

    def paint(self, thing: Shown, colour: RGB, glows: bool) -> None:
        """Give a thing another colour; its shapes with a colour of their own keep it."""
        for row, form in self._parts[thing.id]:
            part = self.scene.parts[row]
            if form.colour is None:
                part["color"][:3] = linear(colour)
            part["flags"] = (int(part["flags"]) & ~int(Flag.GLOWS)) | (Flag.GLOWS if glows else 0)

    def update(self) -> Scene:
        """Move the Scene to the current state, and return it."""
        poses = self.scene.poses
        for figure in self.figures:
            figure.update(poses)
        if len(self._bodies):
            poses["at"][self._body_rows] = place_in_scene(self.data.xpos[self._bodies])
            poses["turn"][self._body_rows] = turn_in_scene(self.data.xquat[self._bodies])
        for thing, rows, _ in self._rows:
            poses["flags"][rows] = State.HIDDEN if thing.hidden else 0
        return self.scene

    def first_row(self, body: Body) -> int:
        """Return the row in which the bones of a body begin."""
        return next(each.first_row for each in self.figures if each.body is body)


def box_part(row: int, at: object, half: object, colour: RGB) -> Table:
    """Return a plain box."""
    part = np.zeros(1, PART)
    part["thing"], part["kind"], part["turn"] = row, Kind.BOX, (1, 0, 0, 0)
    part["at"], part["half"] = place_in_scene(at), np.abs(to_scene(half))
    part["color"] = (*linear(colour), 1.0)
    return part


def _form(row: int, form: Form, prop: Prop) -> Table:
    """Return a shape of a thing."""
    if form.kind in (FormKind.CAPSULE, FormKind.CYLINDER):
        half = (form.size[0], form.size[1], form.size[0])
    else:
        x, y, z = np.abs(to_scene(form.reach)).tolist()
        half = (x, y, z)
    plain = form.colour is not None and form.pattern is None
    part = Part(
        _KINDS[form.kind],
        half,
        linear(form.colour or prop.colour),
        at=tuple(to_scene(form.at).tolist()),
        turn=tuple(turn_in_scene(form.turn).tolist()),
        pattern=form.pattern if form.pattern is not None else prop.pattern.__class__.PLAIN if plain else prop.pattern,
        other=None if prop.other is None else linear(prop.other),
        scale=prop.scale,
        glows=prop.glows,
        alpha=prop.alpha,
    )
    return np.array([row_of(part, row, 0, 0)], PART)
