"""`puzzlebox bench`: measure how fast the arena is on this machine."""

from os.path import exists
from pathlib import Path
from typing import Annotated, Any

import typer

from puzzlebox.cli.words import fail, note, print_table, table


def bench(
    steps: Annotated[int, typer.Option(min=1, help="Actions in a round; 4170 are about ten episodes.")] = 4170,
    rounds: Annotated[int, typer.Option(min=1, help="How many rounds to run; the fastest counts.")] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON, for programs.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write the JSON to this file as well.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the output file if there is one.")] = False,
) -> None:
    """Measure how fast Puzzlebox is on one core of this machine, in an arena of 20 things with random actions.

    It takes about ten seconds. An action is three physics steps; resets count. `make bench` in the source measures
    more, with other simulators beside it.

    Try:

    - `puzzlebox bench`
    - `puzzlebox bench --json -o speed.json`
    """
    import json
    from dataclasses import asdict

    from puzzlebox.arena.envs.speed import figures, machine

    if output is not None and exists(output) and not force:
        fail(f"{output} is already there", "name another file with -o, or add --force to replace it")
    computer = machine()
    if computer["busy"]:
        note(f"warning: this machine is busy (load {computer['load']}); the figures will be too low")
    measured = []
    for what, measure in figures(steps, rounds).items():
        note(f"measuring: {what} ...")
        measured.append(measure())
    data: dict[str, Any] = {
        "machine": computer,
        "steps": steps,
        "rounds": rounds,
        "figures": [asdict(figure) for figure in measured],
    }
    text = json.dumps(data, indent=1)
    if as_json:
        typer.echo(text)
    else:
        report = table("what", "measured", "unit", "goal")
        for figure in measured:
            report.add_row(figure.what, _readable(figure.measured), figure.unit, figure.goal)
        print_table(report)
    note(
        f"{computer['processor']}, {computer['vector_instructions']}, Python {computer['python']}, "
        f"load before {computer['load']}; quickest of {rounds} rounds of {steps} actions"
    )
    if output is not None:
        try:
            output.write_text(text + "\n", encoding="utf-8")
        except OSError as problem:
            fail(f"{output} cannot be written: {problem.strerror}")
        note(f"wrote {output}")


def _readable(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.2f}"
