"""Recording under faults: full disks, locks, moved files, episodes that cannot be recorded."""

import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from programs import program
from puzzlebox.arena.world import World
from puzzlebox.record import End, EpisodeFault, PlayedElsewhere, Start, Step, Store, StoreError, database, writer
from puzzlebox.record.deletion import forget
from test_store import TASK, some_step, wait_for


class SmallDisk:
    """A disk that is soon full, until room is made."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._full, self._pages = True, 0
        monkeypatch.setattr(writer, "connect", self._connect)
        monkeypatch.setattr(writer, "LONGEST_PAUSE", 0.1)

    def _connect(self, path: Path) -> sqlite3.Connection:
        connection = database.connect(path)
        if self._full:
            self._pages = self._pages or connection.execute("PRAGMA page_count").fetchone()[0] + 8
            connection.execute(f"PRAGMA max_page_count = {self._pages}")
        return connection

    def make_room(self) -> None:
        self._full = False


def filled(store: Store, most: int = 5000) -> tuple[Start, int]:
    """Record an episode until writing fails; return its start and the number of steps passed to the store."""
    start = Start.of(TASK)
    store.begin(start)
    for number in range(1, most):
        store.step(start.id, some_step(number))
        if number > 500 and store.error is not None:
            return start, number
        if number % 100 == 0:
            time.sleep(0.02)
    raise AssertionError("the disk was never full")


def test_writing_recovers_when_the_disk_has_room_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = SmallDisk(monkeypatch)
    store = Store(tmp_path / "full.sqlite")
    heard: list[dict[str, int]] = []
    store.listen(heard.append)
    start, last_step = filled(store)
    assert store.error is not None and (store.error.reason, store.error.remedy) == (
        "the disk is full",
        "make room on it",
    )
    assert re.search(r"full.sqlite fails: the disk is full; entries not written yet: \d+$", str(store.error))
    wait_for(lambda: {} in heard)
    # Only stored steps are acknowledged.
    acknowledged = max((done[start.id] for done in heard if done), default=0)
    assert acknowledged <= len(store.steps(start.id)["step"]) < last_step
    with pytest.raises(StoreError, match="the disk is full"):
        store.flush(retry_seconds=0)
    with pytest.raises(StoreError, match="the disk is full"):
        store.check_writable()
    # Other episodes may begin meanwhile; all entries are accepted, and written in their order.
    other = Start.of(TASK)
    store.begin(other)
    store.step(start.id, some_step(last_step + 1))
    assert store.waiting(start.id) > 0 and store.waiting(other.id) == 1
    disk.make_room()
    store.flush()
    assert store.error is None and store.waiting(start.id) == 0
    store.check_writable()
    wait_for(lambda: any(done.get(start.id) == last_step + 1 for done in heard))
    assert store.steps(start.id)["step"] == list(range(1, last_step + 2)) and store.knows(other.id)
    store.close()


def test_a_lock_held_by_another_program_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "LOCK_TIMEOUT_SECONDS", 0.05)
    with Store(tmp_path / "locked.sqlite") as store:
        start = Start.of(TASK)
        store.begin(start)
        store.flush()
        other = sqlite3.connect(store.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        store.step(start.id, some_step(1))
        wait_for(lambda: store.error is not None)
        assert store.error is not None and store.error.reason == "another program keeps the recordings locked"
        store.step(start.id, some_step(2))
        other.execute("COMMIT")
        other.close()
        store.flush()
        assert store.error is None
    assert store.steps(start.id)["step"] == [1, 2]


@pytest.mark.parametrize("what", ["moved", "replaced by another", "replaced by a folder"])
def test_no_step_is_acknowledged_while_the_file_is_missing(tmp_path: Path, what: str) -> None:
    path, away = tmp_path / "r.sqlite", tmp_path / "away"
    away.mkdir()
    acknowledged: list[int] = []
    with Store(path) as store:
        start = Start.of(TASK)
        store.listen(lambda done: acknowledged.extend(done.values()))
        store.begin(start)
        store.step(start.id, some_step(1))
        store.flush()
        for name in ("r.sqlite", "r.sqlite-wal", "r.sqlite-shm"):
            (tmp_path / name).rename(away / name)
        if what == "replaced by a folder":
            path.mkdir()
        if what == "replaced by another":
            Store(path).close()
        store.step(start.id, some_step(2))
        wait_for(lambda: store.error is not None)
        assert "was moved or deleted" in str(store.error)
        store.step(start.id, some_step(3))
        assert acknowledged[-1] == 1
        if what == "replaced by a folder":
            path.rmdir()
        for name in ("r.sqlite-shm", "r.sqlite-wal", "r.sqlite"):
            (away / name).rename(tmp_path / name)
        store.flush()
        assert store.error is None and acknowledged[-1] == 3
        assert store.steps(start.id)["step"] == [1, 2, 3]


def test_acknowledged_steps_outlive_the_journal_of_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    with Store(path) as store:
        start = Start.of(TASK)
        store.begin(start)
        store.step(start.id, some_step(1))
        store.flush()
        for ending in ("-wal", "-shm"):
            (tmp_path / f"r.sqlite{ending}").unlink()
        store.step(start.id, some_step(2))
        store.flush()
    with Store(path) as store:
        assert store.steps(start.id)["step"] == [1, 2]


def test_flush_raises_when_the_disk_stays_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    SmallDisk(monkeypatch)
    store = Store(tmp_path / "full.sqlite", retry_seconds=0.3)
    start, last_step = filled(store)
    with pytest.raises(StoreError, match="the disk is full"):
        store.flush()
    with pytest.raises(StoreError, match="the disk is full"):
        store.close()
    for call in (lambda: store.step(start.id, some_step(9999)), lambda: store.begin(Start.of(TASK))):
        with pytest.raises(StoreError, match="the recordings are closed"):
            call()
    with pytest.raises(StoreError, match="the disk is full"):
        store.flush(retry_seconds=1000)
    # All acknowledged steps are stored, without gaps.
    steps = store.steps(start.id)["step"]
    assert steps == list(range(1, len(steps) + 1)) and len(steps) < last_step


def test_the_number_of_steps_waiting_for_a_full_disk_is_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = SmallDisk(monkeypatch)
    store = Store(tmp_path / "full.sqlite")
    start, last_step = filled(store)
    monkeypatch.setattr(writer, "MOST_WAITING", store.waiting(start.id) + 100)
    with pytest.raises(StoreError, match="the disk is full"):
        for number in range(last_step + 1, last_step + 1000):
            store.step(start.id, some_step(number))
    disk.make_room()
    store.close()
    steps = store.steps(start.id)["step"]
    assert steps == list(range(1, last_step + 101))


def test_one_episode_that_cannot_be_recorded_costs_no_other(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")
    good, bad = Start.of(TASK), Start.of(TASK, participant="P1")
    for start in (good, bad):
        store.begin(start)
        store.step(start.id, some_step(1))
    store.flush()
    with sqlite3.connect(store.path) as other:  # as if another program had recorded the same step
        number = other.execute("SELECT number FROM episodes WHERE id = ?", (bad.id,)).fetchone()[0]
        row = other.execute("SELECT * FROM steps WHERE episode = ?", (number,)).fetchone()
        other.execute(f"INSERT INTO steps VALUES ({', '.join('?' * len(row))})", (number, 2, *row[2:]))
    other.close()
    store.step(bad.id, some_step(2))
    store.step(good.id, some_step(2))
    store.step(bad.id, some_step(3, events=[dict(kind="pressed", step=3, thing=1, name="x", animal=0, details={})]))
    store.flush()
    assert store.error is None
    # The next step of the episode raises the error.
    with pytest.raises(
        EpisodeFault, match=r"cannot be recorded any further \(UNIQUE .*\); entries set aside in .*: 2$"
    ):
        store.step(bad.id, some_step(4))
    store.step(good.id, some_step(3))
    with pytest.raises(EpisodeFault, match="UNIQUE"):
        store.close()
    assert store.steps(good.id)["step"] == [1, 2, 3] and store.steps(bad.id)["step"] == [1, 2]
    lines = (tmp_path / "a.sqlite.aside.jsonl").read_text().splitlines()
    aside = [json.loads(line) for line in lines]
    assert [(row["episode"], row["kind"], row["step"], row["actions"]) for row in aside] == [
        (bad.id, "step", 2, [3]),
        (bad.id, "step", 3, [3]),
    ]
    assert aside[1]["events"][0]["kind"] == "pressed"


def test_values_that_cannot_be_stored_cost_their_episode_only(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")
    good, bad = Start.of(TASK), Start.of(TASK)
    for start in (bad, good):
        store.begin(start)
    store.step(bad.id, some_step(1, time_ms=object()))
    store.step(good.id, some_step(1))
    store.flush()
    assert store.steps(good.id)["step"] == [1]
    with pytest.raises(EpisodeFault, match="cannot be recorded any further"):
        store.end(bad.id, End(1, 0.0, False, "time"))
    with pytest.raises(EpisodeFault):
        store.close()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"time_ms": inf}, "time_ms of step 2 is inf"),
        ({"reward": inf}, "reward of step 2 is inf"),
        ({"reward": nan}, "reward of step 2 is nan"),
        ({"total": np.float32(-inf)}, "total of step 2 is -inf"),
        ({"measures": {"x": inf}}, "the measure 'x' of step 2 is inf"),
        ({"measures": {"luck": inf}}, "the measure 'luck' of step 2 is inf"),
        ({"events": [{"kind": "won", "step": 2, "details": {"by": [1, (nan,)]}}]}, "'by' of an event of step 2 is"),
    ],
)
def test_numbers_that_are_not_finite_are_refused(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}.*; it must be a finite number$"):
        some_step(2, **changes)
    with pytest.raises(ValueError, match=r"^total of the end is nan; it must be a finite number$"):
        End(1, nan, None, "time")


def test_everything_that_a_store_accepts_is_whole(tmp_path: Path) -> None:
    start = Start.of(TASK)
    with Store(tmp_path / "a.sqlite") as store:
        store.begin(start)
        for number, value in enumerate((nan, None, 1), 1):
            measures = {"x": value, "luck": value}
            store.step(start.id, some_step(number, measures=measures, reward=-0.0, total=5e-324))
        store.end(start.id, End(3, 5e-324, None, "time"))
    store = Store(store.path)
    assert store.survey(closely=True).damaged == []
    assert store.steps(start.id)["x"] == store.steps(start.id)["luck"] == [None, None, 1.0]


def test_a_body_without_a_place_has_none_in_the_recording() -> None:
    class Lost(World):
        def measures(self) -> dict[str, float | None]:
            return super().measures() | {"x": inf, "z": nan}

    step = Step.of(Lost(TASK), None, 0.0)
    assert step.measures["x"] is None and step.measures["z"] is None and step.measures["health"] == 100.0


@pytest.mark.parametrize("same_transaction", [True, False])
def test_a_forgotten_episode_stays_forgotten_when_the_next_transaction_fails(
    tmp_path: Path, same_transaction: bool
) -> None:
    store = Store(tmp_path / "a.sqlite")
    kept, bad, forgotten = (Start.of(TASK, participant=name) for name in ("P1", "P2", "P3"))
    for start in (kept, bad, forgotten):
        store.begin(start)
        store.step(start.id, some_step(1))
    store.flush()
    assert forget(store.path, "P3").episodes == 1
    store.step(bad.id, some_step(2, time_ms=object()))  # this episode is given up
    if not same_transaction:
        store.flush()
    other = Start.of(TASK, participant="P4")
    store.begin(other)  # gets the number of the forgotten one
    for number in (1, 2):
        store.step(other.id, some_step(number))
    store.flush()
    # The page of the forgotten participant is still open.
    store.step(forgotten.id, some_step(3, reward=7.0))
    store.flush()
    store.step(other.id, some_step(3))
    store.end(other.id, End(3, -0.3, False, "time"))
    store.step(kept.id, some_step(2))
    with pytest.raises(EpisodeFault, match=bad.id):
        store.close()
    survey = Store(store.path).survey(closely=True)
    assert survey.damaged == [] and {each.id for each in survey.episodes} == {kept.id, bad.id, other.id}
    assert store.episode(other.id).finished and store.fault(other.id) is None
    assert store.steps(other.id)["reward"] == [-0.1] * 3 and store.steps(kept.id)["step"] == [1, 2]


def test_an_episode_has_one_owner(tmp_path: Path) -> None:
    path, start = tmp_path / "a.sqlite", Start.of(TASK)
    (tmp_path / "b.sqlite").symlink_to(path)
    with Store(path) as first, Store(tmp_path / "b.sqlite") as second:
        first.begin(start)
        first.step(start.id, some_step(1))
        first.flush()
        for call in (lambda: second.claim(start.id), lambda: second.step(start.id, some_step(2))):
            with pytest.raises(PlayedElsewhere, match=r"^this episode is being played at another Puzzlebox server; "):
                call()
        first.release(start.id)
        second.step(start.id, some_step(2))
        with pytest.raises(PlayedElsewhere):
            first.step(start.id, some_step(3))
        second.flush()
        second.release(start.id)
        # It resumes after the steps that the other one has recorded.
        with pytest.raises(ValueError, match="already recorded up to step 2"):
            first.step(start.id, some_step(2))
        first.end(start.id, End(2, 0.0, False, "left"))
        first.flush()
        second.claim(start.id)  # a finished episode has no owner
    assert first.steps(start.id)["step"] == [1, 2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no kill -9")
@pytest.mark.parametrize("of_the_process", [False, True])
def test_the_lock_of_a_killed_owner_is_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of_the_process: bool
) -> None:
    import fcntl

    if of_the_process:  # a system without locks owned by open files
        monkeypatch.delattr(fcntl, "F_OFD_SETLK", raising=False)
    path = tmp_path / "a.sqlite"
    text = (
        f"import sys, time; sys.path[:] = {sys.path!r}\n"
        "from test_store import *\n"
        f"store, start = Store({str(path)!r}), Start.of(TASK)\n"
        "store.begin(start); store.flush(); print(start.id, flush=True); time.sleep(600)"
    )
    with program([sys.executable, "-c", text], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        id = process.stdout.readline().strip()
        with Store(path) as store:
            with pytest.raises(PlayedElsewhere):
                store.claim(id)
            process.kill()
            process.wait()
            store.step(id, some_step(1))
    assert store.steps(id)["step"] == [1]
