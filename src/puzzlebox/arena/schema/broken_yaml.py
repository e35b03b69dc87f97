"""Messages for a text that is not YAML: the parser's complaint as advice, with its place."""

import re
from typing import Any

import yaml

from puzzlebox.arena.schema.diagnostics import Diagnostic, Place, diagnose
from puzzlebox.arena.schema.lines import lines_of

# Advice by the words of libyaml's message; {start} is the line where the unfinished part begins.
_ADVICE = {
    "mapping values are not allowed": "a second `: ` in one line, or a wrong indentation",
    "did not find expected ',' or '}'": "a `,` or `}` is missing; the `{` is in line {start}",
    "did not find expected ',' or ']'": "a `,` or `]` is missing; the `[` is in line {start}",
    "did not find expected key": "a wrong indentation, or a key without `: `, in what begins in line {start}",
    "did not find expected '-' indicator": "a wrong indentation, or a `-` is missing; the list begins in line {start}",
    "did not find expected node content": "a value is missing, or a bracket is in the wrong place",
    "could not find expected ':'": "a key without `: `",
    "found unexpected end of stream": "this quote is not closed",
    "found unexpected ':'": "a space is missing after the colon",
    "did not find expected <document start>": "something follows the end of the document",
    "did not find expected hexdecimal number": "in double quotes `\\` has a meaning of its own; use single quotes",
    "found unknown escape character": "in double quotes `\\` has a meaning of its own; use single quotes",
    "did not find expected alphabetic or numeric character": "a text that begins with `*` or `&` must be in quotes",
    "while scanning a tag": "a text that begins with `!` must be in quotes",
    "while parsing a tag": "a text that begins with `!` must be in quotes",
}
_NOTE_FOR_A_VALUE = re.compile(r"[:,\[]\s+(#\w)")
_NOTE = re.compile(r"(^|\s)#.*")


def not_yaml(problem: yaml.MarkedYAMLError, text: str) -> Diagnostic:
    """Return the finding for a text that the parser could not read."""
    mark = problem.problem_mark or problem.context_mark
    if mark is None:
        return diagnose("not-yaml", Place(1, 1), problem=str(problem))
    lines = lines_of(text)
    place = Place(mark.line + 1, mark.column + 1)
    start_mark = problem.context_mark or mark
    late = "end of stream" in str(problem.problem) or "could not find expected ':'" in str(problem.problem)
    if late or not any(line.strip() for line in lines[mark.line : mark.line + 1]):
        # The parser fails only at the end; the mistake is where the unfinished part begins.
        place = Place(start_mark.line + 1, start_mark.column + 1)
    advice = _advice(problem, text, mark)
    if advice == _ADVICE["mapping values are not allowed"]:
        line_number = _line_without_colon(lines, mark.line)
        if line_number is not None:
            indentation = len(lines[line_number]) - len(lines[line_number].lstrip())
            place = Place(line_number + 1, indentation + 1, max(1, len(lines[line_number].strip())))
            advice = "a `: ` (colon, space) is missing"
    if advice == _ADVICE["did not find expected node content"]:
        for line in range(min(mark.line, len(lines) - 1), -1, -1):
            if note := _NOTE_FOR_A_VALUE.search(lines[line]):
                place = Place(line + 1, note.start(1) + 1)
                advice = "`#` begins a note; put it in quotes, or write a colour as [255, 0, 0]"
                break
    return diagnose("not-yaml", place, problem=advice.replace("{start}", str(start_mark.line + 1)))


def _advice(problem: yaml.MarkedYAMLError, text: str, mark: Any) -> str:
    complaint = f"{problem.context or ''} {problem.problem or ''}"
    character = text[mark.index] if mark.index < len(text) else ""
    line = lines_of(text)[mark.line] if mark.line < len(lines_of(text)) else ""
    if character == "\t":
        return "a tab; indent with spaces"
    if "cannot start any token" in complaint:
        return f"a text that begins with `{character}` must be in quotes"
    if "did not find expected" in complaint and "node content" not in complaint:
        if max(line.count("'"), line.count('"')) >= 3:
            return "a quote ends too early; write the outer quotes as the other kind"
        if character and character in "]}":
            return f"one `{character}` too many, or its partner is missing"
    for phrase, advice in _ADVICE.items():
        if phrase in complaint:
            return advice
    return complaint.strip()


def _line_without_colon(lines: list[str], index: int) -> int | None:
    """Return the number of the nearest line above with content if it has no colon, as `time_limit 250`."""
    for line_number in range(index - 1, -1, -1):
        content = _NOTE.sub("", lines[line_number]).strip()
        if content:
            return None if ": " in content or content.endswith(":") else line_number
    return None
