"""Tasks as data, read from and written to YAML in two formats."""

from puzzlebox.arena.schema.diagnostics import Diagnostic, TaskError, TaskWarning
from puzzlebox.arena.schema.draft import ANIMALAI, PUZZLEBOX
from puzzlebox.arena.schema.editing import EditError, remove, set_value
from puzzlebox.arena.schema.loading import load_task, read_source
from puzzlebox.arena.schema.models import Arena, Item, Metadata, Operation, Task, Theme
from puzzlebox.arena.schema.reading import Reading, read
from puzzlebox.arena.schema.writing import keys_unknown_to_animalai, write

__all__ = [
    "ANIMALAI",
    "PUZZLEBOX",
    "Arena",
    "Diagnostic",
    "EditError",
    "Item",
    "Metadata",
    "Operation",
    "Reading",
    "Task",
    "TaskError",
    "TaskWarning",
    "Theme",
    "keys_unknown_to_animalai",
    "load_task",
    "read",
    "read_source",
    "remove",
    "set_value",
    "write",
]
