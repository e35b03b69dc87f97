"""How the command line speaks: data to stdout, words to stderr, and no colour needed to understand."""

from collections.abc import Collection
from enum import Enum
from typing import TYPE_CHECKING, Any, NoReturn

import typer

if TYPE_CHECKING:
    from pathlib import Path


def fail(message: str, hint: str = "") -> NoReturn:
    """Say in one sentence what is wrong, and leave with exit code 1."""
    typer.echo(f"error: {message}", err=True)
    if hint:
        typer.echo(f"hint: {hint}", err=True)
    raise typer.Exit(1)


def refuse_file(folder: "Path") -> None:
    """Leave where a folder is to be written and there is a file."""
    from os.path import exists, isdir

    if exists(folder) and not isdir(folder):
        fail(f"{folder} is already there and no folder", "name another one with -o")


def write_output(output: "Path", data: bytes) -> None:
    """Write a file and say so, or leave where it cannot be written; the name `-` is stdout."""
    if str(output) == "-":
        typer.get_binary_stream("stdout").write(data)
        return
    try:
        output.write_bytes(data)
    except OSError as problem:
        fail(f"{output} cannot be written: {problem.strerror}")
    note(f"wrote {output}")


def may_replace(output: "Path", signatures: Collection[bytes]) -> bool:
    """Return whether a file may be written: nothing is there, or an earlier one of the same kind.

    Args:
        output: the file.
        signatures: the four bytes such files have at their start, or after the first four.
    """
    try:
        with output.open("rb") as file:
            start = file.read(8)
    except OSError:
        return True  # nothing there; or nothing one can write to, which is said later
    return not start or start[:4] in signatures or start[4:] in signatures


def picture_size(text: str, smallest: int, largest: int, example: str) -> tuple[int, int]:
    """Return width and height in pixels of a text such as 1200x800, or leave; one number is a square."""
    sides = text.lower().split("x")
    # First how long it is: Python refuses to read numbers of thousands of digits.
    fit = [len(side) <= 6 and side.isdecimal() and smallest <= int(side) <= largest for side in sides]
    if len(sides) > 2 or not all(fit):
        fail(
            f"--size {text} is no size of a picture; it is WIDTHxHEIGHT in pixels, or one number for a square, "
            f"each from {smallest} to {largest}, as in {example}"
        )
    return int(sides[0]), int(sides[-1])


def choice(kind: type[Enum], help: str) -> Any:
    """An option that is one of a few words; any other is refused with the nearest of them."""
    known = [each.value for each in kind]

    def chosen(word: Any) -> Enum:
        try:
            return kind(word)
        except ValueError:
            from puzzlebox.text import closest

            allowed = ", ".join(known)
            raise typer.BadParameter(f"`{word}` is not one of {allowed}{closest(word, known)}") from None

    return typer.Option(parser=chosen, metavar="|".join(known), help=help)


def note(message: str) -> None:
    """Words for people, beside the data."""
    typer.echo(message, err=True)


def headline(text: str, severity: str) -> None:
    """A finding, in colour where that is wanted."""
    import os
    import sys

    plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb" or not sys.stdout.isatty()
    typer.echo(text if plain else typer.style(text, fg="red" if severity == "error" else "yellow"))


def table(*columns: str) -> Any:
    """A plain table in the house style; add rows, then `show` it."""
    from rich import box
    from rich.table import Table

    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        right = column in ("errors", "warnings", "arenas", "things")
        made.add_column(column, justify="right" if right else "left", overflow="fold")
    return made


def show(renderable: Any) -> None:
    """Print to stdout; through a pipe, wide enough that nothing is cut."""
    import sys

    from rich.console import Console

    Console(width=None if sys.stdout.isatty() else 160, highlight=False, emoji=False, markup=False).print(renderable)
