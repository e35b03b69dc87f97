"""`puzzlebox replay`: show a recorded episode as text, as a film or as a picture."""

import os
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, NoReturn

import typer

from puzzlebox.cli.recordings import Recordings, find_episode, open_store, progress, store_errors
from puzzlebox.cli.words import fail, may_replace, note, picture_size

_PNG = ".png"
# How pictures and films begin; a file that begins otherwise is never replaced.
_SIGNATURES = (b"\x89PNG", b"GIF8", b"ftyp")
_PICTURE, _FILM = "1200x800", "640x480"
# A task with a recorded solution.
_EXAMPLE = "testbed/08-01-1"


def replay(
    episode: Annotated[
        str,
        typer.Argument(
            help="The beginning of an episode's id, `last`, a JSON file of a Record, RUN#TASK/ARENA/AGENT/EPISODE, or "
            "a task of the testbed for its recorded solution.",
            metavar="EPISODE",
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE|DIR/",
            help="What to write: a film (.mp4, .gif) or a picture (.png); in a folder, a film named after task, player "
            "and episode (with --path or --step, a picture). Default: words.",
        ),
    ] = None,
    view: Annotated[
        str | None,
        typer.Option(
            metavar="VIEW",
            help="The camera: in the arena `third` (behind the animal), `first` (the animal's eye) or `top` (above); "
            "of an infant `outside`, `left-eye` or `right-eye`. Default: the first one.",
        ),
    ] = None,
    size: Annotated[
        str | None, typer.Option(metavar="WxH", help=f"Pixels. Default: {_FILM}, of a picture {_PICTURE}.")
    ] = None,
    step: Annotated[
        int | None, typer.Option(min=0, help="The physics step that a picture shows. Default: the last one.")
    ] = None,
    path: Annotated[
        bool, typer.Option("--path", help="A picture from above with the way the animal took in the arena.")
    ] = False,
    speed: Annotated[float, typer.Option(min=0.1, max=100, help="How many times as fast as it was played.")] = 1.0,
    fps: Annotated[
        float | None, typer.Option(min=1, max=60, help="Pictures a second. Default: 25, of a GIF 12.5.")
    ] = None,
    shadows: Annotated[bool, typer.Option("--shadows", help="Soft shadows in films too; ten times as slow.")] = False,
    store: Recordings = None,
) -> None:
    """Show a recorded episode, or the recorded solution of a task: as text, as a film, or as a picture.

    Try:

    - `puzzlebox replay last`
    - `puzzlebox replay last -o last.mp4 --view third`
    - `puzzlebox replay last -o path.png --path`
    - `puzzlebox replay last -o films/`
    - `puzzlebox replay out#foraging/1/random/3 -o third.mp4`
    - `puzzlebox replay testbed/08-01-1 -o solution.mp4`

    The episode is replayed from its actions, so every view and size is possible.
    """
    from puzzlebox.record.film import FILMS

    if not episode.strip():
        fail("the name of the episode is empty", "name one, as in puzzlebox replay last")
    in_folder = output is not None and (output.endswith(("/", os.sep)) or Path(output).is_dir())
    target = None if output is None else Path(output)
    if target is not None and in_folder:
        target = _path_in(target, episode, store, path, step)
    form = "" if target is None else target.suffix.lower()
    if target is None:
        if path or step is not None or size is not None or view is not None:
            fail("there is nothing to paint without a file to write", "name it with -o, as in -o last.png")
        _print_summary(episode, store)
        return
    if form not in (*FILMS, _PNG):
        fail(f"{target} is neither a film nor a picture; its name must end in .mp4, .gif or .png")
    if form != _PNG and (path or step is not None):
        fail(f"{'--path' if path else '--step'} is for pictures, and {target} is a film", "end its name in .png")
    if path and (step is not None or view is not None):
        fail("--path is always seen from above and of the whole episode; leave out --view and --step")
    if not may_replace(target, _SIGNATURES):
        fail(f"{target} is already there and is neither a film nor a picture", "name another file with -o")
    from puzzlebox.record.film import LARGEST, SMALLEST, film, path_picture, picture

    width, height = picture_size(size or (_PICTURE if form == _PNG else _FILM), SMALLEST, LARGEST, _FILM)
    record = _read_record(episode, store)
    camera = _view_of(record, view)
    if path:
        _require_path(record)
    from puzzlebox.scene.png import png

    try:
        if in_folder:
            target.parent.mkdir(parents=True, exist_ok=True)
        if form != _PNG:
            with progress("painting", lines=True) as update:
                film(record, target, camera, (width, height), update, fps=fps, speed=speed, shadows=shadows)
        else:
            with progress("replaying", lines=True) as update:
                if path:
                    image = path_picture(record, (width, height))
                else:
                    image = picture(record, step, camera, (width, height), update)
            target.write_bytes(png(image))
    except (ValueError, ModuleNotFoundError) as problem:
        fail(str(problem))
    except OSError as problem:
        fail(f"{target} cannot be written: {problem.strerror}")
    note(f"wrote {target}")


def _path_in(folder: Path, episode: str, store: Path | None, path: bool, step: int | None) -> Path:
    """Return the file in a folder for the film of an episode; for a picture of its path or of a step, where wanted."""
    from puzzlebox.record.film import file_name, film_name

    suffix = "-path.png" if path else ".mp4" if step is None else f"-step-{step}.png"
    if "#" in episode and not Path(episode).exists():
        # TASK/ARENA/AGENT/EPISODE of a run
        return folder / file_name(*episode.rpartition("#")[2].rsplit("/", 3), suffix=suffix)
    if _is_file(episode):
        return folder / file_name(Path(episode).stem, suffix=suffix)
    return folder / film_name(find_episode(open_store(store), episode), suffix)


def _is_file(episode: str) -> bool:
    """Return whether an episode is named by a file or a task rather than by its id."""
    from glob import has_magic

    from puzzlebox.batteries.testbed import BATTERY, HELD_OUT, TRAINING

    named = episode in (BATTERY, HELD_OUT, TRAINING) or has_magic(episode)
    return named or episode.lower().endswith(".json") or any(sign in episode for sign in "/\\#")


def _view_of(record: Any, view: str | None) -> str:
    """Return the view of a film or picture, or end the command if the wing of the record has no such view."""
    from puzzlebox.text import nearest
    from puzzlebox.wings import wing_named

    views = wing_named(record.wing).views
    if not views:
        fail(f"episodes of the wing {record.wing!r} have no pictures", "leave out -o for a summary as text")
    if view is not None and view not in views:
        fail(f"there is no view {view!r}{nearest(view, views)}")
    return view or views[0]


def _require_path(record: Any) -> None:
    """End the command if episodes of the wing of a record have no path."""
    from puzzlebox.wings import wing_named

    wing = wing_named(record.wing)
    if not wing.paths:
        fail(f"episodes of the wing {wing.name!r} have no path", "leave out --path for a picture of their end")


def _read_record(episode: str, store: Path | None) -> Any:
    from puzzlebox.wings.records import read_record

    if not _is_file(episode):
        recordings = open_store(store)
        with store_errors():
            return recordings.record(find_episode(recordings, episode).id)
    if "#" in episode and not Path(episode).exists():
        from puzzlebox.run.journal import trajectory

        try:
            return trajectory(episode)
        except (FileNotFoundError, ValueError) as problem:
            fail(str(problem))
    if not Path(episode).exists() and (solution := _solution(episode)) is not None:
        return solution
    try:
        text = Path(episode).read_text(encoding="utf-8")
    except OSError as problem:
        if isinstance(problem, FileNotFoundError) and not episode.lower().endswith(".json"):
            _refuse_task(episode)
        fail(f"{episode} cannot be read: {problem.strerror}")
    except UnicodeDecodeError:
        fail(f"{episode} is not the JSON file of a Record")
    try:
        return read_record(text)
    except ValueError as problem:
        if "is not a Record" in str(problem):
            fail(f"{episode} is not the JSON file of a Record")
        fail(f"{episode}: {problem}")


def _refuse_task(name: str) -> NoReturn:
    """End the command for a name that is no file and no task with a recorded solution."""
    from puzzlebox.batteries import template_names, training_names
    from puzzlebox.batteries.testbed import archive_of
    from puzzlebox.run.tasks import find_tasks
    from puzzlebox.wings import split_source

    try:
        wing, source = split_source(name)
        names = [each for each, _ in wing.places(source)]
        if names and names[0] in (*template_names(), *training_names()):
            what = "is a template, not a task" if len(names) == 1 else f"means {len(names)} templates"
            fail(f"{name} {what}; replay takes the name of one task, such as `{_EXAMPLE}`")
        if len(names) > 1:
            example = names[0] if archive_of(names[0]) else _EXAMPLE
            fail(f"{name} means {len(names)} tasks; replay takes the name of one, such as `{example}`")
        find_tasks([name], variations=1)
    except (OSError, ValueError) as problem:
        fail(str(problem))
    fail(f"{name} has no recorded solution", "`puzzlebox solve` looks for one")


def _solution(task: str) -> Any:
    """Return the recorded solution of a task, by its name; None if no wing has one."""
    from puzzlebox.wings import wing_named, wing_names

    for name in wing_names():
        wing: Any = wing_named(name)
        try:
            found = wing.solution(str(PurePosixPath(task))) if hasattr(wing, "solution") else None
        except (OSError, ValueError) as problem:  # files of the testbed are missing or damaged
            fail(str(getattr(problem, "strerror", None) or problem))
        if found is not None:
            return found
    return None


def _print_summary(episode: str, store: Path | None) -> None:
    from puzzlebox.record import summary
    from puzzlebox.wings import wing_named

    if _is_file(episode):
        record = _read_record(episode, None)
        wing = record.wing
        try:
            with progress("replaying", lines=True) as update:
                lines = summary.of_record(record, update)
        except ValueError as problem:  # a record that was changed outside Puzzlebox
            fail(f"{episode}: {problem}")
    else:
        recordings = open_store(store)
        recorded = find_episode(recordings, episode)
        with store_errors():
            recordings.require_whole(recorded)
            wing = recordings.wing_of(recorded).name
            lines = summary.of_episode(recorded, recordings.events(recorded.id))
    for line in lines:
        typer.echo(line)
    if wing_named(wing).views:
        path = ", or -o path.png --path for a path" if wing_named(wing).paths else ""
        note(f"hint: add -o last.mp4 for a film{',' if path else ' or'} -o last.png for a picture of its end{path}")
