"""`puzzlebox export`: recordings as tables."""

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlebox.cli.recordings import Recordings, found, opened, progress, refused
from puzzlebox.cli.words import choice, fail, note, refuse_file

if TYPE_CHECKING:
    from puzzlebox.record import Episode, Store


class Player(Enum):
    """Who played."""

    HUMAN = "human"
    AGENT = "agent"


def export(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="The folder to write to.")] = Path(
        "recordings"
    ),
    store: Recordings = None,
    episode: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID", help="Only this episode: the beginning of its id, or `last`. May be given several times."
        ),
    ] = None,
    player: Annotated[Player | None, choice(Player, "Only episodes of people, or only of agents.")] = None,
    animalai: Annotated[bool, typer.Option("--animalai", help="As the original logs: its 23 columns.")] = False,
    parquet: Annotated[bool, typer.Option("--parquet", help="Parquet instead of CSV.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace tables that are already there.")] = False,
) -> None:
    """Write recordings as tables: one row per episode, one per step, one per event.

    Try:

    - `puzzlebox export -o data`
    - `puzzlebox export --player human --parquet -o data`
    - `puzzlebox export --episode last --animalai -o data`

    The columns are explained in the documentation of recordings. With --animalai there is one file for each task and
    player, one row per physics step, and an index; episodes are played again for their rays, which takes a while.
    """
    if animalai and parquet:
        fail("--animalai writes the original's CSV files, which --parquet has no form for", "use one of them")
    refuse_file(output)
    recordings = opened(store)
    chosen, damaged = _chosen(recordings, episode or [], player)
    from puzzlebox.animalai import recorded_log
    from puzzlebox.record import export as tidy
    from puzzlebox.record.damage import RESCUE

    form = tidy.PARQUET if parquet else tidy.CSV
    targets = (
        [*recorded_log.files(output, chosen), recorded_log.index_of(output)] if animalai else tidy.files(output, form)
    )
    there = [path for path in targets if path.exists()]
    if there and not force:
        fail(f"{there[0]} is already there", "name another folder with -o, or add --force to replace its tables")
    total = sum(each.steps or 0 for each in chosen)
    left_out: list[str] = []
    try:
        with progress("writing") as show:
            done = 0

            def more(steps: int) -> None:
                nonlocal done
                done += steps
                show(min(done, total), total)

            if animalai:
                written = recorded_log.export(
                    recordings, chosen, output, more, lambda what: note(f"warning: {what}"), left_out
                )
            else:
                written = tidy.export(recordings, chosen, output, form, more, left_out)
    except ModuleNotFoundError as problem:
        fail(str(problem))
    except OSError as problem:
        fail(f"{problem.filename or output} cannot be written: {problem.strerror}")
    count = len(chosen) - len(left_out)
    note(f"wrote {count} episode{'s' if count != 1 else ''}:")
    for path in written:
        typer.echo(path)
    for sentence in (*damaged, *left_out):
        note(f"error: {sentence.replace(RESCUE, 'it was left out')}")
    if damaged or left_out:
        note("hint: a backup that was made before the damage has all of it (`puzzlebox backup --help`)")
        raise typer.Exit(1)


def _chosen(store: "Store", beginnings: list[str], player: Player | None) -> "tuple[list[Episode], list[str]]":
    """The episodes that were asked for, oldest first, and what is damaged among them, in sentences."""
    damaged: list[str] = []
    if beginnings:
        episodes = list({each.id: each for each in (found(store, beginning) for beginning in beginnings)}.values())
        episodes.sort(key=lambda each: each.started)
    else:
        with refused():
            survey = store.survey()
        episodes, damaged = survey.episodes[::-1], survey.damaged
    if player is not None:
        episodes = [each for each in episodes if each.player == player.value]
        if not episodes:
            fail(
                f"none of the episodes in {store.path} was played by {'people' if player is Player.HUMAN else 'agents'}"
            )
    return episodes, damaged
