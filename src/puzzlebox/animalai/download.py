"""Fetching the original's program: there is none to fetch."""

from pathlib import Path
from typing import Any

from puzzlebox import __version__
from puzzlebox.animalai.executable import find_executable
from puzzlebox.animalai.notes import LOG


def download_binary(*asked: Any, **settings: Any) -> Path:
    """Say that nothing is fetched, whatever is asked for, and return a name to pass on as `file_name`."""
    LOG.warning("there is nothing to download: Puzzlebox runs without Animal-AI's program")
    return find_executable()


def get_package_version() -> str:
    """The version of this package."""
    return __version__
