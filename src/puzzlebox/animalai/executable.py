"""The search for the original's program, which is not needed here."""

from os import PathLike
from pathlib import Path


def find_executable(base: "str | PathLike[str]" = "") -> Path:
    """Return a name to pass on as `file_name`, which has no effect."""
    return Path("puzzlebox")


def find_or_download_executable(base: "str | PathLike[str]" = "", auto_download: bool = True) -> Path:
    """Return the name of `find_executable`; nothing is downloaded."""
    return find_executable(base)
