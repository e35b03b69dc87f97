"""Reading a task file: which form it is in, what it says, and everything that is wrong or doubtful, with its place."""

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
from puzzlebox.arena.schema.objections import report_objections
from puzzlebox.arena.schema.tree import MAPPING, SCALAR, Node, Refused, compose, decode

_READERS: dict[str, Callable[[Node, Draft], Any]] = {
    PUZZLEBOX: puzzlebox_form.read,
    ANIMALAI: animalai_form.read,
}


@dataclass(frozen=True)
class Reading:
    """What came of reading a text.

    Attributes:
        task: the task, or None when there were errors.
        findings: errors and warnings in the order of the text.
        form: "puzzlebox" or "animalai".
        text: what was read.
        opened: whether the text is a YAML mapping; otherwise the finding says why it is not.
        source: the file that the findings and the text are from, where another file that was read names it.
    """

    task: Task | None
    findings: list[Diagnostic]
    form: str
    text: str
    opened: bool = True
    source: str | None = None


def read(source: str | bytes, *, strict: bool = False) -> Reading:
    """Read a task in either form.

    Never raises for bad input: what is wrong is in the findings.

    Args:
        source: the text, or the bytes of a file.
        strict: warnings count as errors.
    """
    # What is no text is shown with its bad bytes replaced, so that the mistake can be pointed at.
    text = source.decode("utf-8", "replace") if isinstance(source, bytes) else source
    form, task, opened = PUZZLEBOX, None, False
    findings: list[Diagnostic] = []
    try:
        root = compose(decode(source) if isinstance(source, bytes) else source)
        if root is None or root.kind != MAPPING:
            place = root.place if root else Place(1, 1)
            raise Refused(diagnose("not-a-task", place, value=root.shown() if root else "nothing"))
        opened = True
        form = form_of(root)
        draft = Draft(root, form)
        findings = draft.findings
        task = Task.model_validate(_READERS[form](root, draft))
        if not errors(findings):
            lint(task, draft)
    except ValidationError as problem:
        report_objections(problem, draft)
    except Refused as refusal:
        findings.append(refusal.finding)
        task = None
    findings = _in_order(findings, text)
    if strict:
        findings = [replace(finding, severity=ERROR) for finding in findings]
    return Reading(None if errors(findings) else task, findings, form, text, opened)


def _in_order(findings: list[Diagnostic], text: str) -> list[Diagnostic]:
    """The findings as they stand in the text, none beyond it: at the end the parser is one line ahead."""
    certain = text.count("\n")  # there are at least so many lines, and counting the other line breaks takes longer
    if any(finding.place.line > certain for finding in findings):
        end = place_at(text, len(text))
        findings = [replace(finding, place=min(finding.place, end)) for finding in findings]
    return sorted(dict.fromkeys(findings), key=lambda finding: finding.place)


def form_of(root: Node) -> str:
    """Our form lists its arenas; Animal-AI's numbers them (its tags are optional to its own parser)."""
    arenas = root.get("arenas")
    nodes = [root]
    if arenas is not None:
        nodes.append(arenas)
        if arenas.kind == MAPPING:
            if any(key.kind == SCALAR and key.value.lstrip("-").isdecimal() for key, _ in arenas.value):
                return ANIMALAI
            nodes += [value for _, value in arenas.value]
    return ANIMALAI if any((node.tag or "").startswith("!") for node in nodes) else PUZZLEBOX
