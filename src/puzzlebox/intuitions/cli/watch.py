"""`puzzlebox intuitions watch`: pairs of films beside what surprises an observer, in the studio."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlebox.cli.play import HOST, Host, NoBrowser, Port
from puzzlebox.cli.words import choice, fail, note
from puzzlebox.intuitions.cli.options import Shapes, Store

if TYPE_CHECKING:
    from collections.abc import Mapping

    from puzzlebox.studio.pages import Pages


def watch(
    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="RUN", help="Runs of training (`puzzlebox intuitions train`) to show."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="A folder of pairs, ours or published, to watch beside generated ones."),
    ] = None,
    task: Annotated[str, typer.Option(metavar="TASK", help="The task to show first.")] = "preference",
    number: Annotated[int, typer.Option(min=0, max=1_000_000, help="The number of its pair.")] = 0,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the set. Default: that of `score`.")] = 1,
    shapes: Annotated[Shapes, choice(Shapes, "Familiar or new shapes.")] = Shapes.FAMILIAR,
    three_d: Annotated[bool, typer.Option("--three-d", help="In three dimensions.")] = False,
    port: Port = None,
    host: Host = HOST,
    no_browser: NoBrowser = False,
    store: Store = None,
) -> None:
    """Watch pairs of films side by side, with the surprise of a model in each frame below.

    The inverse planner is always there; runs of training are named on the command line. The page also has a mode in
    which you judge pairs yourself (`puzzlebox intuitions judge`).

    Try:

    - `puzzlebox intuitions watch`
    - `puzzlebox intuitions watch runs/parts runs/video --task efficiency_path`
    - `puzzlebox intuitions watch runs/video --data published/evaluation`
    """
    from urllib.parse import urlencode

    from puzzlebox.cli.play import open_studio
    from puzzlebox.intuitions.catalogue import task_named

    try:
        task_named(task)
    except ValueError as problem:
        fail(str(problem))
    query = {"task": task, "number": number, "seed": seed, "shapes": shapes.value}
    query |= {"view": "three-d"} if three_d else {}

    if runs:
        # The page calls a run by the name of its folder.
        query["observer"] = Path(runs[0]).resolve().name

    def add(pages: "Mapping[str, Pages]") -> None:
        from puzzlebox.intuitions.studio.pages import IntuitionsPages

        own = pages["intuitions"]
        assert isinstance(own, IntuitionsPages)
        if data is not None and not data.is_dir():
            raise ValueError(f"there is no folder {data}")
        try:
            problems = own.add_runs(runs or [], data)
        except ModuleNotFoundError as missing:
            raise ValueError(str(missing)) from None
        for sentence in problems:
            note(f"warning: {sentence}")

    address = f"/intuitions?{urlencode(query)}"
    open_studio(address=address, port=port, host=host, browser=not no_browser, data=store, prepare=add)
