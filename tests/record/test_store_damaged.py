"""Damaged files of recordings: every reader reports one sentence, and all readable episodes are exported."""

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

from puzzlebox.cli.app import app
from puzzlebox.record import Store, StoreError
from puzzlebox.report import CannotRead, gather
from puzzlebox.studio import recordings
from puzzlebox.studio.server import warn_of_damage
from studio_page import running
from test_forget import played
from worlds import AGENT, GOAL, task_of

pytestmark = pytest.mark.usefixtures("unpainted_figures")
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
    """Return a file in which one page with steps of one episode is zeroed, and the id of that episode."""
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
    """Run a command and check that it prints no traceback."""
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    assert "Traceback" not in result.output
    return result


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
    "UPDATE steps SET actions = '{oops' WHERE episode = 1 AND step = 12": "its step 12 holds values",
    "UPDATE steps SET actions = CAST(x'ff' AS TEXT) WHERE episode = 1 AND step = 12": "its steps cannot be read",
    "UPDATE steps SET flags = 'x' WHERE episode = 1 AND step = 12": "its step 12 holds values",
    "UPDATE steps SET actions = '9' WHERE episode = 1 AND step = 12": "its step 12 holds values",
    "UPDATE steps SET x = 1e999 WHERE episode = 1 AND step = 12": "its step 12 holds values",
    "UPDATE events SET details = '{\"latency\": NaN}' WHERE episode = 1": "the details of an event cannot be read",
    "UPDATE events SET details = '7' WHERE episode = 1": "the details of an event are 7",
    "UPDATE events SET step = 'x' WHERE episode = 1": "the `step` of an event is 'x'",
}


@pytest.mark.parametrize("statement", DAMAGES)
def test_one_damaged_episode_is_left_out_and_the_others_are_written(statement: str, path: Path, tmp_path: Path) -> None:
    id = first_of(path)
    change(path, statement)
    result = command("export", "--store", path, "-o", tmp_path / "out")
    assert result.exit_code == 1
    assert f"wrote {EPISODES - 1} episodes" in result.stderr
    assert f"error: the episode {id} in {path} is damaged: {DAMAGES[statement]}" in result.stderr
    assert "it was left out" in result.stderr
    for name in ("episodes", "steps", "events"):
        with (tmp_path / "out" / f"{name}.csv").open(newline="") as file:
            ids = {row["episode"] for row in csv.DictReader(file)}
        assert len(ids) == EPISODES - 1 and id not in ids
    results = gather([path])
    assert len(results.rows) == EPISODES - 1
    assert any("is damaged" in remark for remark in results.remarks)
    result = command("replay", id, "--store", path)
    assert result.exit_code == 1 and DAMAGES[statement] in result.stderr and not result.stdout
    before = path.read_bytes()
    # For any participant: P0 played the damaged episode, P3 another one.
    for participant in ("P0", "P3"):
        result = command("forget", participant, "--yes", "--store", path)
        assert result.exit_code == 1 and result.stderr.count("\n") == 1 and not result.stdout
        assert f"nothing was deleted from {path}: the episode {id}" in result.stderr or "are damaged (" in result.stderr
    assert path.read_bytes() == before
    result = command("backup", tmp_path / "copy.sqlite", "--data", path)
    assert result.exit_code == 1 and DAMAGES[statement] in result.stderr and result.stderr.count("\n") == 1
    assert not list(tmp_path.glob("*copy*"))


def test_a_changed_task_is_reported_for_each_of_its_episodes(path: Path, tmp_path: Path) -> None:
    theirs = [each.id for each in Store(path).episodes()[1::2]]
    change(path, "UPDATE tasks SET text = text || ' ' WHERE hash = (SELECT task_hash FROM episodes WHERE number = 1)")
    result = command("export", "--store", path, "-o", tmp_path / "out")
    assert result.exit_code == 1 and "wrote 2 episodes" in result.stderr
    for id in theirs:
        assert f"the episode {id} in {path} is damaged: its task is not the one that was recorded" in result.stderr
        assert command("replay", id, "--store", path).exit_code == 1


CHANGES = [
    "UPDATE episodes SET participant = NULL WHERE number = 1",
    "UPDATE episodes SET wing = 'arenb' WHERE number = 1",
    "UPDATE episodes SET passed = NULL WHERE number = 1",
    "UPDATE episodes SET step_seconds = 1.5 WHERE number = 1",
    "UPDATE episodes SET ended_by = 'abc' WHERE number = 1",
    "DELETE FROM steps WHERE episode = 1 AND step = 0",
    "UPDATE steps SET actions = '' WHERE episode = 1 AND step = 12",
    "UPDATE steps SET x = x + 5 WHERE episode = 1 AND step = 12",
    "UPDATE steps SET heading = NULL WHERE episode = 1 AND step = 12",
    "UPDATE steps SET view = 'top' WHERE episode = 1 AND step = 12",
    "DELETE FROM events WHERE episode = 1",
    "UPDATE events SET kind = '1.5' WHERE episode = 1",
]


@pytest.mark.parametrize("statement", CHANGES)
def test_any_change_after_the_end_of_an_episode_is_noticed(statement: str, path: Path, tmp_path: Path) -> None:
    id = first_of(path)
    assert command("backup", tmp_path / "copy.sqlite", "--data", path).exit_code == 0
    good = (tmp_path / "copy.sqlite").read_bytes()
    change(path, statement)
    before = path.read_bytes()
    sentence = f"the episode {id} in {path} is damaged: it was changed after it was recorded"
    verbs = {
        "export": ("export", "--store", path, "-o", tmp_path / "out"),
        "replay": ("replay", id, "--store", path),
        "film": ("replay", id, "--store", path, "-o", tmp_path / "film.gif", "--size", "16"),
        "forget": ("forget", "P3", "--yes", "--store", path),
        "backup": ("backup", tmp_path / "copy.sqlite", "--data", path, "--force"),
    }
    for name, verb in verbs.items():
        done = command(*verb)
        assert done.exit_code == 1, name
        # An unknown wing is named first where it is needed.
        assert sentence in done.stderr or ("arenb" in statement and "there is no wing 'arenb'" in done.stderr), name
    assert path.read_bytes() == before and (tmp_path / "copy.sqlite").read_bytes() == good
    with (tmp_path / "out" / "episodes.csv").open(newline="") as file:
        assert id not in {row["episode"] for row in csv.DictReader(file)}


@pytest.mark.parametrize("table", ["steps", "events"])
def test_steps_of_an_episode_whose_row_is_missing_are_reported(table: str, path: Path, tmp_path: Path) -> None:
    change(path, "DELETE FROM episodes WHERE number = 1")
    change(path, f"DELETE FROM {'events' if table == 'steps' else 'steps'} WHERE episode = 1")
    for verb in (
        ["export", "--store", path, "-o", tmp_path / "out"],
        ["backup", tmp_path / "c.sqlite", "--data", path],
    ):
        done = command(*verb)
        sentence = f"{path} are damaged (the row of an episode with {table} is missing); "
        assert done.exit_code == 1 and sentence in done.stderr
        assert (verb[0] == "backup") or f"{sentence}the rest was written" in done.stderr
    assert not (tmp_path / "c.sqlite").exists()


@pytest.mark.parametrize("options", [[], ["--parquet"], ["--log", "animalai"]])
def test_of_damaged_episodes_alone_nothing_is_written(options: list[str], path: Path, tmp_path: Path) -> None:
    change(path, "DELETE FROM steps WHERE episode = 1 AND step = 12")
    words = ["export", "--store", path, "--episode", first_of(path), *options]
    done = command(*words, "-o", tmp_path / "out")
    assert done.exit_code == 1 and done.stdout == "" and not (tmp_path / "out").exists()
    assert "error: the episode" in done.stderr and "steps are missing after step 9" in done.stderr
    assert "wrote" not in done.stderr
    # A folder that was there stays.
    (tmp_path / "mine").mkdir()
    assert command(*words, "-o", tmp_path / "mine").exit_code == 1
    assert list((tmp_path / "mine").iterdir()) == []


def test_an_episode_of_a_wing_that_is_not_installed_is_exported_and_not_replayed(path: Path, tmp_path: Path) -> None:
    change(path, "UPDATE episodes SET wing = 'elsewhere', checksum = 'none' WHERE number = 1")
    done = command("export", "--store", path, "-o", tmp_path / "out")
    assert done.exit_code == 0 and f"wrote {EPISODES} episodes" in done.stderr
    assert "warning: 1 episode is written without" in done.stderr and "no wing 'elsewhere'" in done.stderr
    assert command("replay", first_of(path), "--store", path).exit_code == 1
    assert command("report", path, "-o", tmp_path / "report").exit_code == 1
    # It is not damaged, so that it can be copied.
    assert command("backup", tmp_path / "copy.sqlite", "--data", path).exit_code == 0


def test_an_episode_without_a_checksum_is_checked_as_far_as_possible(path: Path, tmp_path: Path) -> None:
    """Versions before format 6 stored none."""
    change(path, "UPDATE episodes SET checksum = 'none'")
    change(path, "UPDATE steps SET x = x + 5 WHERE episode = 1 AND step = 12")
    assert command("export", "--store", path, "-o", tmp_path / "out").exit_code == 0


def test_steps_after_the_end_of_an_episode_are_reported(path: Path, tmp_path: Path) -> None:
    change(path, "UPDATE episodes SET end_step = end_step - 1 WHERE number = 1")
    done = command("export", "--store", path, "-o", tmp_path / "out")
    assert done.exit_code == 1 and "it has steps after its end at step " in done.stderr


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
def test_an_episode_that_cannot_be_replayed_is_reported(
    statement: str, sentence: str, path: Path, tmp_path: Path
) -> None:
    change(path, statement)
    result = command("replay", "last", "--store", path, "-o", tmp_path / "film.gif")
    assert result.exit_code == 1
    assert sentence in result.stderr and "restore a backup" in result.stderr
    result = command("export", "--log", "animalai", "--store", path, "-o", tmp_path / "log")
    assert result.exit_code == 1 and sentence in result.stderr and "wrote" not in result.stderr
    assert result.stdout == "" and not (tmp_path / "log").exists()
    command("report", path, "-o", tmp_path / "report")


@pytest.mark.parametrize("table", ["episodes", "steps", "events", "tasks"])
def test_a_missing_table_is_reported(table: str, path: Path, tmp_path: Path) -> None:
    change(path, f"DROP TABLE {table}")
    for verb in (["export", "-o", tmp_path / "out"], ["replay", "last"], ["replay", "last", "-o", tmp_path / "p.png"]):
        result = command(*verb, "--store", path)
        needed = {"events": len(verb) == 2 or verb[0] == "export"}
        if needed.get(table, True):
            assert result.exit_code == 1 and f"are damaged (no such table: {table}" in result.stderr
    assert command("report", path, "-o", tmp_path / "report").exit_code == 1
    command("forget", "P1", "--yes", "--store", path)


@pytest.mark.parametrize("version", [0, -1, 2])
def test_a_format_that_never_existed_is_refused(version: int, path: Path) -> None:
    change(path, f"PRAGMA user_version = {version}")
    with pytest.raises(StoreError):
        Store(path)


def test_an_id_that_differs_from_the_index_is_reported(path: Path, tmp_path: Path) -> None:
    """The id in the row differs from that in the index."""
    id, data = Store(path).episodes()[0].id, path.read_bytes()
    assert data.count(id.encode()) == 2
    sentences = []
    for place in (data.index(id.encode()), data.rindex(id.encode())):
        path.write_bytes(data[:place] + b"0" * len(id) + data[place + len(id) :])
        for more in ([], ["-o", tmp_path / "last.png", "--size", "16"]):
            sentences.append(command("replay", "last", "--store", path, *more))
    assert [result.exit_code for result in sentences] == [1] * 4
    assert all("is damaged: it cannot be found by its id" in result.stderr for result in sentences)


def everything(path: Path, folder: Path) -> None:
    """Call every reader; each returns a value or raises one sentence."""
    for number, verb in enumerate((["export"], ["export", "--log", "animalai"])):
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


@pytest.mark.parametrize(("first", "times"), [(0, 25), (1093, 1), pytest.param(1000, 2000, marks=pytest.mark.slow)])
def test_every_reader_reports_random_damage_in_a_sentence(first: int, times: int, whole: Path, tmp_path: Path) -> None:
    data = whole.read_bytes()
    for number in range(first, first + times):
        rng, damaged = random.Random(number), bytearray(data)
        for _ in range(rng.choice([1, 3, 30, 300])):
            place = rng.randrange(len(damaged))
            damaged[place] ^= 1 << rng.randrange(8)
        if number % 5 == 0:
            del damaged[rng.randrange(len(damaged)) :]
        if number % 7 == 0:
            place = rng.randrange(len(damaged) or 1)
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
        reasons = {each.split()[2]: each.partition(" is damaged: ")[2].partition(";")[0] for each in listed["damaged"]}
        assert reasons == {
            ids[3]: "the rules cannot be read as JSON",
            ids[2]: "its task is missing",
            ids[1]: "its step 12 holds values that no step can have",
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
    result = command("forget", participant, "--yes", "--store", path)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"error: nothing was deleted from {path}: it is damaged (")
    assert result.stderr.endswith(
        "restore a backup and forget the participant there, or write what can be read with `puzzlebox export` and "
        "delete the file\n"
    )
    assert result.stderr.count("\n") == 1
    assert path.read_bytes() == before


def test_every_reader_names_the_damaged_episode_and_leaves_it_out(torn: tuple[Path, str], tmp_path: Path) -> None:
    path, id = torn
    sentences = f"the episode {id} in {path} is damaged: its steps cannot be read (database disk image is malformed)"
    result = command("export", "--store", path, "-o", tmp_path / "out")
    assert result.exit_code == 1 and f"wrote {EPISODES - 1} episodes" in result.stderr
    assert [line for line in result.stderr.splitlines() if "error" in line] == [f"error: {sentences}; it was left out"]
    for more in ([], ["-o", tmp_path / "film.gif"]):
        result = command("replay", id, "--store", path, *more)
        assert result.exit_code == 1 and sentences in result.stderr and not result.stdout
    results = gather([path], watched=True)
    assert len(results.rows) == EPISODES - 1
    assert [remark for remark in results.remarks if id in remark and remark.endswith("It is excluded.")]
    with running(path) as studio:
        listed = studio.json("/api/recordings")
        assert len(listed["recordings"]) == EPISODES - 1 and id not in {each["id"] for each in listed["recordings"]}
        assert [each.partition(";")[0] for each in listed["damaged"]] == [sentences]
        status, _, body = studio.ask(f"/api/recordings/{id}")
        assert status == 400 and sentences in json.loads(body)["message"]
        assert studio.ask(f"/api/recordings/{listed['recordings'][0]['id']}")[0] == 200


def test_a_report_of_a_damaged_file_is_written_and_exits_with_1(torn: tuple[Path, str], tmp_path: Path) -> None:
    path, id = torn
    result = command("report", path, "-o", tmp_path / "report")
    assert (tmp_path / "report" / "report.html").exists()
    assert result.exit_code == 1 and f"The episode {id}" in result.stderr


def test_damage_to_the_last_page_of_an_open_episode_costs_that_episode(torn: tuple[Path, str], tmp_path: Path) -> None:
    path, id = torn
    change(path, f"UPDATE episodes SET ended_by = NULL, end_step = NULL WHERE id = '{id}'")
    result = command("export", "--store", path, "-o", tmp_path / "out")
    assert result.exit_code == 1 and f"wrote {EPISODES - 1} episodes" in result.stderr
    errors = [line for line in result.stderr.splitlines() if "error" in line]
    assert len(errors) == 1 and errors[0].startswith(f"error: the episode {id} in {path} is damaged: ")


def test_an_episode_that_grows_while_it_is_checked_is_whole(path: Path) -> None:
    change(path, "UPDATE episodes SET ended_by = NULL, end_step = NULL, checksum = 'none' WHERE number = 1")
    store = Store(path)
    before = store.episodes()[-1]
    change(
        path,
        "INSERT INTO steps SELECT episode, step + 3, " + STEPS_BUT_TWO + " FROM steps WHERE episode = 1 "
        "ORDER BY step DESC LIMIT 1",
    )
    store.require_whole(before)


def test_the_studio_reports_a_damaged_file_at_its_start(
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
def test_readers_of_a_truncated_file_do_not_report_a_failed_write(
    path: Path, size: int, verb: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path.write_bytes(path.read_bytes()[:size])
    result = command(*verb, "--store", path)
    assert result.exit_code == 1 and "cannot be kept" not in result.stderr
    assert str(path) in result.stderr and "restore a backup" in result.stderr


def test_where_its_first_bytes_are_zeros_a_backup_helps(path: Path) -> None:
    path.write_bytes(bytes(100) + path.read_bytes()[100:])
    result = command("export", "--store", path)
    assert result.stderr == (
        f"error: {path} is not a file of recordings, or its first bytes are damaged; if it is one, restore a backup\n"
    )
