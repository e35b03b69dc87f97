"""Folders of tasks: the files found below them, and the message for one that cannot be read."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import puzzlebox
from puzzlebox.arena.envs.sources import places_of
from puzzlebox.cli.app import app
from puzzlebox.run.tasks import find_tasks

TASK = "arenas: [{time_limit: 4, items: [{name: Agent}]}]"
WAYS: Iterable[Callable[[str], Any]] = (puzzlebox.make, places_of, lambda folder: find_tasks([folder]))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.yml", "below/b.YAML", "below/.hidden/c.yml", ".hidden.yml", "below/notes.txt"):
        (tmp_path / "tasks" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tasks" / name).write_text(TASK)
    (tmp_path / "tasks" / "folder.yml").mkdir()
    return tmp_path / "tasks"


def test_the_tasks_below_a_folder_are_found(folder: Path) -> None:
    assert [name for name, _ in places_of(str(folder))] == ["a", "below/b"]


@pytest.mark.parametrize("way", WAYS)
def test_a_folder_that_cannot_be_read_is_named(
    way: Callable[[str], Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = os.scandir

    def scandir(path: Any) -> Any:
        if Path(path).name == "below":
            raise PermissionError(13, "Permission denied", str(path))
        return really(path)

    monkeypatch.setattr(os, "scandir", scandir)
    sentence = f"the folder {folder / 'below'} cannot be read: Permission denied; name another folder, or single files"
    with pytest.raises(ValueError) as refused:
        way(str(folder))
    assert str(refused.value) == sentence
    done = CliRunner().invoke(app, ["check", str(folder)])
    assert done.exit_code == 1 and done.stderr.strip() == f"error: {sentence}"


def test_a_folder_of_too_many_files_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("puzzlebox.arena.schema.folders.MOST_FILES", 3)
    with pytest.raises(ValueError, match=r"there are more than 3 files in .*; name the folder of the tasks"):
        places_of(str(folder))


@pytest.mark.parametrize("place", [place for place in ("/proc", "/proc/self", "/sys") if Path(place).is_dir()])
def test_pseudo_files_of_the_system_are_not_read(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("puzzlebox.arena.schema.folders.MOST_FILES", 0)
    with pytest.raises(FileNotFoundError, match="there are no task files"):
        places_of(place)
