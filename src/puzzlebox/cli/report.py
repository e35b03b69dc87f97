"""`puzzlebox report`: figures, statistics and a methods section about runs and recordings."""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from puzzlebox.cli.words import choice, fail, note, refuse_file


class Group(Enum):
    """What has a random intercept in the model of passing."""

    AUTO = "auto"
    PARTICIPANT = "participant"
    TASK = "task"
    SEED = "seed"
    RUN = "run"
    NONE = "none"


def report(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN",
            help="Folders of runs (`puzzlebox run`), files of recordings, folders of exported recordings "
            "(`puzzlebox export`), or tables of episodes (CSV, Parquet).",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="The folder to write to. Default: `report` in the first run."
        ),
    ] = None,
    published: Annotated[
        bool,
        typer.Option(
            "--published", help="Show published results beside: children, Trrrrr, ironbar, Dreamer, PPO and others."
        ),
    ] = False,
    group: Annotated[
        Group, choice(Group, "What has a random intercept in the model of passing; `auto` looks at the design.")
    ] = Group.AUTO,
    capabilities: Annotated[
        bool,
        typer.Option(
            "--capabilities",
            help="Infer what each agent is able to do from the demands of the tasks (at least 20), and test how well "
            "that predicts other tasks. Takes about a minute for each agent.",
        ),
    ] = False,
    people: Annotated[str, typer.Option(metavar="NAME", help="What participants are called in the report.")] = "human",
    watched: Annotated[
        bool,
        typer.Option("--watched", help="Include agents that were watched in the studio. Default: participants only."),
    ] = False,
    title: Annotated[str, typer.Option(help="The heading. Default: the names of the runs.")] = "",
    seed: Annotated[int, typer.Option(min=0, help="The seed of the bootstrap.")] = 0,
) -> None:
    """Compare agents and participants: figures, statistics, tables, and a methods section to paste.

    Writes `report.html`, one file that opens anywhere; `figures/` as PNG and PDF; `tables/` as CSV; `methods.txt`.
    The exit code is 1 if damaged episodes had to be left out.

    Try:

    - `puzzlebox report out`
    - `puzzlebox report out recordings.sqlite -o comparison --published`
    - `puzzlebox export -o data`, then `puzzlebox report data`
    - `puzzlebox report table.csv -o report --group run`
    """
    import sys

    folder = _default_folder(runs[0]) if output is None else output
    refuse_file(folder)
    from puzzlebox.record import StoreError
    from puzzlebox.report import CannotRead, make_report
    from puzzlebox.report.methods import quoted

    try:
        outcome = make_report(
            runs,
            folder,
            published=published,
            group=group.value,
            seed=seed,
            people=people,
            watched=watched,
            title=title,
            command=quoted(["puzzlebox", *sys.argv[1:]]),
            layout=capabilities,
        )
    except (CannotRead, ModuleNotFoundError, StoreError) as problem:
        fail(str(problem))
    except OSError as problem:
        fail(f"{problem.filename or folder} cannot be written: {problem.strerror}")
    for line in (*outcome.contents.headline, *outcome.results.remarks):
        note(line)
    for line in outcome.contents.warnings:
        note(f"warning: {line}")
    note(f"wrote {len(outcome.files)} files to {folder}:")
    typer.echo(outcome.page)
    if outcome.results.lacks_episodes:
        raise typer.Exit(1)


def _default_folder(first: Path) -> Path:
    return first / "report" if first.is_dir() else first.with_name(f"{first.stem}-report")
