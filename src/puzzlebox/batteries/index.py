"""Which tasks are bundled, and where. A task's name is its path below `tasks/` without the ending."""

from functools import cache
from pathlib import Path

_TASKS = Path(__file__).parent / "tasks"
_ENDING = ".yml"


@cache
def bundled_names() -> tuple[str, ...]:
    """The names of all bundled tasks, in order."""
    return tuple(sorted(path.relative_to(_TASKS).as_posix().removesuffix(_ENDING) for path in _TASKS.rglob("*.yml")))


def bundled_path(name: str) -> Path | None:
    """The file of a bundled task, or None when there is none of that name."""
    return _TASKS / f"{name}{_ENDING}" if name in bundled_names() else None
