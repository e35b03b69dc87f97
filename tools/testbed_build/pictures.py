"""Pictures of tasks: one task from above and through the animal's eye, and a sheet of many with their titles."""

from collections.abc import Iterator, Sequence
from math import atan2, ceil, cos, hypot, radians, sin, tan
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.things.goals import Goal
from puzzlebox.arena.things.structures import CylinderTunnelTransparent, WallTransparent
from puzzlebox.arena.world import World
from puzzlebox.render import Painter, View
from puzzlebox.scene.scene import Scene

Pixels = NDArray[np.uint8]
_GAP, _LINE = 8, 15
_BACKGROUND, _INK = (255, 255, 255), (20, 20, 20)
# From so many times as high, through a lens so much longer, food in the air is drawn close to what is below it.
_HIGHER = 16.0
# A goal whose radius in pixels is less than this has a ring of this radius around it, black on white, unless another
# one is near: sets stay as they are.
_RING = 5.0
# The outline of glass where most is pale around it (0-255), since glass cannot be told from such a floor.
_GLASS, _PALE = (115, 130, 145), 195


def views(task: Task, size: int, seed: int = 0, decisions: int = 0) -> list[Pixels]:
    """Return a task from above and as the animal sees it, some decisions after the start; in the dark it sees black."""
    world = World(task, seed=seed)
    for _ in range(decisions):
        if not world.over:
            world.step([0] * len(world.animals))
    scene = world.scene()
    painter = Painter(scene)
    seen = painter.picture(View.first(scene), size, size, samples=2)
    return [_from_above(world, scene, painter, size), seen if world.lights else np.zeros_like(seen)]


def _from_above(world: World, scene: Scene, painter: Painter, size: int) -> Pixels:
    """Return the arena from above, as if through a long lens, with rings around small goals."""
    view = View.top(scene, higher=_HIGHER)
    x, high, z = view.eye
    half = high * tan(radians(view.fov_degrees / 2))
    image = Image.fromarray(painter.picture(view, size, size, samples=2))
    pen, spots = ImageDraw.Draw(image), []

    def seen(at: tuple[float, float, float]) -> tuple[float, float, float]:
        """Return where a place is in the picture, and the pixels a metre at its height."""
        scale = size / (2 * half) / (1 - at[1] / high)
        return size / 2 + scale * (at[0] - x), size / 2 - scale * (at[2] - z), scale

    pixels = np.asarray(image)
    for corners in _glass(world):
        outline = [seen(corner)[:2] for corner in corners]
        across, down = np.clip(np.array(outline), 4, size - 5).astype(int).T
        around = pixels[down.min() - 4 : down.max() + 5, across.min() - 4 : across.max() + 5]
        if np.median(around) > _PALE:
            pen.polygon(outline, outline=_GLASS)
    for at, radius in _goals(world):
        *place, scale = seen(at)
        spots.append((place[0], place[1], radius * scale))
    for across, down, radius in spots:
        alone = sum(hypot(across - other[0], down - other[1]) < 4 * _RING for other in spots) == 1
        for ring, colour in ((_RING + 1, _BACKGROUND), (_RING, _INK)) if radius < _RING and alone else ():
            pen.ellipse((across - ring, down - ring, across + ring, down + ring), outline=colour)
    return np.asarray(image)


def _goals(world: World) -> Iterator[tuple[tuple[float, float, float], float]]:
    """Yield the place and the radius of each goal."""
    for thing in world.things:
        if isinstance(thing, Goal):
            yield world.position_of(thing), thing.extent[0] / 2


def _glass(world: World) -> Iterator[list[tuple[float, float, float]]]:
    """Yield the upper corners of each thing of glass."""
    for thing in world.things:
        if isinstance(thing, WallTransparent | CylinderTunnelTransparent):
            (x, y, z), (w, _, turned, _) = world.engine.pose(thing.id)
            angle = 2 * atan2(turned, w)
            width, height, depth = (side / 2 for side in thing.extent)
            yield [
                (x + a * cos(angle) + b * sin(angle), y + height, z - a * sin(angle) + b * cos(angle))
                for a, b in ((-width, -depth), (width, -depth), (width, depth), (-width, depth))
            ]


def sheet(pictures: Sequence[tuple[str, str, Sequence[Pixels]]], columns: int) -> Image.Image:
    """Return pictures side by side, each with an id and a title below it."""
    first = pictures[0][2]
    width = sum(each.shape[1] for each in first) + _GAP
    height = first[0].shape[0] + 2 * _LINE + _GAP
    paper = Image.new("RGB", (columns * width, ceil(len(pictures) / columns) * height), _BACKGROUND)
    pen, font = ImageDraw.Draw(paper), ImageFont.load_default(size=12)
    for place, (name, title, images) in enumerate(pictures):
        left, top = place % columns * width, place // columns * height
        for image in images:
            paper.paste(Image.fromarray(image), (left, top))
            left += image.shape[1]
        left, top = place % columns * width, top + images[0].shape[0] + 1
        pen.text((left, top), name, _INK, font)
        pen.text((left, top + _LINE), _fitting(title, font, width - _GAP), _INK, font)
    return paper


def _fitting(text: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont, width: int) -> str:
    while text and font.getlength(text) > width:
        text = text[:-2].rstrip() + "…" if not text.endswith("…") else text[:-2] + "…"
    return text


def save(image: Image.Image, path: Path, *, coarse: bool = False) -> None:
    """Write a picture as PNG; coarse colours, of five bits a channel, halve the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if coarse:
        image = Image.fromarray(np.asarray(image) & 0xF8 | 4)
    image.save(path, optimize=True)
