"""Wings: kinds of laboratory, each found by its name. The rooms that all wings share import none of them.

`puzzlebox.wings.protocols` says what a wing must offer, and `puzzlebox.wings.plain` makes a wing of any Gymnasium
environment. A wing of another package names itself in the entry point group `puzzlebox.wings`.
"""

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from puzzlebox.text import closest
from puzzlebox.wings.protocols import Apparatus, Bundled, Flag, Found, Outcome, Session, Task, Wing

__all__ = [
    "ARENA",
    "Apparatus",
    "Bundled",
    "Flag",
    "Found",
    "Outcome",
    "Session",
    "Task",
    "Wing",
    "register_wing",
    "wing_named",
    "wing_names",
]

# The entry points in which other packages name their wings, as `module:object`.
GROUP = "puzzlebox.wings"
# The wing of names without a wing, and of everything recorded before there was a second one.
ARENA = "arena"

_WINGS: dict[str, str | Wing] = {ARENA: "puzzlebox.arena.wing:WING"}


def register_wing(wing: Wing) -> None:
    """Have a wing found by its name, in this process."""
    _WINGS[wing.name] = wing


def wing_names() -> list[str]:
    """The names of all wings there are."""
    return sorted({*_WINGS, *_entries()})


def wing_named(name: str) -> Wing:
    """Find a wing.

    Raises:
        ValueError: there is none of that name, or it cannot be imported; one sentence says which.
    """
    where: str | Wing | None = _WINGS.get(name) or _entries().get(name)
    if where is None:
        raise ValueError(f"there is no wing {name!r}; there are {', '.join(wing_names())}{closest(name, wing_names())}")
    return _imported(name, where) if isinstance(where, str) else where


@cache
def _imported(name: str, path: str) -> Wing:
    module, _, attribute = path.partition(":")
    try:
        found: Any = getattr(import_module(module), attribute)
    except (Exception, SystemExit) as problem:  # importing runs the code of another package
        reason = " ".join(str(problem).split()) or type(problem).__name__
        raise ValueError(f"the wing {name!r} cannot be imported from {path}: {reason}") from problem
    return found  # type: ignore[no-any-return]


@cache
def _entries() -> dict[str, str]:
    return {entry.name: entry.value for entry in entry_points(group=GROUP)}
