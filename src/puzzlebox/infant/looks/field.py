"""The distance to the skin: a smooth union of soft shapes, in the posture in which the skin is modelled."""

from collections.abc import Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.bones import BONE_NAMES
from puzzlebox.infant.body.build import build
from puzzlebox.infant.body.growth import Growth
from puzzlebox.infant.body.poses import Pose
from puzzlebox.infant.body.shapes import Ball, Rod, Shape
from puzzlebox.infant.looks.flesh import Flesh

Array = NDArray[np.float64]


def frames_of(growth: Growth, pose: Pose) -> tuple[Array, Array]:
    """Return position (bones x 3) and rotation matrix (bones x 3 x 3) of each bone in a posture, the pelvis upright."""
    built = build(growth)
    data = mujoco.MjData(built.model)
    data.qpos[built.positions] = pose.targets()
    mujoco.mj_kinematics(built.model, data)
    return data.xpos[built.bodies].copy(), data.xmat[built.bodies].reshape(-1, 3, 3).copy()


def distance_to(shape: Shape, points: Array) -> Array:
    """Return the signed distance of points to a shape in its own frame, negative inside; of an egg, approximately."""
    if isinstance(shape, Ball):
        return np.asarray(np.linalg.norm(points - shape.at, axis=-1) - shape.radius)
    if isinstance(shape, Rod):
        start, line = np.array(shape.start), np.subtract(shape.end, shape.start)
        along = np.clip(((points - start) @ line) / (line @ line), 0.0, 1.0)
        return np.asarray(np.linalg.norm(points - start - along[..., None] * line, axis=-1) - shape.radius)
    scaled = (points - shape.at) / shape.radii
    length = np.linalg.norm(scaled, axis=-1)
    slope = np.linalg.norm(scaled / shape.radii, axis=-1)
    return np.asarray(length * (length - 1.0) / np.maximum(slope, 1e-9))


def melt(one: Array, two: Array, blend: float) -> Array:
    """Return the distance to the smooth union of two shapes."""
    mixed = np.clip(0.5 + 0.5 * (two - one) / blend, 0.0, 1.0)
    return two + (one - two) * mixed - blend * mixed * (1.0 - mixed)


class Field:
    """The distance to the skin of a child in a posture.

    Attributes:
        flesh: the shapes.
        places: the position of each bone.
        turns: the rotation matrix of each bone.
    """

    def __init__(self, flesh: Sequence[Flesh], frames: tuple[Array, Array]) -> None:
        self.flesh = flesh
        self.places, self.turns = frames
        self._rows = [BONE_NAMES.index(each.bone) for each in flesh]

    def in_bone(self, row: int, points: Array) -> Array:
        """Return points in the frame of a bone."""
        return np.asarray((points - self.places[row]) @ self.turns[row])

    def distance(self, points: Array) -> Array:
        """Return the signed distance of points to the skin in metres, negative inside."""
        out = np.full(points.shape[:-1], 1.0)
        for each, row in zip(self.flesh, self._rows, strict=True):
            out = melt(out, distance_to(each.shape, self.in_bone(row, points)), each.blend)
        return out

    def gradient(self, points: Array, step: float = 2e-4) -> Array:
        """Return the outward normals at points near the skin."""
        slopes = [self.distance(points + delta) - self.distance(points - delta) for delta in np.eye(3) * step]
        out = np.stack(slopes, axis=-1)
        return np.asarray(out / np.maximum(np.linalg.norm(out, axis=-1, keepdims=True), 1e-9))

    def bone_distances(self, points: Array) -> Array:
        """Return the distance of points to the shapes of each bone (points x bones); 1 where a bone has none."""
        out = np.full((len(points), len(BONE_NAMES)), 1.0)
        for each, row in zip(self.flesh, self._rows, strict=True):
            out[:, row] = np.minimum(out[:, row], distance_to(each.shape, self.in_bone(row, points)))
        return out

    def sample(self, spacing: float) -> tuple[Array, Array]:
        """Return the distances on a grid around the body (float32, far away just large), and its lowest corner.

        A shape changes only the part of the grid near it, so that a fine grid takes seconds.
        """
        middles, reaches = zip(*map(self._bounds, range(len(self.flesh))), strict=True)
        margin = 3 * spacing
        low = np.min([m - r for m, r in zip(middles, reaches, strict=True)], axis=0) - margin
        high = np.max([m + r for m, r in zip(middles, reaches, strict=True)], axis=0) + margin
        # The middle plane of the body is half-way between two layers, so that both sides are alike.
        half = np.ceil(max(-low[1], high[1]) / spacing)
        low[1], high[1] = -(half + 0.5) * spacing, (half + 0.5) * spacing
        shape = np.ceil((high - low) / spacing).astype(int) + 1
        grid = np.full(shape, 1.0, np.float32)
        axes = [low[i] + spacing * np.arange(shape[i]) for i in range(3)]
        for number, each in enumerate(self.flesh):
            near = reaches[number] + each.blend + margin
            cuts = []
            for i in range(3):
                first = np.searchsorted(axes[i], middles[number][i] - near)
                last = np.searchsorted(axes[i], middles[number][i] + near)
                cuts.append(slice(int(first), int(last)))
            points = np.stack(np.meshgrid(*(axes[i][cuts[i]] for i in range(3)), indexing="ij"), axis=-1)
            own = distance_to(each.shape, self.in_bone(self._rows[number], points))
            block = grid[tuple(cuts)]
            grid[tuple(cuts)] = melt(block.astype(np.float64), own, each.blend)
        return grid, low

    def _bounds(self, number: int) -> tuple[Array, float]:
        """Return a ball around a shape: its centre in the posture, and its radius."""
        shape, row = self.flesh[number].shape, self._rows[number]
        if isinstance(shape, Rod):
            middle = np.add(shape.start, shape.end) / 2
            reach = float(np.linalg.norm(np.subtract(shape.end, shape.start))) / 2 + shape.radius
        else:
            middle = np.array(shape.at)
            reach = shape.radius if isinstance(shape, Ball) else max(shape.radii)
        return self.places[row] + self.turns[row] @ middle, reach
