"""The registry of wings: kinds of laboratory, found by name. The packages that all wings share import none of them.

`puzzlebox.wings.protocols` defines what a wing must implement, and `puzzlebox.wings.gymnasium_wing` turns any Gymnasium
environment into a wing. Other packages register wings in the entry point group `puzzlebox.wings`.
"""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from puzzlebox import entry_points
from puzzlebox.delayed_interrupt import DelayedInterrupt
from puzzlebox.text import closest
from puzzlebox.wings.offers import (
    Battery,
    EpisodePage,
    HasEpisodePage,
    HasMethods,
    HasPublished,
    HasScale,
    HasTraining,
    Published,
    Scale,
    TrainingTask,
)
from puzzlebox.wings.protocols import Apparatus, Bundled, Flag, Found, Outcome, Session, Task, Wing

__all__ = [
    "ARENA",
    "Apparatus",
    "Battery",
    "Bundled",
    "EpisodePage",
    "Flag",
    "Found",
    "Outcome",
    "Published",
    "Scale",
    "Session",
    "Task",
    "TrainingTask",
    "Wing",
    "find_episode_page",
    "find_methods",
    "find_published",
    "find_scale",
    "find_training",
    "find_wing",
    "register_wing",
    "split_source",
    "wing_named",
    "wing_names",
]

# The entry point group in which other packages register wings, as `module:object`.
GROUP = entry_points.WINGS
# The default wing: that of task names without a wing, and of recordings made before there was a second one.
ARENA = "arena"

_WINGS: dict[str, str | Wing] = {
    ARENA: "puzzlebox.arena.wing:WING",
    "infant": "puzzlebox.infant.wing:WING",
    "intuitions": "puzzlebox.intuitions.wing:WING",
}


def register_wing(wing: Wing) -> None:
    """Register a wing under its name, in this process."""
    _WINGS[wing.name] = wing


def wing_names() -> list[str]:
    """Return the names of all wings, sorted."""
    return sorted({*_WINGS, *_entries()})


def wing_named(name: str) -> Wing:
    """Return the wing with a name, importing it if necessary.

    Raises:
        ValueError: there is no wing with that name, or it cannot be imported; the message says which.
    """
    wing: str | Wing | None = _WINGS.get(name) or _entries().get(name)
    if wing is None:
        raise ValueError(f"there is no wing {name!r}; there are {', '.join(wing_names())}{closest(name, wing_names())}")
    return _import_wing(name, wing) if isinstance(wing, str) else wing


def find_wing(name: str) -> Wing | None:
    """Return the wing of a name; None if it is not installed or cannot be imported."""
    try:
        return wing_named(name)
    except ValueError:
        return None


def split_source(source: str) -> tuple[Wing, str]:
    """Return the wing that a task belongs to by its name, and its name there.

    `infant/x` is task `x` of the wing `infant`, and `infant` all of its tasks. Files, and collections of tasks that
    are bundled under such a name, take precedence; a name without a wing belongs to the arena.
    """
    first, _, rest = source.partition("/")
    if first == ARENA or first not in wing_names() or Path(source).exists() or first in _collections():
        return wing_named(ARENA), source
    return wing_named(first), rest or "*"


@cache
def _collections() -> set[str]:
    from puzzlebox.batteries import bundled_names, template_names

    return {name.partition("/")[0] for name in (*bundled_names(), *template_names())}


@cache
def _import_wing(name: str, path: str) -> Wing:
    module, _, attribute = path.partition(":")
    try:
        with DelayedInterrupt():  # a compiled module that was imported in part cannot be imported again
            found: Any = getattr(import_module(module), attribute)
    except (Exception, SystemExit) as problem:  # importing runs the code of another package
        reason = " ".join(str(problem).split()) or type(problem).__name__
        raise ValueError(f"the wing {name!r} cannot be imported from {path}: {reason}") from problem
    own = getattr(found, "name", None)
    if isinstance(found, type) or own != name:
        what = "a class and not an instance of it" if isinstance(found, type) else f"a wing named {own!r}"
        raise ValueError(f"the wing {name!r} cannot be used: {path} is {what}")
    return found  # type: ignore[no-any-return]


def _entries() -> dict[str, str]:
    return {name: entry.value for name, entry in entry_points.entries_in(GROUP).items()}


def find_scale(wing: Wing | None, task: Any | None, task_hash: str, start: int) -> Scale | None:
    """Return the fixed scale of the returns of a task; None if its wing has no such scales, or none for this task.

    Args:
        wing: the wing; None if it is unknown.
        task: the task; None if only its hash is known.
        task_hash: the SHA-256 of its text.
        start: one of the starts of the task.
    """
    offers: HasScale | None = wing if hasattr(wing, "scale") else None  # type: ignore[assignment]
    return None if offers is None else offers.scale(task, task_hash, start)


def find_published(wing: Wing | None) -> Published | None:
    """Return the published results on the tasks of a wing; None if it has none or is not installed."""
    offers: HasPublished | None = wing if hasattr(wing, "published") else None  # type: ignore[assignment]
    return None if offers is None else offers.published()


def find_methods(wing: Wing | None) -> Sequence[str]:
    """Return what the episodes of a wing are, for the methods of a report; empty if the wing does not say."""
    offers: HasMethods | None = wing if hasattr(wing, "methods") else None  # type: ignore[assignment]
    return () if offers is None else offers.methods()


def find_episode_page(wing: Wing | None, task: Any, start: int, id: str) -> EpisodePage | None:
    """Return the page of the studio that a wing has for an episode; None if recordings are shown step by step."""
    offers: HasEpisodePage | None = wing if hasattr(wing, "episode_page") else None  # type: ignore[assignment]
    return None if offers is None else offers.episode_page(task, start, id)


def find_training(wing: Wing) -> HasTraining:
    """Return what a wing offers for training.

    Raises:
        ValueError: agents are not trained on its tasks; the message says what is.
    """
    offers: HasTraining | None = wing if hasattr(wing, "training_vector") else None  # type: ignore[assignment]
    if offers is None or offers.trained_by:
        other = f"; `{offers.trained_by}` trains models of them" if offers is not None else ""
        raise ValueError(f"no agent can be trained by playing tasks of {wing.name}{other}")
    return offers
