"""A damaged archive of the testbed is reported in one sentence that names it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from puzzlebox.batteries import battery_names, battery_text, testbed


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the archive of level 3 in a copy that is used instead of the real one."""
    shutil.copytree(testbed.TESTBED / "03", tmp_path / "03")
    monkeypatch.setattr(testbed, "TESTBED", tmp_path)
    testbed.forget_archives()
    yield tmp_path / "03" / testbed.ARCHIVE
    testbed.forget_archives()


def test_a_cut_archive_is_named(archive: Path) -> None:
    archive.write_bytes(archive.read_bytes()[:5000])
    with pytest.raises(OSError, match=r"03.tasks\.zip is damaged") as caught:
        battery_names()
    assert "install Puzzlebox again" in str(caught.value)


def test_changed_bytes_of_a_task_are_noticed(archive: Path) -> None:
    names = battery_names()
    data = bytearray(archive.read_bytes())
    for place in range(2_000, 2_600):
        data[place] ^= 0x5A
    archive.write_bytes(data)
    testbed.forget_archives()
    damaged = 0
    for name in (*battery_names("testbed-held-out"), *names):
        try:
            battery_text(name)
        except OSError as problem:
            damaged += 1
            assert name in str(problem) and "install Puzzlebox again" in str(problem)
    assert damaged > 0
