"""`puzzlebox convert`: write a task file in the other format."""

from enum import Enum
from os.path import exists
from pathlib import Path
from typing import Annotated

import typer

from puzzlebox.arena.cli.reading import read_or_say_why
from puzzlebox.cli.words import choice, fail, note, write_output


class Format(Enum):
    """The two formats of task files."""

    puzzlebox = "puzzlebox"
    animalai = "animalai"


def convert(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A task file in either format, or a bundled task.")],
    to: Annotated[Format, choice(Format, "The format to write.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write here instead of to stdout.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the output file if there is one.")] = False,
) -> None:
    """Convert a task file between the Puzzlebox format and Animal-AI's.

    The task stays the same; comments and layout are lost, and old names become current ones.

    Try:

    - `puzzlebox convert old_task.yaml --to puzzlebox -o new_task.yml`
    - `puzzlebox convert foraging --to animalai`
    """
    from puzzlebox.arena.schema import ANIMALAI, keys_unknown_to_animalai, write

    if output is not None and exists(output) and not force:
        fail(f"{output} is already there", "name another file with -o, or add --force to replace it")
    reading = read_or_say_why(file)
    for finding in reading.findings:
        note(finding.headline(file))
    if reading.task is None:
        fail(f"{file} was not converted")
    try:
        text = write(reading.task, to.value)
    except ValueError as problem:
        fail(f"{file} was not converted: {problem}")
    unknown_keys = keys_unknown_to_animalai(reading.task) if to.value == ANIMALAI else []
    if unknown_keys:
        note(f"note: Animal-AI itself refuses a file with {', '.join(f'`{key}`' for key in unknown_keys)}")
    if output is None:
        typer.echo(text, nl=False)
        return
    write_output(output, text.encode())
