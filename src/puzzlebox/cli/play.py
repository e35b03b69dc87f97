"""`puzzlebox play`: play a task in the browser, or watch an agent play it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer

from puzzlebox.cli.recordings import Recordings
from puzzlebox.cli.words import fail, note

# Options that `puzzlebox` without a verb has as well.
Port = Annotated[
    int | None, typer.Option(min=1, max=65535, help="The port to listen on. Default: 8808, or the next one free.")
]
Host = Annotated[
    str, typer.Option(help="Where to listen. Anything but this machine asks for a token, which is in the link.")
]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Only print the link.")]
Players = Annotated[
    int,
    typer.Option(metavar="N", min=1, max=1000, help="How many may play at the same time."),
]
Certificate = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Encrypt: the certificate of this machine (PEM). Needs --key."),
]
Key = Annotated[Path | None, typer.Option(metavar="FILE", help="The private key of the certificate (PEM).")]
Address = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="The address under which a proxy shows the studio, such as https://lab.example.org. Links begin with it.",
    ),
]
HOST = "127.0.0.1"
PLAYERS = 64


_NOT_ENCRYPTED = """\
WARNING: the connection is not encrypted. Everybody on the way, such as all who use the same Wi-Fi, can read the links,
the participants' ids and everything that is played, and can open all recordings once they have read your own link.
--certificate FILE --key FILE encrypts it; so does a proxy before the studio (docs/guides/studio.md, "On a network").
"""


def play(
    task: Annotated[
        str | None, typer.Argument(help="A task file or a bundled task. Default: an arena with one of every thing.")
    ] = None,
    rules: Annotated[str, typer.Option(help="The rules to play by: puzzlebox, 4.3, 3.1 or 2019.")] = "puzzlebox",
    seed: Annotated[
        int | None, typer.Option(min=0, help="The seed of everything random. Default: a random one.")
    ] = None,
    agent: Annotated[
        str | None, typer.Option(metavar="NAME", help="Watch this agent play: its name, or module:Class.")
    ] = None,
    participant: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID",
            help="A participant, by a pseudonym such as P07. Prints a link that opens this task for this participant, "
            "and nothing else. May be given several times.",
        ),
    ] = None,
    port: Port = None,
    host: Host = HOST,
    no_browser: NoBrowser = False,
    data: Recordings = None,
    players: Players = PLAYERS,
    certificate: Certificate = None,
    key: Key = None,
    address: Address = None,
) -> None:
    """Play a task in the browser, or watch an agent play it. Every episode is recorded.

    Try:

    - `puzzlebox play foraging`
    - `puzzlebox play my_task.yml --seed 7`
    - `puzzlebox play foraging --agent random`
    - `puzzlebox play infant/kick-the-ball`
    - `puzzlebox play foraging --participant P07`
    - `puzzlebox play foraging --participant P07 --participant P08 --host 0.0.0.0`
    """
    participants = participant or []
    if participants and agent is not None:
        fail("--participant names a person who plays, but with --agent an agent does", "leave out one of them")
    check_participants(participants, "puzzlebox play foraging --participant P07")
    if agent is not None:
        from puzzlebox.agents import agent_named

        try:
            agent_named(agent)
        except ValueError as problem:
            fail(str(problem))
    open_studio(
        **{"task": task, "rules": rules, "seed": seed, "agent": agent, "participants": participants},
        **{"port": port, "host": host, "browser": not no_browser, "data": data},
        **{"players": players, "certificate": certificate, "key": key, "public": address},
    )


def check_participants(participants: Sequence[str], example: str) -> None:
    """End the command with an error if the participants are not valid ids; the hint is an example of a command."""
    from puzzlebox.record.entries import checked_participant

    for place, id in enumerate(participants):
        try:
            checked_participant(id)
        except ValueError as problem:
            fail(str(problem), example)
        if id in participants[:place]:
            fail(f"--participant {id} is given twice", "one link is enough: it can be opened again and again")


def open_studio(**settings: Any) -> None:
    """Run the studio until it is interrupted; end the command with an error if it cannot be opened.

    Args:
        **settings: the settings of `puzzlebox.studio.server.serve`.
    """
    try:
        from puzzlebox.studio.server import CannotServe, serve
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("puzzlebox"):
            raise
        fail(f"the studio needs {missing.name}, which is not installed", "pip install 'puzzlebox[studio]'")
    from puzzlebox.record import StoreError
    from puzzlebox.studio.certificate import names_host
    from puzzlebox.studio.links import LinksError
    from puzzlebox.studio.safety import is_local

    certificate = settings.get("certificate")
    unencrypted = not any(settings.get(name) for name in ("certificate", "public")) and not is_local(settings["host"])

    def print_links(link: str, for_participants: Sequence[str]) -> None:
        """Print links to send around to stdout; the researcher's own goes to stderr beside those of participants."""
        for each in for_participants or (link,):
            typer.echo(each)
        if for_participants:
            note(f"each link opens the task for one participant, and nothing else; yours opens everything: {link}")
        if unencrypted:
            note(_NOT_ENCRYPTED)
        host = urlsplit(link).hostname or ""
        if certificate and not settings.get("public") and not names_host(certificate, settings["key"], host):
            note(f"{certificate} does not name {host}, so browsers will refuse the links; use one that does")
        note("the studio is at this address; Ctrl-C ends it")

    try:
        serve(**settings, announce=print_links)
    except OSError as problem:
        fail(problem.strerror or str(problem))
    except (CannotServe, LinksError, StoreError, ValueError) as problem:
        fail(str(problem))
    note("the studio is closed")
