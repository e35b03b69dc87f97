"""`puzzlebox export`: write recordings as tables, or as the logs of another system."""

from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlebox.cli.recordings import Recordings, find_episode, open_store, progress, store_errors
from puzzlebox.cli.words import choice, fail, note, refuse_file

if TYPE_CHECKING:
    from puzzlebox.record import Episode, Store
    from puzzlebox.wings.protocols import LogFormat


class Player(Enum):
    """Who played: a participant or an agent."""

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
    player: Annotated[Player | None, choice(Player, "Only episodes of participants, or only of agents.")] = None,
    log: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Write logs as another system does, such as animalai, instead of tables."),
    ] = None,
    parquet: Annotated[bool, typer.Option("--parquet", help="Parquet instead of CSV.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace tables that are already there.")] = False,
) -> None:
    """Write recordings as tables: one row per episode, one per step, one per event.

    Try:

    - `puzzlebox export -o data`
    - `puzzlebox export --player human --parquet -o data`
    - `puzzlebox export --episode last --log animalai -o data`

    The columns are explained in the documentation of recordings. With `--log animalai` there is one file for each task
    and player, with the 23 columns of Animal-AI's own log and one row per physics step, and an index. Episodes are
    replayed for their rays, which takes a while.
    """
    if log is not None and parquet:
        fail("--log writes the files of another system, which are never Parquet", "leave out --log or --parquet")
    refuse_file(output)
    recordings = open_store(store)
    chosen, damaged = _choose_episodes(recordings, episode or [], player)
    from puzzlebox.record import export as tidy
    from puzzlebox.record.damage import RESCUE, Deleted, is_about_file

    form = tidy.PARQUET if parquet else tidy.CSV
    log_format = None if log is None else _log_format(log, chosen)
    if log_format is None:
        targets = tidy.files(output, form)
    else:
        targets = [*log_format.files(output, chosen), log_format.index_of(output)]
    existing = [path for path in targets if path.exists()]
    if existing and not force:
        fail(f"{existing[0]} is already there", "name another folder with -o, or add --force to replace its tables")
    total = sum(each.steps or 0 for each in chosen)
    left_out: list[str] = []
    is_new = not output.exists()
    try:
        with progress("writing") as update:
            done = 0

            def advance(steps: int) -> None:
                nonlocal done
                done += steps
                update(min(done, total), total)

            def warn(sentence: str) -> None:
                note(f"warning: {sentence}")

            if log_format is None:
                written = tidy.export(recordings, chosen, output, form, advance, left_out, warn)
            else:
                written = list(log_format.export(recordings, chosen, output, advance, warn, left_out))
    except ModuleNotFoundError as problem:
        fail(str(problem))
    except OSError as problem:
        fail(f"{problem.filename or output} cannot be written: {problem.strerror}")
    count = len(chosen) - len(left_out)
    if written:
        note(f"wrote {count} episode{'s' if count != 1 else ''}:")
    elif is_new:
        with suppress(OSError):
            output.rmdir()
    for path in written:
        typer.echo(path)
    for sentence in left_out:
        if isinstance(sentence, Deleted):
            note(sentence)
    faults = [sentence for sentence in (*damaged, *left_out) if not isinstance(sentence, Deleted)]
    for sentence in faults:
        outcome = "the rest was written" if is_about_file(sentence) else "it was left out"
        note(f"error: {sentence.replace(RESCUE, outcome)}")
    if any(RESCUE in sentence for sentence in faults):
        note("hint: a backup that was made before the damage has all of it (`puzzlebox backup --help`)")
    if faults:
        raise typer.Exit(1)


def _log_format(name: str, episodes: "list[Episode]") -> "LogFormat":
    """Return the module that writes a log of this name; end the command where the wing of the episodes has none."""
    from importlib import import_module

    from puzzlebox.text import closest
    from puzzlebox.wings import ARENA, wing_named

    names = sorted({each.wing for each in episodes}) or [ARENA]  # all episodes may be damaged
    if len(names) > 1:
        fail(f"--log writes episodes of one wing, and these are of {' and '.join(names)}", "choose some with --episode")
    try:
        logs = wing_named(names[0]).logs
    except ValueError as problem:
        fail(str(problem))
    if name not in logs:
        choices = f"there is {', '.join(logs)}" if logs else "there is none"
        fail(f"--log {name} is not a log format of {names[0]}; {choices}{closest(name, list(logs))}")
    module: Any = import_module(logs[name])
    return module  # type: ignore[no-any-return]


def _choose_episodes(store: "Store", beginnings: list[str], player: Player | None) -> "tuple[list[Episode], list[str]]":
    """Return the chosen episodes, oldest first, and a sentence about each of them that is damaged."""
    damaged: list[str] = []
    if beginnings:
        episodes = list(
            {each.id: each for each in (find_episode(store, beginning) for beginning in beginnings)}.values()
        )
        episodes.sort(key=lambda each: each.started)
    else:
        with store_errors():
            survey = store.survey()
        episodes, damaged = survey.episodes[::-1], survey.damaged
    if player is not None:
        episodes = [each for each in episodes if each.player == player.value]
        if not episodes:
            players = "participants" if player is Player.HUMAN else "agents"
            fail(f"none of the episodes in {store.path} was played by {players}")
    return episodes, damaged
