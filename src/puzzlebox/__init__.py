"""Puzzlebox: one virtual laboratory where animals, infants and machines meet the same tasks."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from puzzlebox.registration import register_when_needed

if TYPE_CHECKING:
    from puzzlebox.arena.envs.arena import make
    from puzzlebox.arena.envs.parallel import make_parallel
    from puzzlebox.arena.envs.sb3 import make_sb3
    from puzzlebox.arena.envs.vector import make_vec
    from puzzlebox.arena.schema import Task, TaskError, TaskWarning, load_task
    from puzzlebox.arena.world import Fork, Rules, World

__version__ = "0.1.0"
__all__ = [
    "Fork",
    "Rules",
    "Task",
    "TaskError",
    "TaskWarning",
    "World",
    "__version__",
    "load_task",
    "make",
    "make_parallel",
    "make_sb3",
    "make_vec",
]

# Where each public name lives. They are imported on first use, so that `import puzzlebox` costs nothing.
_HOMES = {
    "Task": "puzzlebox.arena.schema",
    "TaskError": "puzzlebox.arena.schema",
    "TaskWarning": "puzzlebox.arena.schema",
    "load_task": "puzzlebox.arena.schema",
    "Fork": "puzzlebox.arena.world",
    "Rules": "puzzlebox.arena.world",
    "World": "puzzlebox.arena.world",
    "make": "puzzlebox.arena.envs.arena",
    "make_parallel": "puzzlebox.arena.envs.parallel",
    "make_sb3": "puzzlebox.arena.envs.sb3",
    "make_vec": "puzzlebox.arena.envs.vector",
}
register_when_needed()


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'puzzlebox' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
