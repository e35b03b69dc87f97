"""`puzzlebox forget`: the records of one participant are deleted, also from the bytes of the file."""

import csv
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from puzzlebox.arena.world import World
from puzzlebox.cli.app import app
from puzzlebox.record import Start, Step, Store, StoreError, rescue
from puzzlebox.record import store as store_module
from puzzlebox.record.backup import back_up
from puzzlebox.record.damage import Deleted
from puzzlebox.record.database import aside_of, connect, connect_to_read
from puzzlebox.record.deletion import forget, participants_in
from puzzlebox.record.export import export
from puzzlebox.record.recorder import Recorder
from puzzlebox.record.store import NoEpisode
from puzzlebox.record.tables import recorded_episodes
from puzzlebox.record.writer import Writer
from studio_page import Page, Studio, running
from worlds import AGENT, FORWARDS, GOAL, task_of

SHARED = task_of(AGENT, GOAL, time_limit=50)
OWN = task_of(AGENT, GOAL, time_limit=51)
PERSON = "Participant-Seven"
STEP = Step(step=3, actions=(3,), time_ms=0.0, reward=0.0, total=0.0, measures={"x": 0.0, "z": 0.0, "health": 100.0})


def played(store: Store, task: Any = SHARED, actions: int = 400, name: str = "ahead", **how: Any) -> str:
    """Record an episode of moving forwards; with few actions it stays open."""
    start = Start.of(task, name=name, **how)
    world = World(task, seed=start.seed, arena=start.arena)
    recording = Recorder(store, start, world)
    while not world.over and len(world.actions) < actions:
        recording.stepped(world.step([FORWARDS]))
    return start.id


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    """A file with three episodes of one participant, one of them open, among those of others."""
    path = tmp_path / "r.sqlite"
    with Store(path) as store:
        played(store, participant="P08")
        played(store, participant=PERSON)
        played(store)
        played(store, OWN, name="file:own", participant=PERSON)
        played(store, actions=5, participant=PERSON)
        played(store, player="agent", agent="random")
    return path


def run(path: Path, *arguments: str, answer: str | None = None) -> Any:
    return CliRunner().invoke(app, ["forget", *arguments, "--store", str(path)], input=answer)


def bytes_beside(path: Path) -> bytes:
    return b"".join(each.read_bytes() for each in sorted(path.parent.glob(path.name + "*")))


def numbers(path: Path, table: str, column: str = "episode") -> set[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return {row[0] for row in connection.execute(f"SELECT {column} FROM {table}")}


def others(store: Store) -> list[Any]:
    return [
        (each, store.steps(each.id), store.events(each.id), store.task_text(each.id))
        for each in store.episodes()
        if each.participant != PERSON
    ]


def test_a_participant_is_forgotten_to_the_last_byte(recordings: Path) -> None:
    with Store(recordings) as store:
        before = others(store)
        gone = [each.id for each in store.episodes() if each.participant == PERSON]
    assert PERSON.encode() in bytes_beside(recordings)
    result = run(recordings, PERSON, "--yes")
    assert result.exit_code == 0, result.output
    left = bytes_beside(recordings)
    for word in (PERSON, *gone):
        assert word.encode() not in left
    with Store(recordings) as store:
        assert others(store) == before
        assert store.count() == len(before) == 3
    kept = numbers(recordings, "episodes", "number")
    assert numbers(recordings, "steps") <= kept and numbers(recordings, "events") <= kept
    # The task that only this participant played is deleted, the one that others played is kept.
    assert len(numbers(recordings, "tasks", "hash")) == 1
    assert b"own" not in left


def test_episodes_of_a_participant_that_were_set_aside_are_forgotten_too(recordings: Path) -> None:
    with Store(recordings) as store:
        theirs, other = (
            next(each.id for each in store.episodes() if each.participant == who) for who in (PERSON, "P08")
        )
        writer = Writer(recordings, [])
        for id in (theirs, other):  # a step that is stored already, which the database refuses
            writer.put(id, STEP)
        with pytest.raises(StoreError, match="cannot be recorded any further"):
            writer.close(0.0)
    aside = aside_of(recordings)
    assert {json.loads(line)["episode"] for line in aside.read_text().splitlines()} == {theirs, other}
    assert run(recordings, PERSON, "--yes").exit_code == 0
    assert [json.loads(line)["episode"] for line in aside.read_text().splitlines()] == [other]


def test_the_deleted_records_are_listed(recordings: Path) -> None:
    result = run(recordings, PERSON, "--yes")
    assert f"deleted 3 episodes of {PERSON}: 2 of ahead, 1 of file:own, recorded on 20" in result.stderr
    assert "1 of them was not finished" in result.stderr
    assert "tables, reports and films that were exported before are not touched" in result.stderr


def test_nothing_is_deleted_without_confirmation(recordings: Path) -> None:
    before = bytes_beside(recordings)
    for answer in ("n\n", "\n", ""):
        result = run(recordings, PERSON, answer=answer)
        assert result.exit_code == 1
        assert "3 episodes" in result.output and "nothing was deleted" in result.stderr
    with Store(recordings) as store:
        assert store.count() == 6
    assert PERSON.encode() in before
    result = run(recordings, PERSON, answer="y\n")
    assert result.exit_code == 0 and "deleted 3 episodes" in result.stderr


@pytest.mark.parametrize(
    ("id", "sentence"),
    [
        ("participant-seven", f"there is no participant participant-seven in {{}}; did you mean `{PERSON}`?"),
        ("P09", "there is no participant P09 in {}; did you mean `P08`?"),
        ("", "'' is not a participant id"),
        ("a b", "'a b' is not a participant id"),
    ],
)
def test_an_unknown_id_is_refused_with_the_nearest(recordings: Path, id: str, sentence: str) -> None:
    result = run(recordings, id, "--yes")
    assert result.exit_code == 1
    assert "error: " + sentence.format(recordings) in result.stderr
    with Store(recordings) as store:
        assert store.count() == 6


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    result = run(tmp_path / "none.sqlite", "P07", "--yes")
    assert result.exit_code == 1 and f"there is no file {tmp_path / 'none.sqlite'}" in result.stderr
    assert not (tmp_path / "none.sqlite").exists()


def test_a_program_that_keeps_reading_is_reported_after_a_timeout(
    recordings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The records are deleted, and the command reports that their bytes are still in the file."""
    monkeypatch.setattr("puzzlebox.record.deletion.LOCK_TIMEOUT_SECONDS", 0.1)
    with closing(connect(recordings)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM episodes").fetchone()
        result = run(recordings, PERSON, "--yes")
        assert result.exit_code == 1
        assert "close it and run this command again" in result.stderr
        reader.execute("COMMIT")
    with Store(recordings) as store:
        assert PERSON not in {each.participant for each in store.episodes()}
    # There is no participant with that id any more, but the bytes are still to be removed.
    assert "there is no participant" in run(recordings, PERSON, "--yes").stderr
    assert PERSON.encode() not in bytes_beside(recordings)


def test_an_unknown_id_is_refused_without_a_word_about_deleting(recordings: Path) -> None:
    stderr = run(recordings, "nobody-at-all", "--yes").stderr
    assert stderr == f"error: there is no participant nobody-at-all in {recordings}\n"


def test_the_option_is_named_only_without_a_terminal(recordings: Path) -> None:
    assert "--yes" not in run(recordings, PERSON, answer="n\n").stderr
    assert "hint: add --yes if there is no terminal to answer on" in run(recordings, PERSON, answer="").stderr


@pytest.mark.parametrize("id", [PERSON, "nobody-at-all"])
def test_a_file_that_cannot_be_written_is_reported(recordings: Path, monkeypatch: pytest.MonkeyPatch, id: str) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: mode != os.W_OK)
    before = recordings.read_bytes()
    result = run(recordings, id, "--yes")
    assert result.exit_code == 1 and isinstance(result.exception, SystemExit)
    if id == PERSON:
        assert result.stderr == f"error: nothing was deleted from {recordings}: {recordings} cannot be written to\n"
    else:
        assert result.stderr == f"error: there is no participant {id} in {recordings}\n"
    assert recordings.read_bytes() == before


def test_a_file_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    """Errors of SQLite are reported in one sentence, without a traceback."""
    (tmp_path / "other.sqlite").touch()
    with pytest.raises(StoreError, match=r"are damaged \(no such table"):
        participants_in(tmp_path / "other.sqlite")


@pytest.mark.parametrize("verb", [["forget", "P01", "--yes"], ["export"], ["replay", "last"], ["report"]])
def test_reading_leaves_an_empty_file_empty(tmp_path: Path, verb: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    empty = tmp_path / "empty.sqlite"
    empty.touch()
    arguments = ["report", str(empty)] if verb[0] == "report" else [*verb, "--store", str(empty)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 1 and "is not a file of recordings" in result.stderr
    assert not empty.stat().st_size and [each.name for each in tmp_path.iterdir()] == [empty.name]


# --- while a studio runs


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    with running(tmp_path / "live.sqlite") as new_studio:
        yield new_studio


def begun(studio: Studio, participant: str) -> Page:
    page = studio.page(task="examples/food", participant=participant)
    page.keys(FORWARDS)
    return page.until(lambda page: page.acknowledged.get(page.episode, 0) > 5)


def test_while_they_play_the_rest_of_the_episode_is_not_kept_and_others_notice_nothing(studio: Studio) -> None:
    path = studio.store.path
    with begun(studio, PERSON) as page, begun(studio, "P08") as other:
        gone = page.episode
        assert forget(path, PERSON).episodes == 1
        before = other.acknowledged[other.episode]
        other.until(lambda other: other.acknowledged[other.episode] > before + 10)
        studio.store.flush()
        assert studio.store.error is None
        assert [each.id for each in studio.store.episodes()] == [other.episode]
        assert numbers(path, "steps") <= numbers(path, "episodes", "number")
        # A new episode may get the number of the deleted one, but has only its own steps.
        with begun(studio, "P09") as third:
            steps = studio.store.steps(third.episode)["step"]
            assert steps == list(range(len(steps)))
        page.send({"type": "restart"})
        page.until(lambda page: page.episode != gone)
        page.keys(0)
        page.keys(FORWARDS)
        page.until(lambda page: page.acknowledged.get(page.episode, 0) > 2)
        assert studio.store.episode(page.episode).participant == PERSON
    assert forget(path, PERSON).episodes == 1


class Deletion:
    """Forgets the participant when the store opens its n-th connection for reading."""

    def __init__(self, path: Path, moment: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path, self.left, self.done = path, moment, False
        for module in (store_module, rescue):
            monkeypatch.setattr(module, "connect_to_read", self._connect)

    def _connect(self, path: Path) -> sqlite3.Connection:
        self.left -= 1
        if self.left == 0:
            self.done = True
            with closing(sqlite3.connect(self.path)) as connection, connection:  # as `forget` does, without its checks
                own = f"(SELECT number FROM episodes WHERE participant = '{PERSON}')"
                for table, column in (("steps", "episode"), ("events", "episode"), ("episodes", "number")):
                    connection.execute(f"DELETE FROM {table} WHERE {column} IN {own}")
                connection.execute("DELETE FROM tasks WHERE hash NOT IN (SELECT task_hash FROM episodes)")
        return connect_to_read(path)


def read_all(path: Path, folder: Path) -> None:
    """Survey, export and tabulate a file; require that nothing is reported, and that no table has half an episode."""
    store = Store(path)
    survey = store.survey(closely=True)
    assert survey.damaged == []
    left_out: list[str] = []
    export(store, survey.episodes, folder, left_out=left_out)
    assert all(isinstance(each, Deleted) for each in left_out)
    with (folder / "episodes.csv").open(newline="") as file:
        rows = {row["episode"]: int(row["steps"]) for row in csv.DictReader(file)}
    with (folder / "steps.csv").open(newline="") as file:
        last_steps = {row["episode"]: int(row["step"]) for row in csv.DictReader(file)}
    assert last_steps == rows and len(rows) + len(left_out) == len(survey.episodes)
    recorded_episodes(store, survey.episodes)
    for each in survey.episodes:
        with suppress(NoEpisode):
            store.record(each.id)
    with suppress(NoEpisode):
        store.find("last")
    back_up(path, folder / "copy.sqlite", force=True)


def test_a_deletion_between_any_two_queries_is_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(tmp_path / "r.sqlite") as store:
        played(store, participant="P08")
        played(store, OWN, participant=PERSON)
    moment, whole = 1, (tmp_path / "r.sqlite").read_bytes()
    while True:
        path = tmp_path / f"{moment}.sqlite"
        path.write_bytes(whole)
        with monkeypatch.context() as patch:
            deletion = Deletion(path, moment, patch)
            read_all(path, tmp_path / f"{moment}")
        if not deletion.done:
            break
        moment += 1
    assert moment > 50


def test_commands_leave_out_what_is_deleted_meanwhile(
    recordings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(recordings) as store:
        last = store.episodes()[1]
    assert last.participant == PERSON
    whole = recordings.read_bytes()
    for verb, code in (
        (["export", "-o", str(tmp_path / "out"), "--data", str(recordings)], 0),
        (["report", str(recordings), "-o", str(tmp_path / "report"), "--watched"], 0),
        (["replay", last.id, "--data", str(recordings)], 1),
    ):
        recordings.write_bytes(whole)
        require_whole, waiting = Store.require_whole, [True]

        def forget_first(store: Store, episode: Any, waiting: Any = waiting, check: Any = require_whole) -> None:
            if waiting and episode.participant == PERSON:
                waiting.clear()
                forget(recordings, PERSON)
            check(store, episode)

        with monkeypatch.context() as patch:
            patch.setattr(Store, "require_whole", forget_first)
            done = CliRunner().invoke(app, verb)
        assert not waiting and done.exit_code == code and "damaged" not in done.stderr, done.stderr
        assert done.exception is None or isinstance(done.exception, SystemExit)
        if verb[0] == "export":
            assert "wrote 3 episodes" in done.stderr and "was deleted meanwhile; it was left out" in done.stderr
        if verb[0] == "replay":
            assert f"there is no episode {last.id}" in done.stderr


def test_a_task_that_was_deleted_and_recorded_again_is_known(recordings: Path) -> None:
    with Store(recordings) as store:
        episode = next(each for each in store.episodes() if each.task == "file:own")
        forget(recordings, PERSON)
        assert store.task(episode) is None
        id = played(store, OWN, participant="P09")
        store.flush()
        assert store.record(id)
