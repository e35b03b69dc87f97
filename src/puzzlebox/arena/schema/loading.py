"""Getting a task by whatever a user has in hand: a Task, a path, a bundled name, or the text itself."""

import re
import warnings
from collections.abc import Iterable
from dataclasses import replace
from glob import escape, glob
from os import PathLike
from os.path import dirname, exists, isdir, islink, join
from pathlib import Path

from puzzlebox.arena.schema.diagnostics import Diagnostic, Place, TaskError, TaskWarning
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.schema.reading import Reading, read
from puzzlebox.arena.schema.tree import MAX_BYTES
from puzzlebox.arena.schema.writing import write
from puzzlebox.batteries import bundled_names, bundled_path
from puzzlebox.text import closest, nearest

TEXT = "<text>"
# What only a template has, at the top of the file or as a tag.
_TEMPLATE = re.compile(r"^(?:vary|templates|proc_meta)\s*:|!Proc[A-Z]|\{\s*vary\s*:", re.MULTILINE)


def load_task(source: Task | str | bytes | PathLike[str], *, strict: bool = False) -> Task:
    """Load a task.

    Args:
        source: a Task, the path of a file, the name of a bundled task such as "foraging", or the YAML text itself
            (as bytes, too).
        strict: warnings count as errors.

    Raises:
        TaskError: the task has mistakes; the message names each with its place.
        FileNotFoundError: there is neither such a file nor such a bundled task.
    """
    if isinstance(source, Task):
        if not strict:
            return source
        # The doubts about a task made in Python are those about its text.
        name, reading = TEXT, read(write(source), strict=True)
    else:
        name, reading = read_source(source, strict=strict)
    if reading.task is None:
        raise TaskError(name, [finding for finding in reading.findings if finding.severity == "error"])
    if reading.findings:
        first, count = reading.findings[0], len(reading.findings)
        more = f" (and {count - 1} more; `puzzlebox check` shows them)" if count > 1 else ""
        warnings.warn(first.headline(name) + more, TaskWarning, stacklevel=2)
    return reading.task


def read_source(source: str | bytes | PathLike[str], *, strict: bool = False) -> tuple[str, Reading]:
    """Read a file, a bundled task or a text, mistakes and all, with the name to show for it.

    Raises:
        FileNotFoundError: there is neither such a file nor such a bundled task.
    """
    if isinstance(source, bytes) or (isinstance(source, str) and is_text(source)):
        return TEXT, _told_apart(read(source, strict=strict))
    path = find(source)
    with path.open("rb") as file:
        # One byte more than is allowed tells a file that is too large from one that just fits.
        data = file.read(MAX_BYTES + 1)
    return str(source), _told_apart(read(data, strict=strict))


def _told_apart(reading: Reading) -> Reading:
    """Of a template that was taken for a task, only that it is one, and what to do with it."""
    mark = None if reading.task is not None or not reading.opened else _TEMPLATE.search(reading.text)
    if mark is None:
        return reading
    message = (
        "this is a template of many tasks, not one task; `puzzlebox vary` writes them, and puzzlebox.make draws them"
    )
    place = Place(reading.text.count("\n", 0, mark.start()) + 1, 1)
    return replace(reading, findings=[Diagnostic("template", "error", message, place)])


def find(source: str | PathLike[str]) -> Path:
    """The file for a path or a bundled name; a file of that name comes first.

    Raises:
        FileNotFoundError: there is neither.
    """
    name = str(source)
    if not name.strip():
        raise FileNotFoundError("the name of the task is empty")
    if exists(name) and not isdir(name):
        return Path(source)
    bundled = bundled_path(name)
    if bundled is not None:
        return bundled
    if isdir(name):
        raise FileNotFoundError(f"{name} is a folder; name a task file in it")
    if islink(name):
        raise FileNotFoundError(f"{name} is a link that leads to no file")
    near = closest(Path(name).stem, {Path(each).stem: each for each in _beside(name)})
    if Path(name).suffix.lower() in (".yml", ".yaml"):
        near = near or closest(Path(name).with_suffix("").as_posix(), bundled_names())
        raise FileNotFoundError(f"there is no file {name}{near}")
    hint = near or nearest(name, bundled_names(), listed_by="puzzlebox tasks")
    raise FileNotFoundError(f"there is no file {name} and no bundled task of that name{hint}")


def _beside(name: str) -> list[str]:
    """The files that may hold a task in the folder of a path."""
    try:
        return sorted(glob(join(escape(dirname(name)), "*.y*ml")))
    except ValueError:  # no path of any folder
        return []


def is_text(source: str, keys: Iterable[str] = ()) -> bool:
    """Return whether a source is YAML text rather than a path or a name.

    Args:
        source: what the user gave.
        keys: keys, beside `arenas`, that the first line of such a text may begin with.
    """
    begins = source.lstrip().startswith(("{", "[", "!", "arenas:", *(f"{key}:" for key in keys)))
    return "\n" in source or (begins and not exists(source))
