"""What the statistics borrow from other packages, and what to install where it is not there."""

from importlib import import_module
from typing import Any


def needed(module: str) -> Any:
    """A module of the `stats` extra; one sentence where it is not installed."""
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise ModuleNotFoundError(
            f"statistics and reports need {package}; `pip install puzzlebox[stats]` brings it"
        ) from None
