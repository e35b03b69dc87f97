"""The bundled tasks and templates, by name, with their files.

The collections are data, by wing: `arena/tasks/` and `arena/templates/`. The name of a task or a template is its path
below that folder without the ending, such as `memory/four-arms`.
"""

from functools import cache
from pathlib import Path

_ENDING = ".yml"
_TASKS, _TEMPLATES = "arena/tasks", "arena/templates"


@cache
def _files(folder: str) -> dict[str, Path]:
    """Return the files below a folder of the collections by name, in order."""
    root = Path(__file__).parent / folder
    names = {path.relative_to(root).as_posix().removesuffix(_ENDING): path for path in root.rglob(f"*{_ENDING}")}
    return dict(sorted(names.items()))


def bundled_names() -> tuple[str, ...]:
    """Return the names of all bundled tasks, in order."""
    return tuple(_files(_TASKS))


def bundled_path(name: str) -> Path | None:
    """Return the file of a bundled task, or None if no task has that name."""
    return _files(_TASKS).get(name)


def template_names() -> tuple[str, ...]:
    """Return the names of all bundled templates, in order."""
    return tuple(_files(_TEMPLATES))


def template_path(name: str) -> Path | None:
    """Return the file of a bundled template, or None if no template has that name."""
    return _files(_TEMPLATES).get(name)
