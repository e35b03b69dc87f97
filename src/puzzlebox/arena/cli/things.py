"""`puzzlebox things`: list the catalogue, or show the page of one thing."""

from typing import Annotated

import typer

from puzzlebox.cli.words import fail, print_table, table


def things(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One thing, for its page.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON, for programs.")] = False,
) -> None:
    """Show every thing a task can hold, or the page of one.

    Try:

    - `puzzlebox things`
    - `puzzlebox things SpawnerTree`
    """
    from puzzlebox.arena.things import CATALOGUE, names, page

    if name is not None and name not in names():
        from puzzlebox.arena.things.everyday import nearest_thing

        fail(f"`{name}` is not a thing{nearest_thing(name, names())}")
    chosen = list(CATALOGUE.values()) if name is None else [CATALOGUE[names()[name]]]
    if as_json:
        import json

        data = [
            {
                "name": thing.name(),
                "description": thing.description(),
                **dict(page.facts(thing)),
                "parameters": [
                    dict(zip(("key", "meaning", "default", "animalai"), row, strict=True))
                    for row in page.parameters(thing)
                ],
            }
            for thing in chosen
        ]
        typer.echo(json.dumps(data, indent=1))
    elif name is None:
        overview = table("thing", "kind", "size (m)", "what it is")
        for thing in chosen:
            overview.add_row(thing.name(), thing.category.value, page.size(thing), thing.description())
        print_table(overview)
    else:
        thing = chosen[0]
        typer.echo(f"{thing.name()}\n\n  {thing.description()}\n")
        for label, text in page.facts(thing):
            typer.echo(f"  {label}: {text}")
        keys = table("key", "meaning", "default", "in Animal-AI")
        for row in page.parameters(thing):
            keys.add_row(*row)
        print_table(keys)
