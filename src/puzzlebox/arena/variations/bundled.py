"""The templates that come with Puzzlebox, found by name: YAML files below `batteries/templates/`."""

from functools import cache
from pathlib import Path

import puzzlebox.batteries

_FOLDER = Path(puzzlebox.batteries.__file__).parent / "templates"
_ENDING = ".yml"


@cache
def template_names() -> tuple[str, ...]:
    """The names of all bundled templates, in order."""
    return tuple(sorted(path.relative_to(_FOLDER).as_posix().removesuffix(_ENDING) for path in _FOLDER.rglob("*.yml")))


def template_path(name: str) -> Path | None:
    """The file of a bundled template, or None when there is none of that name."""
    return _FOLDER / f"{name}{_ENDING}" if name in template_names() else None
