"""What every test may ask for: the reference data of the originals, read in place."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def reference_folder() -> Path | None:
    """The folder of reference data, or None when there is none and nobody promised one."""
    promised = os.environ.get("PUZZLEBOX_REFERENCE")
    folder = Path(promised) if promised else ROOT.parent / "shared"
    if (folder / "data" / "animal-ai").is_dir():
        return folder
    if promised:
        pytest.exit(f"PUZZLEBOX_REFERENCE is {promised}, but the reference data are not there", returncode=1)
    return None


def reference_files() -> list[Path]:
    """The task files of the original, if they are here."""
    folder = reference_folder()
    return sorted((folder / "data" / "animal-ai").rglob("*.y*ml")) if folder else []


@pytest.fixture(scope="session")
def reference() -> Path:
    folder = reference_folder()
    if folder is None:
        pytest.skip("no reference data (set PUZZLEBOX_REFERENCE to its folder)")
    return folder
