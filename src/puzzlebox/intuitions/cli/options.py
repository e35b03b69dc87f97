"""Options that several verbs of the wing have."""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer


class Shapes(Enum):
    """The sets of shapes and agents."""

    FAMILIAR = "familiar"
    NEW = "new"


class Version(Enum):
    """The versions of the JSON files."""

    NEWEST = "1.1"
    OLD = "old"


# Other verbs also call this file --data; in this wing --data is a folder of films.
Store = Annotated[
    Path | None,
    typer.Option(
        "--store", metavar="FILE", help="The file of recordings, which keeps judgements. Default: one for this user."
    ),
]
Workers = Annotated[
    int | None, typer.Option(min=1, max=1024, help="Processes that work at the same time. Default: one per core.")
]


def worker_count(workers: int | None) -> int:
    """Return the number of processes: that of the option, or one per core."""
    from puzzlebox.processes import cores

    return cores() if workers is None else workers
