"""`puzzlebox backup`: copy the recordings, also while participants play."""

from pathlib import Path
from typing import Annotated

import typer

from puzzlebox.cli.recordings import Recordings, open_store, store_errors
from puzzlebox.cli.words import note


def backup(
    target: Annotated[Path, typer.Argument(metavar="FILE", help="The copy to write, such as copy.sqlite.")],
    data: Recordings = None,
    with_key: Annotated[
        bool,
        typer.Option("--with-key", help="Copy the secret of the participants' links as well, to FILE.key."),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier copy; any other file is kept.")] = False,
) -> None:
    """Copy the recordings to another file, also while participants play, and check the copy.

    Try:

    - `puzzlebox backup copy.sqlite`
    - `puzzlebox backup backups/monday.sqlite --data study.sqlite`
    - `puzzlebox backup copy.sqlite --with-key --force`

    The copy holds every step that was acknowledged when the command began, and only its owner can read it. Every
    command that reads recordings takes it: `puzzlebox export --store copy.sqlite`. It does not hold the secret that
    makes the participants' links; --with-key copies that to a second file, so that links stay valid after a restore.

    To restore: stop the studio, move the damaged file and what lies beside it away, and copy in the other direction,
    `puzzlebox backup recordings.sqlite --data copy.sqlite --with-key`; leave out --with-key if there is no
    copy.sqlite.key.
    """
    from puzzlebox.record.backup import back_up

    path = open_store(data).path
    with store_errors():
        copy = back_up(path, target, key=with_key, force=force)
    episodes = f"{copy.episodes:,} episode{'' if copy.episodes == 1 else 's'}"
    note(f"copied {episodes} with {copy.steps:,} steps from {path}:")
    for file in copy.files:
        typer.echo(file)
    if not with_key and path.with_name(path.name + ".key").exists():
        note("the secret of the participants' links is not in it; --with-key copies it as well")
