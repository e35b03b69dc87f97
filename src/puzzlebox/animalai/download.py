"""The download of the original's program, which is not needed here."""

from pathlib import Path
from typing import Any

from puzzlebox import __version__
from puzzlebox.animalai.executable import find_executable
from puzzlebox.animalai.notes import LOG


def download_binary(*args: Any, **settings: Any) -> Path:
    """Log that nothing is downloaded, and return a name to pass on as `file_name`; all arguments are ignored."""
    LOG.warning("there is nothing to download: Puzzlebox runs without Animal-AI's program")
    return find_executable()


def get_package_version() -> str:
    """Return the version of this package."""
    return __version__
