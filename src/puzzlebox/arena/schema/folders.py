"""Task files below a folder."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

ENDINGS = (".yml", ".yaml")
# The testbed has 900 tasks; a folder with more files than this is probably a whole disk.
MOST_FILES = 200_000
# Folders of the operating system whose files come and go, and some of which never end.
_SYSTEM = tuple(Path(name) for name in ("/proc", "/sys", "/dev"))


def task_files(folder: Path) -> Iterator[Path]:
    """Yield the task files below a folder.

    Hidden folders, links to folders and folders of the system are skipped.

    Raises:
        ValueError: a folder cannot be read, or there are too many files.
    """
    file_count = 0
    for place, folders, files in os.walk(folder, onerror=_refuse):
        parent = Path(place)
        if any(parent.absolute().is_relative_to(each) for each in _SYSTEM):
            folders.clear()
            continue
        folders[:] = [name for name in folders if not name.startswith(".")]
        file_count += len(files)
        if file_count > MOST_FILES:
            raise ValueError(f"there are more than {MOST_FILES:,} files in {folder}; name the folder of the tasks")
        for name in files:
            path = parent / name
            if path.suffix.lower() in ENDINGS and not name.startswith(".") and os.path.isfile(path):
                yield path


def _refuse(problem: OSError) -> NoReturn:
    raise ValueError(
        f"the folder {problem.filename} cannot be read: {problem.strerror}; name another folder, or single files"
    ) from None
