"""The demands of a task: what it takes to pass it, read off the arena without playing."""

from puzzlebox.arena.demands.reading import demands
from puzzlebox.arena.demands.table import DEMANDS, DIMENSIONS

__all__ = ["DEMANDS", "DIMENSIONS", "demands"]
