"""Pictures of tasks: one task from above and through the animal's eye, and a sheet of many with their titles."""

from collections.abc import Sequence
from math import ceil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.world import World
from puzzlebox.render import Painter, View

Pixels = NDArray[np.uint8]
_GAP, _LINE = 8, 15
_BACKGROUND, _INK = (255, 255, 255), (20, 20, 20)


def views(task: Task, size: int, seed: int = 0, decisions: int = 0) -> list[Pixels]:
    """Return a task from above and as the animal sees it, some decisions after the start; in the dark it sees black."""
    world = World(task, seed=seed)
    for _ in range(decisions):
        if not world.over:
            world.step([0] * len(world.animals))
    scene = world.scene()
    painter = Painter(scene)
    above, seen = (painter.picture(look, size, size, samples=2) for look in (View.top(scene), View.first(scene)))
    return [above, seen if world.lights else np.zeros_like(seen)]


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
