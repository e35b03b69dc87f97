"""`puzzlebox infant show`: write a picture of the child, or a film of an episode with all its senses."""

from collections.abc import Mapping, Sequence
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from puzzlebox.cli.words import choice, fail, may_replace, note, picture_size, write_output

_SMALLEST, _LARGEST = 16, 4096
_SIZE, _FILM_SIZE = "800x800", "960x540"
_PNG, _MP4, _GIF, _WAV = ".png", ".mp4", ".gif", ".wav"
# The bytes that files of each kind begin with, or that follow their first four.
_SIGNATURES = {_PNG: (b"\x89PNG",), _MP4: (b"ftyp",), _GIF: (b"GIF8",), _WAV: (b"RIFF",)}
_AGE, _SETTLED, _EPISODE = 18.0, 1.0, 10.0


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


class Actor(Enum):
    """Who plays the episode."""

    SCRIPT = "infant-script"
    RANDOM = "random"


def show(
    task: Annotated[
        str | None,
        typer.Argument(metavar="TASK", help="An infant task, to show an episode; otherwise the child alone."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The file to write: a picture (.png; - is stdout), or of a task also a film (.mp4 with sound, .gif).",
        ),
    ] = None,
    age: Annotated[float | None, typer.Option(metavar="MONTHS", help="The age of the child, 0 to 24 (18).")] = None,
    size: Annotated[
        str | None,
        typer.Option(metavar="WxH", help=f"Pixels ({_SIZE}, of a task {_FILM_SIZE}); one number is a square."),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=60.0,
            help="Of a task: how much of the episode is shown at most (10); a picture shows its last moment. Of the "
            "child alone: how long it holds its posture first, to settle (1).",
        ),
    ] = None,
    agent: Annotated[Actor | None, choice(Actor, "Of a task: who plays (infant-script, which solves it).")] = None,
    seed: Annotated[int | None, typer.Option(help="Of a task: the seed of the episode (1).")] = None,
    wav: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Of a task: write what both ears hear as a WAV file, with or without -o."),
    ] = None,
    pose: Annotated[Posture | None, choice(Posture, "Of the child alone: its posture (sit).")] = None,
    view: Annotated[
        Side | None,
        choice(
            Side, "Of the child alone: the side from which it is seen (three-quarters); six shows six sides in one."
        ),
    ] = None,
    touch: Annotated[
        bool,
        typer.Option(
            "--touch", help="Of the child alone: colour the skin by how far it is pushed in, grey where it is not."
        ),
    ] = False,
) -> None:
    """Write a picture of the child, or a film of an episode with all its senses.

    Try:

    - `puzzlebox infant show -o child.png`
    - `puzzlebox infant show --age 6 --pose lie --view top -o six_months.png`
    - `puzzlebox infant show --pose stand --touch -o touch.png`
    - `puzzlebox infant show kick-the-ball -o kick.mp4`
    - `puzzlebox infant show grab-object --agent random --seconds 4 -o grab.gif`
    - `puzzlebox infant show kick-the-ball --seconds 1 -o moment.png --wav moment.wav`

    A film shows the child from outside, what both eyes see, what both ears hear and what the skin feels.
    """
    if task is not None:
        _refuse(
            {"--pose": pose, "--view": view, "--touch": touch or None}, "is for the child alone", "leave out the task"
        )
        _show_task(task, output, age, size, seconds, agent or Actor.SCRIPT, 1 if seed is None else seed, wav)
        return
    _refuse(
        {"--agent": agent, "--seed": seed, "--wav": wav}, "is for an episode", "name a task, as in show kick-the-ball"
    )
    if output is None:
        fail("there is no file to write", "name it with -o, as in -o child.png")
    if output.suffix.lower() in (_MP4, _GIF):
        fail(f"{output} is a film, which shows an episode", "name a task, as in show kick-the-ball")
    width, height = picture_size(size or _SIZE, _SMALLEST, _LARGEST, _SIZE)
    _check_file(output, (_PNG,), "a picture", "-o")
    _require_mujoco()
    from puzzlebox.infant.body.child import Child
    from puzzlebox.infant.body.physics import CONTROL_STEP
    from puzzlebox.infant.looks.photo import photograph
    from puzzlebox.infant.looks.portrait import Portrait
    from puzzlebox.scene.png import png

    try:
        child = Child(_AGE if age is None else age)
    except ValueError as problem:
        fail(f"--age: {problem}")
    child.reset(pose=(pose or Posture.SIT).value)
    for _ in range(round((_SETTLED if seconds is None else seconds) / CONTROL_STEP)):
        child.step()
    portrait = Portrait(child)
    if touch:
        from puzzlebox.infant.senses.skin import Skin, SkinSettings
        from puzzlebox.infant.senses.touch_map import paint_touch

        skin = Skin(child, SkinSettings(habituation=0.0))
        paint_touch(portrait, skin.taxels, skin.read())
    write_output(output, png(photograph(portrait, (view or Side.THREE_QUARTERS).value, width, height)))


def _show_task(
    task: str,
    output: Path | None,
    age: float | None,
    size: str | None,
    seconds: float | None,
    agent: Actor,
    seed: int,
    wav: Path | None,
) -> None:
    """Write a film or a picture of an episode, its sound, or both."""
    if output is None and wav is None:
        fail("there is no file to write", "name it with -o, as in -o film.mp4, or --wav sound.wav for the sound alone")
    width, height = picture_size(size or _FILM_SIZE, _SMALLEST, _LARGEST, _FILM_SIZE)
    if output is not None:
        _check_file(output, (_MP4, _GIF, _PNG), "a film or a picture", "-o")
    if wav is not None:
        _check_file(wav, (_WAV,), "a sound file", "--wav")
    from puzzlebox.infant.catalogue import entry_named
    from puzzlebox.seeds import check_seed

    try:
        name = entry_named(task).name
        check_seed(seed)
    except ValueError as problem:
        fail(str(problem))
    _require_mujoco()
    from puzzlebox.cli.recordings import progress
    from puzzlebox.infant.envs.showing import Showing, write_showing
    from puzzlebox.infant.looks.panel import layout_of
    from puzzlebox.infant.sound.wav import write_wav
    from puzzlebox.scene.png import png

    showing = Showing(name, agent.value, seed, _EPISODE if seconds is None else seconds, age)
    try:
        if output is not None:
            layout_of(width, height)
        sound = showing.sound()
    except (ValueError, ImportError) as problem:
        fail(str(problem))
    if wav is not None:
        try:
            write_wav(wav, sound)
        except OSError as problem:
            fail(f"{wav} cannot be written: {problem.strerror}")
        note(f"wrote {wav}")
    if output is None:
        return
    if output.suffix.lower() not in (_MP4, _GIF):
        write_output(output, png(showing.last_picture((width, height), sound)))
        return
    try:
        with progress("painting") as update:
            write_showing(showing, output, (width, height), sound, update)
    except ModuleNotFoundError as problem:
        fail(str(problem))
    except OSError as problem:
        fail(f"{output} cannot be written: {problem.strerror}")
    note(f"wrote {output}")


def _refuse(options: Mapping[str, object], why: str, hint: str) -> None:
    """End the command with an error if an option is given that does not fit."""
    for name, value in options.items():
        if value is not None:
            fail(f"{name} {why}", hint)


def _check_file(path: Path, suffixes: Sequence[str], kind: str, option: str) -> None:
    """End the command with an error if a file cannot be written because of its name or what is there."""
    if str(path) == "-" and _PNG in suffixes:
        return
    form = path.suffix.lower()
    if form not in suffixes:
        fail(f"{path} is not {kind}; its name must end in {' or '.join(suffixes)}")
    if not may_replace(path, _SIGNATURES[form]):
        fail(f"{path} is already there and no {form} file", f"name another file with {option}")


def _require_mujoco() -> None:
    """End the command with an error if MuJoCo is not installed."""
    try:
        import_module("mujoco")
    except ModuleNotFoundError as problem:
        if problem.name != "mujoco":
            raise
        fail("the infant needs MuJoCo, which is not installed", "pip install 'puzzlebox[infant]'")
