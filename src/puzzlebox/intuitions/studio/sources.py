"""Where the pairs that are watched come from: the generator, and folders of films named on the command line."""

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from puzzlebox.intuitions.catalogue import TASKS
from puzzlebox.intuitions.episodes import Pair, make_pair
from puzzlebox.intuitions.files.folder import Entry, list_folder, read_entry
from puzzlebox.text import nearest

GENERATED = "generated"
# The largest number of a generated pair.
MOST = 1_000_000


class Wanted(NamedTuple):
    """A pair that a page asks for.

    Attributes:
        source: `generated`, or the name of a folder.
        task: the name of the task.
        number: the number of the pair.
        seed: the seed of the set; of no use in a folder.
        shapes: its shapes; of no use in a folder.
    """

    source: str
    task: str
    number: int
    seed: int
    shapes: str


class Sources:
    """Sources by name; requests can name these and no other folder."""

    def __init__(self) -> None:
        self._folders: dict[str, dict[tuple[str, int], Entry]] = {}
        # A page asks for one trial after the other of the same pair.
        self._cached = lru_cache(maxsize=16)(self._make)

    def add_folder(self, folder: Path) -> list[str]:
        """Add a folder of films, ours or published; return a sentence about each incomplete episode in it.

        Raises:
            ValueError: there are no pairs in it.
        """
        listing = list_folder(folder)
        entries = {(each.task, each.number): each for each in listing.entries if "u" in each.stems}
        if not entries:
            raise ValueError(f"there are no pairs of films in {folder}")
        self._folders[folder.resolve().name] = entries
        return list(listing.problems)

    def plain(self) -> list[dict[str, Any]]:
        """Return the folders as the page lists them: name, and the numbers of the pairs of each task."""
        rows = []
        for name, entries in self._folders.items():
            numbers: dict[str, list[int]] = {}
            for task, number in sorted(entries):
                numbers.setdefault(task, []).append(number)
            rows.append({"id": name, "pairs": {task: numbers[task] for task in TASKS if task in numbers}})
        return rows

    def pair(self, wanted: Wanted) -> Pair:
        """Return a pair.

        Raises:
            ValueError: there is no such task, set or shapes, or a file of it is damaged.
            KeyError: there is no such folder or pair; the message says so.
        """
        return self._cached(wanted)

    def _make(self, wanted: Wanted) -> Pair:
        if wanted.source == GENERATED:
            return make_pair(wanted.task, wanted.number, wanted.seed, wanted.shapes)
        entries = self._folders.get(wanted.source)
        if entries is None:
            names = (GENERATED, *self._folders)
            raise KeyError(f"there is no source {wanted.source[:60]!r}{nearest(wanted.source, names)}")
        entry = entries.get((wanted.task, wanted.number))
        if entry is None:
            raise KeyError(f"{wanted.source} has no pair {wanted.number} of {wanted.task[:60]!r}")
        return read_entry(entry)
