"""Mistakes in a template: sentences with a place, as for tasks."""

from typing import Any, NoReturn

from puzzlebox.arena.schema.diagnostics import Diagnostic, Place, TaskError
from puzzlebox.arena.schema.tree import Node

NOWHERE = Place(0, 0)
# Messages are cut at this length, since words from a file may be of any length.
_LONGEST = 700


class TemplateError(TaskError):
    """A template that cannot be used. Its text is one line per mistake, each with its place."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (TemplateError, (self.source, self.findings))


class Mistake(Exception):
    """A mistake in a template, raised without the name of the file, which the template adds.

    Attributes:
        finding: the message and its place.
        source: the file, if it is not that of the template being read but of one that it names.
    """

    def __init__(self, message: str, at: Node | Place = NOWHERE, code: str = "template") -> None:
        place = at.place if isinstance(at, Node) else at
        text = one_line(message)
        self.finding = Diagnostic(code, "error", text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "...", place)
        self.source: str | None = None
        super().__init__(message)


def one_line(text: str) -> str:
    """Return a message with every character that is not printable replaced by a space."""
    return "".join(character if character.isprintable() else " " for character in text)


def refuse(message: str, at: Node | Place = NOWHERE, code: str = "template") -> NoReturn:
    """Raise a Mistake with one sentence."""
    raise Mistake(message, at, code)
