"""`puzzlebox intuitions judge`: people judge pairs of films in the browser, as models do."""

from typing import Annotated

import typer

from puzzlebox.cli.play import (
    HOST,
    PLAYERS,
    Address,
    Certificate,
    Host,
    Key,
    NoBrowser,
    Port,
    check_participants,
)
from puzzlebox.cli.words import choice, fail
from puzzlebox.intuitions.cli.options import Shapes, Store


def judge(
    task: Annotated[
        list[str] | None, typer.Option(metavar="TASK", help="Tasks to judge; may be repeated. Default: all nine.")
    ] = None,
    pairs: Annotated[int, typer.Option(min=1, max=100, help="Pairs of each task.")] = 2,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the pairs. Default: that of `score`.")] = 1,
    shapes: Annotated[Shapes, choice(Shapes, "Familiar or new shapes.")] = Shapes.FAMILIAR,
    three_d: Annotated[bool, typer.Option("--three-d", help="In three dimensions.")] = False,
    together: Annotated[
        bool,
        typer.Option("--side-by-side", help="Both films at the same time. Default: one after the other."),
    ] = False,
    speed: Annotated[float, typer.Option(min=0.25, max=32, help="How fast films play; 1 is as they are.")] = 1.0,
    participant: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID",
            help="A participant, by a pseudonym such as P07. Prints a link that opens this judging for this "
            "participant, and nothing else. May be given several times.",
        ),
    ] = None,
    port: Port = None,
    host: Host = HOST,
    no_browser: NoBrowser = False,
    store: Store = None,
    certificate: Certificate = None,
    key: Key = None,
    address: Address = None,
) -> None:
    """Judge pairs of films: which one was more surprising? Every judgement is recorded, and reported like a model's.

    Films have no labels, and their order is random. A participant who closes the page resumes at the next pair.

    Try:

    - `puzzlebox intuitions judge --task preference --pairs 4`
    - `puzzlebox intuitions judge --participant P07 --participant P08 --host 0.0.0.0`
    - `puzzlebox intuitions score runs/parts -o scores`, then `puzzlebox report scores recordings.sqlite`
    """
    from puzzlebox.cli.play import open_studio
    from puzzlebox.intuitions.studio.plan import EVERYTHING, Plan

    participants = participant or []
    check_participants(participants, "puzzlebox intuitions judge --participant P07")
    view = "three-d" if three_d else "flat"
    try:
        plan = Plan(tuple(task or (EVERYTHING,)), seed, pairs, shapes.value, view, together, speed)
    except ValueError as problem:
        fail(str(problem))
    open_studio(
        **{"task": plan.name, "seed": seed, "participants": participants},
        **{"port": port, "host": host, "browser": not no_browser, "data": store, "players": PLAYERS},
        **{"certificate": certificate, "key": key, "public": address},
    )
