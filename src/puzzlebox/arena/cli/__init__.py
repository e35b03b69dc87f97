"""The verbs of the arena, one file each. Heavy imports stay inside the verbs, so that `puzzlebox --help` is quick."""

from collections.abc import Mapping, Sequence
from typing import Any

from puzzlebox.arena.cli.bench import bench
from puzzlebox.arena.cli.check import check
from puzzlebox.arena.cli.convert import convert
from puzzlebox.arena.cli.show import show
from puzzlebox.arena.cli.solve import solve
from puzzlebox.arena.cli.things import things
from puzzlebox.arena.cli.vary import vary

# By the heading in `puzzlebox --help`; a heading that other verbs have as well is shown once.
VERBS: Mapping[str, Sequence[Any]] = {
    "Tasks of the arena": [check, convert, show, vary, solve, things],
    "This installation": [bench],
}
