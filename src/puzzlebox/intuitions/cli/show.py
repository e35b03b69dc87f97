"""`puzzlebox intuitions show`: a contact sheet, a GIF or an MP4 of one pair."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlebox.cli.words import choice, fail, may_replace, note
from puzzlebox.intuitions.cli.options import Shapes

if TYPE_CHECKING:
    from puzzlebox.intuitions.episodes.stimulus import Pair
    from puzzlebox.intuitions.pictures.painters import TrialPainter

# How pictures and films begin; a file that begins otherwise is never replaced.
_SIGNATURES = (b"\x89PNG", b"GIF8", b"ftyp")
# A GIF shows every fifth frame: five pictures a second.
_GIF_EVERY = 5


def show(
    source: Annotated[
        str,
        typer.Argument(
            metavar="TASK|DIR",
            help="A task, of which the pair is generated, or a folder of one task, from which it is read.",
        ),
    ],
    number: Annotated[int, typer.Option(min=0, help="The number of the episode.")] = 0,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the set, of a generated pair.")] = 0,
    shapes: Annotated[Shapes, choice(Shapes, "Familiar or new shapes, of a generated pair.")] = Shapes.FAMILIAR,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="A contact sheet (.png) or a film (.gif, .mp4).")
    ] = Path("pair.png"),
    three_d: Annotated[bool, typer.Option("--three-d", help="In three dimensions.")] = False,
    size: Annotated[int, typer.Option(min=32, max=1000, help="Pixels a side of each trial.")] = 200,
    test_only: Annotated[bool, typer.Option("--test-only", help="Leave the familiarisation out of a film.")] = False,
) -> None:
    """Show one pair: a contact sheet of all trials, or both films side by side.

    On a contact sheet each row is a film, the eight trials of familiarisation first; dots are the way of the agent. The
    test has a green frame in the member `e`, which should surprise less, and a red one in the member `u`.

    Try:

    - `puzzlebox intuitions show preference -o preference.png`
    - `puzzlebox intuitions show multi_agent --number 3 --three-d -o pair.gif --test-only`
    - `puzzlebox intuitions show stimuli/efficiency_path --number 7 -o pair.mp4`
    """
    form = output.suffix.lower()
    if form not in (".png", ".gif", ".mp4"):
        fail(f"{output} is neither a picture nor a film; its name must end in .png, .gif or .mp4")
    if not may_replace(output, _SIGNATURES):
        fail(f"{output} is already there and is neither a picture nor a film", "name another file with -o")
    from puzzlebox.intuitions.pictures.painters import painter_named

    pair = _pair(source, number, seed, shapes.value)
    painter = painter_named("three-d" if three_d else "flat", size + size % 2)
    try:
        _write(pair, painter, output, form, test_only)
    except (ValueError, ModuleNotFoundError) as problem:
        fail(str(problem))
    except OSError as problem:
        fail(f"{output} cannot be written: {problem.strerror}")
    kind = f", pair type {pair.kind}" if pair.kind else ""
    note(f"wrote {output}: {pair.task}, episode {pair.number}{kind}")


def _pair(source: str, number: int, seed: int, shapes: str) -> "Pair":
    from puzzlebox.intuitions.catalogue import TASKS
    from puzzlebox.intuitions.episodes import make_pair
    from puzzlebox.intuitions.files.folder import list_folder, read_entry
    from puzzlebox.text import nearest

    try:
        if source in TASKS and not Path(source).is_dir():
            return make_pair(source, number, seed, shapes)
        if not Path(source).is_dir():
            fail(f"there is neither a task nor a folder {source!r}{nearest(source, TASKS)}")
        listing = list_folder(Path(source))
        entries = [entry for entry in listing.entries if entry.number == number]
        if not entries:
            numbers = sorted({entry.number for entry in listing.entries})
            there = f"; the numbers go from {numbers[0]} to {numbers[-1]}" if len(numbers) > 1 else ""
            there = f"; there is only number {numbers[0]}" if len(numbers) == 1 else there
            fail(f"{source} has no complete episode {number}{there}")
        if len(entries) > 1:
            fail(
                f"{source} has an episode {number} of several tasks",
                f"name the folder of one, as in {entries[0].folder}",
            )
        return read_entry(entries[0])
    except ValueError as problem:
        fail(str(problem))


def _write(pair: "Pair", painter: "TrialPainter", output: Path, form: str, test_only: bool) -> None:
    from puzzlebox.cli.recordings import progress
    from puzzlebox.intuitions.grid import FPS
    from puzzlebox.intuitions.pictures.sheets import contact_sheet, side_by_side

    if form == ".png":
        from puzzlebox.scene.png import png

        output.write_bytes(png(contact_sheet(pair, painter)))
        return
    if form == ".mp4":
        from puzzlebox.intuitions.files.video import write_film

        write_film(output, ((image, 1) for image in side_by_side(pair, painter, 1, test_only)))
        return
    from puzzlebox.record.gif import GifFile

    images = list(side_by_side(pair, painter, _GIF_EVERY, test_only))
    draft = output.with_name(output.name + ".part")
    gif = GifFile(draft, (images[0].shape[1], images[0].shape[0]), FPS / _GIF_EVERY)
    try:
        with progress("painting") as bar:
            for count, image in enumerate(images, 1):
                gif.add(image)
                bar(count, len(images))
        gif.close()
    except BaseException:
        gif.abandon()
        draft.unlink(missing_ok=True)
        raise
    draft.replace(output)
