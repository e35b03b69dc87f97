"""All verbs put together: those that every wing shares, those of the wings, and those of other packages."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from puzzlebox.cli.backup import backup
from puzzlebox.cli.dataset import dataset
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
from puzzlebox.cli.power import power
from puzzlebox.cli.recordings import Recordings
from puzzlebox.cli.replay import replay
from puzzlebox.cli.report import report
from puzzlebox.cli.run import run
from puzzlebox.cli.tasks import tasks
from puzzlebox.cli.train import train
from puzzlebox.cli.transcript import transcript
from puzzlebox.cli.welcome import welcome
from puzzlebox.wings.verbs import all_verbs

# The verbs that every wing shares, by the heading in `puzzlebox --help`. Verbs of wings come between the two.
SHARED: Mapping[str, Sequence[Any]] = {
    "Play and run": [play, run, train, tasks],
    "Recordings and results": [replay, transcript, export, dataset, report, power, backup, forget],
}
LAST: Mapping[str, Sequence[Any]] = {"This installation": [doctor]}

# A sentence about each verb of another package that cannot be used.
PROBLEMS: list[str] = []


def _add(target: typer.Typer, heading: str, verb: Any) -> None:
    if isinstance(verb, typer.Typer):
        target.add_typer(verb, cls=PlainGroup, rich_help_panel=heading)
    else:
        target.command(cls=PlainCommand, rich_help_panel=heading)(verb)


def _name(verb: Any) -> str:
    return str(verb.info.name if isinstance(verb, typer.Typer) else getattr(verb, "__name__", verb))


def _names(heading: str, verb: Any) -> set[str]:
    """Build a verb of another package; return its name, or all names within a `typer.Typer` that has none.

    Raises:
        Exception: Typer cannot build a command of the verb.
    """
    if not callable(verb):
        raise TypeError("it is neither a function nor a typer.Typer")
    trial = typer.Typer()
    trial.callback()(lambda: None)
    _add(trial, heading, verb)
    group: Any = typer.main.get_command(trial)
    return set(group.commands)


def _collect() -> dict[str, list[Any]]:
    """Return all verbs by their headings; what cannot be used of other packages becomes one of `PROBLEMS`."""
    headings = {heading: list(verbs) for heading, verbs in SHARED.items()}
    taken = {_name(verb) for table in (SHARED, LAST) for verbs in table.values() for verb in verbs}
    for source in all_verbs():
        if source.problem:
            PROBLEMS.append(source.problem)
        for heading, verbs in source.headings.items():
            for verb in verbs:
                # Typer builds all commands before it runs one, so one that fails would fail them all.
                try:
                    names = _names(heading, verb) if source.outside else {_name(verb)}
                except Exception as problem:
                    reason = " ".join(str(problem).split()) or type(problem).__name__
                    PROBLEMS.append(f"`{_name(verb)}` of {source.owner} cannot be used: {reason}")
                    continue
                if names & taken:
                    clash = ", ".join(f"`{name}`" for name in sorted(names & taken))
                    PROBLEMS.append(f"{clash} of {source.owner} cannot be used: another verb has that name")
                    continue
                taken |= names
                headings.setdefault(heading, []).append(verb)
    for heading, verbs in LAST.items():
        headings[heading] = [*verbs, *headings.pop(heading, [])]
    return headings


HEADINGS = _collect()


class Root(PlainGroup):
    """`puzzlebox` itself, with its headings in order."""

    headings = tuple(HEADINGS)


app = typer.Typer(
    name="puzzlebox",
    cls=Root,
    help="One virtual laboratory where animals, infants and machines meet the same tasks.",
    epilog="Without a command, the studio opens. Try `puzzlebox tasks`, then `puzzlebox play foraging`.",
    rich_markup_mode="markdown",
    add_completion=False,
    pretty_exceptions_enable=False,
)
for _heading, _verbs in HEADINGS.items():
    for _verb in _verbs:
        _add(app, _heading, _verb)


def _version(requested: bool) -> None:
    if requested:
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
