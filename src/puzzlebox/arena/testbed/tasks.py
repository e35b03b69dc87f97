"""A task of the testbed from a row of its level and a variation: its id, and what its metadata say."""

from typing import Any

from puzzlebox.arena.schema.factors import CONTROL
from puzzlebox.arena.schema.models import Metadata, Task
from puzzlebox.arena.testbed.level import Level, Row


def id_of(level: int, task: int, variant: int) -> str:
    """Return the name of a task in the battery, such as 08-13-2."""
    return f"{level:02d}-{task:02d}-{variant}"


def with_metadata(task: Task, level: Level, number: int, kind: int | None = None) -> Task:
    """Return a task with all that its row says about it, so that the metadata travel with recordings.

    Args:
        task: the task of a variation.
        level: its level.
        number: the number of its row.
        kind: for a task of the held-out set, its kind.
    """
    row: Row = level.rows[number]
    more: dict[str, Any] = {
        "condition": row.condition,
        "difficulty": row.difficulty,
        "paradigm": row.paradigm,
        "task": number,
        "template": row.template,
    }
    if row.condition:
        # What a test and its control have in common, by which reports compare them. Tasks that are held out have values
        # of their own, so that none of them belongs to another row.
        own = f"{level.number:02d}-{number:02d}-held-out"
        more["pair"] = own if kind is not None else f"{level.number:02d}-{row.control or number:02d}"
    if row.control is not None:
        more["control_task"] = row.control
    if kind is not None:
        more["held_out_kind"] = kind
    tags = [*row.tags, *([CONTROL] if row.is_control else [])]
    metadata = Metadata(
        title=row.title,
        description=row.tests,
        citation=row.reference,
        tags=tuple(dict.fromkeys(tags)),
        level=level.number,
        **more,
    )
    return task.model_copy(update={"metadata": metadata})
