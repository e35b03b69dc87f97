"""Fixtures of all tests: the reference data of the original, and the browser."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import browser
import pictures

# The same examples in every run, so that a failure is due to a change of the code; the slow suite draws new ones.
settings.register_profile(
    "steady", max_examples=50, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")

# The runs that tests may damage.
pytest_plugins = ["damaged_runs"]

ROOT = Path(__file__).resolve().parent.parent
_ABSENT = "no reference data (set PUZZLEBOX_REFERENCE to its folder)"


def reference_folder() -> Path | None:
    """Return the folder of reference data; None if there is none and PUZZLEBOX_REFERENCE is not set."""
    named = os.environ.get("PUZZLEBOX_REFERENCE")
    folder = Path(named) if named else ROOT.parent / "shared"
    if (folder / "data" / "animal-ai").is_dir():
        return folder
    if named:
        raise pytest.UsageError(f"PUZZLEBOX_REFERENCE is {named}, but the reference data are not there")
    return None


def pytest_configure() -> None:
    """Fail before the first test if PUZZLEBOX_REFERENCE names a folder without the data."""
    reference_folder()


def reference_files() -> list[Path]:
    """Return the task files of the original; empty without reference data."""
    folder = reference_folder()
    return sorted((folder / "data" / "animal-ai").rglob("*.y*ml")) if folder else []


def each_reference_file(every: int = 1) -> list[Any]:
    """Return the task files of the original as parameters of a test, which is skipped without reference data."""
    skipped = pytest.param(None, marks=pytest.mark.skip(reason=_ABSENT))
    return [pytest.param(path, id=path.name) for path in reference_files()[::every]] or [skipped]


@pytest.fixture(scope="session")
def reference() -> Path:
    folder = reference_folder()
    if folder is None:
        pytest.skip(_ABSENT)
    return folder


@pytest.fixture
def unpainted_figures() -> Iterator[None]:
    """Skip the painting of figures, for tests that only read the text of a report."""
    with pictures.figures_unpainted():
        yield


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Start the browser for all tests of a process: Playwright can be started only once in it."""
    reason = browser.missing()
    if reason is not None:
        if os.environ.get("PUZZLEBOX_REQUIRE_BROWSER"):
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    program = browser.chromium()
    with sync_playwright() as driver:
        instance = driver.chromium.launch(executable_path=program, args=browser.FLAGS)
        yield instance
        instance.close()
