"""`puzzlebox` without a verb: open the studio in the browser, and list what else there is."""

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
    """Say what is installed and which verbs come next, then run the studio until it is interrupted.

    Args:
        **settings: the settings of `puzzlebox.studio.server.serve`.
    """
    from puzzlebox import __version__
    from puzzlebox.cli.play import open_studio
    from puzzlebox.wings import wing_named, wing_names

    note(f"Puzzlebox {__version__}")
    for name in wing_names():
        try:
            note(f"  {name}: {wing_named(name).inventory()}")
        except ValueError as problem:
            note(f"  warning: {problem}")
    note("")
    note("Beside the studio:\n\n" + _NEXT)
    open_studio(address="/", **settings)
