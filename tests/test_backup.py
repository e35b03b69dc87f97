"""`puzzlebox backup`: a whole copy while people play, for its owner alone; and how it is restored."""

import os
import shutil
import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from living import AGENT, GOAL, task_of
from puzzlebox.cli import app
from puzzlebox.lab import Store
from puzzlebox.lab.recording import Recording
from puzzlebox.lab.rows import Start
from puzzlebox.studio.links import Link, Links
from puzzlebox.world import World
from test_forget import played

TASK = task_of(AGENT, GOAL, time_limit=20)
posix = pytest.mark.skipif(os.name != "posix", reason="rights of files are POSIX's")


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    path = tmp_path / "r.sqlite"
    with Store(path) as store:
        for number in range(3):
            played(store, TASK, participant=f"P{number}")
    return path


def backup(target: Path, *more: object) -> Any:
    return CliRunner().invoke(app, ["backup", str(target), *map(str, more)])


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_copy_holds_everything_and_is_its_owners(recordings: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    done = backup(copy, "--data", recordings)
    assert done.exit_code == 0, done.output
    assert done.stdout == f"{copy}\n"
    assert f"copied 3 episodes with 30 steps from {recordings}" in done.stderr
    whole, again = Store(recordings), Store(copy)
    assert again.episodes() == whole.episodes()
    assert all(again.steps(each.id) == whole.steps(each.id) for each in whole.episodes())
    assert os.name != "posix" or mode(copy) == 0o600
    assert sorted(each.name for each in tmp_path.iterdir() if "copy" in each.name) == ["copy.sqlite"]


def test_an_earlier_copy_is_replaced_only_when_told(recordings: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    copy.write_text("mine")
    done = backup(copy, "--data", recordings)
    assert done.exit_code == 1
    assert done.stderr == f"error: {copy} is already there; name another file, or add --force to replace it\n"
    assert copy.read_text() == "mine"
    assert backup(copy, "--data", recordings, "--force").exit_code == 0
    assert Store(copy).count() == 3
    for target, sentence in ((recordings, "is the file of recordings itself"), (tmp_path, "is a folder")):
        done = backup(target, "--data", recordings, "--force")
        assert done.exit_code == 1 and sentence in done.stderr
    done = backup(tmp_path / "no" / "copy.sqlite", "--data", recordings)
    assert done.exit_code == 1 and "cannot be written: No such file or directory" in done.stderr
    done = backup(tmp_path / "new.sqlite", "--data", tmp_path / "none.sqlite")
    assert done.exit_code == 1 and "there are no episodes yet" in done.stderr


def test_while_people_play(recordings: Path, tmp_path: Path) -> None:
    """Each copy holds a moment: every episode in it has all steps up to its last one."""
    copies = [tmp_path / f"{number}.sqlite" for number in range(5)]
    over = threading.Event()

    def play() -> None:
        with Store(recordings) as store:
            while not over.is_set():
                played(store, TASK)

    player = threading.Thread(target=play)
    player.start()
    try:
        for copy in copies:
            assert backup(copy, "--data", recordings).exit_code == 0
    finally:
        over.set()
        player.join()
    for copy in copies:
        store = Store(copy)
        assert store.count() >= 3
        for each in store.episodes():
            assert store.steps(each.id)["step"] == list(range(0, each.steps + 1, 3))
    assert Store(recordings).count() >= Store(copies[-1]).count()


def test_a_damaged_file_is_not_copied(recordings: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(recordings)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'events_of_episode'").fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    with recordings.open("r+b") as file:
        file.seek((root - 1) * size + 20)
        file.write(b"\xff" * 40)
    done = backup(tmp_path / "copy.sqlite", "--data", recordings)
    assert done.exit_code == 1 and "are damaged (" in done.stderr and "restore a backup" in done.stderr
    assert [each.name for each in tmp_path.iterdir() if "copy" in each.name] == []


def test_the_secret_of_the_links_is_copied_when_told_and_the_restored_studio_knows_old_links(
    recordings: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.sqlite"
    done = backup(copy, "--data", recordings, "--with-key")
    assert done.exit_code == 1 and "no links for participants were made" in done.stderr
    links = Links.beside(recordings)
    assert links is not None
    address = links.address(Link("P07", "foraging"))
    done = backup(copy, "--data", recordings)
    assert "the secret of the participants' links is not in it; --with-key copies it as well" in done.stderr
    assert not (tmp_path / "copy.sqlite.key").exists()
    done = backup(copy, "--data", recordings, "--with-key", "--force")
    assert done.stdout.split() == [str(copy), f"{copy}.key"]
    assert os.name != "posix" or mode(tmp_path / "copy.sqlite.key") == 0o600
    # As the documentation says: what is damaged goes away, and the copy comes back.
    episodes = Store(recordings).episodes()
    recordings.write_bytes(b"damaged")
    (tmp_path / "damaged").mkdir()
    for each in tmp_path.glob("r.sqlite*"):
        shutil.move(each, tmp_path / "damaged")
    assert backup(recordings, "--data", copy, "--with-key").exit_code == 0
    assert Store(recordings).episodes() == episodes
    again = Links.beside(recordings, make=False)
    assert again is not None and again.read(address.partition("?")[2]) == Link("P07", "foraging")


def test_a_file_that_is_open_is_not_replaced(recordings: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    assert backup(copy, "--data", recordings).exit_code == 0
    with Store(recordings) as store:
        world = World(TASK)
        Recording(store, Start.of(TASK), world)
        store.flush()
        done = backup(recordings, "--data", copy, "--force")
        assert done.exit_code == 1 and "stop the studio that has it open" in done.stderr
    assert backup(recordings, "--data", copy, "--force").exit_code == 0
    assert Store(recordings).count() == 3


def test_a_journal_that_was_left_behind_is_not_taken_over(recordings: Path, tmp_path: Path) -> None:
    (tmp_path / "new.sqlite-wal").write_bytes(b"of another file")
    done = backup(tmp_path / "new.sqlite", "--data", recordings)
    assert done.exit_code == 1 and "belongs to a file that was moved away" in done.stderr


# --- rights


@posix
def test_a_file_of_recordings_is_its_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        path = tmp_path / "new" / "r.sqlite"
        with Store(path) as store:
            played(store, TASK)
            store.flush()
            Links.beside(path)
            files = sorted(path.parent.iterdir())
            assert [each.name for each in files] == [
                "r.sqlite",
                "r.sqlite-shm",
                "r.sqlite-wal",
                "r.sqlite.key",
                "r.sqlite.lock",
            ]
            assert [mode(each) for each in files] == [0o600] * 5
    finally:
        os.umask(before)


@posix
def test_one_that_others_could_read_is_closed_to_them(recordings: Path) -> None:
    Links.beside(recordings)
    secret = recordings.with_name("r.sqlite.key")
    for each in (recordings, secret):
        each.chmod(0o644)
    Store(recordings)
    assert [mode(each) for each in (recordings, secret)] == [0o600] * 2
