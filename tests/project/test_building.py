"""Wheels and source distributions have the same bytes wherever they are built; what is installed serves its page."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import urllib.request
from pathlib import Path

import pytest

import browser
from conftest import ROOT
from shipping import copy_of_source, make_sdist, make_wheel

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (ROOT / ".git").exists(), reason="only where git says which files are ours"),
]


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source."""
    return copy_of_source(tmp_path_factory.mktemp("first") / "source")


@pytest.fixture(scope="module")
def sdist(first: Path) -> Path:
    return make_sdist(first, first.parent / "dist")


@pytest.fixture(scope="module")
def second(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the source distribution holds, in another folder, with other times and permissions."""
    folder = tmp_path_factory.mktemp("second") / "with a longer name"
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (unpacked,) = folder.iterdir()
    for path in unpacked.rglob("*"):
        if path.is_file():
            path.chmod(path.stat().st_mode & ~0o077)
            os.utime(path, (1_000_000_000, 1_000_000_000))
    return unpacked


@pytest.fixture(scope="module")
def wheel(second: Path) -> Path:
    """The wheel, built from the source distribution."""
    return make_wheel(second, second.parent / "dist")


def test_a_source_distribution_of_a_source_distribution_is_the_same(sdist: Path, second: Path) -> None:
    assert make_sdist(second, second.parent / "dist").read_bytes() == sdist.read_bytes()


def test_a_wheel_built_twice_in_two_folders_is_the_same(first: Path, wheel: Path) -> None:
    again = make_wheel(first, first.parent / "dist")
    assert again.name == wheel.name
    assert again.read_bytes() == wheel.read_bytes()


def test_the_page_built_twice_in_two_folders_is_the_same(tmp_path: Path) -> None:
    source = copy_of_source(tmp_path / "another folder")
    for borrowed in ("web/node_modules", ".venv"):
        (source / borrowed).symlink_to(ROOT / borrowed)
    page = source / "src" / "puzzlebox" / "studio" / "static"
    before = {path.relative_to(page): path.read_bytes() for path in page.rglob("*") if path.is_file()}
    subprocess.run([source / "tools" / "npm", "run", "--silent", "build", "--", "--logLevel", "warn"], check=True)
    assert {path.relative_to(page): path.read_bytes() for path in page.rglob("*") if path.is_file()} == before


def test_an_installed_wheel_serves_its_page_without_node(wheel: Path, tmp_path: Path) -> None:
    """The packages it needs are those installed here; Puzzlebox itself is the one of the wheel."""
    room = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", room], check=True)
    python = room / "bin" / "python"
    subprocess.run([sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", wheel], check=True)
    (packages,) = room.glob("lib/python*/site-packages")
    (packages / "others.pth").write_text(sysconfig.get_path("purelib"))
    port = browser.free_port()
    started = subprocess.Popen(
        [room / "bin" / "puzzlebox", "--no-browser", "--port", str(port), "--data", tmp_path / "episodes.sqlite"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={"PATH": str(room / "bin"), "HOME": str(tmp_path)},
    )
    try:
        assert started.stdout is not None
        assert started.stdout.readline().startswith("http")

        def read(path: str) -> str:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=browser.TIMEOUT_SECONDS) as answer:
                return str(answer.read().decode())

        assert '<script type="module"' in read("/")
        assert read("/notices.txt") == (ROOT / "THIRD-PARTY-NOTICES.txt").read_text()
        assert "foraging" in read("/api/tasks")
        which = [python, "-c", "import puzzlebox._native; print(puzzlebox._native.__file__)"]
        assert subprocess.check_output(which, text=True, cwd=tmp_path).startswith(str(room))
    finally:
        started.terminate()
        started.wait(30)
        assert started.stdout is not None
        started.stdout.close()
