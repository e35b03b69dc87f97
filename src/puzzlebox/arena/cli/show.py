"""`puzzlebox show`: write a picture of a task."""

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlebox.arena.cli.reading import check_arena, read_or_say_why
from puzzlebox.cli.words import choice, fail, may_replace, note, picture_size, write_output

if TYPE_CHECKING:
    from puzzlebox.render import View
    from puzzlebox.scene.scene import Scene

_Point = tuple[float, float, float]


class Angle(Enum):
    """The place of the camera."""

    TOP = "top"
    FIRST = "first"
    THIRD = "third"
    FIXED = "fixed"


_SMALLEST, _LARGEST = 4, 4096
_SIZE = "1200x800"
# From further away, even the largest arena is a dot.
_FARTHEST_METRES = 1000.0
# If the middle of something is so many metres high, pictures from above are as if from so many times as high, so that
# food in the air is not outside the picture.
_IN_THE_AIR, _HIGHER = 3.0, 16.0
_PNG, _SIGNATURE = ".png", b"\x89PNG"


def show(
    task: Annotated[str, typer.Argument(metavar="TASK", help="A task file, or the name of a bundled task.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The PNG file to write; - is stdout.")],
    view: Annotated[
        Angle, choice(Angle, "From above, with the animal's eye, from behind it, or from a fixed place.")
    ] = Angle.TOP,
    size: Annotated[str, typer.Option(metavar="WxH", help="Pixels, as in 1200x800; one number is a square.")] = _SIZE,
    eye: Annotated[
        str | None, typer.Option("--from", metavar="X,Y,Z", help="Where a fixed view looks from, in metres; y is up.")
    ] = None,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="X,Y,Z", help="Where a fixed view looks at. Default: the middle of the floor."),
    ] = None,
    arena: Annotated[int, typer.Option(help="Which arena of the task, counted from 1.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="The seed of everything random.")] = 0,
    steps: Annotated[int, typer.Option(min=0, help="Decisions that pass first, in which no animal acts.")] = 0,
    rules: Annotated[str, typer.Option(metavar="RULES", help="The rules to play by.")] = "puzzlebox",
    samples: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, max=100, help="How many variations of a template to show on one contact sheet."
        ),
    ] = None,
) -> None:
    """Write a picture of a task, as a PNG file.

    Try:

    - `puzzlebox show foraging -o foraging.png`
    - `puzzlebox show my_task.yml --view first --size 256 -o seen.png`
    - `puzzlebox show my_task.yml --view fixed --from 2,6,2 --at 20,0,20 -o corner.png`
    - `puzzlebox show object-permanence --samples 12 -o sheet.png`

    The field of view is 60 degrees across the shorter side, and 100 with the animal's eye: a wide picture shows more to
    the sides, and its middle square is what a square one shows.
    """
    if arena < 1:
        fail(f"--arena is {arena}; arenas count from 1")
    width, height = picture_size(size, _SMALLEST, _LARGEST, _SIZE)
    points = _fixed_points(view, eye, at)
    if str(output) != "-" and output.suffix.lower() != _PNG:
        fail(f"{output} is not a picture; its name must end in {_PNG}")
    if not may_replace(output, (_SIGNATURE,)):
        fail(f"{output} is already there and no picture", "name another file with -o")
    from puzzlebox.arena.testbed.training import is_template

    if is_template(task):
        from puzzlebox.arena.cli.contact_sheet import paint_sheet

        def look(scene: "Scene", aspect: float) -> "View":
            return _view(scene, view, aspect, points)

        number = samples or 1
        image = paint_sheet(task, number, look, (width, height), arena - 1, seed, steps, rules, view is Angle.FIRST)
        _save(image, output)
        return
    if samples is not None:
        fail(f"{task} is one task, not a template; leave out --samples")
    reading = read_or_say_why(task)
    for finding in reading.findings:
        note(finding.headline(task))
    if reading.task is None:
        fail(f"{task} was not shown")
    check_arena(arena, reading.task, task)
    from puzzlebox.arena.world import World

    try:
        world = World(reading.task, arena=arena - 1, seed=seed, rules=rules)
    except ValueError as problem:
        fail(str(problem))
    for _ in range(steps):
        if world.over:
            break
        world.step([0] * len(world.animals))
    for failure in world.unplaced:
        note(f"warning: {failure}")
    from puzzlebox.render import Painter

    scene = world.scene()
    # The first-person view is painted as the camera of the animal paints it, without smoothing.
    smoothing = 1 if view is Angle.FIRST else 2
    camera = _view(scene, view, width / height, points)
    _save(Painter(scene).picture(camera, width, height, samples=smoothing), output)


def _save(image: Any, output: Path) -> None:
    from puzzlebox.scene.png import png

    write_output(output, png(image))


def _read_point(option: str, text: str) -> _Point:
    try:
        x, y, z = (float(number) for number in text.split(","))
    except ValueError:
        pass
    else:
        if all(abs(number) <= _FARTHEST_METRES for number in (x, y, z)):  # false for nan as well
            return (x, y, z)
    fail(
        f"{option} {text} is not a place; it is three numbers of metres from -{_FARTHEST_METRES:.0f} to "
        f"{_FARTHEST_METRES:.0f}, x,y,z with y upwards, as in 2,6,2"
    )


def _fixed_points(angle: Angle, eye: str | None, at: str | None) -> tuple[_Point, _Point | None] | None:
    """Return the points a fixed view looks from and at, the second None for the middle; None for other views."""
    if angle is not Angle.FIXED:
        if eye is not None or at is not None:
            fail(f"--from and --at are for --view fixed, not for --view {angle.value}")
        return None
    if eye is None:
        fail("--view fixed needs the place it looks from, as in --from 2,6,2")
    return _read_point("--from", eye), None if at is None else _read_point("--at", at)


def _view(scene: "Scene", angle: Angle, aspect: float, points: tuple[_Point, _Point | None] | None) -> "View":
    from puzzlebox.render import View

    if points is not None:
        width, depth = scene.surroundings["size"][0].tolist()
        eye, at = points
        try:
            return View.fixed(eye, at or (width / 2, 0.0, depth / 2))
        except ValueError as problem:
            fail(str(problem))
    if angle is Angle.FIRST:
        return View.first(scene)
    if angle is Angle.THIRD:
        return View.third(scene)
    return View.top(scene, aspect, higher=_HIGHER if scene.poses["at"][:, 1].max() > _IN_THE_AIR else 1.0)
