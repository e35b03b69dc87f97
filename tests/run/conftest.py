"""A run that tests may damage."""

import shutil
from pathlib import Path

import pytest

from damaged_runs import play


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An undamaged run."""
    folder = tmp_path_factory.mktemp("played") / "out"
    play(folder)
    return folder


@pytest.fixture
def out(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played, tmp_path / "out"))
