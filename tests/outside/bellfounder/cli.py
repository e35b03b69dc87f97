from pathlib import Path
from typing import Annotated

import typer

from puzzlebox.cli.words import fail


def pitches(file: Annotated[Path, typer.Argument(metavar="FILE", help="A task file.")]) -> None:
    """Print the pitch of every bell in a task, in hertz.

    Try:

    - `puzzlebox pitches bell.yml`
    """
    from puzzlebox import load_task

    try:
        task = load_task(file)
    except (OSError, ValueError) as problem:
        fail(str(problem))
    for arena in task.arenas:
        for item in arena.items:
            if item.name == "Bell":
                typer.echo(f"{item.pitch or 440:g}")


VERBS = {"Bells": [pitches]}
