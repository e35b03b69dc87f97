"""What is wrong with a template: sentences with a place, as for tasks."""

from typing import Any, NoReturn

from puzzlebox.arena.schema.diagnostics import Diagnostic, Place, TaskError
from puzzlebox.arena.schema.tree import Node

NOWHERE = Place(0, 0)
# Words from a file may be of any length; a sentence may not.
_LONGEST = 700


class TemplateError(TaskError):
    """A template that cannot be used. Its text is one line per mistake, each with its place."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (TemplateError, (self.source, self.findings))


class Mistake(Exception):
    """One mistake on its way up to the template, which knows the name of its file.

    Attributes:
        finding: the sentence and its place.
        source: the file, where it is not the template that is read but one it names.
    """

    def __init__(self, message: str, at: Node | Place = NOWHERE, code: str = "template") -> None:
        place = at.place if isinstance(at, Node) else at
        told = one_line(message)
        self.finding = Diagnostic(code, "error", told if len(told) <= _LONGEST else told[: _LONGEST - 3] + "...", place)
        self.source: str | None = None
        super().__init__(message)


def one_line(text: str) -> str:
    """A sentence as it can be shown, whatever words from a file it holds."""
    return "".join(character if character.isprintable() else " " for character in text)


def refuse(message: str, at: Node | Place = NOWHERE, code: str = "template") -> NoReturn:
    """Stop with one sentence."""
    raise Mistake(message, at, code)
