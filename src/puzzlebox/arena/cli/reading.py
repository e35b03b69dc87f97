"""Reading task files for the verbs of the arena."""

from pathlib import Path
from typing import TYPE_CHECKING

from puzzlebox.cli.words import fail

if TYPE_CHECKING:
    from puzzlebox.arena.schema import Reading, Task


def read_or_say_why(name: str, *, strict: bool = False) -> "Reading":
    """Read a task file or a bundled task; a file that cannot be read becomes a finding like any other mistake."""
    from puzzlebox.arena.schema import read_source

    try:
        return read_source(Path(name), strict=strict)[1]
    except FileNotFoundError as problem:
        return nothing_to_read(str(problem))
    except OSError as problem:
        return nothing_to_read(f"it cannot be read: {problem.strerror}")


def nothing_to_read(reason: str) -> "Reading":
    """Return a reading without a task, whose only finding gives the reason why there was nothing to read."""
    from puzzlebox.arena.schema import PUZZLEBOX, Diagnostic, Reading
    from puzzlebox.arena.schema.diagnostics import Place

    return Reading(None, [Diagnostic("no-file", "error", reason, Place(0, 0))], PUZZLEBOX, "")


def check_arena(number: int, task: "Task", name: str) -> None:
    """End the command with an error unless the task has an arena of this number, counted from 1."""
    count = len(task.arenas)
    if not 1 <= number <= count:
        has = "one arena" if count == 1 else f"arenas 1 to {count}"
        fail(f"there is no arena {number} in {name}; it has {has}")
