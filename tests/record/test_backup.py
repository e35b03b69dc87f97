"""`puzzlebox backup`: complete copies while participants play, file permissions, and restoring."""

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

from puzzlebox.arena.world import World
from puzzlebox.cli.app import app
from puzzlebox.record import Store, StoreError
from puzzlebox.record.entries import Start
from puzzlebox.record.recorder import Recorder
from puzzlebox.studio.links import Link, Links
from test_forget import played
from worlds import AGENT, GOAL, task_of

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
    result = backup(copy, "--data", recordings)
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{copy}\n"
    assert f"copied 3 episodes with 30 steps from {recordings}" in result.stderr
    whole, again = Store(recordings), Store(copy)
    assert again.episodes() == whole.episodes()
    assert all(again.steps(each.id) == whole.steps(each.id) for each in whole.episodes())
    assert os.name != "posix" or mode(copy) == 0o600
    assert sorted(each.name for each in tmp_path.iterdir() if "copy" in each.name) == ["copy.sqlite"]


def test_an_earlier_copy_is_replaced_only_with_force(recordings: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    with Store(copy) as store:
        played(store, TASK)
    result = backup(copy, "--data", recordings)
    assert result.exit_code == 1
    assert result.stderr == f"error: {copy} already exists; name another file, or add --force to replace it\n"
    assert Store(copy).count() == 1
    assert backup(copy, "--data", recordings, "--force").exit_code == 0
    assert Store(copy).count() == 3
    for target, sentence in ((recordings, "is the file of recordings itself"), (tmp_path, "is a folder")):
        result = backup(target, "--data", recordings, "--force")
        assert result.exit_code == 1 and sentence in result.stderr


@pytest.mark.parametrize("name", ["note.txt", "null", "pipe", "empty"])
def test_files_other_than_recordings_are_never_replaced(recordings: Path, tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    if name == "pipe":
        os.mkfifo(target)
    elif name == "null":
        target.symlink_to("/dev/null")
    else:
        target.write_bytes(b"" if name == "empty" else b"mine " * 30)
    before = target.lstat()
    result = backup(target, "--data", recordings, "--force")
    assert result.exit_code == 1 and f"error: {target} " in result.stderr
    after = target.lstat()
    assert (after.st_ino, after.st_size, after.st_mtime_ns) == (before.st_ino, before.st_size, before.st_mtime_ns)


def test_the_journal_of_the_recordings_is_not_replaced(recordings: Path) -> None:
    with Store(recordings) as store:
        played(store, TASK)
        store.flush()
        journal = recordings.with_name("r.sqlite-wal")
        before = journal.read_bytes()
        assert backup(journal, "--data", recordings, "--force").exit_code == 1
        assert journal.read_bytes() == before and before
    assert Store(recordings).count() == 4


def test_a_secret_is_written_over_no_other_file(recordings: Path, tmp_path: Path) -> None:
    Links.for_store(recordings)
    other = tmp_path / "copy.sqlite.key"
    other.write_text("a key of something else")
    result = backup(tmp_path / "copy.sqlite", "--data", recordings, "--with-key", "--force")
    assert result.exit_code == 1 and f"error: {other} already exists and is not" in result.stderr
    assert other.read_text() == "a key of something else"
    assert not (tmp_path / "copy.sqlite").exists()


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal", ".lock", ".key", ".aside.jsonl", "-WAL"])
def test_names_of_files_beside_recordings_are_refused(recordings: Path, tmp_path: Path, ending: str) -> None:
    target = tmp_path / f"new.sqlite{ending}"
    result = backup(target, "--data", recordings, "--force")
    assert result.exit_code == 1
    assert result.stderr == (
        f"error: {target} ends in {ending}, like the files that Puzzlebox keeps beside a file of recordings; "
        "name the copy something else, such as copy.sqlite\n"
    )
    assert not target.exists()


def test_where_nothing_can_be_written_the_target_is_named(recordings: Path, tmp_path: Path) -> None:
    for target, why in (
        (tmp_path / "no" / "copy.sqlite", f"there is no folder {tmp_path / 'no'}; make it, or name another one"),
        (tmp_path / ("x" * 300), "File name too long"),
        (tmp_path / ("x" * 252), "File name too long"),
    ):
        result = backup(target, "--data", recordings)
        assert (result.exit_code, result.stderr) == (1, f"error: {target} cannot be written: {why}\n")
    for none in (tmp_path / "none.sqlite", tmp_path / ("x" * 300)):
        result = backup(tmp_path / "new.sqlite", "--data", none)
        assert result.exit_code == 1 and f"error: there is no file {none}" in result.stderr


@posix
def test_a_full_disk_is_reported_for_the_target_and_not_for_the_recordings(recordings: Path, tmp_path: Path) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    room = 36_864  # enough for SQLite's own files, but not for the copy
    with closing(sqlite3.connect(recordings)) as connection, connection:
        connection.execute("INSERT INTO tasks VALUES ('long', hex(zeroblob(30000)))")
    copy = tmp_path / "copy.sqlite"
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        result = backup(copy, "--data", recordings)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert result.exit_code == 1 and f"error: {copy} cannot be written: disk I/O error; " in result.stderr
    assert not [each for each in tmp_path.iterdir() if "copy" in each.name]


def test_a_full_disk_is_reported(recordings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy, connect = tmp_path / "copy.sqlite", sqlite3.connect

    def small(path: Any, *more: Any, **how: Any) -> sqlite3.Connection:
        connection = connect(path, *more, **how)
        if "copy" in str(path):
            connection.execute("PRAGMA max_page_count = 2")
        return connection

    monkeypatch.setattr(sqlite3, "connect", small)
    result = backup(copy, "--data", recordings)
    assert (result.exit_code, result.stderr) == (
        1,
        f"error: {copy} cannot be written: database or disk is full; make room, or name a file on another disk\n",
    )
    assert not [each for each in tmp_path.iterdir() if "copy" in each.name]


def test_a_copy_made_while_participants_play_is_consistent(recordings: Path, tmp_path: Path) -> None:
    """Each copy is consistent: every episode in it has all steps up to its last one."""
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
            # Between its start and its first step, an episode has no steps.
            steps = store.steps(each.id)["step"]
            assert steps == list(range(0, each.steps + 1, 3)) or (each.steps == 0 and steps == [])
    assert Store(recordings).count() >= Store(copies[-1]).count()


def test_a_damaged_file_is_not_copied(recordings: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(recordings)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'events_of_episode'").fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    with recordings.open("r+b") as file:
        file.seek((root - 1) * size + 20)
        file.write(b"\xff" * 40)
    result = backup(tmp_path / "copy.sqlite", "--data", recordings)
    assert result.exit_code == 1 and "restore a backup" in result.stderr
    # The index of events belongs to all episodes; which of them is read first decides the words.
    assert f" in {recordings} " in result.stderr and "malformed" in result.stderr
    assert [each.name for each in tmp_path.iterdir() if "copy" in each.name] == []


def test_the_key_of_the_links_is_copied_with_an_option_and_old_links_work_after_restoring(
    recordings: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.sqlite"
    result = backup(copy, "--data", recordings, "--with-key")
    assert result.exit_code == 1 and "leave out --with-key" in result.stderr
    links = Links.for_store(recordings)
    assert links is not None
    address = links.address(Link("P07", "foraging"))
    result = backup(copy, "--data", recordings)
    assert "the secret of the participants' links is not in it; --with-key copies it as well" in result.stderr
    assert not (tmp_path / "copy.sqlite.key").exists()
    result = backup(copy, "--data", recordings, "--with-key", "--force")
    assert result.stdout.split() == [str(copy), f"{copy}.key"]
    assert os.name != "posix" or mode(tmp_path / "copy.sqlite.key") == 0o600
    # As in the documentation: move the damaged files away, then restore the copy.
    episodes = Store(recordings).episodes()
    recordings.write_bytes(b"damaged")
    (tmp_path / "damaged").mkdir()
    for each in tmp_path.glob("r.sqlite*"):
        shutil.move(each, tmp_path / "damaged")
    assert backup(recordings, "--data", copy, "--with-key").exit_code == 0
    assert Store(recordings).episodes() == episodes
    again = Links.for_store(recordings, make=False)
    assert again is not None and again.read(address.partition("?")[2]) == Link("P07", "foraging")


def test_a_file_that_is_open_is_not_replaced(recordings: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    assert backup(copy, "--data", recordings).exit_code == 0
    with Store(recordings) as store:
        world = World(TASK)
        Recorder(store, Start.of(TASK), world)
        store.flush()
        result = backup(recordings, "--data", copy, "--force")
        assert result.exit_code == 1 and "stop the studio that has it open" in result.stderr
    assert backup(recordings, "--data", copy, "--force").exit_code == 0
    assert Store(recordings).count() == 3


def test_a_journal_that_was_left_behind_is_not_taken_over(recordings: Path, tmp_path: Path) -> None:
    (tmp_path / "new.sqlite-wal").write_bytes(b"of another file")
    result = backup(tmp_path / "new.sqlite", "--data", recordings)
    assert result.exit_code == 1 and "belongs to a file that was moved away" in result.stderr


# --- permissions


@posix
def test_a_file_of_recordings_is_its_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        path = tmp_path / "new" / "r.sqlite"
        with Store(path) as store:
            played(store, TASK)
            store.flush()
            Links.for_store(path)
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
def test_recordings_that_others_could_read_are_closed_to_them(recordings: Path) -> None:
    Links.for_store(recordings)
    secret = recordings.with_name("r.sqlite.key")
    for each in (recordings, secret):
        each.chmod(0o644)
    Store(recordings)
    assert [mode(each) for each in (recordings, secret)] == [0o600] * 2


@posix
@pytest.mark.parametrize("verb", [["export"], ["replay", "last"], ["forget", "P1", "--yes"], ["report"]])
def test_rights_of_a_file_that_is_not_ours_stay_as_they_are(
    tmp_path: Path, verb: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    notes, other = tmp_path / "notes.txt", tmp_path / "other.sqlite"
    notes.write_text("mine " * 1000)
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE mine (x)")
    for path in (notes, other):
        path.chmod(0o644)
        result = CliRunner().invoke(app, [*verb, *(["--store"] if verb != ["report"] else []), str(path)])
        assert result.exit_code == 1
        assert mode(path) == 0o644


@posix
def test_a_folder_given_by_mistake_keeps_its_rights(tmp_path: Path) -> None:
    folder = tmp_path / "recordings"
    folder.mkdir(0o755)
    with pytest.raises(StoreError, match="recordings"):
        Store(folder)
    assert mode(folder) == 0o755
