"""Read a task file: its format, the task, and all errors and warnings with their places."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from puzzlebox.arena.schema import animalai_form, puzzlebox_form
from puzzlebox.arena.schema.diagnostics import Diagnostic, Place, diagnose, errors
from puzzlebox.arena.schema.draft import ANIMALAI, PUZZLEBOX, Draft
from puzzlebox.arena.schema.lines import place_at
from puzzlebox.arena.schema.lint import lint
from puzzlebox.arena.schema.messages import ERROR
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.schema.tree import MAPPING, SCALAR, Node, Refused, compose, decode
from puzzlebox.arena.schema.validation_errors import report_validation_errors

_READERS: dict[str, Callable[[Node, Draft], Any]] = {
    PUZZLEBOX: puzzlebox_form.read,
    ANIMALAI: animalai_form.read,
}


@dataclass(frozen=True)
class Reading:
    """The result of reading a text as a task.

    Attributes:
        task: the task, or None when there were errors.
        findings: errors and warnings in the order of the text.
        form: "puzzlebox" or "animalai".
        text: the text.
        opened: whether the text is a YAML mapping; otherwise the finding says why it is not.
        source: the file of the findings and the text, if it is not the one that was read but one that it names.
    """

    task: Task | None
    findings: list[Diagnostic]
    form: str
    text: str
    opened: bool = True
    source: str | None = None


def read(source: str | bytes, *, strict: bool = False) -> Reading:
    """Read a task in either format.

    Never raises for bad input: mistakes are in the findings.

    Args:
        source: the text, or the bytes of a file.
        strict: warnings count as errors.
    """
    # Bytes that are not UTF-8 are replaced, so that the place of the mistake can be shown.
    text = source.decode("utf-8", "replace") if isinstance(source, bytes) else source
    form, task, opened = PUZZLEBOX, None, False
    findings: list[Diagnostic] = []
    try:
        root = compose(decode(source) if isinstance(source, bytes) else source)
        if root is None or root.kind != MAPPING:
            place = root.place if root else Place(1, 1)
            raise Refused(diagnose("not-a-task", place, value=root.describe() if root else "nothing"))
        opened = True
        form = form_of(root)
        draft = Draft(root, form)
        findings = draft.findings
        task = Task.model_validate(_READERS[form](root, draft))
        if not errors(findings):
            lint(task, draft)
    except ValidationError as problem:
        report_validation_errors(problem, draft)
    except Refused as refusal:
        findings.append(refusal.finding)
        task = None
    findings = _in_order(findings, text)
    if strict:
        findings = [replace(finding, severity=ERROR) for finding in findings]
    return Reading(None if errors(findings) else task, findings, form, text, opened)


def _in_order(findings: list[Diagnostic], text: str) -> list[Diagnostic]:
    """Return the findings in the order of the text, none beyond its end, where the parser is one line ahead."""
    certain = text.count("\n")  # the least number of lines; counting other line breaks takes longer
    if any(finding.place.line > certain for finding in findings):
        end = place_at(text, len(text))
        findings = [replace(finding, place=min(finding.place, end)) for finding in findings]
    return sorted(dict.fromkeys(findings), key=lambda finding: finding.place)


def form_of(root: Node) -> str:
    """Return the format of a file.

    The Puzzlebox format lists its arenas; Animal-AI's numbers them (its tags are optional to its own parser).
    """
    arenas = root.get("arenas")
    nodes = [root]
    if arenas is not None:
        nodes.append(arenas)
        if arenas.kind == MAPPING:
            if any(key.kind == SCALAR and key.value.lstrip("-").isdecimal() for key, _ in arenas.value):
                return ANIMALAI
            nodes += [value for _, value in arenas.value]
    return ANIMALAI if any((node.tag or "").startswith("!") for node in nodes) else PUZZLEBOX
