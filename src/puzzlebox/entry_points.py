"""Things, senses, agents, verbs and wings of other installed packages, found by their entry points."""

import warnings
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

# The groups of entry points that are looked at.
THINGS, SENSES, AGENTS = "puzzlebox.things", "puzzlebox.senses", "puzzlebox.agents"
VERBS, WINGS = "puzzlebox.verbs", "puzzlebox.wings"


class PackageWarning(UserWarning):
    """An entry point of another package could not be loaded; Puzzlebox works without it."""


@cache
def entries_in(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group by name, in the order of their names; nothing is imported."""
    return {entry.name: entry for entry in sorted(entry_points(group=group), key=lambda entry: entry.name)}


def package_of(entry: EntryPoint) -> str:
    """Return the name of the package an entry point belongs to."""
    return entry.dist.name if entry.dist is not None else entry.module.partition(".")[0]


def load(entry: EntryPoint) -> Any:
    """Return the object of an entry point; None while its module is being imported, in an import cycle.

    Raises:
        ImportError: it cannot be loaded; the message is one sentence that names the package.
    """
    what = f"{entry.name} of the package {package_of(entry)} cannot be loaded"
    try:
        module = import_module(entry.module)
        if getattr(module.__spec__, "_initializing", False):
            return None
        return entry.load()
    except (Exception, SystemExit) as problem:  # importing runs arbitrary code
        raise ImportError(f"{what}: {_in_one_line(problem)}") from problem


def load_all(group: str) -> None:
    """Load every entry point of a group; warn of one that cannot be loaded, naming its package."""
    for entry in entries_in(group).values():
        try:
            load(entry)
        except ImportError as problem:
            # Attribute the warning to the package, not to this line.
            message = f"{problem}; Puzzlebox works without it"
            warnings.warn_explicit(message, PackageWarning, package_of(entry), 1)


def _in_one_line(problem: BaseException) -> str:
    """Return the kind and the text of an exception, without line breaks."""
    return ": ".join([type(problem).__name__, *filter(None, [" ".join(str(problem).split())])])
