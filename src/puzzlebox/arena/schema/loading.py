"""Load a task from a Task, a path, a bundled name, or the YAML text itself."""

import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from glob import escape, glob, has_magic
from os import PathLike
from os.path import dirname, exists, isdir, isfile, islink, join
from pathlib import Path

from puzzlebox.arena.schema.diagnostics import Diagnostic, Place, TaskError, TaskWarning
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.schema.reading import Reading, read
from puzzlebox.arena.schema.tree import MAX_BYTES
from puzzlebox.arena.schema.writing import write
from puzzlebox.batteries import battery_names, battery_text, bundled_names, bundled_path, training_names
from puzzlebox.batteries.testbed import BATTERY, HELD_OUT, TRAINING, broken
from puzzlebox.text import closest, nearest

TEXT = "<text>"
# Keys and tags that only a template has.
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
        # The warnings about a task built in Python are those about its text.
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
    """Read a file, a bundled task or a text; return the name to show for it, and the task with all findings.

    Raises:
        FileNotFoundError: there is neither such a file nor such a bundled task.
    """
    if isinstance(source, bytes) or (isinstance(source, str) and is_text(source)):
        return TEXT, _report_template(read(source, strict=strict))
    text = None if isfile(source) else battery_text(str(source))
    if text is not None:
        return str(source), read(text, strict=strict)
    path = find(source)
    with path.open("rb") as file:
        # One byte more than allowed, to detect a file that is too large.
        data = file.read(MAX_BYTES + 1)
    return str(source), _report_template(read(data, strict=strict))


def _report_template(reading: Reading) -> Reading:
    """Replace the findings of a template that was read as a task by one that says so."""
    mark = None if reading.task is not None or not reading.opened else _TEMPLATE.search(reading.text)
    if mark is None:
        return reading
    message = (
        "this is a template of many tasks, not one task; `puzzlebox vary` writes them, and puzzlebox.make draws them"
    )
    place = Place(reading.text.count("\n", 0, mark.start()) + 1, 1)
    return replace(reading, findings=[Diagnostic("template", "error", message, place)])


def find(source: str | PathLike[str]) -> Path:
    """Return the file of a path or a bundled name; a file of that name comes first.

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
    near = closest(Path(name).stem, {Path(each).stem: each for each in _files_beside(name)})
    if Path(name).suffix.lower() in (".yml", ".yaml"):
        near = near or closest(Path(name).with_suffix("").as_posix(), bundled_names())
        raise FileNotFoundError(f"there is no file {name}{near}")
    if has_magic(name):
        raise FileNotFoundError(_pattern_message(name))
    battery = name.lower().split("/")[0]
    if battery == TRAINING:
        raise FileNotFoundError(_training_message(name))
    if (message := _part_message(name)) is not None:
        raise FileNotFoundError(message)
    if battery in (BATTERY, HELD_OUT):
        hint = nearest(name, battery_names(battery), listed_by=f"puzzlebox tasks --battery {BATTERY}")
    else:
        hint = near or nearest(name, bundled_names(), listed_by="puzzlebox tasks")
    raise FileNotFoundError(f"there is no file {name} and no bundled task of that name{hint}")


def _pattern_message(pattern: str) -> str:
    """Return why a pattern is not one task: it means several, or none."""
    known = (*bundled_names(), *battery_names(BATTERY), *battery_names(HELD_OUT), *training_names())
    fitting = [name for name in known if fnmatchcase(name, pattern)]
    if not fitting:
        return nothing_fits(pattern)
    if fitting[0].startswith(f"{TRAINING}/"):
        return several_spaces(pattern, fitting) if len(fitting) > 1 else _training_message(fitting[0])
    means = "one task" if len(fitting) == 1 else f"{len(fitting)} tasks"
    return f"{pattern} means {means}; name one, such as `{fitting[0]}`"


def nothing_fits(pattern: str) -> str:
    """Return the message about a pattern that no task and no file fits."""
    if pattern.startswith(BATTERY):
        names = battery_names(BATTERY)
        if not names:
            raise broken("the testbed is missing")
        hint = f"`puzzlebox tasks --battery {BATTERY}` lists its names, such as `{names[0]}`"
    else:
        hint = "`puzzlebox tasks` lists what is bundled"
    return f"no bundled task and no file fits {pattern}; {hint}"


def _part_message(name: str) -> str | None:
    """Return that a name means several tasks of the testbed, as `testbed/03` does, and how to write them; else None."""
    name = name.rstrip("/")
    if name.split("/")[0] not in (BATTERY, HELD_OUT):
        return None
    pattern = f"{name}-*" if "/" in name else f"{name}/*"
    count = sum(fnmatchcase(each, pattern) for each in (*battery_names(BATTERY), *battery_names(HELD_OUT)))
    return f"{name} means {count} tasks; did you mean `{pattern}`?" if count else None


def _training_message(name: str) -> str:
    """Return why a name of the training space is not one task."""
    if name.rstrip("/") == TRAINING:
        return whole_space()
    if name not in training_names():
        return f"there is no training space {name}{nearest(name, training_names())}"
    return (
        f"{name} means many tasks; `puzzlebox vary {name} --sample 10 -o FOLDER` writes some, and puzzlebox.make and "
        "`puzzlebox run` draw them"
    )


def several_spaces(pattern: str, fitting: Sequence[str]) -> str:
    """Return the message about a pattern that several training spaces fit where one is needed."""
    return f"{pattern} means several training spaces; name one, such as `{fitting[0]}`"


def whole_space() -> str:
    """Return the message about the name of the whole training space where one part is needed."""
    first, count = training_names()[0], len({each.split("/")[1] for each in training_names()})
    return f"{TRAINING} means {count} training spaces; name one, such as `{first}`"


def _files_beside(name: str) -> list[str]:
    """Return the files that may hold a task in the folder of a path."""
    try:
        return sorted(glob(join(escape(dirname(name)), "*.y*ml")))
    except ValueError:  # not a valid path
        return []


def is_text(source: str, keys: Iterable[str] = ()) -> bool:
    """Return whether a source is YAML text rather than a path or a name.

    Args:
        source: a text, a path or a name.
        keys: keys, besides `arenas`, that the first line of such a text may begin with.
    """
    begins = source.lstrip().startswith(("{", "[", "!", "arenas:", *(f"{key}:" for key in keys)))
    return "\n" in source or (begins and not exists(source))
