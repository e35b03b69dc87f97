"""Check a template: its own text, and tasks that together show all its values."""

from dataclasses import replace
from os import PathLike
from pathlib import Path

from puzzlebox.arena.schema import PUZZLEBOX, Reading
from puzzlebox.arena.schema.diagnostics import errors
from puzzlebox.arena.variations import Template, TemplateError
from puzzlebox.arena.variations.findings import findings
from puzzlebox.arena.variations.template_source import read_source
from puzzlebox.arena.world import World


def check_template(
    source: str | bytes | PathLike[str], *, strict: bool = False, others: bool = True
) -> tuple[Reading, Template | None]:
    """Return the findings about a template: its own mistakes, or else those of tasks that show all its values.

    Args:
        source: a file, the name of a bundled template, or the text.
        strict: whether warnings count as errors.
        others: whether it may name other templates, which are read from their files.

    Returns:
        The findings with the first of its tasks (None if there are errors), and the template if it has no
        mistakes of its own.
    """
    name, text, _ = read_source(source)
    try:
        template = Template(source, others=others)
        template.check()
        first = template[0].reading if template.count else Reading(None, [], PUZZLEBOX, text)
        problems = findings(template, lambda task: [str(each) for each in World(task, seed=0).unplaced])
    except TemplateError as problem:
        elsewhere = None if problem.source == name else problem.source
        if elsewhere is not None:
            text = _text_of(elsewhere)
        return Reading(None, problem.findings, "template", text, source=elsewhere), None
    if strict:
        problems = [replace(each, severity="error") for each in problems]
    return Reading(None if errors(problems) else first.task, problems, "template", text), template


def _text_of(file: str) -> str:
    """Return the text of a template that another one names; "" if it cannot be read."""
    try:
        return read_source(Path(file))[1]
    except (OSError, TemplateError):
        return ""
