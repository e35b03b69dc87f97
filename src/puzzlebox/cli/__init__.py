"""The command line: one file per verb. What is heavy is imported inside the verbs, so that `--help` is quick."""

from typing import Annotated

import typer

from puzzlebox.cli.backup import backup
from puzzlebox.cli.bench import bench
from puzzlebox.cli.check import check
from puzzlebox.cli.convert import convert
from puzzlebox.cli.doctor import doctor
from puzzlebox.cli.export import export
from puzzlebox.cli.forget import forget
from puzzlebox.cli.help_text import PlainCommand, PlainGroup
from puzzlebox.cli.play import (
    HOST,
    PLAYERS,
    Address,
    Certificate,
    Host,
    Key,
    NoBrowser,
    Players,
    Port,
    play,
)
from puzzlebox.cli.recordings import Recordings
from puzzlebox.cli.replay import replay
from puzzlebox.cli.report import report
from puzzlebox.cli.run import run
from puzzlebox.cli.show import show
from puzzlebox.cli.tasks import tasks
from puzzlebox.cli.things import things
from puzzlebox.cli.vary import vary
from puzzlebox.cli.welcome import welcome

app = typer.Typer(
    name="puzzlebox",
    cls=PlainGroup,
    help="One virtual laboratory where animals, infants and machines meet the same tasks.",
    epilog="Without a command, the studio opens. Try `puzzlebox tasks`, then `puzzlebox check FILE` on your own task.",
    rich_markup_mode="markdown",
    add_completion=False,
    pretty_exceptions_enable=False,
)
for verb in (
    play,
    check,
    convert,
    show,
    vary,
    things,
    tasks,
    run,
    report,
    replay,
    export,
    backup,
    forget,
    bench,
    doctor,
):
    app.command(cls=PlainCommand)(verb)


def _version(asked: bool) -> None:
    if asked:
        from puzzlebox import __version__

        typer.echo(f"puzzlebox {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and leave.", callback=_version, is_eager=True)
    ] = False,
    port: Port = None,
    host: Host = HOST,
    no_browser: NoBrowser = False,
    data: Recordings = None,
    players: Players = PLAYERS,
    certificate: Certificate = None,
    key: Key = None,
    address: Address = None,
) -> None:
    if context.invoked_subcommand is None:
        welcome(
            **{"host": host, "port": port, "browser": not no_browser, "data": data},
            **{"players": players, "certificate": certificate, "key": key, "public": address},
        )


def main() -> None:
    """Run the command line; that its output has nowhere to go (`| head`, a full disk) is no reason for a traceback."""
    import io
    import os
    import sys

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # whatever the console's own encoding, nothing is lost
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        app(prog_name="puzzlebox")
    except OSError as problem:
        if not isinstance(problem, BrokenPipeError):
            print(f"error: {problem.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
