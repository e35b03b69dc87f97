"""What other packages bring: things, senses, agents and verbs, found by the entry points of installed packages."""

import warnings
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

# The groups of entry points that are looked at.
THINGS, SENSES, AGENTS, VERBS = "puzzlebox.things", "puzzlebox.senses", "puzzlebox.agents", "puzzlebox.verbs"


class PackageWarning(UserWarning):
    """Something of another package could not be loaded; Puzzlebox works without it."""


@cache
def found(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name, in the order of their names; nothing is imported."""
    return {entry.name: entry for entry in sorted(entry_points(group=group), key=lambda entry: entry.name)}


def package_of(entry: EntryPoint) -> str:
    """The name of the package an entry point belongs to."""
    return entry.dist.name if entry.dist is not None else entry.module.partition(".")[0]


def load(entry: EntryPoint) -> Any:
    """What an entry point names; None where its module is just being imported, by somebody who got here from there.

    Raises:
        ImportError: it cannot be loaded, in one sentence that names the package.
    """
    what = f"{entry.name} of the package {package_of(entry)} cannot be loaded"
    try:
        module = import_module(entry.module)
        if getattr(module.__spec__, "_initializing", False):
            return None
        return entry.load()
    except (Exception, SystemExit) as problem:  # it runs whatever the module says
        raise ImportError(f"{what}: {_in_one_line(problem)}") from problem


def load_all(group: str) -> None:
    """Load every entry point of a group; one that cannot be loaded gets a warning that names its package."""
    for entry in found(group).values():
        try:
            load(entry)
        except ImportError as problem:
            # Said of the package, and not of the line here.
            said = f"{problem}; Puzzlebox works without it"
            warnings.warn_explicit(said, PackageWarning, package_of(entry), 1)


def _in_one_line(problem: BaseException) -> str:
    """The kind and the text of an exception, without line breaks."""
    return ": ".join([type(problem).__name__, *filter(None, [" ".join(str(problem).split())])])
