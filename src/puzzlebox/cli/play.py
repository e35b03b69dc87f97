"""`puzzlebox play`: play a task in the browser, or watch an agent play it."""

from pathlib import Path
from typing import Annotated, Any

import typer

from puzzlebox.cli.words import fail, note

# What `puzzlebox` alone takes as well.
Port = Annotated[
    int | None, typer.Option(min=1, max=65535, help="The port to listen on; left out: 8808, or the next one free.")
]
Host = Annotated[
    str, typer.Option(help="Where to listen. Anything but this machine asks for a token, which is in the link.")
]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Only print the link.")]
Data = Annotated[
    Path | None,
    typer.Option("--data", "--store", metavar="FILE", help="The file of recordings; left out: one for this user."),
]
HOST = "127.0.0.1"


def play(
    task: Annotated[
        str | None, typer.Argument(help="A task file or a bundled task; left out: an arena with one of every thing.")
    ] = None,
    rules: Annotated[str, typer.Option(help="The rules it is played by.")] = "puzzlebox",
    seed: Annotated[
        int | None, typer.Option(min=0, help="What is left to chance is drawn from this; left out: anew each time.")
    ] = None,
    agent: Annotated[
        str | None, typer.Option(metavar="NAME", help="Watch this agent play: its name, or module:Class.")
    ] = None,
    participant: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Who plays, by a pseudonym such as P07; every episode is recorded with it."),
    ] = None,
    port: Port = None,
    host: Host = HOST,
    no_browser: NoBrowser = False,
    data: Data = None,
) -> None:
    """Play a task in the browser, or watch an agent play it. Every episode is recorded.

    Try:

    - `puzzlebox play foraging`
    - `puzzlebox play my_task.yml --seed 7`
    - `puzzlebox play foraging --agent random`
    - `puzzlebox play foraging --participant P07`
    """
    if participant is not None:
        _check_participant(participant, agent)
    if agent is not None:
        from puzzlebox.agents import agent_named

        try:
            agent_named(agent)
        except ValueError as problem:
            fail(str(problem))
    who = {"agent": agent, "participant": participant}
    open_studio(task=task, rules=rules, seed=seed, **who, port=port, host=host, browser=not no_browser, data=data)


def _check_participant(participant: str, agent: str | None) -> None:
    """Say before anything opens that nobody can play so."""
    from puzzlebox.lab.rows import checked_participant

    if agent is not None:
        fail("--participant names a person who plays, but with --agent an agent does", "leave out one of them")
    try:
        checked_participant(participant)
    except ValueError as problem:
        fail(str(problem), "puzzlebox play foraging --participant P07")


def open_studio(**settings: Any) -> None:
    """Run the studio until it is interrupted, or say why it cannot."""
    try:
        from puzzlebox.studio.server import CannotServe, serve
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("puzzlebox"):
            raise
        fail(f"the studio needs {missing.name}, which is not installed", "pip install 'puzzlebox[studio]'")
    from puzzlebox.lab import StoreError

    def say(link: str) -> None:
        typer.echo(link)
        note("the studio is at this address; Ctrl-C ends it")

    try:
        serve(**settings, say=say)
    except OSError as problem:
        fail(problem.strerror or str(problem))
    except (CannotServe, StoreError, ValueError) as problem:
        fail(str(problem))
    note("the studio is closed")
