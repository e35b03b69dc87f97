"""The tasks that a source names, with their names: files, folders, patterns, bundled tasks, texts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from glob import glob, has_magic
from hashlib import sha256
from os import PathLike, fspath
from os.path import exists, isdir
from pathlib import Path

from puzzlebox.arena.schema import Task, load_task, write
from puzzlebox.arena.schema.folders import ENDINGS, task_files
from puzzlebox.arena.schema.loading import TEXT, is_text, nothing_fits
from puzzlebox.arena.schema.models import Arena
from puzzlebox.arena.testbed.training import is_template, open_template
from puzzlebox.arena.variations import Template
from puzzlebox.batteries import battery_names, bundled_names, template_names, training_names
from puzzlebox.batteries.testbed import BATTERY, HELD_OUT, TRAINING
from puzzlebox.text import nearest

# What an environment can play: a task, or a template, which gives a new variation in every episode.
TaskOrTemplate = Task | Template
_A_TASK = 'a path, YAML text, a Task or the name of a bundled one, such as "foraging"'
# Digits of the hash that is the name of a task without one.
_DIGITS = 8


@dataclass(frozen=True)
class NamedTask:
    """A task or template, with its name in `info["task"]`.

    Attributes:
        name: the name of a bundled task; of a file, its path below the folder or pattern without the ending; of a text
            or a Task, the title in its metadata, or `task-` and the first digits of its hash.
        task: the task or template.
    """

    name: str
    task: TaskOrTemplate


Source = NamedTask | TaskOrTemplate | str | bytes | PathLike[str]


def tasks_of(source: Source | Iterable[Source]) -> list[NamedTask]:
    """Return the tasks that a source names, in order, with their names.

    Args:
        source: a Task, a path, a folder, a bundled name, the name of a bundled battery, YAML text, a pattern such as
            `examples/*`, or a list of those. A template counts as one task that is different in every episode.

    Raises:
        FileNotFoundError: no file or bundled task has that name or matches that pattern.
        TaskError: a task has mistakes.
    """
    if isinstance(source, NamedTask):
        return [source]
    if isinstance(source, TaskOrTemplate | bytes) or (isinstance(source, str) and is_text(source)):
        task = _load(source)
        return [NamedTask(name_of(task), task)]
    if isinstance(source, str | PathLike):
        return [NamedTask(name, _load(place)) for name, place in places_of(fspath(source), templates=True)]
    if not isinstance(source, Iterable) or isinstance(source, Mapping):
        raise TypeError(f"task is {source!r}; it must be {_A_TASK}")
    tasks = [task for each in source for task in tasks_of(each)]
    if not tasks:
        raise ValueError(f"there is no task; give {_A_TASK}")
    return tasks


def _load(source: TaskOrTemplate | str | bytes) -> TaskOrTemplate:
    if isinstance(source, TaskOrTemplate):
        return source
    return open_template(source) if is_template(source) else load_task(source)


def name_of(task: TaskOrTemplate) -> str:
    """Return the name of a task that has no file: its title, or `task-` and digits of its hash."""
    if isinstance(task, Task):
        title, text = task.metadata.title, write(task)
    else:
        title, text = None, task.text
    return title or f"task-{sha256(text.encode()).hexdigest()[:_DIGITS]}"


def places_of(source: str, *, templates: bool = False) -> Sequence[tuple[str, str]]:
    """Return the name and the file, or bundled name, of each task that a path, folder, pattern, task or battery means.

    Args:
        source: the path, folder, pattern or name.
        templates: whether a pattern or a battery includes bundled templates.

    Raises:
        FileNotFoundError: there is no such file or bundled task.
        ValueError: a folder cannot be read, or holds too many files.
    """
    if not source.strip():
        raise FileNotFoundError("the name of a task is empty")
    if isdir(source):
        files = sorted(task_files(Path(source)))
        if not files:
            raise FileNotFoundError(f"there are no task files (.yml or .yaml) in {source}")
        return [(path.relative_to(source).with_suffix("").as_posix(), str(path)) for path in files]
    if exists(source):
        return [(Path(source).stem, source)]
    if source.split("/")[0] == TRAINING:
        return [(name, name) for name in _training(source)]
    bundled: tuple[str, ...] = (*bundled_names(), *(template_names() if templates else ()))
    if source.startswith(BATTERY):  # a pattern such as `*` does not mean its tasks
        bundled = (*battery_names(BATTERY), *battery_names(HELD_OUT))
    if has_magic(source):
        names = [name for name in bundled if fnmatchcase(name, source)]
        if names:
            return [(name, name) for name in names]
        paths = [path for path in sorted(glob(source, recursive=True)) if Path(path).suffix.lower() in ENDINGS]
        if not paths:
            raise FileNotFoundError(nothing_fits(source))
        return [(_stem_below(path, source), path) for path in paths]
    battery = [name for name in bundled if name.startswith(source.rstrip("/") + "/")]
    if battery and source not in bundled:
        return [(name, name) for name in battery]
    return [(source, source)]


def _training(source: str) -> list[str]:
    """Return the parts of the training space that a name or a pattern means, whose `*` stands for no `/`."""
    names = training_names()
    if source.strip("/") == TRAINING:
        source = f"{TRAINING}/*"
    found = [name for name in names if name.count("/") == source.count("/") and fnmatchcase(name, source)]
    if not found:
        raise FileNotFoundError(f"there is no training space {source}{nearest(source, names)}")
    return found


def _stem_below(path: str, pattern: str) -> str:
    """Return a file's path below the part of a pattern without wildcards, without its ending."""
    fixed = []
    for part in Path(pattern).parts[:-1]:
        if has_magic(part):
            break
        fixed.append(part)
    return Path(path).relative_to(Path(*fixed) if fixed else "").with_suffix("").as_posix()


def arenas_of(task: TaskOrTemplate) -> tuple[Arena, ...]:
    """Return the arenas of a task; of a template, those of its first variation."""
    return (task if isinstance(task, Task) else task.at(0).task).arenas


def several_agents(tasks: Iterable[NamedTask]) -> str | None:
    """Return a clause that names an arena with more than one agent; None if there is none."""
    for task in tasks:
        for arena in arenas_of(task.task):
            count = len(arena.agents())
            if count > 1:
                return f"arena {arena.id} has {count} agents"
    return None


def plain_source(source: Source | Iterable[Source]) -> object:
    """Return a source as text and lists, which the specification of an environment can hold as JSON."""
    if isinstance(source, NamedTask):
        return plain_source(source.task)
    if isinstance(source, Task):
        return write(source)
    if isinstance(source, Template):
        return source.text if source.name == TEXT else source.name
    if isinstance(source, bytes):
        return source.decode("utf-8", "replace")
    if isinstance(source, str | PathLike):
        return fspath(source)
    return [plain_source(each) for each in source]
