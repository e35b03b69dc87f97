"""A contact sheet: variations of a template side by side in one picture."""

from collections.abc import Callable
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any

from puzzlebox.arena.cli.reading import check_arena
from puzzlebox.cli.words import fail, note

if TYPE_CHECKING:
    from puzzlebox.arena.variations import Template
    from puzzlebox.render import View
    from puzzlebox.scene.scene import Scene

_GAP = 6
_WHITE = 255


def paint_sheet(
    name: str,
    number: int,
    look: "Callable[[Scene, float], View]",
    size: tuple[int, int],
    arena: int,
    seed: int,
    steps: int,
    rules: str,
    as_seen: bool,
) -> Any:
    """Paint variations of a template side by side, and print to stderr which variation is where.

    Args:
        name: the template.
        number: how many variations.
        look: returns the view of a scene, for the width of a picture over its height.
        size: width and height of the whole sheet in pixels.
        arena: the position of the arena in each task, from 0.
        seed: the seed of the variations and of the arenas.
        steps: decisions that pass before the picture is taken.
        rules: the rules to play by.
        as_seen: paint without smoothing, as the camera of the animal does.

    Returns:
        The pixels, height x width x 3 bytes.
    """
    import numpy as np

    from puzzlebox.arena.world import World
    from puzzlebox.render import Painter

    template = _load(name)
    if number > template.count and not template.endless:
        fail(f"{name} has only {template.count} variations")
    columns = ceil(sqrt(number))
    rows = ceil(number / columns)
    width = (size[0] - _GAP * (columns - 1)) // columns
    height = (size[1] - _GAP * (rows - 1)) // rows
    if min(width, height) < 4:
        fail(f"{number} pictures do not fit into {size[0]} x {size[1]} pixels")
    sheet = np.full((size[1], size[0], 3), _WHITE, np.uint8)
    try:
        for place, variation in enumerate(template.sample(number, seed)):
            check_arena(arena + 1, variation.task, name)
            world = World(variation.task, arena=arena, seed=seed, rules=rules)
            for _ in range(steps):
                if not world.over:
                    world.step([0] * len(world.animals))
            scene = world.scene()
            picture = Painter(scene).picture(look(scene, width / height), width, height, samples=1 if as_seen else 2)
            top, left = place // columns * (height + _GAP), place % columns * (width + _GAP)
            sheet[top : top + height, left : left + width] = picture
            position = f"row {place // columns + 1}, {place % columns + 1}"
            note(f"{position}: variation {variation.number}: {variation.description()}")
            for failure in world.unplaced:
                note(f"warning: {failure}")
    except (OSError, ValueError) as problem:  # the draw reads files of the testbed, too
        fail(str(problem))
    return sheet


def _load(name: str) -> "Template":
    from puzzlebox.arena.schema import TaskError
    from puzzlebox.arena.testbed.training import open_template

    try:
        template = open_template(name)
        template.check()
    except TaskError as problem:  # of the template, or of the level of a training space
        note(str(problem))
        fail(f"{name} was not shown")
    except OSError as problem:
        fail(str(problem) if problem.strerror is None else f"{name}: {problem.strerror}")
    return template
