"""`puzzlebox tasks`: list the bundled tasks."""

from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from puzzlebox.cli.words import fail, note, print_table, table
from puzzlebox.text import closest, nearest

if TYPE_CHECKING:
    from puzzlebox.wings import Battery, Bundled


def tasks(
    battery: Annotated[str, typer.Option(metavar="NAME", help="List the tasks of this battery, such as testbed.")] = "",
    only_level: Annotated[
        list[str] | None, typer.Option("--level", metavar="N", help="Only tasks of this level.")
    ] = None,
    condition: Annotated[
        str, typer.Option(metavar="WORD", help="Only tasks of this condition: `test` or `control`.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON, for programs.")] = False,
) -> None:
    """List the bundled tasks. Each can be used by its name wherever a task file can.

    Try:

    - `puzzlebox tasks`
    - `puzzlebox tasks --battery testbed --level 8`
    - `puzzlebox tasks --battery testbed --condition control`
    - `puzzlebox play foraging`

    A large battery has one line, unless --battery names it.
    """
    from puzzlebox.wings import wing_named, wing_names

    rows: list[Bundled] = []
    batteries: list[tuple[Any, Battery]] = []
    if only_level and (len(only_level) > 1 or not only_level[0]):
        fail("--level takes one level", "name one, as in --level 8")
    level = only_level[0].lstrip("0") or only_level[0] if only_level else ""  # names have two digits
    problems: list[str] = []
    for name in wing_names():
        for part in (_of_battery, _bundled):
            try:
                rows += part(wing_named(name), battery, level, batteries)
            except Exception as problem:  # a wing of another package may fail in any way
                clear = isinstance(problem, ValueError | OSError)
                problems.append(str(problem) if clear else f"the wing {name} fails: {problem!r}")
    for reason in problems:
        note(f"{'warning' if rows else 'error'}: {reason}")
    if problems and not rows:
        raise typer.Exit(1)
    if not rows and (battery or level):
        _refuse(battery, level, batteries)
    if condition:
        conditions = dict.fromkeys(str(row.data.get("condition") or "") for row in rows)
        rows = [row for row in rows if row.data.get("condition") == condition]
        if not rows:
            known = [each for each in conditions if each]
            if known:
                fail(f"no task here has the condition {condition!r}{nearest(condition, known)}")
            fail("these tasks have no conditions", f"add --battery {batteries[0][1].name}" if batteries else "")
    if as_json:
        import json

        typer.echo(json.dumps([dict(row.data) for row in rows], indent=1, ensure_ascii=False))
        return
    # Other tasks have nothing in these columns.
    more = ("condition", "difficulty") if any(each.name == battery for _, each in batteries) else ()
    listing = table("task", "parts", "level", "title", *more, "tags")
    for row in rows:
        values = [str(row.data.get(column, "")) for column in more]
        listing.add_row(row.name, row.parts, row.level, row.title, *values, ", ".join(row.tags))
    for _, each in () if battery or level or condition else batteries:
        listing.add_row(f"{each.name}/*", f"{each.tasks} tasks", "", each.title, ", ".join(each.tags))
    print_table(listing)
    if batteries and not battery:
        first = batteries[0][1]
        note(f"`puzzlebox tasks --battery {first.name}` lists its {first.tasks} tasks")
    note(
        "`puzzlebox play foraging` opens one in the browser; `puzzlebox run NAME --agent AGENT -o FOLDER` runs an agent"
    )


def _of_battery(wing: Any, battery: str, level: str, batteries: "list[tuple[Any, Battery]]") -> "list[Bundled]":
    """Return the tasks of a battery if a wing has it; add the batteries of the wing to a list."""
    own = wing.batteries() if hasattr(wing, "batteries") else []
    batteries += [(wing, each) for each in own]
    return list(wing.battery(battery, level)) if any(each.name == battery for each in own) else []


def _bundled(wing: Any, battery: str, level: str, batteries: "list[tuple[Any, Battery]]") -> "list[Bundled]":
    """Return the bundled tasks of a wing, or those in a folder, unless it is a battery."""
    if any(each.name == battery for _, each in batteries):
        return []
    inside = (row for row in wing.bundled() if row.name.startswith(f"{battery}/" if battery else ""))
    return [row for row in inside if level in ("", row.level)]


def _refuse(battery: str, level: str, batteries: "list[tuple[Any, Battery]]") -> NoReturn:
    """End the command with an error that says why no task is listed: the level, or the battery, is not there."""
    from puzzlebox.wings import wing_named, wing_names

    where = " of ".join([f"level {level}"] * bool(level) + [battery] * bool(battery))
    for wing, each in batteries:
        if each.name == battery:
            levels = dict.fromkeys(row.level for row in wing.battery(battery))
            fail(f"there are no tasks in {where}; allowed: {', '.join(levels)}")
    templates = [each for name in wing_names() for each in _templates(wing_named(name), battery)]
    if templates:
        fail(
            f"{battery} is no list of tasks but of templates: {', '.join(templates)}",
            f"write some of their tasks with `puzzlebox vary {templates[0]} --sample 10 -o FOLDER`",
        )
    fail(f"there are no tasks in {where}{closest(battery, [each.name for _, each in batteries])}")


def _templates(wing: Any, battery: str) -> list[str]:
    """Return the names that begin with that of a battery, and that a wing knows without listing them as tasks."""
    try:
        listed = {row.name for row in wing.bundled()}
        return [name for name, _ in wing.places(battery) if name.startswith(f"{battery}/") and name not in listed]
    except Exception:  # it knows no such name; a wing of another package may fail in any way
        return []
