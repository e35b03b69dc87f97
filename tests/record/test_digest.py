"""The checksum of an episode: the same however the episode was written, and computed while it is being recorded."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from puzzlebox.record import digest, writer
from puzzlebox.record.database import FORMAT, NO_CHECKSUM, StoreError
from puzzlebox.record.digest import Checksum, difference
from puzzlebox.record.entries import End, Start, Step
from puzzlebox.record.store import Store
from worlds import AGENT, GOAL, task_of

TASK = task_of(AGENT, GOAL, time_limit=50)


def step(number: int) -> Step:
    # An integer, a value that is not a number and a measure without a column: SQLite stores each in its own way.
    measures = {"x": number, "heading": float("nan"), "health": 99.5, "luck": number / 3}
    return Step(number, (number % 9,), 20.0 * number, 0, -0.1 * number, measures)


def stored_and_read(path: Path, id: str) -> tuple[str, str]:
    """Return the stored checksum of an episode, and that of its rows as they are now."""
    with closing(sqlite3.connect(path)) as connection:
        number, stored = connection.execute("SELECT number, checksum FROM episodes WHERE id = ?", (id,)).fetchone()
        checksum = Checksum(number)
        checksum.read_on(connection)
        return stored, checksum.value(connection)


@pytest.mark.parametrize("most", [1, 7, 2_000])
def test_a_checksum_does_not_depend_on_how_the_entries_were_written(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "MOST_HASHED", most)
    path = tmp_path / "recordings.sqlite"
    starts = [Start.of(TASK, seed=seed) for seed in range(3)]
    with Store(path) as store, Store(path) as other:
        for start in starts:
            store.begin(start)
        foreign = Start.of(TASK, seed=9)
        other.begin(foreign)
        for number in range(20):
            for start in starts[: 1 + number % 3]:
                store.step(start.id, step(number))
            if number % 4 == 0:
                store.flush()
                other.step(foreign.id, step(number))
                other.flush()
        store.end(starts[0].id, End(19, -1.9, False, "timeout"))
        store.end(starts[1].id, End(19, -1.9, False, "timeout"))
    with Store(path) as store:  # the third one is resumed after a restart
        store.step(starts[2].id, step(20))
        store.flush()
        store.end(starts[2].id, End(20, -2.0, False, "timeout"))
    for start in starts:
        stored, read = stored_and_read(path, start.id)
        assert stored is not None and stored == read
    assert stored_and_read(path, foreign.id)[0] is None


def test_an_end_that_could_not_be_stored_at_first_has_the_same_checksum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts = []
    store_checksum = writer.Writer._store_checksum

    def fail_twice(self: Any, *of_episode: Any) -> None:
        store_checksum(self, *of_episode)
        attempts.append(of_episode)
        if len(attempts) < 3:
            raise OSError("the disk is full")

    def write_event_of_another_program(done: dict[str, int]) -> None:
        # Its number is the one that our event had in the transaction that failed.
        if not done:
            with closing(sqlite3.connect(path)) as connection, connection:
                connection.execute("INSERT INTO events (episode, step, kind, details) VALUES (99, 0, 'ended', '{}')")

    monkeypatch.setattr(writer.Writer, "_store_checksum", fail_twice)
    path, start = tmp_path / "recordings.sqlite", Start.of(TASK)
    with Store(path) as store:
        store.listen(write_event_of_another_program)
        store.begin(start)
        for number in range(10):
            store.step(start.id, step(number))
        store.flush()
        store.step(start.id, replace(step(10), events=[{"step": 10, "kind": "ended"}]))
        store.end(start.id, End(10, -1.0, False, "timeout"))
    assert len(attempts) == 3
    stored, read = stored_and_read(path, start.id)
    assert stored is not None and stored == read


def test_steps_are_hashed_before_the_end_of_an_episode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[bool] = []
    connections: list[sqlite3.Connection] = []
    read_on, as_line = Checksum.read_on, digest._as_line

    def note_connection(self: Checksum, connection: sqlite3.Connection, *how: Any) -> None:
        connections[:] = [connection]
        read_on(self, connection, *how)

    def note_line(row: tuple[object, ...]) -> bytes:
        lines.append(connections[0].in_transaction)
        return as_line(row)

    monkeypatch.setattr(Checksum, "read_on", note_connection)
    monkeypatch.setattr(digest, "_as_line", note_line)
    start = Start.of(TASK)
    with Store(tmp_path / "recordings.sqlite") as store:
        store.begin(start)
        for number in range(3_000):
            store.step(start.id, step(number))
            if number % 500 == 0:
                store.flush()
        store.flush()
        store.end(start.id, End(2_999, -299.9, False, "timeout"))
    # In the last transaction: the row of the episode, and at most the steps that were written with its end.
    assert lines.count(True) <= 1 and lines.count(False) == 3_000


def short_episode(folder: Path) -> tuple[Path, str]:
    """Record an episode of one step; return the file and the id of the episode."""
    path, start = folder / "recordings.sqlite", Start.of(TASK)
    with Store(path) as store:
        store.begin(start)
        store.step(start.id, step(0))
        store.end(start.id, End(0, 0.0, False, "timeout"))
    return path, start.id


def test_checksums_of_the_first_kind_are_dropped(tmp_path: Path) -> None:
    path, id = short_episode(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE episodes RENAME COLUMN checksum TO digest")
        connection.execute("UPDATE episodes SET digest = 'of format 5'")
        connection.execute("ALTER TABLE episodes DROP COLUMN error")
        connection.execute("PRAGMA user_version = 5")
        connection.commit()
    with Store(path) as store:
        assert store.record(id)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT checksum FROM episodes").fetchall() == [(NO_CHECKSUM,)]
        assert difference(connection, id) == ""


@pytest.mark.parametrize("claimed", range(1, FORMAT))
def test_a_file_that_states_an_older_format_than_it_has_keeps_its_checksums(claimed: int, tmp_path: Path) -> None:
    path, id = short_episode(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {claimed}")
    with pytest.raises(StoreError, match=r"the file is damaged; restore a backup"):
        Store(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {FORMAT}")
    stored, read = stored_and_read(path, id)
    assert stored == read and len(stored) == 64


def test_only_episodes_that_ended_before_there_were_checksums_may_have_none(tmp_path: Path) -> None:
    path, starts = tmp_path / "recordings.sqlite", [Start.of(TASK, seed=seed) for seed in range(4)]
    with Store(path) as store:
        for start in starts:
            store.begin(start)
            store.step(start.id, step(0))
        for start in (starts[0], starts[3]):
            store.end(start.id, End(0, 0.0, False, "timeout"))
    with closing(sqlite3.connect(path)) as connection, connection:  # as format 5 stored it
        connection.execute("UPDATE episodes SET checksum = NULL WHERE number = 1")
        connection.execute("ALTER TABLE episodes RENAME COLUMN checksum TO digest")
        connection.execute("ALTER TABLE episodes DROP COLUMN error")
        connection.execute("PRAGMA user_version = 5")
    with Store(path) as store:
        store.end(starts[1].id, End(0, 0.0, False, "timeout"))
        store.flush()
        assert store.survey(closely=True).damaged == []
    with closing(sqlite3.connect(path)) as connection, connection:
        marks = [mark for (mark,) in connection.execute("SELECT checksum FROM episodes ORDER BY number")]
        assert marks[0] == marks[3] == NO_CHECKSUM and len(marks[1]) == 64 and marks[2] is None
        connection.execute("UPDATE episodes SET checksum = NULL WHERE number = 2")
    (sentence,) = Store(path).survey(closely=True).damaged
    assert f"the episode {starts[1].id} in {path} is damaged: its checksum is missing" in sentence
