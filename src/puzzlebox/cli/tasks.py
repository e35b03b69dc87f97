"""`puzzlebox tasks`: list the bundled tasks."""

from typing import Annotated, Any

import typer

from puzzlebox.cli.words import fail, note, print_table, table
from puzzlebox.text import closest


def tasks(
    battery: Annotated[str, typer.Option(metavar="NAME", help="List the tasks of this battery, such as testbed.")] = "",
    level: Annotated[str, typer.Option(metavar="N", help="Only tasks of this level.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON, for programs.")] = False,
) -> None:
    """List the bundled tasks. Each can be used by its name wherever a task file can.

    Try:

    - `puzzlebox tasks`
    - `puzzlebox tasks --battery testbed --level 8`
    - `puzzlebox play foraging`

    A large battery has one line, unless --battery names it.
    """
    from puzzlebox.wings import Battery, Bundled, wing_named, wing_names

    rows: list[Bundled] = []
    batteries: list[Battery] = []
    for name in wing_names():
        try:
            wing: Any = wing_named(name)
            own = wing.batteries() if hasattr(wing, "batteries") else []
            batteries += own
            if any(each.name == battery for each in own):
                rows += wing.battery(battery, level)
            else:
                inside = (row for row in wing.bundled() if row.name.startswith(f"{battery}/" if battery else ""))
                rows += [row for row in inside if level in ("", row.level)]
        except Exception as problem:  # a wing of another package may fail in any way
            reason = str(problem) if isinstance(problem, ValueError) else f"the wing {name} fails: {problem!r}"
            note(f"warning: {reason}")
    if not rows and (battery or level):
        where = " of ".join([f"level {level}"] * bool(level) + [battery] * bool(battery))
        fail(f"there are no tasks in {where}{closest(battery, [each.name for each in batteries])}")
    if as_json:
        import json

        typer.echo(json.dumps([dict(row.data) for row in rows], indent=1, ensure_ascii=False))
        return
    listing = table("task", "parts", "level", "title", "tags")
    for row in rows:
        listing.add_row(row.name, row.parts, row.level, row.title, ", ".join(row.tags))
    for each in () if battery or level else batteries:
        listing.add_row(f"{each.name}/*", f"{each.tasks} tasks", "", each.title, ", ".join(each.tags))
    print_table(listing)
    if batteries and not battery:
        note(f"`puzzlebox tasks --battery {batteries[0].name}` lists its {batteries[0].tasks} tasks")
    note(
        "`puzzlebox play foraging` opens one in the browser; `puzzlebox run NAME --agent AGENT -o FOLDER` runs an agent"
    )
