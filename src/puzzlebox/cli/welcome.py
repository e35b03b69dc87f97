"""`puzzlebox` alone: checks that the bundled tasks are in order, and says what to try."""

import typer

_NEXT = """\
  puzzlebox tasks                          what is bundled
  puzzlebox things                         everything a task can hold
  puzzlebox convert examples/food --to puzzlebox -o my_task.yml
                                           a task of your own, to start from
  puzzlebox check my_task.yml              is it right?
  puzzlebox --help                         the rest"""


def welcome() -> None:
    """Open the laboratory."""
    from puzzlebox import __version__
    from puzzlebox.batteries import bundled_names
    from puzzlebox.schema import load_task
    from puzzlebox.things import CATALOGUE

    for name in bundled_names():
        load_task(name, strict=True)
    typer.echo(
        f"Puzzlebox {__version__}: {len(CATALOGUE)} things, {len(bundled_names())} bundled tasks, all in order.\n"
    )
    typer.echo("Try next:\n\n" + _NEXT)
