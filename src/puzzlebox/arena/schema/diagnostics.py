"""Findings about a task file: one sentence each, its place, and a picture of the line."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from puzzlebox.arena.schema.messages import ERROR, MESSAGES, WARNING, WARNINGS

_WIDEST_LINE = 120
_LONGEST_DETAIL = 400


@dataclass(frozen=True, order=True)
class Place:
    """A stretch of text within one line. Lines and columns count from 1."""

    line: int
    column: int
    width: int = 1


@dataclass(frozen=True)
class Diagnostic:
    """A finding about a task file."""

    code: str
    severity: str
    message: str
    place: Place

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as plain data, for `puzzlebox check --json`."""
        return {
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
            "line": self.place.line,
            "column": self.place.column,
            "width": self.place.width,
        }

    def headline(self, source: str) -> str:
        """Return one line with the source, the place, the severity and the message."""
        if self.place.line == 0:  # about the file, not a place in it
            return f"{source}: {self.severity}: {self.message}"
        return f"{source}:{self.place.line}:{self.place.column}: {self.severity}: {self.message}"

    def picture(self, lines: Sequence[str]) -> str:
        """Return the line of the file with carets under the mistake; "" if there is no such line."""
        if not 0 < self.place.line <= len(lines):
            return ""
        line = "".join(character if character.isprintable() else " " for character in lines[self.place.line - 1])
        column = self.place.column - 1
        start = max(0, column - _WIDEST_LINE // 2) if len(line) > _WIDEST_LINE else 0
        visible = line[start : start + _WIDEST_LINE].rstrip()
        carets = "^" * max(1, min(self.place.width, len(visible) - (column - start)))
        gutter = f"{self.place.line:>5} | "
        return f"{gutter}{visible}\n{' ' * (len(gutter) - 2)}| {' ' * (column - start)}{carets}"


def diagnose(code: str, place: Place, /, **details: Any) -> Diagnostic:
    """Return a finding with its sentence from the table of messages."""
    severity = WARNING if code in WARNINGS else ERROR
    texts = {name: _on_one_line(detail) if isinstance(detail, str) else detail for name, detail in details.items()}
    return Diagnostic(code, severity, MESSAGES[code].format(**texts), place)


def _on_one_line(text: str) -> str:
    """Return a detail of a message, shortened and without control characters, whatever the file holds."""
    text = text if len(text) <= _LONGEST_DETAIL else text[: _LONGEST_DETAIL - 3] + "..."
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)


def errors(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the findings that stop a file from being used."""
    return [finding for finding in findings if finding.severity == ERROR]


class TaskError(ValueError):
    """A task that cannot be used. Its text is one line per mistake, each with its place."""

    def __init__(self, source: str, findings: Sequence[Diagnostic]):
        self.source = source
        self.findings = list(findings)
        super().__init__("\n".join(finding.headline(source) for finding in self.findings))

    def __reduce__(self) -> tuple[Any, ...]:
        return (TaskError, (self.source, self.findings))


class TaskWarning(UserWarning):
    """Something doubtful in a task that can still be used."""
