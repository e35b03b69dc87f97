"""The experimental factors of an arena: the conditions that its metadata and those of its task name."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from puzzlebox.arena.schema.models import Task

# The key of metadata with a mapping of factors; other keys that are not ours count as well.
FACTORS = "factors"
# The factor that a control and its test get from titles and tags, if no other factor has these values.
CONDITION, CONTROL, TEST = "condition", "control", "test"
# Longer texts are descriptions and no values of a factor.
LONGEST = 80


def factors_of(task: "Task", start: int) -> dict[str, Any]:
    """Return the factors of an arena of a task, by name.

    They are the plain values among the additional keys of the metadata of the task and of the arena, and those of the
    mapping `factors` in either. If none of them is "control" or "test", the word may come from the tags of the arena,
    from its title (as in "One pillar (control)"), or from the tags of a task with one arena. In a task with a
    control, the other arenas are tests.
    """
    arena = task.arenas[start]
    factors: dict[str, Any] = {}
    for metadata in (task.metadata, arena.metadata):
        extra = dict(metadata.model_extra or {})
        own = extra.pop(FACTORS, None)
        factors |= plain_values(extra)
        factors |= plain_values(own) if isinstance(own, Mapping) else {}
    if not {CONTROL, TEST} & set(map(str, factors.values())):
        word = _condition(task, start)
        if word and CONDITION not in factors:
            factors[CONDITION] = word
    return factors


def plain_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of some values that can be factors: short texts, numbers and truth values."""
    return {
        str(name): value
        for name, value in values.items()
        if isinstance(value, bool | int | float) or (isinstance(value, str) and 0 < len(value) <= LONGEST)
    }


def _condition(task: "Task", start: int) -> str:
    """Return "control" or "test" if titles or tags say so; otherwise ""."""
    own = _named_condition(task, start)
    if own:
        return own
    others = (_named_condition(task, other) for other in task.starts if other != start)
    return TEST if CONTROL in others else ""


def _named_condition(task: "Task", start: int) -> str:
    metadata = task.arenas[start].metadata
    tags = metadata.tags if len(task.starts) > 1 else (*metadata.tags, *task.metadata.tags)
    return _one_of(tags) or _one_of(re.findall(r"[^\W\d_]+", metadata.title or ""))


def _one_of(words: Sequence[str]) -> str:
    """Return which of the two words is among some words; "" if neither or both are."""
    found = {CONTROL, TEST} & {word.lower() for word in words}
    return found.pop() if len(found) == 1 else ""


def with_factors(task: "Task", factors: Mapping[str, Any]) -> "Task":
    """Return a task whose metadata hold some factors as well."""
    if not factors:
        return task
    extra = dict(task.metadata.model_extra or {})
    own = extra.get(FACTORS)
    merged = {**(own if isinstance(own, Mapping) else {}), **factors}
    metadata = type(task.metadata)(**task.metadata.explicit_values() | {FACTORS: merged})
    return task.model_copy(update={"metadata": metadata})
