"""Checkpoints: folders `checkpoints/STEP`, each complete once it is marked `done`, and the pointer `latest`.

A checkpoint is written into a folder aside, brought to the disk, renamed, and marked; only then does `latest` name it.
Whenever the program or the machine stops, `latest` names a complete checkpoint. `about.json` says what was trained and
on which tasks; `weights.pt` is all that playing needs. What only resuming needs (`RESUME` and files that begin with
`resume-`) is kept for the newest checkpoint alone, since a replay buffer can be large. The file `done` has the SHA-256
of each of these, as the program sha256sum writes it, and they are compared before anything is read from them.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, NamedTuple
from zipfile import BadZipFile

from puzzlebox.learn.files import read_json, remove_folder, sync_files, sync_folder, write_json, write_text

FOLDER, LATEST = "checkpoints", "latest"
ABOUT, WEIGHTS, RESUME, DONE = "about.json", "weights.pt", "resume.pt", "done"
# What resuming needs of `about.json`.
_PROGRESS = ("step", "episodes", "episodes_by_task", "curriculum_state", "seconds", "shares", "logs")
# Digits of the name of a checkpoint, so that names are in the order of steps.
_DIGITS = 12
# What torch, pickle and numpy raise for files that are cut off or hold something else.
UNREADABLE = (RuntimeError, EOFError, UnpicklingError, KeyError, ValueError, TypeError, AttributeError, BadZipFile)


class Checkpoint(NamedTuple):
    """A complete checkpoint: its folder, and the number of decisions until it was written."""

    folder: Path
    step: int

    @property
    def about(self) -> dict[str, Any]:
        """What was trained, on which tasks, and how far."""
        return read_json(self.folder / ABOUT)

    @property
    def progress(self) -> dict[str, Any]:
        """What `about` says, with all that resuming needs.

        Raises:
            ValueError: something is missing.
        """
        about = self.about
        missing = [name for name in _PROGRESS if name not in about]
        if missing:
            raise ValueError(f"{self.folder / ABOUT} is damaged: it lacks {missing[0]}")
        return about

    @property
    def weights_hash(self) -> str:
        """The SHA-256 of the weights.

        Raises:
            FileNotFoundError: there are none.
            ValueError: they are not those that were written.
        """
        self.check(WEIGHTS)
        return self._marks[WEIGHTS]

    def check(self, *names: str) -> None:
        """Compare files with what was written.

        Raises:
            FileNotFoundError: a file is missing.
            ValueError: a file is another one.
        """
        for name in names:
            if sha256_of(self.folder / name) != self._marks.get(name):
                raise ValueError(
                    f"{self.folder / name} is damaged: its SHA-256 is not the one in the file {DONE}{self._earlier()}"
                )

    @property
    def _marks(self) -> dict[str, str]:
        lines = (self.folder / DONE).read_text(encoding="utf-8", errors="replace").splitlines()
        pairs = [line.split(maxsplit=1) for line in lines]
        return {pair[1]: pair[0] for pair in pairs if len(pair) == 2}

    def _earlier(self) -> str:
        """Return a hint at the checkpoint before this one, if there is one."""
        home = self.folder.parent
        found = [each for each in checkpoints(home.parent) if each.step < self.step] if home.name == FOLDER else []
        return f"; the checkpoint before it is {found[-1].folder}" if found else ""


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def mark(folder: Path, names: Iterable[str]) -> str:
    """Return what the mark `done` holds for files of a folder."""
    return "".join(f"{sha256_of(folder / name)}  {name}\n" for name in sorted(names))


def write_checkpoint(run: Path, step: int, about: Mapping[str, Any], save: Callable[[Path], None]) -> Checkpoint:
    """Write the checkpoint of a step, and make it the latest.

    Args:
        run: the folder of the run.
        step: the number of decisions so far.
        about: what `about.json` holds.
        save: a function that writes the learner's files into a folder.
    """
    home = run / FOLDER
    home.mkdir(exist_ok=True)
    target = home / f"{step:0{_DIGITS}}"
    draft = home / f".{target.name}.part"
    remove_folder(draft)
    draft.mkdir()
    try:
        save(draft)
    except RuntimeError as problem:  # torch's words for a write that failed
        if "inline_container" not in str(problem) and "file write failed" not in str(problem):
            raise
        raise OSError(f"the checkpoint {target} could not be written; is the disk full?") from None
    write_json(draft / ABOUT, {"step": step, **about})
    marks = mark(draft, [each.name for each in draft.iterdir() if each.name != ABOUT])
    sync_files(draft)
    remove_folder(target)  # one that was never marked
    draft.rename(target)
    sync_folder(home)
    write_text(target / DONE, marks)
    write_text(run / LATEST, f"{FOLDER}/{target.name}\n")
    _tidy(home, target)
    return Checkpoint(target, step)


def _tidy(home: Path, newest: Path) -> None:
    """Remove drafts, checkpoints that were never marked, and what only resuming needs of older ones."""
    for each in _own_folders(home):
        if not each.name.isdecimal() or not (each / DONE).exists():
            remove_folder(each)
        elif each != newest:
            for file in each.glob("resume*"):
                file.unlink()


def _own_folders(home: Path) -> list[Path]:
    """Return the checkpoints and drafts in a folder; what somebody else put there is left alone."""
    return [each for each in home.iterdir() if each.name.removeprefix(".").removesuffix(".part").isdecimal()]


def checkpoints(run: Path) -> list[Checkpoint]:
    """Return the complete checkpoints of a run, the oldest first."""
    home = run / FOLDER
    found = [each for each in home.iterdir() if each.name.isdecimal()] if home.is_dir() else []
    return [Checkpoint(each, int(each.name)) for each in sorted(found) if (each / DONE).exists()]


def resumable(run: Path) -> Checkpoint | None:
    """Return the newest complete checkpoint of a run; None if there is none yet."""
    found = checkpoints(run)
    return found[-1] if found else None


def forget_after(run: Path, step: int) -> None:
    """Remove what was written after a step, such as a checkpoint that was never marked."""
    home = run / FOLDER
    for each in _own_folders(home) if home.is_dir() else ():
        if not each.name.isdecimal() or not (each / DONE).exists() or int(each.name) > step:
            remove_folder(each)


def load(checkpoint: Checkpoint, read: Callable[[Path], None]) -> None:
    """Let a learner read what it needs to resume.

    Args:
        checkpoint: the checkpoint.
        read: the learner's function, called with the folder.

    Raises:
        ValueError: a file is missing or damaged.
    """
    checkpoint.check(*(each.name for each in sorted(checkpoint.folder.glob("resume*"))))
    try:
        read(checkpoint.folder)
    except FileNotFoundError as problem:
        name = Path(problem.filename or RESUME).name
        raise ValueError(f"{checkpoint.folder} has no {name}, so the run cannot be resumed") from None
    except UNREADABLE as problem:
        raise ValueError(
            f"the files of {checkpoint.folder} are damaged, so the run cannot be resumed: {type(problem).__name__}"
        ) from None


def find_checkpoint(path: Path) -> Checkpoint:
    """Return the checkpoint that a path means: a run, its `latest`, or a folder of `checkpoints`.

    Raises:
        FileNotFoundError: there is no checkpoint; the message says what there is.
        ValueError: it is damaged.
    """
    if (path / ABOUT).exists() and (path / DONE).exists():
        about = read_json(path / ABOUT)
        if not isinstance(about.get("step"), int):
            raise ValueError(f"{path / ABOUT} is damaged: it lacks step")
        return Checkpoint(path, about["step"])
    run = path.parent if path.name == LATEST and not path.is_dir() else path
    if (run / LATEST).is_file():
        named = run / (run / LATEST).read_text(encoding="utf-8").strip()
        if (named / DONE).exists():
            return find_checkpoint(named)
    newest = resumable(run) if run.is_dir() else None
    if newest is not None:
        return newest
    if path.parent.name == FOLDER and path.parent.is_dir():
        steps = ", ".join(str(each.step) for each in checkpoints(path.parent.parent)) or "none yet"
        raise FileNotFoundError(f"there is no checkpoint {path}; the run has {steps}")
    if (run / "run.json").exists():
        if "learner" not in read_json(run / "run.json"):
            raise FileNotFoundError(
                f"{run} is a folder of episodes (`puzzlebox run`), not of training; it has no agent"
            )
        raise FileNotFoundError(f"{run} has no checkpoint yet")
    raise FileNotFoundError(f"{path} is not a run of `puzzlebox train`, nor one of its checkpoints")
