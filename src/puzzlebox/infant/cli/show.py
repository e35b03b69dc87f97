"""`puzzlebox infant show`: write a picture of the child."""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from puzzlebox.cli.words import choice, fail, may_replace, picture_size, write_output

_SMALLEST, _LARGEST = 16, 4096
_SIZE = "800x800"
_PNG, _SIGNATURE = ".png", b"\x89PNG"


class Posture(Enum):
    """The posture of the child."""

    STAND = "stand"
    SIT = "sit"
    LIE = "lie"
    PRONE = "prone"
    SPREAD = "spread"


class Side(Enum):
    """The side from which the child is seen."""

    FRONT = "front"
    BACK = "back"
    LEFT = "left"
    RIGHT = "right"
    TOP = "top"
    THREE_QUARTERS = "three-quarters"
    FACE = "face"
    BELOW = "below"
    SIX = "six"


def show(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The PNG file to write; - is stdout.")],
    age: Annotated[float, typer.Option(metavar="MONTHS", help="The age of the child, 0 to 24 months.")] = 18.0,
    pose: Annotated[Posture, choice(Posture, "The posture of the child.")] = Posture.SIT,
    view: Annotated[Side, choice(Side, "The side from which it is seen; six shows six sides in one.")] = (
        Side.THREE_QUARTERS
    ),
    size: Annotated[str, typer.Option(metavar="WxH", help="Pixels, as in 800x800; one number is a square.")] = _SIZE,
    seconds: Annotated[
        float, typer.Option(min=0.0, max=60.0, help="How long the child holds its posture first; then it has settled.")
    ] = 1.0,
    touch: Annotated[
        bool, typer.Option("--touch", help="Colour the skin by how far it is pushed in, grey where it is not.")
    ] = False,
) -> None:
    """Write a picture of the child, as a PNG file.

    Try:

    - `puzzlebox infant show -o child.png`
    - `puzzlebox infant show --age 6 --pose lie --view top -o six_months.png`
    - `puzzlebox infant show --view face --size 512 -o face.png`
    - `puzzlebox infant show --pose stand --touch -o touch.png`
    """
    width, height = picture_size(size, _SMALLEST, _LARGEST, _SIZE)
    if str(output) != "-" and output.suffix.lower() != _PNG:
        fail(f"{output} is not a picture; its name must end in {_PNG}")
    if not may_replace(output, (_SIGNATURE,)):
        fail(f"{output} is already there and no picture", "name another file with -o")
    try:
        from puzzlebox.infant.body.child import Child
        from puzzlebox.infant.body.physics import CONTROL_STEP
    except ModuleNotFoundError as problem:
        if problem.name != "mujoco":
            raise
        fail("the infant needs MuJoCo, which is not installed", "pip install 'puzzlebox[infant]'")
    from puzzlebox.infant.looks.photo import photograph
    from puzzlebox.infant.looks.portrait import Portrait
    from puzzlebox.scene.png import png

    try:
        child = Child(age)
    except ValueError as problem:
        fail(f"--age: {problem}")
    child.reset(pose=pose.value)
    for _ in range(round(seconds / CONTROL_STEP)):
        child.step()
    portrait = Portrait(child)
    if touch:
        from puzzlebox.infant.senses.skin import Skin, SkinSettings
        from puzzlebox.infant.senses.touch_map import paint_touch

        skin = Skin(child, SkinSettings(habituation=0.0))
        paint_touch(portrait, skin.taxels, skin.read())
    write_output(output, png(photograph(portrait, view.value, width, height)))
