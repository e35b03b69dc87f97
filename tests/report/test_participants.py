"""Participant ids: from the command line or a link into the store, the tables and the report."""

import csv
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from episodes import episodes_of, rows_of
from made_up_runs import made_up_rows, write_run
from pictures import figures_unpainted
from puzzlebox.arena.world import World
from puzzlebox.cli.app import app
from puzzlebox.record import Episode, Start, Store, StoreError, database
from puzzlebox.record.recorder import Recorder
from puzzlebox.record.tables import recorded_episodes, write_table
from puzzlebox.report.build import Report, make_report
from puzzlebox.report.model import fit_model
from puzzlebox.report.sources import gather
from puzzlebox.report.units import Units
from studio_page import FOOD_TWICE, Page, Studio, free_port, running, server
from worlds import AGENT, FORWARDS, GOAL, task_of

TASK = task_of(AGENT, GOAL, time_limit=50)
GOOD = ["P07", "7", "a", "child_12-b.2", "A" * 64]
BAD = ["", "P 07", "P/07", "Zoë", "P07\n", "<b>", "A" * 65, "x" * 400]
SENTENCE = "is not a participant id; it may have 1 to 64 letters (A to Z, a to z), digits, dots, - and _"

# The tables of format 1.
FORMAT_1 = """
CREATE TABLE tasks (hash TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE episodes (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, task_hash TEXT NOT NULL REFERENCES tasks (hash),
  task TEXT NOT NULL, title TEXT NOT NULL, arena INTEGER NOT NULL, seed NOT NULL, rules TEXT NOT NULL,
  player TEXT NOT NULL, agent TEXT, started TEXT NOT NULL, decision_period INTEGER NOT NULL,
  end_step INTEGER, total REAL, passed INTEGER, ended_by TEXT);
CREATE TABLE steps (
  episode INTEGER NOT NULL, step INTEGER NOT NULL, actions TEXT NOT NULL, time_ms REAL NOT NULL,
  x REAL, y REAL, z REAL, vx REAL, vy REAL, vz REAL, heading REAL, reward REAL, total REAL, health REAL,
  view TEXT NOT NULL, flags INTEGER NOT NULL, PRIMARY KEY (episode, step)) WITHOUT ROWID;
CREATE TABLE events (
  number INTEGER PRIMARY KEY, episode INTEGER NOT NULL, step INTEGER NOT NULL, kind TEXT NOT NULL, thing INTEGER,
  name TEXT, animal INTEGER, details TEXT NOT NULL);
CREATE INDEX events_of_episode ON events (episode, number);
PRAGMA application_id = 1349876290;
PRAGMA user_version = 1;
"""
OLD_INSERT = """INSERT INTO episodes
  (id, task_hash, task, title, arena, seed, rules, player, agent, started, decision_period)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""


def played(store: Store, actions: int = 400, **how: Any) -> str:
    """Record an episode of moving forwards; with few actions it stays open."""
    start = Start.of(TASK, name="ahead", **how)
    world = World(TASK, seed=start.seed, arena=start.arena)
    recording = Recorder(store, start, world)
    while not world.over and len(world.actions) < actions:
        recording.stepped(world.step([FORWARDS]))
    return start.id


# --- the file


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Write a file of format 1 with a finished and an open episode; `new.sqlite` has the same in the new format."""
    with Store(tmp_path / "new.sqlite") as store:
        played(store, seed=2**70)
        played(store, 5)
    path = tmp_path / "old.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(FORMAT_1)
        connection.execute("ATTACH ? AS new", (str(tmp_path / "new.sqlite"),))
        for table in ("tasks", "episodes", "steps", "events"):
            columns = [row[1] for row in connection.execute(f"PRAGMA main.table_info({table})")]
            connection.execute(f"INSERT INTO {table} SELECT {', '.join(columns)} FROM new.{table}")
        connection.commit()
    return path


def everything(store: Store) -> list[Any]:
    """Return all data of all episodes."""
    return [
        (each, store.record(each.id), store.steps(each.id), store.events(each.id), store.task_text(each.id))
        for each in store.episodes()
    ]


def format_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def test_a_file_of_format_1_is_brought_up_to_date_and_loses_nothing(old: Path) -> None:
    assert format_of(old) == 1
    with closing(database.connect(old)) as program_of_then, Store(old) as store:
        assert format_of(old) == database.FORMAT
        with Store(old.with_name("new.sqlite")) as new:
            assert everything(store) == everything(new)
        assert [each.participant for each in store.episodes()] == [None, None]
        # A store that was open before the upgrade keeps working.
        start = Start.of(TASK)
        rest = ("ahead", "", 0, 1, start.rules, "human", None, start.started, 3)
        program_of_then.execute(OLD_INSERT, (start.id, start.task_hash, *rest))
        assert store.episode(start.id).participant is None
        played(store, participant="P07")
    with Store(old) as again:
        assert [each.participant for each in again.episodes()] == ["P07", None, None, None]


def test_many_programs_open_an_old_file_at_once(old: Path) -> None:
    opened: list[Store] = []
    threads = [threading.Thread(target=lambda: opened.append(Store(old))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [store.count() for store in opened] == [2] * 6
    assert format_of(old) == database.FORMAT


def test_a_change_that_fails_changes_nothing(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(database, "_UPGRADES", {1: "ALTER TABLE nowhere ADD COLUMN participant TEXT"})
        with pytest.raises(StoreError, match="no such table: nowhere"):
            Store(old)
    assert format_of(old) == 1
    assert Store(old).count() == 2


def test_an_old_file_that_cannot_be_written_is_read_as_it_is(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(old.with_name("new.sqlite")) as new:
        contents = everything(new)
    before = old.read_bytes()
    monkeypatch.setattr("os.access", lambda *_: False)
    store = Store(old)
    assert everything(store) == contents
    assert [each.participant for each in store.episodes()] == [None, None]
    assert store.find("last") == store.episode(store.episodes()[0].id)
    assert old.read_bytes() == before


def test_a_program_that_knows_format_1_refuses_newer_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Store(tmp_path / "a.sqlite").close()
    monkeypatch.setattr(database, "FORMAT", 1)
    with pytest.raises(StoreError, match=r"newer Puzzlebox \(format 6; this one knows 1\); update Puzzlebox"):
        Store(tmp_path / "a.sqlite")


@pytest.mark.parametrize("id", GOOD)
def test_a_participant_id_is_stored_and_read_back(tmp_path: Path, id: str) -> None:
    with Store(tmp_path / "a.sqlite") as store:
        named, nameless = played(store, 3, participant=id), played(store, 3)
        store.flush()
        assert store.episode(named).participant == store.episode(named).summary()["participant"] == id
        assert store.episode(nameless).participant is None


@pytest.mark.parametrize("id", BAD)
def test_a_bad_id_is_refused_in_one_sentence(id: str) -> None:
    with pytest.raises(ValueError) as refused:
        Start.of(TASK, participant=id)
    assert str(refused.value).endswith(SENTENCE)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 200


def test_an_agent_is_no_participant() -> None:
    with pytest.raises(ValueError, match="an agent plays, so there is no participant"):
        Start.of(TASK, player="agent", agent="random", participant="P07")


# --- the command line


@pytest.mark.parametrize("id", BAD)
def test_the_command_refuses_a_bad_id(tmp_path: Path, id: str) -> None:
    data = tmp_path / "r.sqlite"
    done = CliRunner().invoke(app, ["play", "foraging", "--participant", id, "--no-browser", "--data", str(data)])
    assert done.exit_code == 1
    assert done.stderr.startswith("error: ") and SENTENCE in done.stderr
    assert not data.exists()


def test_the_command_refuses_a_participant_with_an_agent(tmp_path: Path) -> None:
    arguments = ["play", "foraging", "--participant", "P07", "--agent", "random", "--data", str(tmp_path / "r.sqlite")]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 1
    assert "error: --participant names a person who plays, but with --agent an agent does" in done.stderr


def test_the_command_names_the_participant_in_the_link(tmp_path: Path) -> None:
    port, data = free_port(), tmp_path / "r.sqlite"
    link = "/play?task=examples%2Ffood&participant=P07&key="
    with server(port, data, "examples/food", "--participant", "P07", link=link):
        with Page(port, {"type": "start", "task": "examples/food", "participant": "P07"}) as page:
            page.until(lambda page: page.acknowledged)
    with Store(data) as store:
        assert [each.participant for each in store.episodes()] == ["P07"]


# --- the studio


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with running(tmp_path_factory.mktemp("studio") / "recordings.sqlite") as new_studio:
        yield new_studio


def stored(studio: Studio, page: Page) -> Episode:
    """Return the newest episode of a page, once it is in the file."""
    page.until(lambda page: page.acknowledged.get(page.episode, 0) > 0)
    return studio.store.episode(page.episode)


def test_every_episode_of_a_page_carries_the_id(studio: Studio) -> None:
    with studio.page(task=studio.upload(FOOD_TWICE), participant="P07") as page:
        page.keys(FORWARDS)
        page.until(lambda page: len(page.episodes) == 2)  # the first one has ended, and another follows
        page.until_step(1)
        page.send({"type": "restart"})
        page.until(lambda page: len(page.episodes) == 3 and page.frames)
        stored(studio, page)
        ids = [each["episode"] for each in page.episodes]
    assert len(set(ids)) == 3
    assert {each["participant"] for each in page.episodes} == {"P07"}
    assert [studio.store.episode(id).participant for id in ids] == ["P07"] * 3
    listed = studio.json("/api/recordings?limit=3")["recordings"]
    assert [each["participant"] for each in listed] == ["P07"] * 3
    assert studio.json(f"/api/recordings/{ids[0]}")["participant"] == "P07"


def test_an_episode_without_an_id_has_no_participant(studio: Studio) -> None:
    with studio.page(task="examples/food") as page:
        assert stored(studio, page).participant is None
        assert page.episodes[0]["participant"] is None


@pytest.mark.parametrize("waits", [True, False])
def test_a_page_that_comes_back_keeps_the_id(studio: Studio, waits: bool) -> None:
    """Both in a world that was kept and in one rebuilt from the file; later episodes have the id as well."""
    with studio.page(task="foraging", participant="P07") as page:
        stored(studio, page)
    if not waits:
        _wait_for(lambda: page.episode in studio.sessions._detached)
        del studio.sessions._detached[page.episode]
    with studio.page(page.resume() | {"task": "foraging", "participant": "P07"}) as back:
        back.until_step(page.step)
        assert back.episode == page.episode
        back.send({"type": "restart"})
        back.until(lambda back: len(back.episodes) == 2)
        assert {each["participant"] for each in back.episodes} == {"P07"}
        assert stored(studio, back).participant == "P07"


def test_an_episode_that_is_over_or_was_never_stored_is_followed_by_one_with_the_id(studio: Studio) -> None:
    lost = {"type": "resume", "episode": "0123456789ab", "step": 0, "actions": []}
    with studio.page({**lost, "task": "foraging", "participant": "P07"}) as page:
        assert stored(studio, page).participant == "P07"
    with studio.page(task=studio.upload(FOOD_TWICE), participant="P08") as page:
        page.keys(FORWARDS)
        page.until(lambda page: page.received("ended"))
        over = page.last("ended")["episode"]
        page.until(lambda page: page.acknowledged.get(over, 0) == page.last("ended")["step"])
    with studio.page({**lost, "episode": over}) as back:
        assert stored(studio, back).participant == "P08"
        assert back.episode != over


@pytest.mark.parametrize("waits", [True, False])
def test_a_participant_cannot_resume_the_episode_of_another(studio: Studio, waits: bool) -> None:
    with studio.page(task="foraging", participant="P07") as page:
        stored(studio, page)
        with studio.page(page.resume() | {"participant": "P08"}) as other:
            assert stored(studio, other).participant == "P08"
            assert other.episode != page.episode
            assert "another participant played it; this is a new one" in other.episodes[0]["note"]
        page.until_step(page.step + 3)  # P07 has noticed nothing
    _wait_for(lambda: page.episode in studio.sessions._detached)
    if not waits:
        del studio.sessions._detached[page.episode]
    with studio.page(page.resume() | {"participant": "P08"}) as other:
        assert stored(studio, other).participant == "P08"
        assert other.episode != page.episode
    assert studio.store.episode(page.episode).participant == "P07"


@pytest.mark.parametrize("id", [*BAD, 7, ["P07"]])
@pytest.mark.parametrize("kind", ["start", "resume"])
def test_a_page_with_a_bad_id_gets_one_sentence_and_nothing_is_recorded(studio: Studio, id: Any, kind: str) -> None:
    studio.store.flush()
    before = studio.store.count()
    first = {"type": kind, "task": "examples/food", "participant": id}
    with studio.page(first | {"episode": "0123456789ab", "step": 0, "actions": []}) as page:
        assert page.error().endswith(SENTENCE if isinstance(id, str) else "it must be a text")
    studio.store.flush()
    assert studio.store.count() == before


def test_a_page_on_which_an_agent_plays_has_no_participant(studio: Studio) -> None:
    with studio.page(task="examples/food", agent="random", participant="P07") as page:
        assert page.error() == "an agent plays, so there is no participant; leave one of the two out"
    with studio.page(task="examples/food", agent="random") as page:
        assert stored(studio, page).participant is None


def _wait_for(true: Any) -> None:
    import time

    end = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


# --- the tables


def test_exported_tables_have_the_ids(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with Store(path) as store:
        played(store, 3, participant="P07")
        played(store, 3)
        played(store, 3, player="agent", agent="random")
    for more in ([], ["--parquet"]):
        done = CliRunner().invoke(app, ["export", "--store", str(path), "-o", str(tmp_path / "out"), *more])
        assert done.exit_code == 0, done.output
    assert [row["participant"] for row in _rows(tmp_path / "out" / "episodes.csv")] == ["P07", "", ""]
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(tmp_path / "out" / "episodes.parquet")
    assert table.column("participant").to_pylist() == ["P07", None, None]


def test_results_have_the_ids_and_count_repetitions_for_each(tmp_path: Path) -> None:
    with Store(tmp_path / "a.sqlite") as store:
        for id in ("P07", "P08", "P07", None, None):
            played(store, participant=id)
        store.flush()
        rows = rows_of(recorded_episodes(store, store.episodes()[::-1]))
    assert [(row["participant"], row["repetition"]) for row in rows] == [
        *(("P07", 0), ("P08", 0), ("P07", 1), (None, 0), (None, 1)),
    ]
    write_table(tmp_path, episodes_of(rows))
    assert [row["participant"] for row in _rows(tmp_path / "episodes.csv")] == ["P07", "P08", "P07", "", ""]


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


# --- the report


def people(ids: list[str], tasks: list[str], episodes: int = 6, spread: float = 1.5) -> list[dict[str, Any]]:
    """Draw rows of participants with different skills."""
    skills = dict(zip(ids, np.random.default_rng(3).normal(0.3, spread, len(ids)), strict=True))
    rows = made_up_rows(tasks, skills, episodes=episodes, seed=4)
    return [row | {"agent": "human", "participant": row["agent"]} for row in rows]


@pytest.mark.usefixtures("unpainted_figures")
def test_a_report_on_two_participants(tmp_path: Path) -> None:
    """A report on recordings, one of them without an id, and a run."""
    with Store(tmp_path / "people.sqlite") as store:
        for id in ("P08", "P07", "P07", None):
            played(store, participant=id, seed=7)
    run = write_run(tmp_path / "out", made_up_rows(["ahead"], {"random": 0.0}, episodes=6))
    report = make_report([run, tmp_path / "people.sqlite"], tmp_path / "report", people="children")
    first, second = _rows(tmp_path / "report" / "tables" / "participants.csv")
    assert [(row["agent"], row["participant"], row["episodes"]) for row in (first, second)] == [
        *(("children", "P07", "2"), ("children", "P08", "1")),
    ]
    assert (first["passes"], first["pass_rate"]) == ("2", "1.0")
    tidy = _rows(tmp_path / "report" / "tables" / "episodes.csv")
    assert [row["participant"] for row in tidy] == [""] * 6 + ["P08", "P07", "P07", ""]
    methods = (tmp_path / "report" / "methods.txt").read_text(encoding="utf-8")
    assert (
        "Participants (“children”) played 1 task 4 times. There were 2 participants; 1 episode has no participant id."
        in methods
    )
    assert "Participants" in [section.title for section in report.contents.sections]
    assert "P07" in report.page.read_text(encoding="utf-8")
    # All have the same seed, and P07 twice, which is not a duplicate for participants.
    assert not [line for line in report.contents.warnings if "duplicates" in line]
    assert "participant" not in report.contents.model.formula  # two are too few for a variance


@pytest.mark.usefixtures("unpainted_figures")
def test_a_report_without_ids_has_no_participants(tmp_path: Path) -> None:
    report = make_report([write_run(tmp_path / "out", made_up_rows(["food"]))], tmp_path / "report")
    assert "Participants" not in [section.title for section in report.contents.sections]
    assert not (tmp_path / "report" / "tables" / "participants.csv").exists()
    assert "participant" not in (tmp_path / "report" / "methods.txt").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Twelve children and a random agent on six tasks."""
    folder = tmp_path_factory.mktemp("study")
    tasks = [f"task {number}" for number in range(6)]
    rows = people([f"P{number:02}" for number in range(12)], tasks) + made_up_rows(tasks, {"random": -1.0})
    with figures_unpainted():
        return make_report([write_run(folder / "out", rows)], folder / "report")


def test_tasks_and_participants_are_the_units(study: Report) -> None:
    model = study.contents.model
    assert model.formula == "passed ~ agent + (1 | task) + (1 | task:agent) + (1 | participant)"
    assert model.fit is not None and model.fit.subjects == 12
    assert model.fit.spreads["subject"] > 0.5
    (term,) = model.terms
    assert term.test.df == 5  # six tasks, fewer than twelve participants
    assert any("random played in a single run" in line for line in model.remarks)
    methods = study.page.with_name("methods.txt").read_text(encoding="utf-8")
    assert "There were 12 participants." in methods
    assert "The unit of evidence is the task and the participant, not the episode" in methods
    headline = " ".join(study.contents.headline)
    assert "(mean over 6 tasks, 12 participants; " in headline and "for tasks and participants like these" in headline


def test_participants_as_units_have_wider_intervals_than_their_episodes(study: Report) -> None:
    rows = study.results.rows
    of_people, of_episodes = (fit_model(Units.of(rows, kind)).terms[0] for kind in ("participant", "none"))
    assert of_people.error > 1.2 * of_episodes.error


def test_the_same_id_in_two_files_is_the_same_participant(study: Report, tmp_path: Path) -> None:
    rows = study.results.rows
    few = [row for row in rows if row.participant in ("", "P00", "P01", "P02", "P03")]
    model = fit_model(Units.of(few))
    assert "participant" not in model.formula
    assert any("about these participants" in line for line in model.remarks)
    # A participant is never an agent with that name.
    both = [replace(row, run="other") if row.repetition % 2 and row.person else row for row in rows]
    named = [replace(row, participant="random") if row.participant == "P00" else row for row in both]
    fit = fit_model(Units.of(named)).fit
    assert fit is not None and fit.subjects == 12
    assert gather([write_run(tmp_path / "out", people(["P1"], ["food"]))]).rows[0].participant == "P1"


def test_two_groups_of_people_are_compared_on_a_single_task(tmp_path: Path) -> None:
    """With one task the statement is about this task, and people are the units."""
    rows = people([f"P{number:02}" for number in range(24)], ["food"])
    gathered = gather([write_run(tmp_path / "out", rows)]).rows
    groups = [replace(row, agent="young" if row.participant < "P12" else "old") for row in gathered]
    model = fit_model(Units.of(groups))
    assert model.formula == "passed ~ agent + (1 | participant)"
    assert model.terms[0].test.df == 22
    assert any("about these tasks, not about tasks like these" in line for line in model.remarks)
