"""`puzzlebox intuitions generate`: write pairs of stimuli as films and JSON files."""

from pathlib import Path
from typing import Annotated

import typer

from puzzlebox.cli.words import choice, fail, note, print_table, refuse_file, table
from puzzlebox.intuitions.cli.options import Shapes, Version, Workers, worker_count


def generate(
    task: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TASK",
            help="A task, or `evaluation`, `background` or `all`. May be given several times. Default: list the tasks.",
        ),
    ] = None,
    episodes: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="How many episodes of each task; an evaluation one is a pair.")
    ] = 100,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the set; the same seed gives the same bytes.")] = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="The folder; each task gets one in it.")
    ] = None,
    json_only: Annotated[
        bool, typer.Option("--json-only", help="Write no films, which takes a tenth of the time.")
    ] = False,
    three_d: Annotated[
        bool, typer.Option("--three-d", help="Films in three dimensions, from the front and above.")
    ] = False,
    shapes: Annotated[
        Shapes, choice(Shapes, "`new`: evaluation tasks with shapes and agents that background tasks do not have.")
    ] = Shapes.FAMILIAR,
    version: Annotated[
        Version,
        choice(Version, "The field names of the JSON files; `old` ones call the key `key` and the lock `lock`."),
    ] = Version.NEWEST,
    workers: Workers = None,
) -> None:
    """Generate stimuli: eight trials in which an agent shows what it wants, and a test that fits or does not.

    Evaluation tasks give pairs of an expected (`...e`) and an unexpected (`...u`) film; background tasks give single
    films, all expected, to learn from. A film is an MP4 of 200 x 200 pixels; a JSON file beside it describes every
    frame. The same command resumes what was interrupted.

    Try:

    - `puzzlebox intuitions generate`
    - `puzzlebox intuitions generate --task preference --episodes 10 --seed 1 -o stimuli`
    - `puzzlebox intuitions generate --task evaluation --episodes 1000 --json-only -o stimuli`
    - `puzzlebox intuitions generate --task evaluation --shapes new -o new-shapes`

    `puzzlebox intuitions audit stimuli` checks the result, `puzzlebox intuitions show` makes pictures of one pair.
    """
    if not task:
        _print_tasks()
        return
    if output is None:
        fail("there is no folder to write to", "name it with -o, as in -o stimuli")
    if json_only and three_d:
        fail("--json-only writes no films, so --three-d has nothing to paint; leave out one of them")
    from puzzlebox.cli.recordings import progress
    from puzzlebox.intuitions.catalogue import tasks_named
    from puzzlebox.intuitions.files.sets import FLAT, NO_FILMS, THREE_D, Options, write_set

    refuse_file(output)
    films = NO_FILMS if json_only else THREE_D if three_d else FLAT
    options = Options(seed, shapes.value, version.value, films)
    try:
        chosen = tasks_named(task)
        with progress("generating") as bar:
            summary = write_set(output, chosen, episodes, options, worker_count(workers), bar)
    except (ValueError, ModuleNotFoundError, RuntimeError) as problem:
        fail(str(problem))
    except OSError as problem:
        fail(f"{problem.filename or output} cannot be written: {problem.strerror}")
    except KeyboardInterrupt:
        note("interrupted; the same command resumes it")
        raise typer.Exit(130) from None
    before = f", {summary.existing} were there" if summary.existing else ""
    what = "1 episode" if summary.written == 1 else f"{summary.written} episodes"
    note(f"wrote {what} to {output}{before}; `puzzlebox intuitions audit {output}` checks them")


def _print_tasks() -> None:
    from puzzlebox.intuitions.catalogue import TASKS

    listing = table("task", "what it tests")
    for task in TASKS.values():
        listing.add_row(task.name, task.question)
    print_table(listing)
    note("`puzzlebox intuitions generate --task preference --episodes 10 -o stimuli` writes some")
