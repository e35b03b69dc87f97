"""`puzzlebox tasks`: what is bundled."""

from typing import Annotated

import typer

from puzzlebox.cli.words import note, show, table


def tasks(
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON, for programs.")] = False,
) -> None:
    """List the bundled tasks. Each can be used by its name wherever a task file can.

    Try:

    - `puzzlebox convert foraging --to puzzlebox`
    """
    from puzzlebox.arena.schema import load_task
    from puzzlebox.batteries import bundled_names

    found = {name: load_task(name) for name in bundled_names()}
    if as_json:
        import json

        data = [
            {"name": name, "arenas": len(task.arenas), **task.metadata.explicit_values()}
            for name, task in found.items()
        ]
        typer.echo(json.dumps(data, indent=1, ensure_ascii=False))
        return
    listing = table("task", "arenas", "level", "title", "tags")
    for name, task in found.items():
        about = task.metadata
        level = "" if about.level is None else str(about.level)
        listing.add_row(name, str(len(task.arenas)), level, about.title or "", ", ".join(about.tags))
    show(listing)
    note("`puzzlebox convert NAME --to puzzlebox` prints one, to start your own from")
