"""What is handed out: notices of software by others, the files of the source distribution, its metadata."""

import re
import subprocess
import tarfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.metadata import Metadata
from packaging.requirements import Requirement

from conftest import ROOT
from puzzlebox.studio.static import load_page_files
from shipping import copy_of_source, make_sdist

PAGE = ROOT / "src" / "puzzlebox" / "studio" / "static"
NOTICES = ROOT / "THIRD-PARTY-NOTICES.txt"
# Private files that may lie in a developer's folder; none of them may be shipped.
JUNK = [
    ".env",
    ".venv/lib/python3.11/site-packages/numpy/__init__.py",
    "recordings.sqlite",
    "recordings.sqlite.key",
    "notes.txt",
    "participants.csv",
    "build/cp311/generated.py",
    "dist/puzzlebox-0.0.1.tar.gz",
    "benchmarks/results/speed.json",
    "docs/images/.DS_Store",
    "native/core.12345",
    "runs/one/episodes.csv",
    "src/puzzlebox/.env",
    "src/puzzlebox/__pycache__/old.py",
    "src/puzzlebox/_native.so",
    "src/puzzlebox/record/recordings.sqlite",
    "tests/__pycache__/test_old.py",
    "tools/__pycache__/old.py",
    "web/.env.local",
    "web/node_modules/three/index.ts",
    "web/src/node_modules/three/index.ts",
]


# --- notices


def test_the_notices_are_those_of_the_page_that_was_built() -> None:
    assert NOTICES.read_text() == (PAGE / "notices.txt").read_text(), "run `make generated`"


@pytest.mark.parametrize("name", ["three", "svelte", "nanobind", "robin-map"])
def test_each_built_in_library_is_listed_with_its_licence(name: str) -> None:
    notices = re.split(r"^-{80}\n\n", NOTICES.read_text(), flags=re.M)
    (notice,) = [each for each in notices if re.match(rf"{name}( \S+)? \((MIT|BSD-3-Clause)\)\n", each)]
    assert re.search(r"copyright \(c\)|copyright ©", notice, re.I)
    assert re.search(r"provided( by .*)? .as is.", notice, re.I | re.S)


def test_the_notice_of_nanobind_is_the_one_it_comes_with() -> None:
    (text,) = [file.read_text() for file in metadata.files("nanobind") or [] if file.name == "LICENSE"]
    assert text.strip() in NOTICES.read_text()


def test_the_studio_shows_the_notices() -> None:
    file = load_page_files()["/notices.txt"]
    assert file.media_type == "text/plain; charset=utf-8"
    assert file.data.decode() == NOTICES.read_text()


# --- the source distribution


@pytest.fixture(autouse=True)
def with_git(request: pytest.FixtureRequest) -> None:
    if "source" in request.node.name and not (ROOT / ".git").exists():
        pytest.skip("only where git says which files are ours")


def test_the_source_distribution_holds_what_git_knows_and_the_page(tmp_path: Path) -> None:
    known = set(subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines())
    source = copy_of_source(tmp_path / "source")
    for junk in JUNK:
        (source / junk).parent.mkdir(parents=True, exist_ok=True)
        (source / junk).write_text("import secrets")
    with tarfile.open(make_sdist(source, tmp_path)) as archive:
        held = {name.split("/", 1)[1] for name in archive.getnames()}
    page = {path.relative_to(ROOT).as_posix() for path in PAGE.rglob("*") if path.is_file()}
    assert held == {name for name in known if not name.startswith(".")} | page | {"PKG-INFO"}


def test_a_source_distribution_without_the_page_is_refused(tmp_path: Path) -> None:
    source = copy_of_source(tmp_path / "source")
    (source / PAGE.relative_to(ROOT) / "index.html").unlink()
    with pytest.raises(subprocess.CalledProcessError) as refused:
        make_sdist(source, tmp_path)
    assert "studio/static/index.html" in refused.value.stderr


# --- the metadata


def test_the_metadata_are_valid_and_complete(tmp_path: Path) -> None:
    source = copy_of_source(tmp_path / "source")
    with tarfile.open(make_sdist(source, tmp_path)) as archive:
        (file,) = [member for member in archive if member.name.endswith("/PKG-INFO")]
        content = archive.extractfile(file)
        assert content is not None
        given = Metadata.from_email(content.read(), validate=True)
    assert given.license_expression == "Apache-2.0"
    assert given.license_files == ["LICENSE", "THIRD-PARTY-NOTICES.txt"]
    assert str(given.requires_python) == ">=3.11"
    assert given.description and given.description_content_type == "text/markdown"
    extras = set(given.provides_extra or [])
    (everything,) = [each for each in given.requires_dist or [] if str(each.marker) == 'extra == "all"']
    assert Requirement(str(everything)).extras == extras - {"all", "dev", "dreamer"}
