"""`puzzlebox tasks`: list the bundled tasks."""

from typing import Annotated

import typer

from puzzlebox.cli.words import note, print_table, table


def tasks(
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON, for programs.")] = False,
) -> None:
    """List the bundled tasks. Each can be used by its name wherever a task file can.

    Try:

    - `puzzlebox tasks`
    - `puzzlebox play foraging`
    """
    from puzzlebox.wings import Bundled, wing_named, wing_names

    rows: list[Bundled] = []
    for name in wing_names():
        try:
            rows += wing_named(name).bundled()
        except Exception as problem:  # a wing of another package may fail in any way
            reason = str(problem) if isinstance(problem, ValueError) else f"the wing {name} fails: {problem!r}"
            note(f"warning: {reason}")
    if as_json:
        import json

        typer.echo(json.dumps([dict(row.data) for row in rows], indent=1, ensure_ascii=False))
        return
    listing = table("task", "parts", "level", "title", "tags")
    for row in rows:
        listing.add_row(row.name, row.parts, row.level, row.title, ", ".join(row.tags))
    print_table(listing)
    note(
        "`puzzlebox play foraging` opens one in the browser; `puzzlebox run NAME --agent AGENT -o FOLDER` runs an agent"
    )
