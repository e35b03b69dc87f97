"""A damaged file of recordings: one sentence wherever it is read, and all that can be read is exported."""

import csv
import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from living import AGENT, GOAL, task_of
from puzzlebox.cli import app
from puzzlebox.record import Store, StoreError
from puzzlebox.report import CannotRead, gather
from puzzlebox.studio import recordings
from puzzlebox.studio.server import warn_of_damage
from studio_page import running
from test_forget import played

EPISODES = 4
STEPS_BUT_TWO = "actions, time_ms, x, y, z, vx, vy, vz, heading, reward, total, health, view, flags, more"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "r.sqlite"
    with Store(path) as store:
        for number in range(EPISODES):
            task = task_of(AGENT, GOAL, time_limit=20 + number % 2)
            played(store, task, name=f"t{number % 2}", participant=f"P{number}", seed=number)
    with closing(sqlite3.connect(path)) as connection:  # everything in one file
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


@pytest.fixture
def path(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(whole, tmp_path / "r.sqlite"))


@pytest.fixture(scope="module")
def torn_whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A file in which one page with steps of one episode is full of zeros, and the id of that episode."""
    path = tmp_path_factory.mktemp("torn") / "r.sqlite"
    with Store(path) as store:
        task = task_of(AGENT, time_limit=150)
        ids = [played(store, task, name="t", participant=f"P{number}", seed=number) for number in range(EPISODES)]
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'steps'").fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    data = bytearray(path.read_bytes())
    page = data[(root - 1) * size : root * size]
    cells = [int.from_bytes(page[12 + 2 * n : 14 + 2 * n], "big") for n in range(int.from_bytes(page[3:5], "big"))]
    leaves = [int.from_bytes(page[cell : cell + 4], "big") for cell in cells]
    for leaf in leaves:
        torn = data[:]
        torn[(leaf - 1) * size : leaf * size] = bytes(size)
        path.write_bytes(torn)
        store = Store(path)
        if [id for id in ids if not _readable(store, id)] == [ids[2]]:
            return path, ids[2]
    raise AssertionError("no page holds steps of the third episode alone")


def _readable(store: Store, id: str) -> bool:
    try:
        return bool(store.steps(id))
    except StoreError:
        return False


@pytest.fixture
def torn(torn_whole: tuple[Path, str], tmp_path: Path) -> tuple[Path, str]:
    return Path(shutil.copy(torn_whole[0], tmp_path / "r.sqlite")), torn_whole[1]


def first_of(path: Path) -> str:
    return Store(path).episodes()[-1].id


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def command(*arguments: object) -> Any:
    """A verb; whatever it says, it says in words."""
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert done.exception is None or isinstance(done.exception, SystemExit), repr(done.exception)
    assert "Traceback" not in done.output
    return done


DAMAGES = {
    "UPDATE episodes SET rules = '{' WHERE number = 1": "the rules cannot be read as JSON",
    "UPDATE episodes SET rules = '[1]' WHERE number = 1": r"the rules are [1]",
    "UPDATE episodes SET seed = 'x' WHERE number = 1": "its `seed` is 'x'",
    "UPDATE episodes SET arena = 'x' WHERE number = 1": "its `arena` is 'x'",
    "UPDATE episodes SET total = 1e999 WHERE number = 1": "its `total` is inf",
    "UPDATE episodes SET task_hash = x'00' WHERE number = 1": "its `task_hash` is b'",
    "UPDATE episodes SET player = 'ghost' WHERE number = 1": "its `player` is 'ghost'",
    "UPDATE episodes SET rules = CAST(x'7bff' AS TEXT) WHERE number = 1": "its `rules` cannot be read (Could not",
    "UPDATE episodes SET participant = CAST(x'50ff' AS TEXT) WHERE number = 1": "its `participant` cannot be read",
    "UPDATE episodes SET task_hash = 'x' WHERE number = 1": "its task is missing",
    "DELETE FROM steps WHERE episode = 1 AND step = 12": "steps are missing after step 9",
    "UPDATE steps SET actions = '{oops' WHERE episode = 1 AND step = 12": "its step 12 holds something else",
    "UPDATE steps SET actions = CAST(x'ff' AS TEXT) WHERE episode = 1 AND step = 12": "its steps cannot be read",
    "UPDATE steps SET flags = 'x' WHERE episode = 1 AND step = 12": "its step 12 holds something else",
    "UPDATE steps SET actions = '9' WHERE episode = 1 AND step = 12": "its step 12 holds something else",
    "UPDATE steps SET x = 1e999 WHERE episode = 1 AND step = 12": "its step 12 holds something else",
    "UPDATE events SET details = '{\"latency\": NaN}' WHERE episode = 1": "the details of an event cannot be read",
    "UPDATE events SET details = '7' WHERE episode = 1": "the details of an event are 7",
    "UPDATE events SET step = 'x' WHERE episode = 1": "the `step` of an event is 'x'",
}


@pytest.mark.parametrize("statement", DAMAGES)
def test_one_damaged_episode_is_left_out_and_the_others_are_written(statement: str, path: Path, tmp_path: Path) -> None:
    id = first_of(path)
    change(path, statement)
    done = command("export", "--store", path, "-o", tmp_path / "out")
    assert done.exit_code == 1
    assert f"wrote {EPISODES - 1} episodes" in done.stderr
    assert f"error: the episode {id} in {path} is damaged: {DAMAGES[statement]}" in done.stderr
    assert "it was left out" in done.stderr
    for name in ("episodes", "steps", "events"):
        with (tmp_path / "out" / f"{name}.csv").open(newline="") as file:
            ids = {row["episode"] for row in csv.DictReader(file)}
        assert len(ids) == EPISODES - 1 and id not in ids
    results = gather([path])
    assert len(results.rows) == EPISODES - 1
    assert any("is damaged" in remark for remark in results.remarks)
    done = command("replay", id, "--store", path)
    assert done.exit_code == 1 and DAMAGES[statement] in done.stderr and not done.stdout
    before = path.read_bytes()
    # Whoever is asked for: P0 played the damaged episode, and P3 another one.
    for participant in ("P0", "P3"):
        done = command("forget", participant, "--yes", "--store", path)
        assert done.exit_code == 1 and done.stderr.count("\n") == 1 and not done.stdout
        assert f"nothing was deleted from {path}: the episode {id}" in done.stderr or "are damaged (" in done.stderr
    assert path.read_bytes() == before
    done = command("backup", tmp_path / "copy.sqlite", "--data", path)
    assert done.exit_code == 1 and DAMAGES[statement] in done.stderr and done.stderr.count("\n") == 1
    assert not list(tmp_path.glob("*copy*"))


def test_a_task_that_was_changed_is_said_of_whoever_played_it(path: Path, tmp_path: Path) -> None:
    theirs = [each.id for each in Store(path).episodes()[1::2]]
    change(path, "UPDATE tasks SET text = text || ' ' WHERE hash = (SELECT task_hash FROM episodes WHERE number = 1)")
    done = command("export", "--store", path, "-o", tmp_path / "out")
    assert done.exit_code == 1 and "wrote 2 episodes" in done.stderr
    for id in theirs:
        assert f"the episode {id} in {path} is damaged: its task is not the one that was recorded" in done.stderr
        assert command("replay", id, "--store", path).exit_code == 1


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("DELETE FROM tasks", "its task is missing"),
        ("UPDATE tasks SET text = 'arenas: []'", "its task is not the one that was recorded"),
        ("UPDATE episodes SET arena = 3", "there is no arena at position 3"),
        ("DELETE FROM steps WHERE step = 12", "steps are missing after step 9"),
        ("DELETE FROM steps WHERE step > 12", "those after step 12 are missing"),
        ("UPDATE steps SET actions = '11' WHERE step = 12", "action 4 is '11'"),
        ("UPDATE episodes SET rules = '{\"tempo\": 1}'", "rules have no field 'tempo'"),
    ],
)
def test_what_cannot_be_played_again_is_said(statement: str, sentence: str, path: Path, tmp_path: Path) -> None:
    change(path, statement)
    done = command("replay", "last", "--store", path, "-o", tmp_path / "film.gif")
    assert done.exit_code == 1
    assert sentence in done.stderr and "restore a backup" in done.stderr
    done = command("export", "--animalai", "--store", path, "-o", tmp_path / "log")
    assert done.exit_code == 1 and sentence in done.stderr and "wrote 0 episodes" in done.stderr
    command("report", path, "-o", tmp_path / "report")


@pytest.mark.parametrize("table", ["episodes", "steps", "events", "tasks"])
def test_a_table_that_is_gone_is_said(table: str, path: Path, tmp_path: Path) -> None:
    change(path, f"DROP TABLE {table}")
    for verb in (["export", "-o", tmp_path / "out"], ["replay", "last"], ["replay", "last", "-o", tmp_path / "p.png"]):
        done = command(*verb, "--store", path)
        needed = {"events": len(verb) == 2 or verb[0] == "export"}
        if needed.get(table, True):
            assert done.exit_code == 1 and f"are damaged (no such table: {table}" in done.stderr
    assert command("report", path, "-o", tmp_path / "report").exit_code == 1
    command("forget", "P1", "--yes", "--store", path)


@pytest.mark.parametrize("version", [0, -1, 2])
def test_a_format_that_never_was(version: int, path: Path) -> None:
    change(path, f"PRAGMA user_version = {version}")
    with pytest.raises(StoreError):
        Store(path)


def test_an_episode_whose_id_has_changed_in_one_of_two_places(path: Path, tmp_path: Path) -> None:
    """Its row says another id than the index it is found by."""
    id, data = Store(path).episodes()[0].id, path.read_bytes()
    assert data.count(id.encode()) == 2
    said = []
    for place in (data.index(id.encode()), data.rindex(id.encode())):
        path.write_bytes(data[:place] + b"0" * len(id) + data[place + len(id) :])
        for more in ([], ["-o", tmp_path / "last.png", "--size", "16"]):
            said.append(command("replay", "last", "--store", path, *more))
    assert [done.exit_code for done in said] == [1] * 4
    assert all("is damaged: it cannot be found by its id" in done.stderr for done in said)


def everything(path: Path, folder: Path) -> None:
    """Every reader there is; each answers or says a sentence."""
    for number, verb in enumerate((["export"], ["export", "--animalai"])):
        command(*verb, "--store", path, "-o", folder / f"out-{number}")
    for more in ([], ["-o", folder / "last.png", "--size", "16"]):
        command("replay", "last", "--store", path, *more)
    command("backup", folder / "copy.sqlite", "--data", path)
    try:
        gather([path])
    except CannotRead:
        pass
    try:
        store = Store(path)
        survey = store.survey()
        assert all("\n" not in sentence for sentence in survey.damaged)
    except StoreError:
        return
    for each in survey.episodes:
        readers: list[Callable[[], object]] = [
            lambda each=each: recordings.describe(store, each),  # type: ignore[misc]
            lambda each=each: recordings.read_columns(store, each.id),  # type: ignore[misc]
            lambda each=each: list(recordings.read_blocks(store, each.id)),  # type: ignore[misc]
            lambda each=each: store.events(each.id),  # type: ignore[misc]
        ]
        for reader in readers:
            try:
                reader()
            except (StoreError, KeyError, ValueError) as problem:
                assert "\n" not in str(problem)
    command("forget", "P2", "--yes", "--store", path)


@pytest.mark.parametrize(("first", "times"), [(0, 25), pytest.param(1000, 2000, marks=pytest.mark.slow)])
def test_whatever_happens_to_its_bytes_every_reader_says_a_sentence(
    first: int, times: int, whole: Path, tmp_path: Path
) -> None:
    data = whole.read_bytes()
    for number in range(first, first + times):
        chances, damaged = random.Random(number), bytearray(data)
        for _ in range(chances.choice([1, 3, 30, 300])):
            place = chances.randrange(len(damaged))
            damaged[place] ^= 1 << chances.randrange(8)
        if number % 5 == 0:
            del damaged[chances.randrange(len(damaged)) :]
        if number % 7 == 0:
            place = chances.randrange(len(damaged) or 1)
            damaged[place : place + 4096] = bytes(4096)
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "r.sqlite").write_bytes(damaged)
        try:
            everything(folder / "r.sqlite", folder)
        except BaseException:
            print("seed", number)
            raise
        shutil.rmtree(folder)


def test_the_studio_answers_with_a_sentence(path: Path, whole: Path) -> None:
    ids = [each.id for each in Store(path).episodes()]
    change(path, "UPDATE episodes SET rules = '{' WHERE number = 1")
    change(path, "UPDATE steps SET actions = '11' WHERE episode = 2")
    change(path, "UPDATE steps SET actions = 'x' WHERE episode = 3 AND step = 12")
    change(path, "DELETE FROM tasks WHERE hash = (SELECT task_hash FROM episodes WHERE number = 4)")
    with running(path) as studio:
        listed = studio.json("/api/recordings")
        assert not listed["recordings"]
        said = {each.split()[2]: each.partition(" is damaged: ")[2].partition(";")[0] for each in listed["damaged"]}
        assert said == {
            ids[3]: "the rules cannot be read as JSON",
            ids[2]: "its task is missing",
            ids[1]: "its step 12 holds something else than a step does",
            ids[0]: "its task is missing",
        }
        for id in ids:
            for what in ("", "/steps", "/frames", "/picture.png?width=32&height=32", "/film.gif?width=32&height=32"):
                status, _, body = studio.ask(f"/api/recordings/{id}{what}")
                assert status in (200, 400), (id, what, body)
                if status == 400:
                    assert "is damaged" in json.loads(body)["message"] or "agents" in json.loads(body)["message"]
        assert all(studio.ask(f"/api/recordings/{id}/frames")[0] == 400 for id in ids)


# --- steps that cannot be read


@pytest.mark.parametrize("participant", ["P0", "P2"])
def test_nothing_is_deleted_from_a_damaged_file(torn: tuple[Path, str], participant: str) -> None:
    path, _ = torn
    before = path.read_bytes()
    done = command("forget", participant, "--yes", "--store", path)
    assert done.exit_code == 1
    assert done.stderr.startswith(f"error: nothing was deleted from {path}: it is damaged (")
    assert done.stderr.endswith(
        "restore a backup and forget the participant there, or write what can be read with `puzzlebox export` and "
        "delete the file\n"
    )
    assert done.stderr.count("\n") == 1
    assert path.read_bytes() == before


def test_whoever_reads_names_the_episode_and_leaves_it_out(torn: tuple[Path, str], tmp_path: Path) -> None:
    path, id = torn
    said = f"the episode {id} in {path} is damaged: its steps cannot be read (database disk image is malformed)"
    done = command("export", "--store", path, "-o", tmp_path / "out")
    assert done.exit_code == 1 and f"wrote {EPISODES - 1} episodes" in done.stderr
    assert [line for line in done.stderr.splitlines() if "error" in line] == [f"error: {said}; it was left out"]
    for more in ([], ["-o", tmp_path / "film.gif"]):
        done = command("replay", id, "--store", path, *more)
        assert done.exit_code == 1 and said in done.stderr and not done.stdout
    results = gather([path], watched=True)
    assert len(results.rows) == EPISODES - 1
    assert [remark for remark in results.remarks if id in remark and remark.endswith("It counts nowhere.")]
    with running(path) as studio:
        listed = studio.json("/api/recordings")
        assert len(listed["recordings"]) == EPISODES - 1 and id not in {each["id"] for each in listed["recordings"]}
        assert [each.partition(";")[0] for each in listed["damaged"]] == [said]
        status, _, body = studio.ask(f"/api/recordings/{id}")
        assert status == 400 and said in json.loads(body)["message"]
        assert studio.ask(f"/api/recordings/{listed['recordings'][0]['id']}")[0] == 200


def test_a_report_of_a_damaged_file_is_written_and_exits_with_1(torn: tuple[Path, str], tmp_path: Path) -> None:
    path, id = torn
    done = command("report", path, "-o", tmp_path / "report")
    assert (tmp_path / "report" / "report.html").exists()
    assert done.exit_code == 1 and f"The episode {id}" in done.stderr


def test_damage_to_the_last_page_of_an_open_episode_costs_that_episode(torn: tuple[Path, str], tmp_path: Path) -> None:
    path, id = torn
    change(path, f"UPDATE episodes SET ended_by = NULL, end_step = NULL WHERE id = '{id}'")
    done = command("export", "--store", path, "-o", tmp_path / "out")
    assert done.exit_code == 1 and f"wrote {EPISODES - 1} episodes" in done.stderr
    errors = [line for line in done.stderr.splitlines() if "error" in line]
    assert len(errors) == 1 and errors[0].startswith(f"error: the episode {id} in {path} is damaged: ")


def test_an_episode_that_goes_on_while_it_is_looked_at_is_whole(path: Path) -> None:
    change(path, "UPDATE episodes SET ended_by = NULL, end_step = NULL WHERE number = 1")
    store = Store(path)
    before = store.episodes()[-1]
    change(
        path,
        "INSERT INTO steps SELECT episode, step + 3, " + STEPS_BUT_TWO + " FROM steps WHERE episode = 1 "
        "ORDER BY step DESC LIMIT 1",
    )
    store.require_whole(before)


def test_the_studio_says_at_its_start_that_the_file_is_damaged(
    torn: tuple[Path, str], whole: Path, caplog: pytest.LogCaptureFixture
) -> None:
    warn_of_damage(Store(whole))
    assert not caplog.records
    warn_of_damage(Store(torn[0]))
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert record.getMessage().startswith(f"the recordings in {torn[0]} are damaged (")


@pytest.mark.parametrize("verb", [["export"], ["replay", "last"], ["forget", "P1", "--yes"], ["backup", "c.sqlite"]])
@pytest.mark.parametrize("size", [50, 1000, 4096, 6000])
def test_of_a_file_that_was_cut_off_nobody_who_reads_says_that_it_cannot_be_kept(
    path: Path, size: int, verb: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path.write_bytes(path.read_bytes()[:size])
    done = command(*verb, "--store", path)
    assert done.exit_code == 1 and "cannot be kept" not in done.stderr
    assert str(path) in done.stderr and "restore a backup" in done.stderr


def test_where_its_first_bytes_are_zeros_a_backup_helps(path: Path) -> None:
    path.write_bytes(bytes(100) + path.read_bytes()[100:])
    done = command("export", "--store", path)
    assert done.stderr == (
        f"error: {path} is not a file of recordings, or its first bytes are damaged; if it is one, restore a backup\n"
    )
