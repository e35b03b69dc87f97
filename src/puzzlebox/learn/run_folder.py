"""The folder of a run of training: `run.json`, the lock, and whether a run there can be resumed."""

import json
import platform
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from puzzlebox.file_lock import lock_file
from puzzlebox.learn.checkpoints import resumable
from puzzlebox.learn.files import read_json, write_json
from puzzlebox.learn.settings import GROUPS

RUN, FORMAT = "run.json", 1
_LOCK = ".lock"
_KEYS = (
    *("preset", *GROUPS, "wing", "sources", "tasks", "curriculum", "stages", "seed", "steps"),
    *("evaluation", "evaluation_sources", "evaluate_every"),
)
# What a run that is resumed may change: more decisions, evaluations, and how its tasks are named, if they are the same.
_MAY_CHANGE = ("sources", "steps", "evaluation", "evaluation_sources", "evaluate_every")
_PACKAGES = ("puzzlebox", "torch", "numpy", "gymnasium", "stable-baselines3", "sheeprl", "sapien", "mujoco")


class RunFolder:
    """The folder of a run, locked against other processes.

    Args:
        folder: the folder.
        plan: what determines the run, as plain values.
        resume: whether a run that is there is resumed.
        command: the command line.
        device: where the learner computes.

    Attributes:
        folder: the folder.

    Raises:
        ValueError: the folder holds another run or other files, or a run that is not to be resumed.
        BlockingIOError: another process trains in it.
    """

    def __init__(
        self, folder: Path, plan: Mapping[str, Any], *, resume: bool, command: str = "", device: str = "cpu"
    ) -> None:
        self.folder = folder
        now = json.loads(json.dumps(dict(plan), default=str))
        _read_before(folder, now, resume)  # a folder that is refused gets no lock file
        # The folders that are made for the run, the innermost first.
        self._made = [each for each in (folder, *folder.parents) if not each.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        self._lock: IO[Any] = (folder / _LOCK).open("a")
        if not lock_file(self._lock):
            self._lock.close()
            raise BlockingIOError(f"another command is training in {folder} just now")
        try:
            # Read again under the lock: another command may have written since.
            before = _read_before(folder, now, resume)
        except BaseException:
            self._lock.close()
            raise
        commands = list(before["commands"]) if before else []
        part = {
            "command": command,
            "folder": str(Path.cwd()),
            "device": device,
            "started": _time(),
            "versions": _versions(),
        }
        self._data = {"format": FORMAT, **now, "commands": [*commands, part]}
        write_json(folder / RUN, self._data)

    def abandon(self) -> None:
        """Remove the file of a run that could not begin and folders made for it; one that is resumed stays."""
        if len(self._data["commands"]) > 1 or resumable(self.folder) is not None:
            return
        (self.folder / RUN).unlink(missing_ok=True)
        if self._made:
            with suppress(OSError):  # something else is in a folder, or the system keeps files that are open
                (self.folder / _LOCK).unlink()
                for each in self._made:
                    each.rmdir()

    def close_part(self, step: int) -> None:
        """Note that this command is over, and how far it came."""
        self._data["commands"][-1] |= {"finished": _time(), "step": step}
        write_json(self.folder / RUN, self._data)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.close()


def _read_before(folder: Path, now: Mapping[str, Any], resume: bool) -> dict[str, Any] | None:
    """Return the run that a folder holds; None if it holds none.

    Raises:
        ValueError: the folder cannot be used for the run `now`.
    """
    before = read_run(folder) if (folder / RUN).exists() else None
    if before is None:
        if folder.exists() and any(each.name != _LOCK for each in folder.iterdir()):
            raise ValueError(f"{folder} is not empty and no run of `puzzlebox train`; name another folder")
        if resume:
            raise ValueError(f"there is no run in {folder} to resume")
        return None
    if not resume:
        checkpoint = resumable(folder)
        where = "without a checkpoint" if checkpoint is None else f"with {checkpoint.step:,} decisions"
        raise ValueError(f"{folder} holds a run {where}; add --resume to resume it, or name another folder")
    difference = _difference(before, now)
    if difference:
        raise ValueError(f"{folder} holds another run: {difference}; name another folder")
    return before


def is_training(folder: Path) -> bool:
    """Return whether a process trains in a folder just now."""
    if not (folder / _LOCK).exists():
        return False
    with (folder / _LOCK).open("a") as file:
        return not lock_file(file)


def read_run(folder: Path) -> dict[str, Any]:
    """Return what `run.json` of a run of training holds.

    Raises:
        FileNotFoundError: there is no run.
        ValueError: the file is damaged, or is that of another kind of run.
    """
    if not (folder / RUN).exists():
        raise FileNotFoundError(f"there is no run of `puzzlebox train` in {folder}")
    data = read_json(folder / RUN)
    if "learner" not in data or "commands" not in data:
        raise ValueError(f"{folder} holds a run of another command; name another folder")
    if data.get("format") != FORMAT:
        raise ValueError(f"{folder} has the format {data.get('format')}, and this version reads {FORMAT}")
    missing = [name for name in _KEYS if name not in data]
    if missing:
        raise ValueError(f"{folder / RUN} is damaged: it lacks {missing[0]}")
    return data


def _difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return in words how a run differs from one before; "" if it is the same."""
    for name, value in now.items():
        old = before.get(name)
        if name in _MAY_CHANGE or old == value:
            continue
        if name == "tasks":
            return _task_difference(old or [], value)
        if name == "origin":
            return f"it started from {_origin_words(old)}, not from {_origin_words(value)}"
        if isinstance(old, dict) and isinstance(value, dict):
            key = next(each for each in (*value, *old) if old.get(each) != value.get(each))
            return f"{key} is {old.get(key)!r} there, not {value.get(key)!r}"
        return f"its {name} is {old!r}, not {value!r}"
    if now["steps"] < before["steps"]:
        return f"it has {before['steps']:,} decisions, not {now['steps']:,}"
    return ""


def _origin_words(origin: Mapping[str, Any] | None) -> str:
    return "new weights" if origin is None else f"{origin['path']} ({origin['weights'][:8]})"


def _task_difference(old: list[dict[str, str]], new: list[dict[str, str]]) -> str:
    hashes = {each["name"]: each["hash"] for each in new}
    for each in old:
        if each["name"] not in hashes:
            return f"it has the task {each['name']}"
        if hashes[each["name"]] != each["hash"]:
            return f"the task {each['name']} has changed since"
    return f"it has {len(old)} tasks, not {len(new)}"


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "system": platform.platform()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _time() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
