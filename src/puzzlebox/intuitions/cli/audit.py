"""`puzzlebox intuitions audit`: check every constraint on a folder of stimuli, and score shortcuts."""

from pathlib import Path
from typing import Annotated

import typer

from puzzlebox.cli.words import fail, note, print_table, table
from puzzlebox.intuitions.cli.options import Workers, worker_count


def audit(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of stimuli, ours or published ones.")],
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Check the rest if some episodes are damaged or incomplete.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON, for programs.")] = False,
    workers: Workers = None,
) -> None:
    """Check that stimuli are what they should be, and that no shortcut solves them.

    Every constraint of a task is checked on what the files hold, never on what the generator meant to do. Then
    shortcut models are scored, which know nothing of goals: they expect the agent at the nearest object, where it was
    before, or at the object listed first, or the shorter of the two tests, or the scene that is more like a familiar
    one. In the blocking barrier, three more expect the barrier that is nearer to the home, nearer to the object, or
    smaller. Exit code 1: a constraint is broken, or an episode could not be read.

    Try:

    - `puzzlebox intuitions audit stimuli`
    - `puzzlebox intuitions audit published/evaluation --keep-going`
    """
    from puzzlebox.cli.recordings import progress
    from puzzlebox.intuitions.audit.report import audit_folder
    from puzzlebox.intuitions.files.folder import has_rest, nearly_named
    from puzzlebox.intuitions.files.reading import StimulusError

    try:
        with progress("checking") as bar:
            report = audit_folder(folder, worker_count(workers), keep_going=keep_going, progress=bar)
    except (StimulusError, ModuleNotFoundError, RuntimeError) as problem:
        helps = isinstance(problem, StimulusError) and not keep_going and has_rest(folder)
        fail(str(problem), "--keep-going checks the rest" if helps else "")
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    if as_json:
        import json

        typer.echo(json.dumps(report.data(), indent=1))
    else:
        for title, columns, rows in report.tables():
            listing = table(*columns)
            for row in rows:
                listing.add_row(*row)
            typer.echo(title)
            print_table(listing)
    for sentence in (*nearly_named(folder), *report.problems):
        note(f"warning: {sentence}")
    if report.broken:
        note(f"{report.broken} of {report.checks} checks found a broken constraint")
    if report.broken or report.problems:
        raise typer.Exit(1)
