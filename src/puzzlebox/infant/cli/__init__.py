"""The verbs of the infant wing. Heavy imports stay inside the verbs, so that `puzzlebox --help` is quick."""

from collections.abc import Mapping, Sequence
from typing import Any

import typer

from puzzlebox.infant.cli.serve import serve
from puzzlebox.infant.cli.show import show

infant = typer.Typer(name="infant", no_args_is_help=True, help="A child's body with its senses.")
infant.command()(show)
infant.command()(serve)


@infant.callback()
def _verbs() -> None:
    """A child's body with its senses."""


# By the heading in `puzzlebox --help`.
VERBS: Mapping[str, Sequence[Any]] = {"Other wings": [infant]}
