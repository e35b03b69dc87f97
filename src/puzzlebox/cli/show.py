"""`puzzlebox show`: a picture of a task."""

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlebox.cli.words import fail, note, read_or_say_why

if TYPE_CHECKING:
    from puzzlebox.render import View
    from puzzlebox.world import World


class Angle(Enum):
    """From where to look."""

    TOP = "top"
    FIRST = "first"
    THIRD = "third"


# The rig behind the animal and the fields of view of the game (animal-ai.md 8.2).
_BEHIND, _ABOVE, _PITCH, _NARROW = 2.79, 1.12, -10.0, 60.0
# How far from the fence an eye stays, and how much of the ground around an arena a picture from above shows.
_OFF_THE_FENCE, _MARGIN = 0.2, 1.0
_SIGNATURE = b"\x89PNG"


def show(
    task: Annotated[str, typer.Argument(help="A task file, or the name of a bundled task.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The PNG file to write; - is stdout.")],
    view: Annotated[Angle, typer.Option(help="From above, with the animal's eye, or from behind it.")] = Angle.TOP,
    size: Annotated[int, typer.Option(min=4, max=4096, help="Pixels a side.")] = 512,
    arena: Annotated[int, typer.Option(min=0, help="Which arena of the task, counted from 0.")] = 0,
    seed: Annotated[int, typer.Option(min=0, help="What is left to chance is drawn from this.")] = 0,
    steps: Annotated[int, typer.Option(min=0, help="Let so many steps pass first; nobody moves.")] = 0,
    rules: Annotated[str, typer.Option(help="The rules it is played by.")] = "puzzlebox",
) -> None:
    """Write a picture of a task, as a PNG file.

    Try:

    - `puzzlebox show foraging -o foraging.png`
    - `puzzlebox show my_task.yml --view first --size 256 -o seen.png`
    """
    if not _may_write(output):
        fail(f"{output} is already there and no picture", "name another file with -o")
    reading = read_or_say_why(task)
    for finding in reading.findings:
        note(finding.headline(task))
    if reading.task is None:
        fail(f"{task} was not shown")
    from puzzlebox.world import World

    try:
        world = World(reading.task, arena=arena, seed=seed, rules=rules)
    except ValueError as problem:
        fail(str(problem))
    for _ in range(steps):
        if world.over:
            break
        world.step([0] * len(world.animals))
    for failure in world.unplaced:
        note(f"warning: {failure}")
    data = picture(world, view, size)
    if str(output) == "-":
        typer.get_binary_stream("stdout").write(data)
        return
    try:
        output.write_bytes(data)
    except OSError as problem:
        fail(f"{output} cannot be written: {problem.strerror}")
    note(f"wrote {output}")


def _may_write(output: Path) -> bool:
    """An earlier picture is replaced, anything else is not."""
    try:
        with output.open("rb") as file:
            return file.read(len(_SIGNATURE)) in (_SIGNATURE, b"")
    except OSError:
        return True  # nothing there; or nothing one can write to, which is said later


def picture(world: "World", angle: Angle, size: int) -> bytes:
    """The PNG of a world as it is now."""
    from copy import copy

    from puzzlebox.render import Painter
    from puzzlebox.scene.png import png

    scene = copy(world.scene())
    if angle is Angle.TOP:  # through the ceiling, if there is one
        scene.surroundings = scene.surroundings.copy()
        scene.surroundings["ceiling"] = 0.0
    own = scene.animals[0] if angle is Angle.FIRST else -1
    samples = 1 if angle is Angle.FIRST else 2
    return png(Painter(scene).picture(_view(world, angle), size, size, samples=samples, skip_thing=own))


def _view(world: "World", angle: Angle) -> "View":
    from math import cos, radians, sin, tan

    from puzzlebox.render import View

    (width, depth), animal = world.arena.size, world.animals[0]
    if angle is Angle.TOP:
        high = (max(width, depth) / 2 + _MARGIN) / tan(radians(_NARROW / 2))
        return View((width / 2, high, depth / 2), 0.0, -89.9, _NARROW)
    x, y, z = world.position_of(animal)
    if angle is Angle.FIRST:
        return View((x, y, z), animal.heading)
    turn = radians(animal.heading)
    behind = (x - _BEHIND * sin(turn), z - _BEHIND * cos(turn))
    eye_x, eye_z = (
        min(max(at, _OFF_THE_FENCE), edge - _OFF_THE_FENCE) for at, edge in zip(behind, (width, depth), strict=True)
    )
    return View((eye_x, y + _ABOVE, eye_z), animal.heading, _PITCH, _NARROW)
