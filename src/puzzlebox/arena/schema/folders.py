"""The task files below a folder."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

ENDINGS = (".yml", ".yaml")
# The testbed has 900 tasks; a folder with more files than this is somebody's whole disk.
MOST_FILES = 200_000
# What the system shows as files: they come and go, and some never end.
_SYSTEM = tuple(Path(name) for name in ("/proc", "/sys", "/dev"))


def task_files(folder: Path) -> Iterator[Path]:
    """The task files below a folder; hidden folders, links to folders and those of the system are not looked into.

    Raises:
        ValueError: a folder cannot be read, or there are too many files.
    """
    looked_at = 0
    for place, folders, files in os.walk(folder, onerror=_refuse):
        here = Path(place)
        if any(here.absolute().is_relative_to(each) for each in _SYSTEM):
            folders.clear()
            continue
        folders[:] = [name for name in folders if not name.startswith(".")]
        looked_at += len(files)
        if looked_at > MOST_FILES:
            raise ValueError(f"there are more than {MOST_FILES:,} files in {folder}; name the folder of the tasks")
        for name in files:
            path = here / name
            if path.suffix.lower() in ENDINGS and not name.startswith(".") and os.path.isfile(path):
                yield path


def _refuse(problem: OSError) -> NoReturn:
    raise ValueError(
        f"the folder {problem.filename} cannot be read: {problem.strerror}; name another folder, or single files"
    ) from None
