"""Looking a template over: every condition, and tasks that together show every value of everything that varies."""

from collections.abc import Callable, Iterator

from puzzlebox.arena.schema.diagnostics import Diagnostic, Place
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.variations.folder import UNPLACEABLE
from puzzlebox.arena.variations.parts import shown
from puzzlebox.arena.variations.template import Template, Variation
from puzzlebox.seeds import sample_rng

# So many tasks are made and checked, beside those that show a value for the first time.
_DRAWN = 40
_MOST = 400
# Of large tasks only so many are looked over that their texts have this many characters together.
_MOST_TEXT = 5_000_000


def showing_all(template: Template, most: int = _MOST) -> Iterator[Variation]:
    """The first and the last variation, and drawn ones as long as they show something new."""
    if not template.count:
        return
    random = sample_rng(0)
    seen: set[tuple[str, str]] = set()
    indices = dict.fromkeys([0, template.count - 1])
    waiting = list(indices)
    idle = given = 0
    while given < most and idle < _DRAWN:
        variation = template.at(waiting.pop(0)) if waiting else template.draw(random)
        shows = {(name, shown(value)) for name, value in variation.values.items()}
        idle = 0 if shows - seen else idle + 1
        seen |= shows
        given += 1
        yield variation


def findings(template: Template, unplaced: Callable[[Task], list[str]] | None = None) -> list[Diagnostic]:
    """What is wrong with the tasks of a template, each kind of finding once, with the first combination that has it.

    Args:
        template: what to look over; its conditions must have been checked.
        unplaced: says what does not find its place when a task is built, where somebody can build it.
    """
    found: dict[tuple[str, str], Diagnostic] = {}
    length = 0
    for variation in showing_all(template):
        length += len(variation.text)
        if length > _MOST_TEXT and length > len(variation.text):
            break
        reading = variation.reading
        for finding in reading.findings:
            told = variation.told(finding)
            message = f"variation {variation.number}: {told.message}"
            found.setdefault((finding.code, finding.severity), Diagnostic(told.code, told.severity, message, _TOP))
        placed = not any(finding.code in UNPLACEABLE for finding in reading.findings)
        if unplaced is not None and reading.task is not None and placed:
            for failure in unplaced(reading.task)[:1]:
                message = f"variation {variation.number}: {failure} (with {variation.described()})"
                found.setdefault(("unplaced", "warning"), Diagnostic("unplaced", "warning", message, _TOP))
    return list(found.values())


_TOP = Place(1, 1)
