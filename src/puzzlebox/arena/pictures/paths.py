"""The paths of animals, drawn on a picture of the arena from above."""

from math import radians, tan

import numpy as np
from numpy.typing import NDArray

from puzzlebox.arena.world import Record, World
from puzzlebox.arena.world.moments import moments
from puzzlebox.render import Painter, View

Image = NDArray[np.uint8]
Points = NDArray[np.float64]

# From start to end: blue, white, orange, which colour-blind readers can distinguish.
_COLOURS = np.array(((20, 80, 220), (245, 245, 245), (240, 120, 0)), float)
# The widths of the line and of the spots at its ends, relative to the shorter side of the picture.
_LINE, _SPOT = 0.0027, 0.010
_EDGE = (20, 20, 20)


def path_picture(record: Record, size: tuple[int, int] = (1200, 800)) -> Image:
    """Return the arena at the start, from above, with the path of each animal until it is done, from blue to orange.

    An episode with several arenas gives one picture beside the other.
    """
    panels: list[tuple[Image, View]] = []
    paths: list[list[Points]] = []
    position, done = -1, [False]
    for moment in moments(record):
        world = moment.world
        if position != world.position:
            position = world.position
            panels.append(_ground(world, size))
            paths.append([])
            done = [False] * len(world.animals)
        # An animal that is done may still slide while the result is shown.
        now = [
            paths[-1][-1][index] if done[index] else world.position_of(animal)
            for index, animal in enumerate(world.animals)
        ]
        paths[-1].append(np.array(now))
        done = [bool(animal.done) for animal in world.animals]
    pictures = []
    for (image, view), path in zip(panels, paths, strict=True):
        pictures.append(_draw_paths(image, view, np.array(path)))
    return np.hstack(pictures)


def _ground(world: World, size: tuple[int, int]) -> tuple[Image, View]:
    scene = world.scene()
    view = View.top(scene, size[0] / size[1])
    return Painter(scene).picture(view, *size), view


def _draw_paths(image: Image, view: View, path: Points) -> Image:
    """Return the picture with the paths of all animals: moments x animals x three coordinates."""
    height, width, _ = image.shape
    shorter = min(width, height)
    canvas = image.astype(float)
    for animal in range(path.shape[1]):
        spots = pixels(path[:, animal], view, width, height)
        line, times = _dense(spots)
        _stamp(canvas, line, shorter * _LINE * 1.7, np.tile(_EDGE, (len(line), 1)))
        _stamp(canvas, line, shorter * _LINE, _colour(times))
        for spot, colour in ((spots[0], _COLOURS[0]), (spots[-1], _COLOURS[-1])):
            _stamp(canvas, spot[None], shorter * _SPOT, np.array([_EDGE], float))
            _stamp(canvas, spot[None], shorter * _SPOT * 0.75, colour[None])
    return np.asarray(np.rint(canvas), np.uint8)


def pixels(places: Points, view: View, width: int, height: int) -> Points:
    """Return the column and row of positions on a picture from above."""
    x, y, z = places.T
    scale = min(width, height) / 2 / tan(radians(view.fov_degrees / 2)) / (view.eye[1] - y)
    return np.stack((width / 2 + (x - view.eye[0]) * scale, height / 2 - (z - view.eye[2]) * scale), axis=1)


def _dense(spots: Points) -> tuple[Points, Points]:
    """Return points along the line half a pixel apart, and the time of each, 0 to 1."""
    lengths = np.hypot(*np.diff(spots, axis=0).T) if len(spots) > 1 else np.zeros(0)
    distance = np.concatenate(((0.0,), np.cumsum(lengths)))
    along = np.linspace(0.0, distance[-1], int(2 * distance[-1]) + 2)
    times = np.linspace(0.0, 1.0, len(spots))
    points = np.stack([np.interp(along, distance, spots[:, axis]) for axis in (0, 1)], axis=1)
    return points, np.interp(along, distance, times)


def _colour(times: Points) -> Points:
    return np.stack([np.interp(times, (0.0, 0.5, 1.0), _COLOURS[:, channel]) for channel in range(3)], axis=1)


def _stamp(canvas: NDArray[np.float64], points: Points, radius: float, colours: NDArray[np.float64]) -> None:
    """Paint a soft round spot at each point, later ones over earlier ones."""
    height, width, _ = canvas.shape
    reach = int(radius) + 2
    for (x, y), colour in zip(points, colours, strict=True):
        left, top = max(0, int(x) - reach), max(0, int(y) - reach)
        right, bottom = min(width, int(x) + reach + 1), min(height, int(y) + reach + 1)
        if left >= right or top >= bottom:
            continue
        rows, columns = np.mgrid[top:bottom, left:right]
        cover = np.clip(radius + 0.5 - np.hypot(columns + 0.5 - x, rows + 0.5 - y), 0.0, 1.0)[..., None]
        patch = canvas[top:bottom, left:right]
        patch += cover * (colour - patch)
