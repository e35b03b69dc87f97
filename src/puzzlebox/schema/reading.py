"""Reading a task file: which form it is in, what it says, and everything that is wrong or doubtful, with its place."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from puzzlebox.schema import animalai_form, puzzlebox_form
from puzzlebox.schema.diagnostics import Diagnostic, Place, diagnose, errors
from puzzlebox.schema.draft import ANIMALAI, PUZZLEBOX, Draft
from puzzlebox.schema.lint import lint
from puzzlebox.schema.messages import ERROR
from puzzlebox.schema.models import Task
from puzzlebox.schema.objections import report_objections
from puzzlebox.schema.tree import MAPPING, Node, Refused, compose, decode, place_at

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
    """

    task: Task | None
    findings: list[Diagnostic]
    form: str
    text: str


def read(source: str | bytes, *, strict: bool = False) -> Reading:
    """Read a task in either form.

    Never raises for bad input: what is wrong is in the findings.

    Args:
        source: the text, or the bytes of a file.
        strict: warnings count as errors.
    """
    # What is no text is shown with its bad bytes replaced, so that the mistake can be pointed at.
    text = source.decode("utf-8", "replace") if isinstance(source, bytes) else source
    form, task = PUZZLEBOX, None
    findings: list[Diagnostic] = []
    try:
        root = compose(decode(source) if isinstance(source, bytes) else source)
        if root is None or root.kind != MAPPING:
            place = root.place if root else Place(1, 1)
            raise Refused(diagnose("not-a-task", place, value=root.shown() if root else "nothing"))
        form = form_of(root)
        draft = Draft(root, form)
        findings = draft.findings
        task = Task.model_validate(_READERS[form](root, draft))
        lint(task, draft)
    except ValidationError as problem:
        report_objections(problem, draft)
    except Refused as refusal:
        findings.append(refusal.finding)
        task = None
    findings = _in_order(findings, text)
    if strict:
        findings = [replace(finding, severity=ERROR) for finding in findings]
    return Reading(None if errors(findings) else task, findings, form, text)


def _in_order(findings: list[Diagnostic], text: str) -> list[Diagnostic]:
    """The findings as they stand in the text, none beyond it: at the end the parser is one line ahead."""
    if not findings:
        return findings
    end = place_at(text, len(text))
    inside = [replace(finding, place=min(finding.place, end)) for finding in findings]
    return sorted(dict.fromkeys(inside), key=lambda finding: finding.place)


def form_of(root: Node) -> str:
    """Our form lists its arenas; Animal-AI's numbers them (its tags are optional to its own parser)."""
    arenas = root.get("arenas")
    numbered = arenas is not None and arenas.kind == MAPPING
    tagged = root.tag is not None or (arenas is not None and arenas.tag is not None)
    return ANIMALAI if numbered or tagged else PUZZLEBOX
