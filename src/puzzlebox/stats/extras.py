"""Import of optional packages, with a message that says what to install."""

from importlib import import_module
from typing import Any


def import_extra(module: str) -> Any:
    """Import a module of the extra `stats`; if it is not installed, the error names the command that installs it."""
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise ModuleNotFoundError(
            f"statistics and reports need {package}; `pip install puzzlebox[stats]` brings it"
        ) from None
