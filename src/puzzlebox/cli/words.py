"""What all verbs share: data goes to stdout, words to stderr, and nothing needs colour to be understood."""

from collections.abc import Collection
from enum import Enum
from typing import TYPE_CHECKING, Any, NoReturn

import typer

if TYPE_CHECKING:
    from pathlib import Path


def fail(message: str, hint: str = "") -> NoReturn:
    """Print an error in one sentence, and a hint if there is one, to stderr; end the command with exit code 1."""
    typer.echo(f"error: {message}", err=True)
    if hint:
        typer.echo(f"hint: {hint}", err=True)
    raise typer.Exit(1)


def refuse_file(folder: "Path") -> None:
    """End the command with an error if a folder is to be written where there is a file."""
    from os.path import exists, isdir

    if exists(folder) and not isdir(folder):
        fail(f"{folder} is already there and no folder", "name another one with -o")


def write_output(output: "Path", data: bytes) -> None:
    """Write a file, or stdout where the name is `-`; end the command with an error where that fails."""
    if str(output) == "-":
        typer.get_binary_stream("stdout").write(data)
        return
    try:
        output.write_bytes(data)
    except OSError as problem:
        fail(f"{output} cannot be written: {problem.strerror}")
    note(f"wrote {output}")


def may_replace(output: "Path", signatures: Collection[bytes]) -> bool:
    """Return whether a file may be written: it does not exist, is empty, or is of the same kind.

    Args:
        output: the file.
        signatures: the four bytes such files have at their start, or after the first four.
    """
    try:
        with output.open("rb") as file:
            start = file.read(8)
    except OSError:
        return True  # there is no such file; if it cannot be written either, writing reports the error
    return not start or start[:4] in signatures or start[4:] in signatures


def picture_size(text: str, smallest: int, largest: int, example: str) -> tuple[int, int]:
    """Return width and height in pixels of a text such as 1200x800, where one number is a square.

    Another text ends the command with an error.
    """
    sides = text.lower().split("x")
    # The length is checked first: Python refuses to read numbers of thousands of digits.
    fit = [len(side) <= 6 and side.isdecimal() and smallest <= int(side) <= largest for side in sides]
    if len(sides) > 2 or not all(fit):
        fail(
            f"--size {text} is not a picture size; it is WIDTHxHEIGHT in pixels, or one number for a square, "
            f"each from {smallest} to {largest}, as in {example}"
        )
    return int(sides[0]), int(sides[-1])


def choice(kind: type[Enum], help: str) -> Any:
    """Return an option that takes one of a few words, and refuses any other with the nearest of them."""
    words = [each.value for each in kind]

    def parse(word: Any) -> Enum:
        try:
            return kind(word)
        except ValueError:
            from puzzlebox.text import closest

            raise typer.BadParameter(f"`{word}` is not one of {', '.join(words)}{closest(word, words)}") from None

    return typer.Option(parser=parse, metavar="|".join(words), help=help)


def note(message: str) -> None:
    """Print a message for people to stderr, beside the data on stdout."""
    typer.echo(message, err=True)


def headline(text: str, severity: str) -> None:
    """Print the first line of a finding to stdout, in colour on a terminal that supports colour."""
    import os
    import sys

    plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb" or not sys.stdout.isatty()
    typer.echo(text if plain else typer.style(text, fg="red" if severity == "error" else "yellow"))


def table(*columns: str) -> Any:
    """Return an empty table with these columns, to be filled with `add_row` and printed with `print_table`."""
    from rich import box
    from rich.table import Table

    empty = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        right = column in ("errors", "warnings", "arenas", "things")
        empty.add_column(column, justify="right" if right else "left", overflow="fold")
    return empty


def print_table(filled: Any) -> None:
    """Print a table to stdout; through a pipe, 160 characters wide, so that nothing is cut."""
    import sys

    from rich.console import Console

    Console(width=None if sys.stdout.isatty() else 160, highlight=False, emoji=False, markup=False).print(filled)
