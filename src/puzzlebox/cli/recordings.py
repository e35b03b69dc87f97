"""What the verbs about recordings share: finding the store and its episodes, and showing how far one is."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlebox.cli.words import fail

if TYPE_CHECKING:
    from puzzlebox.record import Episode, Store

# The option of every verb that reads or writes recordings.
Recordings = Annotated[
    Path | None,
    typer.Option("--data", "--store", metavar="FILE", help="The file of recordings. Default: one for this user."),
]
_NONE_YET = "play one with `puzzlebox play foraging`, or watch an agent in the studio, `puzzlebox`"


def opened(path: Path | None) -> "Store":
    """The store that was asked for, which must be there and hold an episode."""
    from os.path import exists

    from puzzlebox.record import Store, default_store_path
    from puzzlebox.record.damage import Damaged
    from puzzlebox.record.database import refuse_empty

    where = default_store_path() if path is None else path
    if not exists(where):
        fail(f"there are no episodes yet in {where}" if path is None else f"there is no file {where}", _NONE_YET)
    with refused():
        refuse_empty(where)
        store = Store(where)
        try:
            empty = not store.count()
        except Damaged:  # what of it can be read is for the verb to find out
            empty = False
        if empty:
            fail(f"there are no episodes yet in {where}", _NONE_YET)
    return store


@contextmanager
def refused() -> Iterator[None]:
    """Whatever is wrong with the store is said in its sentence."""
    from puzzlebox.record import StoreError

    try:
        yield
    except StoreError as problem:
        fail(str(problem))


def found(store: "Store", beginning: str) -> "Episode":
    """The episode whose id begins so, or `last`."""
    with refused():
        try:
            return store.find(beginning)
        except KeyError as problem:
            newest = ", ".join(each.id for each in store.survey(3).episodes)
            fail(str(problem.args[0]), f"the newest are {newest}; `last` is the first of them")
    raise AssertionError("one of the two has left")


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr; what is given takes how much of how much is done."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    # Where nobody sees it move, there is none.
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
