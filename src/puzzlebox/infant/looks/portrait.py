"""The Scene of a child: its skin, eyes and shadow, and the room around it."""

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.bones import BONE_NAMES, BONES
from puzzlebox.infant.body.child import Child
from puzzlebox.infant.body.shapes import Ball, Rod, Shape, scaled
from puzzlebox.infant.looks.axes import ORIGIN, place_in_scene, quaternion_of, to_scene, turn_in_scene
from puzzlebox.infant.looks.face import all_features
from puzzlebox.infant.looks.mesh import Skin, skin_of
from puzzlebox.scene.colours import linear
from puzzlebox.scene.parts import tilted
from puzzlebox.scene.scene import BONE, PART, POSE, VERTEX, Flag, Kind, Pattern, Scene, Table
from puzzlebox.scene.surroundings import surroundings
from puzzlebox.scene.themes import Look, Surface

# The shapes that cast the shadow of a skin are this much smaller than those that collide, so that a bent skin does
# not shade itself.
_SHADOW = 0.70
_ROOM = Look(
    floor=Surface((206, 190, 168), "planks", (186, 168, 146)),
    fence=Surface((222, 226, 230)),
    walls=Surface((222, 226, 230)),
    sky=Surface((222, 228, 236), "gradient", (238, 240, 243)),
)
# Lamps of a room: soft light from above, in front and to the right of the child, and much light from all sides.
_LIGHT = {
    "sun": (0.38, 0.72, 0.58),
    "sunlight": (0.56, 0.53, 0.48),
    "above": (0.60, 0.61, 0.64),
    "beside": (0.50, 0.51, 0.54),
    "below": (0.40, 0.37, 0.34),
}


def room() -> Table:
    """Return the surroundings of a child alone: a wooden floor and a pale background."""
    table = surroundings(_ROOM, 2 * ORIGIN[0], 2 * ORIGIN[2])
    row = table[0]
    row["floor_top"], row["fence_top"], row["post_top"], row["halo"] = 0.0, 0.0, 0.0, 0.0
    row["floor"]["scale"] = 0.14
    sun = np.array(_LIGHT["sun"])
    for name, numbers in _LIGHT.items():
        row[name] = numbers if name != "sun" else sun / np.linalg.norm(sun)
    return table


class Portrait:
    """A child as a Scene that follows its body.

    The first rows of `scene.poses` are the bones, in the order of `BONES`. Things that a world adds come after them.
    """

    def __init__(self, child: Child) -> None:
        self.child = child
        self.skin = skin_of(child.built.growth)
        self.scene = Scene(
            parts=self._parts(),
            poses=np.zeros(len(BONES), POSE),
            surroundings=room(),
            vertices=_vertices(self.skin),
            # The axes of a Scene are a mirror image, in which triangles run the other way round.
            triangles=np.ascontiguousarray(self.skin.triangles[:, ::-1]),
            bones=_bones(self.skin),
            owners=np.zeros(len(BONES), np.int32),
        )
        self.update()

    def update(self) -> Scene:
        """Move the Scene to the current posture of the child, and return it."""
        rows, poses = self.child.built.bodies, self.scene.poses
        poses["at"][: len(BONES)] = place_in_scene(self.child.data.xpos[rows])
        poses["turn"][: len(BONES)] = turn_in_scene(self.child.data.xquat[rows])
        return self.scene

    def _parts(self) -> Table:
        growth = self.child.built.growth
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


def _vertices(skin: Skin) -> Table:
    table = np.zeros(len(skin.at), VERTEX)
    table["at"], table["normal"] = place_in_scene(skin.at), to_scene(skin.normal)
    colours, numbers = np.unique(skin.colour, axis=0, return_inverse=True)
    table["color"] = np.array([linear(each) for each in colours.tolist()])[numbers.reshape(-1)]
    table["bones"], table["weights"] = skin.bones, skin.weights
    return table


def _bones(skin: Skin) -> Table:
    table = np.zeros(len(BONES), BONE)
    table["thing"] = np.arange(len(BONES))
    table["at"] = place_in_scene(skin.places)
    table["turn"] = turn_in_scene(quaternion_of(skin.turns))
    return table
