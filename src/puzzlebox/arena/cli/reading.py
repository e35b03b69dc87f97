"""Reading task files for the verbs of the arena."""

from collections.abc import Iterable
from glob import has_magic
from os.path import exists, isdir
from pathlib import Path
from typing import TYPE_CHECKING

from puzzlebox.cli.words import fail

if TYPE_CHECKING:
    from puzzlebox.arena.schema import Reading, Task


def read_or_say_why(name: str, *, strict: bool = False) -> "Reading":
    """Read a task file or a bundled task; a file that cannot be read becomes a finding like any other mistake."""
    from puzzlebox.arena.schema import read_source

    if not name.strip():  # the path of an empty name would be that of this folder
        return nothing_to_read("the name of the task is empty")
    try:
        return read_source(Path(name), strict=strict)[1]
    except FileNotFoundError as problem:
        return nothing_to_read(_of_another_wing(name) or str(problem))
    except OSError as problem:
        return nothing_to_read(f"it cannot be read: {problem.strerror}" if problem.strerror else str(problem))


def _of_another_wing(name: str) -> str | None:
    """Return the sentence that a task belongs to another wing; None if its name does not say so."""
    from puzzlebox.wings import ARENA, wing_names

    wing = name.partition("/")[0]
    if wing == ARENA or wing not in wing_names():
        return None
    return f"{name} is a task of the wing {wing}; this command is for tasks of the arena"


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


def expand_files(files: Iterable[str], *, patterns: bool = False) -> list[str]:
    """Return the files, with each folder replaced by the task files below it; an empty folder stays as it is.

    A name with `*` or `?` that is no file stands for the files and bundled tasks it matches, and a part of the
    training space for its templates; with `patterns` it keeps its name, and a pattern without a match or an empty
    folder ends the command with an error. An empty name always does.
    """
    from puzzlebox.arena.envs.sources import places_of
    from puzzlebox.arena.schema.folders import task_files
    from puzzlebox.batteries.testbed import training_files

    names: list[str] = []
    for name in files:
        if not name.strip():
            fail("a file name is empty")
        if isdir(name):  # unlike Path.is_dir, never raises
            try:
                found = sorted(map(str, task_files(Path(name))))
            except ValueError as problem:
                fail(str(problem))
            if patterns and not found:
                fail(f"there are no task files (.yml or .yaml) in {name}")
            names += found or [name]
        elif not patterns and (templates := training_files(name)):
            names += map(str, templates)
        elif has_magic(name) and not exists(name):
            try:
                places = [place for _, place in places_of(name, templates=True)]
                names += places if patterns else expand_files(places)
            except FileNotFoundError as problem:
                if patterns:
                    fail(str(problem))
                names.append(name)
        else:
            names.append(name)
    return names
