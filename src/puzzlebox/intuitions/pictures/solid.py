"""The painter in three dimensions: every trial as a Scene on a table, seen from the front and above.

A cell is half a metre wide. The flat picture's y axis, upwards, leads away from the viewer, so both painters show the
same places. Shapes are prisms of the pieces that the flat painter fills; an agent is taller and has a round head.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import cos, hypot, radians, sin, tan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.intuitions.episodes.casting import BARRIER_COLOR
from puzzlebox.intuitions.episodes.stimulus import RGB, Stimulus, Track, Trial
from puzzlebox.intuitions.grid import CELL, CELLS, SIZE
from puzzlebox.intuitions.pictures.shapes import Ellipse, Polygon, pieces_of
from puzzlebox.render import Painter, View
from puzzlebox.scene.colours import linear
from puzzlebox.scene.scene import PART, POSE, Kind, Scene, State
from puzzlebox.scene.surroundings import surroundings
from puzzlebox.scene.themes import Look, Surface

Image = NDArray[np.uint8]
# Metres for each pixel of the flat picture, and the side of the floor.
_METRE = 0.5 / CELL
_SIDE = SIZE * _METRE
# Heights in metres.
_WALL, _BARRIER, _HOME, _OBJECT, _AGENT, _KEY, _LOCK = 0.16, 0.12, 0.012, 0.14, 0.2, 0.12, 0.06
_WALL_COLOR: RGB = (52, 54, 60)
_AROUND = (214, 218, 224)
_LOOK = Look(
    floor=Surface((236, 234, 228)),
    fence=Surface(_AROUND),
    walls=Surface(_WALL_COLOR),
    sky=Surface(_AROUND),
)
# The camera: before the front edge, so that the table fills the picture.
_VIEW = replace(View.fixed((_SIDE / 2, 5.9, -1.1), (_SIDE / 2, 0.0, 2.2)), fov_degrees=46.0)
_ROUND = 16


class SolidPainter:
    """Paints the frames of trials in three dimensions, `size` x `size` pixels."""

    def __init__(self, size: int = SIZE) -> None:
        if not 8 <= size <= 2000:
            raise ValueError(f"a picture of {size} pixels a side; it can have 8 to 2000")
        self.size = size
        self._fine = np.empty((2 * size, 2 * size, 3), np.uint8)
        self._staged: tuple[Trial, _Stage] | None = None

    def frame(self, trial: Trial, frame: int) -> Image:
        """Return one frame of a trial, height x width x 3 bytes."""
        if self._staged is None or self._staged[0] is not trial:
            self._staged = (trial, _Stage(trial))
        stage = self._staged[1]
        stage.show(frame)
        # Two samples a side of a pixel, averaged as they are: quicker than `Painter.picture`, which averages light.
        fine = self._fine
        stage.painter.paint(fine, _VIEW.eye, _VIEW.heading, _VIEW.pitch, _VIEW.fov_degrees)
        rows = fine[0::2].astype(np.uint16) + fine[1::2]
        return ((rows[:, 0::2] + rows[:, 1::2] + 2) >> 2).astype(np.uint8)

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Return column and row, in pixels from the top left, of a place on the floor in pixels of a flat film."""
        across, up, along = (at - eye for at, eye in zip((x * _METRE, 0.0, y * _METRE), _VIEW.eye, strict=True))
        pitch = radians(_VIEW.pitch)
        # The camera looks along +z, up or down by its pitch.
        depth = up * sin(pitch) + along * cos(pitch)
        above = up * cos(pitch) - along * sin(pitch)
        scale = self.size / 2 / tan(radians(_VIEW.fov_degrees) / 2) / depth
        return self.size / 2 + across * scale, self.size / 2 - above * scale

    def frames(self, stimulus: Stimulus) -> Iterator[tuple[Image, int]]:
        """Yield the distinct frames of a film in order, each with the number of frames for which it is shown."""
        for trial in stimulus.trials:
            for start, count in trial.runs():
                yield self.frame(trial, start), count


class _Stage:
    """The Scene of a trial, and which rows of it move or vanish."""

    def __init__(self, trial: Trial) -> None:
        self._parts: list[tuple[Any, ...]] = []
        self._planes: list[tuple[float, ...]] = []
        # Row 0 never moves; each other row is one entity or piece with the number of frames that it is there.
        self._tracks: list[tuple[Track, int]] = []
        self._vanishing: list[tuple[int, int]] = []
        self._things = 1
        last = CELLS - 1
        border = [(0, 0, SIZE, CELL), (0, SIZE - CELL, SIZE, CELL), (0, CELL, CELL, SIZE - 2 * CELL)]
        border.append((SIZE - CELL, CELL, CELL, SIZE - 2 * CELL))
        inner = {
            tuple(box)
            for box in trial.walls.boxes.tolist()
            if box[0] % CELL or box[1] % CELL or not {box[0] // CELL, box[1] // CELL} & {0, last}
        }
        for box in (*border, *sorted(inner)):
            self._box(0, box, _WALL, _WALL_COLOR)
        for box, until in zip(trial.barrier.boxes.tolist(), trial.barrier.until.tolist(), strict=True):
            if until < trial.frames:
                self._box(self._things, box, _BARRIER, BARRIER_COLOR)
                self._vanishing.append((self._things, until))
                self._things += 1
            else:
                self._box(0, box, _BARRIER, BARRIER_COLOR)
        tracks = [(trial.home, _HOME), (trial.lock, _LOCK), (trial.key, _KEY), (trial.agent, _AGENT)]
        for track, height in (*tracks, *((each, _OBJECT) for each in trial.objects)):
            if track is not None:
                self._shape(self._things, track, height, head=track is trial.agent)
                self._tracks.append((track, self._things))
                self._things += 1
        poses = np.zeros(self._things, POSE)
        poses["turn"] = (1, 0, 0, 0)
        self.scene = Scene(
            parts=np.array(self._parts, PART),
            poses=poses,
            planes=np.array(self._planes, np.float32).reshape(-1, 4),
            surroundings=_surroundings(),
            owners=np.arange(self._things, dtype=np.int32),
        )
        self.painter = Painter(self.scene)

    def show(self, frame: int) -> None:
        """Move everything to its place in a frame."""
        poses = self.scene.poses
        for row, until in self._vanishing:
            poses["flags"][row] = 0 if frame < until else State.HIDDEN
        for track, row in self._tracks:
            x, y = (track.corners[frame] + track.half).tolist()
            poses["at"][row] = (x * _METRE, 0.0, y * _METRE)
            poses["flags"][row] = 0 if frame < track.until else State.HIDDEN

    def _add(
        self,
        row: int,
        kind: Kind,
        at: tuple[float, float, float],
        half: tuple[float, float, float],
        color: RGB,
        planes: list[tuple[float, ...]] | None = None,
    ) -> None:
        light = linear(color)
        first, count = (len(self._planes), len(planes)) if planes else (0, 0)
        self._planes += planes or []
        other = tuple(0.62 * each for each in light)
        self._parts.append(
            (row, int(kind), 0, 0, 0, at, (1.0, 0.0, 0.0, 0.0), half, (*light, 1.0), (*other, 1.0), first, count)
        )

    def _box(self, row: int, box: tuple[int, ...] | list[int], height: float, color: RGB) -> None:
        x, y, width, depth = (each * _METRE for each in box)
        half = (width / 2, height / 2, depth / 2)
        self._add(row, Kind.BOX, (x + half[0], half[1], y + half[2]), half, color)

    def _shape(self, row: int, track: Track, height: float, head: bool) -> None:
        """Add the prisms of an entity around its centre, and for an agent a head."""
        scale = track.half * _METRE
        for piece in pieces_of(track.shape):
            if isinstance(piece, Ellipse) and piece.across == piece.up:
                radius = piece.across * scale
                at = (piece.x * scale, height / 2, piece.y * scale)
                self._add(row, Kind.CYLINDER, at, (radius, height / 2, radius), track.color)
                continue
            corners = piece.corners if isinstance(piece, Polygon) else _corners(piece)
            planes = _prism([(x * scale, y * scale) for x, y in corners], height)
            self._add(row, Kind.HULL, (0.0, 0.0, 0.0), (scale, height, scale), track.color, planes)
        if head:
            red, green, blue = (min(255, each + 60) for each in track.color)
            radius = 0.5 * scale
            self._add(row, Kind.BALL, (0.0, height + 0.6 * radius, 0.0), (radius,) * 3, (red, green, blue))


def _corners(piece: Ellipse) -> list[tuple[float, float]]:
    angles = [radians(360 * i / _ROUND) for i in range(_ROUND)]
    return [(piece.x + piece.across * cos(angle), piece.y + piece.up * sin(angle)) for angle in angles]


def _prism(corners: list[tuple[float, float]], height: float) -> list[tuple[float, ...]]:
    """Return the planes of an upright prism over a convex polygon: normals outwards, and offsets."""
    planes: list[tuple[float, ...]] = [(0.0, 1.0, 0.0, height), (0.0, -1.0, 0.0, 0.0)]
    for (x, y), (to_x, to_y) in zip(corners, [*corners[1:], corners[0]], strict=True):
        length = hypot(to_x - x, to_y - y)
        if length:
            across, along = (to_y - y) / length, -(to_x - x) / length
            planes.append((across, 0.0, along, across * x + along * y))
    return planes


def _surroundings() -> NDArray[Any]:
    """Return floor, sky and light; there is no fence around the table."""
    row = surroundings(_LOOK, _SIDE, _SIDE)
    row["fence_top"] = row["post_top"] = 0.0
    return row
