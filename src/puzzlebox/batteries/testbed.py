"""The testbed as data: folders of levels, the names of its tasks, and their texts, read from one archive a level.

Tasks of the battery are called `testbed/LL-TT-V` (level, task, variant), those of the held-out set
`testbed-held-out/LL-K-N` (level, kind, number). The training space is no list of tasks: `testbed-train/LL` is that of
a level, and `testbed-train/LL/TEMPLATE` that of one of its templates.
"""

import zlib
from functools import cache
from pathlib import Path
from zipfile import BadZipFile, ZipFile

TESTBED = Path(__file__).parent / "arena" / "testbed"
BATTERY, HELD_OUT, TRAINING = "testbed", "testbed-held-out", "testbed-train"
# The titles of what is a list of tasks.
TITLES = {BATTERY: "The testbed", HELD_OUT: "The held-out set of the testbed"}
ARCHIVE, MANIFEST, LEVEL_FILE, ENDING = "tasks.zip", "manifest.csv", "level.yml", ".yml"
# What reading a damaged archive raises: directory, checksum, compressed data, method, text.
_DAMAGE = (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, UnicodeDecodeError)


def level_folders() -> list[Path]:
    """Return the folders of all levels, in order."""
    return sorted(path.parent for path in TESTBED.glob(f"*/{LEVEL_FILE}"))


@cache
def _archives() -> dict[str, Path]:
    """Return the archive of each task of the battery and of the held-out set, by name, in order.

    Raises:
        OSError: an archive is missing or damaged, or another file of a built level is missing.
    """
    archives: dict[str, Path] = {}
    for folder in sorted({path.parent for name in (MANIFEST, ARCHIVE) for path in TESTBED.glob(f"*/{name}")}):
        path = folder / ARCHIVE
        for needed in (path, folder / MANIFEST, folder / LEVEL_FILE):
            if not needed.exists():
                raise broken(f"{needed} is missing")
        try:
            with ZipFile(path) as archive:
                archives |= {name.removesuffix(ENDING): path for name in archive.namelist()}
        except _DAMAGE:
            raise broken(f"{path} is damaged") from None
    return dict(sorted(archives.items()))


def battery_names(battery: str = BATTERY) -> tuple[str, ...]:
    """Return the names of all tasks of the testbed, or of its held-out set, in order."""
    return tuple(name for name in _archives() if name.startswith(f"{battery}/"))


def archive_of(name: str) -> Path | None:
    """Return the archive of a task of the testbed or its held-out set; None if no task has that name."""
    return _archives().get(name) if name.startswith((f"{BATTERY}/", f"{HELD_OUT}/")) else None


def battery_text(name: str) -> str | None:
    """Return the text of a task of the testbed or its held-out set; None if no task has that name.

    Raises:
        OSError: an archive is missing or damaged.
    """
    path = archive_of(name)
    if path is None:
        return None
    try:
        with ZipFile(path) as archive:
            return archive.read(f"{name}{ENDING}").decode()
    except _DAMAGE:
        raise broken(f"{name} in {path} is damaged") from None


def broken(what: str) -> OSError:
    """Return the error of a file of the testbed that is missing or damaged; without an errno, it says everything."""
    return OSError(f"{what}; install Puzzlebox again")


@cache
def training_names() -> tuple[str, ...]:
    """Return the names of the training space: each level, followed by each of its templates."""
    names = []
    for folder in level_folders():
        names.append(f"{TRAINING}/{folder.name}")
        templates = sorted(path.stem for path in folder.glob(f"*{ENDING}") if path.name != LEVEL_FILE)
        names += [f"{TRAINING}/{folder.name}/{template}" for template in templates]
    return tuple(names)


def training_files(name: str) -> list[Path]:
    """Return the files of the templates of a part of the training space; none if there is no such part."""
    if name not in training_names():
        return []
    own = [each for each in training_names() if each.startswith(f"{name}/")] or [name]
    return [TESTBED / f"{each.removeprefix(f'{TRAINING}/')}{ENDING}" for each in own]


def forget_archives() -> None:
    """Read the archives again when they are next needed, after they were written."""
    _archives.cache_clear()
