"""`puzzlebox report`: figures, statistics and a methods section about runs and recordings."""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from puzzlebox.cli.words import choice, fail, note, refuse_file


class Subject(Enum):
    """What counts as one participant or training run."""

    AUTO = "auto"
    PARTICIPANT = "participant"
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
    reference: Annotated[
        str,
        typer.Option(
            metavar="AGENT", help="The agent that the odds of the others are compared with. Default: the first."
        ),
    ] = "",
    subject: Annotated[
        Subject,
        choice(
            Subject,
            "What counts as one, however many episodes it played: each `participant`; each `run` of an agent, if runs "
            "are training runs; `none` of them. `auto`: participants, and runs of agents that have several.",
        ),
    ] = Subject.AUTO,
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by",
            metavar="FACTOR",
            help="Compare the values of a factor of the tasks, such as `side`, for each agent; may be repeated.",
        ),
    ] = None,
    capabilities: Annotated[
        bool,
        typer.Option(
            "--capabilities",
            help="Infer what each agent is able to do from the demands of the tasks (at least 20), and test how well "
            "that predicts other tasks. Takes up to a minute for each agent.",
        ),
    ] = False,
    people: Annotated[str, typer.Option(metavar="NAME", help="What participants are called in the report.")] = "human",
    watched: Annotated[
        bool,
        typer.Option("--watched", help="Include agents that were watched in the studio. Default: participants only."),
    ] = False,
    equivalence: Annotated[
        float,
        typer.Option(
            metavar="POINTS",
            min=0.1,
            max=100,
            help="Percentage points up to which two agents count as equivalent, beside “no difference”.",
        ),
    ] = 10.0,
    title: Annotated[str, typer.Option(help="The heading. Default: the names of the runs.")] = "",
    seed: Annotated[int, typer.Option(min=0, help="The seed of the bootstrap.")] = 0,
) -> None:
    """Compare agents and participants: figures, statistics, tables, and a methods section to paste.

    Writes `report.html`, one file that opens anywhere; `figures/` as PNG and PDF; `tables/` as CSV; `methods.txt`; and
    `model.R`, which recomputes the model of passing with lme4.
    The exit code is 1 if damaged episodes had to be left out.

    Try:

    - `puzzlebox report out`
    - `puzzlebox report out recordings.sqlite -o comparison --published`
    - `puzzlebox export -o data`, then `puzzlebox report data`
    - `puzzlebox report seed-1 seed-2 seed-3 seed-4 seed-5 -o report --subject run --reference random`
    - `puzzlebox run object-permanence --agent navigator -o out`, then `puzzlebox report out --by view`
    """
    import sys

    folder = _default_folder(runs[0]) if output is None else output
    refuse_file(folder)
    from puzzlebox.cli.recordings import steps
    from puzzlebox.record import StoreError
    from puzzlebox.report import CannotRead, make_report
    from puzzlebox.report.methods import quoted

    try:
        with steps() as progress:
            outcome = make_report(
                runs,
                folder,
                published=published,
                subject=subject.value,
                reference=reference,
                seed=seed,
                by=by or (),
                people=people,
                watched=watched,
                title=title,
                equivalence=equivalence,
                command=quoted(["puzzlebox", *sys.argv[1:]]),
                layout=capabilities,
                progress=progress,
            )
    except (CannotRead, ModuleNotFoundError, StoreError) as problem:
        fail(str(problem))
    except OSError as problem:
        fail(f"{problem.filename or folder} cannot be written: {problem.strerror}")
    for line in (*outcome.contents.headline, *outcome.results.remarks):
        note(line)
    if capabilities and "capabilities" not in {each.name for each in outcome.contents.tables}:
        for line in outcome.contents.sentences("Capabilities"):
            note(line)
    for line in outcome.contents.warnings:
        note(f"warning: {line}")
    note(f"wrote {len(outcome.files)} files to {folder}:")
    typer.echo(outcome.page)
    if outcome.results.lacks_episodes:
        raise typer.Exit(1)


def _default_folder(first: Path) -> Path:
    return first / "report" if first.is_dir() else first.with_name(f"{first.stem}-report")
