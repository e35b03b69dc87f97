"""Puzzlebox: one virtual laboratory where animals, infants and machines meet the same tasks."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from puzzlebox.envs.registration import register_when_needed

if TYPE_CHECKING:
    from puzzlebox.envs.arena import make
    from puzzlebox.envs.parallel import make_parallel
    from puzzlebox.envs.vector import make_vec
    from puzzlebox.schema import Task, TaskError, TaskWarning, load_task
    from puzzlebox.world import Fork, Rules, World

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
    "make_vec",
]

# Where each public name lives. They are imported on first use, so that `import puzzlebox` costs nothing.
_HOMES = {
    "Task": "puzzlebox.schema",
    "TaskError": "puzzlebox.schema",
    "TaskWarning": "puzzlebox.schema",
    "load_task": "puzzlebox.schema",
    "Fork": "puzzlebox.world",
    "Rules": "puzzlebox.world",
    "World": "puzzlebox.world",
    "make": "puzzlebox.envs.arena",
    "make_parallel": "puzzlebox.envs.parallel",
    "make_vec": "puzzlebox.envs.vector",
}
register_when_needed()


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'puzzlebox' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
