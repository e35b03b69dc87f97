"""`puzzlebox power`: how many tasks, episodes and participants a study needs, from a pilot."""

from pathlib import Path
from typing import Annotated

import typer

from puzzlebox.cli.words import fail, note, print_table, refuse_file, table

_LARGEST = 10_000


def power(
    pilot: Annotated[
        list[Path],
        typer.Argument(
            metavar="PILOT",
            help="The pilot: folders of runs, files of recordings, folders of exported recordings, or tables of "
            "episodes, as for `puzzlebox report`.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="The folder to write to. Default: `power` in the first run."
        ),
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="One of the two agents to compare; give it twice. Default: the first two."),
    ] = None,
    difference: Annotated[
        float | None,
        typer.Option(
            metavar="POINTS",
            min=0.1,
            max=99,
            help="The difference of the proportions passed that you want to find, in percentage points. Default: that "
            "of the pilot. The smallest difference that would matter to you is the better choice: a pilot's own "
            "difference is often too large by luck.",
        ),
    ] = None,
    tasks: Annotated[str, typer.Option(metavar="N,N,...", help="The numbers of tasks to try.")] = "",
    episodes: Annotated[
        str,
        typer.Option(
            metavar="N,N,...",
            help="The numbers of episodes of each task to try: those of agents. Participants play each task as often "
            "as in the pilot, mostly once.",
        ),
    ] = "",
    participants: Annotated[
        str, typer.Option(metavar="N,N,...", help="The numbers of participants, or runs, of each group to try.")
    ] = "",
    participant_episodes: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, max=1000, help="How often each participant plays each task. Default: as in the pilot."
        ),
    ] = None,
    people: Annotated[str, typer.Option(metavar="NAME", help="What participants are called.")] = "human",
    repetitions: Annotated[
        int, typer.Option(min=50, max=100_000, help="How many studies of each design are simulated.")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the simulation.")] = 0,
) -> None:
    """Find out how many tasks, episodes and participants a study needs, by simulation from a pilot.

    A pilot of ten tasks or more with two agents and a few episodes of each shows how much tasks differ, and how
    differently agents do on the same task. From that, studies of many sizes are simulated, and each is tested as
    `puzzlebox report` tests it. Power is the proportion that finds the difference; 80 % is customary.

    Writes the figure `power.png` and `power.pdf`, the table `power.csv`, and the answer `power.txt`.

    Try:

    - `puzzlebox run obstacles causes --agent random --agent heuristic --episodes 5 -o pilot`
    - `puzzlebox power pilot`
    - `puzzlebox power pilot --difference 10 --episodes 1,5,20`
    - `puzzlebox power recordings.sqlite pilot --agent human --agent heuristic --participants 10,20,40 --episodes 10`
    """
    from puzzlebox.cli.recordings import progress
    from puzzlebox.record import StoreError
    from puzzlebox.report import CannotRead
    from puzzlebox.report.power import WANTED, plan, write_plan
    from puzzlebox.report.sources import gather
    from puzzlebox.stats import CannotCompute

    first = pilot[0]
    folder = output or (first / "power" if first.is_dir() else first.with_name(f"{first.stem}-power"))
    refuse_file(folder)
    numbers = {
        name: _numbers(name, text, least)
        for name, text, least in (("tasks", tasks, 5), ("episodes", episodes, 1), ("participants", participants, 5))
    }
    if difference is not None and difference < 1:
        note(f"{difference:g} percentage points is very small; 15 means 15 percentage points")
    try:
        with progress("simulating") as bar:
            answer = plan(
                gather(pilot, people),
                agents=agent or (),
                difference=None if difference is None else difference / 100,
                tasks=numbers["tasks"],
                episodes=numbers["episodes"],
                participants=numbers["participants"],
                participant_episodes=participant_episodes,
                repetitions=repetitions,
                seed=seed,
                progress=bar,
            )
        files = write_plan(answer, folder)
    except (CannotRead, CannotCompute, ModuleNotFoundError, StoreError) as problem:
        fail(str(problem))
    except OSError as problem:
        fail(f"{problem.filename or folder} cannot be written: {problem.strerror}")
    shown = table(answer.heading, *(f"tasks for {100 * wanted:.0f} % power" for wanted in WANTED))
    for line in answer.lines:
        needed = (line.needed(wanted) for wanted in WANTED)
        shown.add_row(answer.label(line), *(f"> {line.tasks[-1]}" if many is None else str(many) for many in needed))
    print_table(shown)
    note(answer.sentences[0].removesuffix(":") + "; the table has the numbers.")
    for sentence in (*answer.advice, *answer.remarks):
        note(sentence)
    for warning in answer.pilot.warnings:
        note(f"warning: {warning}")
    note(f"wrote {', '.join(each.name for each in files)} to {folder}")


def _numbers(option: str, text: str, least: int) -> list[int]:
    """Return the whole numbers of a list such as 5,10,20; another text ends the command with an error."""
    parts = [part.strip() for part in text.split(",")] if text.strip() else []
    for part in parts:
        if not part.isdecimal() or len(part) > 6 or not least <= int(part) <= _LARGEST:
            fail(
                f"--{option} {text}: {part or 'an empty part'} is not a whole number from {least} to {_LARGEST:,}; "
                f"write them as in --{option} 5,10,20"
            )
    return [int(part) for part in parts]
