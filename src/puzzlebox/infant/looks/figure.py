"""A body as tables of a Scene: its skin, eyes and shadow, with its bones in some rows of the poses."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.body import Body
from puzzlebox.infant.body.bones import BONE_NAMES, BONES
from puzzlebox.infant.body.shapes import Ball, Rod, Shape, scaled
from puzzlebox.infant.looks.axes import place_in_scene, quaternion_of, to_scene, turn_in_scene
from puzzlebox.infant.looks.face import all_features
from puzzlebox.infant.looks.mesh import Skin, skin_of
from puzzlebox.infant.looks.paint import COVERS, Colour
from puzzlebox.scene.colours import linear
from puzzlebox.scene.parts import tilted
from puzzlebox.scene.scene import BONE, PART, VERTEX, Flag, Kind, Pattern, Table

# The shapes that cast the shadow of a skin are this much smaller than those that collide, so that a bent skin does
# not shade itself.
_SHADOW = 0.70


class Figure:
    """A body in a Scene.

    Attributes:
        body: the body.
        skin: its skin.
        first_row: the row of the Scene's poses in which its bones begin.
        parts: its parts.
        vertices: the vertices of its skin.
        triangles: the triangles of its skin.
        bones: the bones of its skin.
    """

    def __init__(
        self,
        body: Body,
        *,
        first_row: int = 0,
        first_vertex: int = 0,
        first_triangle: int = 0,
        first_bone: int = 0,
        clothes: Mapping[str, Colour] | None = None,
    ) -> None:
        """Make the tables.

        Args:
            body: the body.
            first_row: the row of the Scene's poses in which its bones begin.
            first_vertex: how many vertices the Scene has before its own.
            first_triangle: how many triangles.
            first_bone: how many bones.
            clothes: other colours of what covers the skin (`paint.COVERS`), bytes of sRGB.
        """
        self.body, self.first_row = body, first_row
        self.skin = skin_of(body.built.growth)
        self.vertices = _vertices(self.skin, clothes or {})
        self.vertices["bones"] += np.uint16(first_bone)
        # The axes of a Scene are a mirror image, in which triangles run the other way round.
        self.triangles = np.ascontiguousarray(self.skin.triangles[:, ::-1]) + np.int32(first_vertex)
        self.bones = _bones(self.skin)
        self.bones["thing"] += first_row
        self.parts = self._parts()
        self.parts["thing"] += first_row
        self.parts["first"][0] = first_triangle

    def update(self, poses: Table) -> None:
        """Write the current poses of the bones."""
        rows, own = self.body.built.bodies, slice(self.first_row, self.first_row + len(BONES))
        poses["at"][own] = place_in_scene(self.body.data.xpos[rows])
        poses["turn"][own] = turn_in_scene(self.body.data.xquat[rows])

    def _parts(self) -> Table:
        growth = self.body.built.growth
        scales = {bone.name: growth.scales[bone.region] for bone in BONES}
        skin = np.zeros(1, PART)
        skin["kind"], skin["turn"], skin["color"] = Kind.SKIN, (1, 0, 0, 0), 1.0
        skin["count"] = len(self.skin.triangles)
        rows = [skin]
        for feature in all_features():
            part = np.zeros(1, PART)
            part["thing"], part["kind"] = BONE_NAMES.index(feature.bone), Kind.ELLIPSOID
            part["flags"] = Flag.GLOWS if feature.glows else 0
            part["at"] = to_scene(scaled(feature.at, scales[feature.bone]))
            part["half"] = np.abs(to_scene(scaled(feature.radii, scales[feature.bone])))
            part["turn"] = turn_in_scene(tilted((1.0, 0.0, 0.0), feature.tilt))
            part["color"] = (*linear(feature.colour), 1.0)
            rows.append(part)
        for number, bone in enumerate(BONES):
            rows += [_shadow(number, shape.grown(scales[bone.name])) for shape in bone.shapes]
        return np.concatenate(rows)


def _shadow(bone: int, shape: Shape) -> Table:
    """Return a part that only casts a shadow."""
    part = np.zeros(1, PART)
    part["thing"], part["flags"], part["turn"] = bone, Flag.SHADOW_ONLY, (1, 0, 0, 0)
    part["pattern"] = Pattern.PLAIN
    if isinstance(shape, Rod):
        start, end = to_scene(shape.start), to_scene(shape.end)
        part["kind"], part["at"] = Kind.CAPSULE, (start + end) / 2
        radius = shape.radius * _SHADOW
        part["half"] = (radius, np.linalg.norm(end - start) / 2, radius)
        part["turn"] = _upright_to(end - start)
    elif isinstance(shape, Ball):
        part["kind"], part["at"], part["half"] = Kind.BALL, to_scene(shape.at), shape.radius * _SHADOW
    else:
        part["kind"], part["at"] = Kind.ELLIPSOID, to_scene(shape.at)
        part["half"] = np.abs(to_scene(shape.radii)) * _SHADOW
    return part


def _upright_to(direction: NDArray[np.float64]) -> tuple[float, float, float, float]:
    """Return the rotation from the y axis to a direction."""
    x, y, z = direction / np.linalg.norm(direction)
    if y < -0.999999:
        return (0.0, 1.0, 0.0, 0.0)
    quaternion = np.array((1.0 + y, z, 0.0, -x))
    w, a, b, c = quaternion / np.linalg.norm(quaternion)
    return (float(w), float(a), float(b), float(c))


def _vertices(skin: Skin, clothes: Mapping[str, Colour]) -> Table:
    table = np.zeros(len(skin.at), VERTEX)
    table["at"], table["normal"] = place_in_scene(skin.at), to_scene(skin.normal)
    painted = skin.colour.copy()
    for number, cover in enumerate(COVERS, 1):
        if cover.name in clothes:
            painted[skin.triangles[skin.cover == number]] = clothes[cover.name]
    colours, numbers = np.unique(painted, axis=0, return_inverse=True)
    table["color"] = np.array([linear(each) for each in colours.tolist()])[numbers.reshape(-1)]
    table["bones"], table["weights"] = skin.bones, skin.weights
    return table


def _bones(skin: Skin) -> Table:
    table = np.zeros(len(BONES), BONE)
    table["thing"] = np.arange(len(BONES))
    table["at"] = place_in_scene(skin.places)
    table["turn"] = turn_in_scene(quaternion_of(skin.turns))
    return table
