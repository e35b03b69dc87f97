"""What every test may ask for: the reference data of the originals, read in place."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import browser

# The same examples in every run, so that a change fails for its own reasons; the slow suite draws new ones.
settings.register_profile("steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")

ROOT = Path(__file__).resolve().parent.parent
_ABSENT = "no reference data (set PUZZLEBOX_REFERENCE to its folder)"


def reference_folder() -> Path | None:
    """The folder of reference data, or None when there is none and nobody promised one."""
    promised = os.environ.get("PUZZLEBOX_REFERENCE")
    folder = Path(promised) if promised else ROOT.parent / "shared"
    if (folder / "data" / "animal-ai").is_dir():
        return folder
    if promised:
        raise pytest.UsageError(f"PUZZLEBOX_REFERENCE is {promised}, but the reference data are not there")
    return None


def pytest_configure() -> None:
    """Fail before the first test when promised data are missing."""
    reference_folder()


def reference_files() -> list[Path]:
    """The task files of the original, if they are here."""
    folder = reference_folder()
    return sorted((folder / "data" / "animal-ai").rglob("*.y*ml")) if folder else []


def each_reference_file(every: int = 1) -> list[Any]:
    """The same as parameters of a test, one that is skipped where they are not here."""
    skipped = pytest.param(None, marks=pytest.mark.skip(reason=_ABSENT))
    return [pytest.param(path, id=path.name) for path in reference_files()[::every]] or [skipped]


@pytest.fixture(scope="session")
def reference() -> Path:
    folder = reference_folder()
    if folder is None:
        pytest.skip(_ABSENT)
    return folder


@pytest.fixture
def unpainted_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports without the pictures of their figures, which take most of the time: for tests that read the words."""
    from puzzlebox.report.figures import looks

    def save(drawing: looks.Drawing, folder: Path) -> tuple[bytes, list[Path]]:
        paths = [folder / f"{drawing.name}.{ending}" for ending in ("png", "pdf")]
        for path in paths:
            path.write_bytes(b"")
        return b"", paths

    monkeypatch.setattr(looks, "save", save)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser of all tests of a process: Playwright can be started only once in it."""
    lacking = browser.missing()
    if lacking is not None:
        if os.environ.get("PUZZLEBOX_REQUIRE_BROWSER"):
            pytest.fail(lacking, pytrace=False)
        pytest.skip(lacking)
    from playwright.sync_api import sync_playwright

    program = browser.chromium()
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=browser.FLAGS)
        yield started
        started.close()
