"""What the verbs about recordings share: the option --data, opening the store, finding episodes, a progress bar."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlebox.cli.words import fail, note

if TYPE_CHECKING:
    from puzzlebox.record import Episode, Store

# The option of every verb that reads or writes recordings.
Recordings = Annotated[
    Path | None,
    typer.Option("--data", "--store", metavar="FILE", help="The file of recordings. Default: one for this user."),
]
# Seconds between two lines of progress.
_SILENT_SECONDS = 10.0
_NONE_YET = "play one with `puzzlebox play foraging`, or watch an agent in the studio, `puzzlebox`"


def open_store(path: Path | None) -> "Store":
    """Open the file of recordings; end the command with an error unless it exists and holds an episode.

    Args:
        path: the file. Default: the one of this user.
    """
    from os.path import exists

    from puzzlebox.record import Store, default_store_path
    from puzzlebox.record.damage import Damaged
    from puzzlebox.record.database import refuse_empty

    file = default_store_path() if path is None else path
    if not exists(file):
        fail(f"there are no episodes yet in {file}" if path is None else f"there is no file {file}", _NONE_YET)
    with store_errors():
        refuse_empty(file)
        store = Store(file)
        try:
            empty = not store.count()
        except Damaged:  # each verb decides what it does with a damaged file
            empty = False
        if empty:
            fail(f"there are no episodes yet in {file}", _NONE_YET)
    return store


@contextmanager
def store_errors() -> Iterator[None]:
    """Turn an error of the store into the error of the command, in the same sentence."""
    from puzzlebox.record import StoreError
    from puzzlebox.record.store import NoEpisode

    try:
        yield
    except (StoreError, NoEpisode) as problem:
        fail(str(problem.args[0]))


def find_episode(store: "Store", beginning: str) -> "Episode":
    """Return the episode whose id begins like this, or the newest for `last`; end the command if there is none."""
    with store_errors():
        try:
            return store.find(beginning)
        except KeyError as problem:
            newest = ", ".join(each.id for each in store.survey(3).episodes)
            fail(str(problem.args[0]), f"the newest are {newest}; `last` is the first of them")
    raise AssertionError("unreachable: `fail` raises")


@contextmanager
def progress(what: str, *, lines: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on stderr, if that is a terminal.

    Args:
        what: what is done.
        lines: whether a line is written every ten seconds if stderr is not a terminal.

    Yields:
        A function that takes how much is done and how much there is.
    """
    with steps(lines=lines) as update:
        update(what, 0, 0)
        yield lambda done, total: update(what, done, total)


@contextmanager
def steps(*, lines: bool = True) -> Iterator[Callable[[str, int, int], None]]:
    """Show a progress bar of work in several steps on stderr, if that is a terminal.

    Args:
        lines: whether a line is written every ten seconds if stderr is not a terminal.

    Yields:
        A function that takes what is done now, how much of it is done, and how much there is (0: not known).
    """
    from time import monotonic

    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None)
        said, shown = monotonic(), ""

        def update(what: str, done: int, total: int) -> None:
            nonlocal said, shown
            if what != shown:  # the time that remains is that of this step
                bar.reset(task, description=what)
                shown = what
            bar.update(task, completed=done, total=total or None)
            if lines and total and not console.is_terminal and monotonic() - said >= _SILENT_SECONDS:
                said = monotonic()
                note(f"{what}: {done:,} of {total:,}")

        yield update
