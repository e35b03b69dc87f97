"""Check tasks of a template that together show every value of everything that varies."""

from collections.abc import Callable, Iterator

from puzzlebox.arena.schema.diagnostics import Diagnostic, Place
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.variations.folder import UNPLACEABLE
from puzzlebox.arena.variations.parts import value_text
from puzzlebox.arena.variations.template import Template, Variation
from puzzlebox.seeds import sample_rng

# Draws in a row without a new value after which the search ends, and the most variations checked.
_MOST_IDLE_DRAWS = 40
_MOST_VARIATIONS = 400
# The most characters of tasks checked, so that only a few large ones are.
_MOST_TEXT = 5_000_000


def covering_variations(template: Template, most: int = _MOST_VARIATIONS) -> Iterator[Variation]:
    """Yield the first and the last variation, then drawn ones as long as they show new values."""
    if not template.count:
        return
    rng = sample_rng(0)
    covered: set[tuple[str, str]] = set()
    indices = dict.fromkeys([0, template.count - 1])
    ends = list(indices)
    idle = count = 0
    while count < most and idle < _MOST_IDLE_DRAWS:
        variation = template.at(ends.pop(0)) if ends else template.draw(rng)
        pairs = {(name, value_text(value)) for name, value in variation.values.items()}
        idle = 0 if pairs - covered else idle + 1
        covered |= pairs
        count += 1
        yield variation


def findings(template: Template, unplaced: Callable[[Task], list[str]] | None = None) -> list[Diagnostic]:
    """Return the findings about the tasks of a template, each kind once, with the first combination that has it.

    Args:
        template: the template; its conditions must have been checked.
        unplaced: builds a task and returns a message for each thing that could not be placed; None: not checked.
    """
    by_kind: dict[tuple[str, str], Diagnostic] = {}
    length = 0
    for variation in covering_variations(template):
        length += len(variation.text)
        if length > _MOST_TEXT and length > len(variation.text):
            break
        reading = variation.reading
        for finding in reading.findings:
            full = variation.explain(finding)
            message = f"variation {variation.number}: {full.message}"
            by_kind.setdefault((finding.code, finding.severity), Diagnostic(full.code, full.severity, message, _TOP))
        placed = not any(finding.code in UNPLACEABLE for finding in reading.findings)
        if unplaced is not None and reading.task is not None and placed:
            for failure in unplaced(reading.task)[:1]:
                message = f"variation {variation.number}: {failure} (with {variation.description()})"
                by_kind.setdefault(("unplaced", "warning"), Diagnostic("unplaced", "warning", message, _TOP))
    return list(by_kind.values())


_TOP = Place(1, 1)
