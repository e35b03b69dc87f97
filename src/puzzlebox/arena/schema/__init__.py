"""What a researcher writes: tasks as data, read from and written to YAML in two forms."""

from puzzlebox.arena.schema.diagnostics import Diagnostic, TaskError, TaskWarning
from puzzlebox.arena.schema.draft import ANIMALAI, PUZZLEBOX
from puzzlebox.arena.schema.editing import EditError, remove, set_value
from puzzlebox.arena.schema.loading import load_task, read_source
from puzzlebox.arena.schema.models import Arena, Item, Metadata, Operation, Task, Theme
from puzzlebox.arena.schema.reading import Reading, read
from puzzlebox.arena.schema.writing import not_in_the_original, write

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
    "load_task",
    "not_in_the_original",
    "read",
    "read_source",
    "remove",
    "set_value",
    "write",
]
