"""`puzzlebox dataset`: write recorded episodes as a Minari dataset, to learn from."""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from puzzlebox.cli.words import choice, fail, note


class Format(Enum):
    """The file formats of Minari."""

    HDF5 = "hdf5"
    ARROW = "arrow"
    PARQUET = "parquet"


def dataset(
    source: Annotated[Path, typer.Argument(metavar="RUN|FILE", help="The folder of a run, or a file of recordings.")],
    name: Annotated[
        str, typer.Option("--name", metavar="ID", help="The id of the dataset, as in puzzlebox/foraging/heuristic-v0.")
    ],
    senses: Annotated[
        str | None,
        typer.Option(
            metavar="SENSES",
            help="The observations, as settings of the environment: `camera=64, rays=15`. Default: the agent's own.",
        ),
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Only episodes of this agent; `human` for participants. May be given several times."
        ),
    ] = None,
    task: Annotated[
        list[str] | None, typer.Option(metavar="TASK", help="Only episodes of this task. May be given several times.")
    ] = None,
    passed: Annotated[bool, typer.Option("--passed", help="Only episodes that were passed.")] = False,
    format: Annotated[Format, choice(Format, "The format of the files.")] = Format.HDF5,
    author: Annotated[str, typer.Option(metavar="NAME", help="The author of the dataset.")] = "",
    description: Annotated[str, typer.Option(metavar="TEXT", help="What the dataset is about.")] = "",
) -> None:
    """Write recorded episodes as a Minari dataset: observations, actions and rewards, to learn from.

    Try:

    - `puzzlebox dataset out --name puzzlebox/foraging/heuristic-v0 --agent heuristic`
    - `puzzlebox dataset out --name pictures-v0 --senses "camera=64, rays=None" --passed`

    Episodes are replayed exactly, so that they can have any senses. The dataset is written where Minari keeps its
    datasets (MINARI_DATASETS_PATH); `minari.load_dataset(ID)` loads it, and its `recover_environment()` makes the
    environment again.
    """
    from puzzlebox.cli.recordings import progress
    from puzzlebox.record.database import StoreError
    from puzzlebox.run.datasets import find_episodes, parse_senses, require_minari, write_dataset
    from puzzlebox.text import counted

    try:
        require_minari()
        chosen = None if senses is None else parse_senses(senses)
        episodes = find_episodes(source, agents=agent or (), tasks=task or (), passed=passed)
        with progress("replaying") as update:
            written = write_dataset(
                *(episodes, name),
                senses=chosen,
                data_format=format.value,
                description=description,
                author=author,
                progress=update,
            )
    except (ValueError, ModuleNotFoundError, StoreError) as problem:
        fail(str(problem))
    except OSError as problem:
        fail(f"{problem.filename or source}: {problem.strerror or problem}")
    typer.echo(written.path)
    episodes_written = counted(written.episodes, "episode")
    note(f'{episodes_written}, {written.steps:,} steps; minari.load_dataset("{written.id}") loads them')
