"""The verbs of the wing, `puzzlebox intuitions VERB`, one file each. Heavy imports stay inside the verbs."""

from collections.abc import Mapping, Sequence
from typing import Any

import typer

from puzzlebox.cli.help_text import PlainCommand
from puzzlebox.intuitions.cli.audit import audit
from puzzlebox.intuitions.cli.generate import generate
from puzzlebox.intuitions.cli.judge import judge
from puzzlebox.intuitions.cli.score import score
from puzzlebox.intuitions.cli.show import show
from puzzlebox.intuitions.cli.train import train
from puzzlebox.intuitions.cli.watch import watch

intuitions = typer.Typer(
    name="intuitions",
    help="What does this agent want? Make and check pairs of films, expected and unexpected; train, score and watch "
    "models; let people judge.",
    epilog="Try `puzzlebox intuitions generate`, which lists the tasks.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
for _verb in (generate, audit, show, train, score, watch, judge):
    intuitions.command(cls=PlainCommand)(_verb)

# By the heading in `puzzlebox --help`.
VERBS: Mapping[str, Sequence[Any]] = {"Other wings": [intuitions]}
