"""Verbs of the command line that wings and other packages add; no wing is imported to find them.

A package names its verbs in the entry point group `puzzlebox.verbs`, as `module:VERBS`: a mapping from a heading of
`puzzlebox --help` to a list of verbs, each a function as Typer takes it, or a `typer.Typer` with a name and verbs of
its own. Puzzlebox imports the module for `puzzlebox --help`, so it should import little.
"""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from puzzlebox import entry_points
from puzzlebox.wings import ARENA

Headings = Mapping[str, Sequence[Any]]

# Where the wings of this package have their verbs.
_VERBS = {ARENA: "puzzlebox.arena.cli:VERBS", "intuitions": "puzzlebox.intuitions.cli:VERBS"}


class Verbs(NamedTuple):
    """The verbs of one wing or package.

    Attributes:
        owner: what messages call it, such as "the package bellfounder".
        headings: the verbs under each heading of `puzzlebox --help`; empty if they cannot be loaded.
        outside: whether another package brings them.
        problem: why they cannot be loaded, in one sentence; "" if they can.
    """

    owner: str
    headings: Headings
    outside: bool
    problem: str = ""


def all_verbs() -> Iterator[Verbs]:
    """Yield the verbs of the wings of this package, then those of other packages by the names of their entry points."""
    for name, path in _VERBS.items():
        module, _, attribute = path.partition(":")
        yield Verbs(f"the wing {name}", getattr(import_module(module), attribute), outside=False)
    for entry in entry_points.entries_in(entry_points.VERBS).values():
        owner = f"the package {entry_points.package_of(entry)}"
        try:
            headings = entry_points.load(entry)
        except ImportError as error:
            yield Verbs(owner, {}, outside=True, problem=str(error))
            continue
        problem = "" if _is_table(headings) else f"{entry.value} of {owner} is not a mapping from headings to verbs"
        yield Verbs(owner, {} if problem else headings, outside=True, problem=problem)


def _is_table(headings: Any) -> bool:
    if not isinstance(headings, Mapping):
        return False
    return all(isinstance(name, str) and isinstance(verbs, list | tuple) for name, verbs in headings.items())
