"""`puzzlebox` alone: opens the studio in the browser, and says what else there is."""

from typing import Any

from puzzlebox.cli.words import note

_NEXT = """\
  puzzlebox play foraging                  play a task
  puzzlebox tasks                          what is bundled
  puzzlebox things                         everything a task can hold
  puzzlebox convert examples/food --to puzzlebox -o my_task.yml
                                           a task of your own, to start from
  puzzlebox check my_task.yml              is it right?
  puzzlebox --help                         the rest
"""


def welcome(**settings: Any) -> None:
    """Open the laboratory.

    Args:
        **settings: those of `puzzlebox.studio.server.serve`.
    """
    from puzzlebox import __version__
    from puzzlebox.arena.things import CATALOGUE
    from puzzlebox.batteries import bundled_names
    from puzzlebox.cli.play import open_studio

    note(f"Puzzlebox {__version__}: {len(CATALOGUE)} things, {len(bundled_names())} bundled tasks.\n")
    note("Beside the studio:\n\n" + _NEXT)
    open_studio(address="/", **settings)
