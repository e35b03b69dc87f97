"""Recordings: what is given to the store is what comes back, at once for nobody, and never lost."""

import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from living import AGENT, FORWARDS, GOAL, task_of
from puzzlebox.lab import database, writing
from puzzlebox.lab.recording import Recording
from puzzlebox.lab.rows import CANNOT_MOVE, LIGHT_ON, NOTIFICATION, OVER, hash_of, rules_name
from puzzlebox.lab.store import (
    End,
    EpisodeFault,
    PlayedElsewhere,
    Start,
    Step,
    Store,
    StoreError,
    default_store_path,
)
from puzzlebox.world import Rules, World

TASK = task_of(AGENT, GOAL, time_limit=50)


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with Store(tmp_path / "recordings.sqlite") as made:
        yield made


def some_step(number: int, **changes: Any) -> Step:
    plain = Step(number, (3,), number * 20.0, (1.0, 0.5, 2.0), (0.0, 0.0, 9.0), 90.0, -0.1, -0.1 * number, 99.0)
    return replace(plain, **changes)


def played(store: Store, actions: int = 1000, **how: Any) -> tuple[str, World]:
    """An episode forwards, recorded."""
    start = Start.of(TASK, name="ahead", **how)
    world = World(TASK, seed=start.seed, arena=start.arena, rules=Rules.named(json.loads(start.rules)))
    recording = Recording(store, start, world, view="third")
    for _ in range(actions):
        if world.over:
            break
        recording.stepped(world.step([FORWARDS]), "first")
    return start.id, world


def test_what_was_recorded_comes_back_and_replays(store: Store) -> None:
    id, world = played(store, seed=2**70, rules=Rules(decision_period=1))
    store.flush()
    assert store.record(id) == world.snapshot()
    again = World.replay(store.record(id))
    assert again.state() == world.state()
    episode, columns = store.episode(id), store.steps(id)
    assert (episode.task, episode.seed, episode.player, episode.decision_period) == ("ahead", 2**70, "human", 1)
    assert (episode.steps, episode.total) == (world.clock, world.animals[0].total)
    assert (episode.passed, episode.ended_by, episode.finished) == (True, "completed", True)
    assert columns["step"] == list(range(world.clock + 1))
    assert columns["actions"] == [""] + ["3"] * world.clock
    assert columns["view"] == ["third"] + ["first"] * world.clock
    assert (columns["x"][-1], columns["z"][-1]) == (world.position_of(world.animals[0])[0::2])
    assert sum(columns["reward"]) == pytest.approx(columns["total"][-1]) == pytest.approx(world.animals[0].total)
    assert columns["time_ms"] == sorted(columns["time_ms"])
    assert columns["flags"][0] == LIGHT_ON and columns["flags"][-1] & OVER
    kinds = [event["kind"] for event in store.events(id)]
    assert kinds[0] == "started" and "collected" in kinds and kinds[-1] == "ended"
    collected = next(event for event in store.events(id) if event["kind"] == "collected")
    assert collected["name"] == "GoodGoal" and collected["details"] == {"value": 0.999} and collected["animal"] == 0


def test_an_episode_still_open_is_as_far_as_its_last_step(store: Store) -> None:
    id, world = played(store, 4)
    store.flush()
    episode = store.episode(id)
    assert (episode.steps, episode.total) == (12, world.animals[0].total)
    assert not episode.finished and episode.passed is None
    shown = episode.as_dict()
    assert shown["return"] == episode.total and shown["rules"] == "puzzlebox" and shown["finished"] is False
    assert json.loads(json.dumps(shown)) == shown


def test_the_notification_is_among_the_flags(store: Store) -> None:
    task = TASK.model_copy(update={"show_notification": True})
    start, world = Start.of(task), World(task)
    recording = Recording(store, start, world)
    while not world.over:
        recording.stepped(world.step([FORWARDS]))
    store.flush()
    flags = store.steps(start.id)["flags"]
    shown = [bool(each & NOTIFICATION) for each in flags]
    assert 40 <= sum(shown) <= 43 and not shown[0] and not shown[-1]
    assert all(each & CANNOT_MOVE for each in flags if each & NOTIFICATION)


def test_newest_first_and_by_the_beginning_of_the_name(store: Store) -> None:
    ids = ["abc1", "abc2", "b%_"]
    with pytest.raises(ValueError, match="no name for an episode"):
        replace(Start.of(TASK), id=ids[2])
    ids[2] = "b-_"
    for id in ids:
        store.begin(replace(Start.of(TASK), id=id))
    store.flush()
    assert store.count() == 3
    assert [each.id for each in store.episodes()] == ids[::-1]
    assert [each.id for each in store.episodes(1, 1)] == ["abc2"]
    assert store.find("b").id == "b-_" and store.find("abc2").id == "abc2" and store.find("last").id == "b-_"
    with pytest.raises(KeyError, match="several episodes begin with 'abc': abc1, abc2"):
        store.find("abc")
    for nothing in ("c", "", "%", "_"):
        with pytest.raises(KeyError, match="there is no episode"):
            store.find(nothing)
    with pytest.raises(KeyError):
        store.record("abc")


def test_a_task_is_stored_once(store: Store) -> None:
    for _ in range(3):
        store.begin(Start.of(TASK))
    other = task_of(AGENT)
    store.begin(Start.of(other))
    store.flush()
    with sqlite3.connect(store.path) as connection:
        texts = dict(connection.execute("SELECT hash, text FROM tasks").fetchall())
    connection.close()
    assert len(texts) == 2 and all(hash_of(text) == key for key, text in texts.items())


def test_listeners_are_told_what_is_in_the_file_when_it_is(store: Store) -> None:
    heard: list[tuple[dict[str, int], int, str]] = []

    def listener(done: dict[str, int]) -> None:
        heard.append((done, len(store.steps(start.id)["step"]), threading.current_thread().name))

    start = Start.of(TASK)
    stop = store.listen(listener)
    store.listen(lambda done: 1 / 0)  # somebody else's mistake
    store.begin(start)
    for number in range(1, 200):
        store.step(start.id, some_step(number))
        if number % 50 == 0:
            store.flush()
    store.flush()
    wait_for(lambda: heard[-1][0] == {start.id: 199})
    assert all(done[start.id] == rows for done, rows, _ in heard)
    assert {name for *_, name in heard} == {"puzzlebox-recordings"}
    stop()
    count = len(heard)
    store.step(start.id, some_step(200))
    store.flush()
    assert len(heard) == count and store.error is None


def wait_for(condition: Any) -> None:
    for _ in range(1000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it never came")


def test_all_players_share_few_transactions(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "BREATH", 1e9)  # after the first one there is no other, until it is closed
    commits: list[dict[str, int]] = []
    store.listen(commits.append)
    first = Start.of(TASK)
    store.begin(first)
    store.flush()
    starts = [Start.of(TASK) for _ in range(20)]

    def player(start: Start) -> None:
        store.begin(start)
        for number in range(1, 51):
            store.step(start.id, some_step(number))

    threads = [threading.Thread(target=player, args=(start,)) for start in starts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.count() == 1
    store.close()
    assert commits == [{first.id: 0}, {start.id: 50 for start in starts}]
    assert all(store.steps(start.id)["step"] == list(range(1, 51)) for start in starts)


def test_steps_go_forwards_only(store: Store) -> None:
    start = Start.of(TASK)
    with pytest.raises(KeyError, match="there is no episode"):
        store.step(start.id, some_step(1))
    store.begin(start)
    with pytest.raises(ValueError, match="there is already an episode"):
        store.begin(start)
    store.step(start.id, some_step(3))
    for earlier in (3, 2):
        with pytest.raises(ValueError, match=f"already recorded up to step 3; {earlier} is not after it"):
            store.step(start.id, some_step(earlier))
    store.end(start.id, End(3, 1.0, True, "completed"))
    for again in (lambda: store.step(start.id, some_step(4)), lambda: store.end(start.id, End(4, 0.0, False, "time"))):
        with pytest.raises(ValueError, match="is over"):
            again()
    store.flush()
    assert store.steps(start.id)["step"] == [3] and store.episode(start.id).total == 1.0


def test_a_recording_that_broke_off_goes_on_in_another_program(tmp_path: Path) -> None:
    path, start = tmp_path / "a.sqlite", Start.of(TASK)
    with Store(path) as store:
        store.begin(start)
        store.step(start.id, some_step(1))
    with Store(path) as store:
        with pytest.raises(ValueError, match="there is already an episode"):
            store.begin(start)
        with pytest.raises(ValueError, match="already recorded up to step 1"):
            store.step(start.id, some_step(1))
        store.step(start.id, some_step(2))
        store.end(start.id, End(2, 0.5, False, "left"))
    with Store(path) as store:
        assert store.steps(start.id)["step"] == [1, 2] and store.episode(start.id).ended_by == "left"
        with pytest.raises(ValueError, match="is over"):
            store.step(start.id, some_step(3))


def test_two_stores_on_one_file(tmp_path: Path) -> None:
    path = tmp_path / "both.sqlite"
    opened: list[Store] = []
    threads = [threading.Thread(target=lambda: opened.append(Store(path))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 6
    for number in range(60):
        opened[number % 6].begin(Start.of(TASK))
    for store in opened:
        store.close()
    assert opened[0].count() == 60


class SmallDisk:
    """A disk that is full soon, until somebody makes room."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._full, self._pages = True, 0
        monkeypatch.setattr(writing, "connect", self._connect)
        monkeypatch.setattr(writing, "LONGEST_PAUSE", 0.1)

    def _connect(self, path: Path) -> sqlite3.Connection:
        connection = database.connect(path)
        if self._full:
            self._pages = self._pages or connection.execute("PRAGMA page_count").fetchone()[0] + 8
            connection.execute(f"PRAGMA max_page_count = {self._pages}")
        return connection

    def make_room(self) -> None:
        self._full = False


def filled(store: Store, most: int = 5000) -> tuple[Start, int]:
    """An episode that is recorded until writing fails, and how many steps were given."""
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
    start, given = filled(store)
    assert store.error is not None and (store.error.reason, store.error.remedy) == (
        "the disk is full",
        "make room on it",
    )
    assert re.search(r"full.sqlite fails: the disk is full; entries not written yet: \d+$", str(store.error))
    wait_for(lambda: {} in heard)
    # Nothing is said to be stored that is not.
    acknowledged = max((done[start.id] for done in heard if done), default=0)
    assert acknowledged <= len(store.steps(start.id)["step"]) < given
    with pytest.raises(StoreError, match="the disk is full"):
        store.flush(patience=0)
    with pytest.raises(StoreError, match="the disk is full"):
        store.try_out()
    # Others may begin meanwhile; all of it is taken, and written in its order.
    other = Start.of(TASK)
    store.begin(other)
    store.step(start.id, some_step(given + 1))
    assert store.waiting(start.id) > 0 and store.waiting(other.id) == 1
    disk.make_room()
    store.flush()
    assert store.error is None and store.waiting(start.id) == 0
    store.try_out()
    wait_for(lambda: any(done.get(start.id) == given + 1 for done in heard))
    assert store.steps(start.id)["step"] == list(range(1, given + 2)) and store.knows(other.id)
    store.close()


def test_a_lock_held_by_another_program_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "LOCK_SECONDS", 0.05)
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
def test_nothing_is_acknowledged_that_goes_into_a_file_which_is_not_there(tmp_path: Path, what: str) -> None:
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


def test_what_was_acknowledged_outlives_the_journal_of_sqlite(tmp_path: Path) -> None:
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


def test_whoever_waits_for_a_disk_that_stays_full_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    SmallDisk(monkeypatch)
    store = Store(tmp_path / "full.sqlite", patience=0.3)
    start, given = filled(store)
    with pytest.raises(StoreError, match="the disk is full"):
        store.flush()
    with pytest.raises(StoreError, match="the disk is full"):
        store.close()
    for call in (lambda: store.step(start.id, some_step(9999)), lambda: store.begin(Start.of(TASK))):
        with pytest.raises(StoreError, match="the recordings are closed"):
            call()
    with pytest.raises(StoreError, match="the disk is full"):
        store.flush(patience=1000)
    # What was acknowledged is there, without gaps.
    steps = store.steps(start.id)["step"]
    assert steps == list(range(1, len(steps) + 1)) and len(steps) < given


def test_only_so_much_waits_for_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = SmallDisk(monkeypatch)
    store = Store(tmp_path / "full.sqlite")
    start, given = filled(store)
    monkeypatch.setattr(writing, "MOST_WAITING", store.waiting(start.id) + 100)
    with pytest.raises(StoreError, match="the disk is full"):
        for number in range(given + 1, given + 1000):
            store.step(start.id, some_step(number))
    disk.make_room()
    store.close()
    steps = store.steps(start.id)["step"]
    assert steps == list(range(1, given + 101))


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
    # Its player is told with the next step.
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
        # It goes on after what the other has recorded.
        with pytest.raises(ValueError, match="already recorded up to step 2"):
            first.step(start.id, some_step(2))
        first.end(start.id, End(2, 0.0, False, "left"))
        first.flush()
        second.claim(start.id)  # what is over is nobody's
    assert first.steps(start.id)["step"] == [1, 2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no kill -9")
@pytest.mark.parametrize("of_the_process", [False, True])
def test_an_owner_that_is_killed_keeps_nobody_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of_the_process: bool
) -> None:
    import fcntl

    if of_the_process:  # a system that has no locks of opened files
        monkeypatch.delattr(fcntl, "F_OFD_SETLK", raising=False)
    path = tmp_path / "a.sqlite"
    program = (
        f"import sys, time; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from test_store import *\n"
        f"store, start = Store({str(path)!r}), Start.of(TASK)\n"
        "store.begin(start); store.flush(); print(start.id, flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        id = process.stdout.readline().strip()
        with Store(path) as store:
            with pytest.raises(PlayedElsewhere):
                store.claim(id)
            process.kill()
            process.wait()
            store.step(id, some_step(1))
    assert store.steps(id)["step"] == [1]


def test_nothing_is_taken_after_the_end(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")
    store.begin(Start.of(TASK))
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.begin(Start.of(TASK))
    assert store.count() == 1


def test_a_device_is_no_file_of_recordings() -> None:
    with pytest.raises(StoreError, match=r"^/dev/null is not a file of recordings$"):
        Store(Path("/dev/null"))


def test_files_of_others_are_refused(tmp_path: Path) -> None:
    text, other, newer = tmp_path / "a.txt", tmp_path / "b.sqlite", tmp_path / "c.sqlite"
    text.write_text("not at all a database, but long enough to be taken for one" * 20)
    for path, statement in ((other, "CREATE TABLE birds (name)"), (newer, "PRAGMA user_version = 7")):
        if path is newer:
            Store(path).close()
        connection = sqlite3.connect(path)
        connection.execute(statement)
        connection.commit()
        connection.close()
    before = {path: path.read_bytes() for path in (text, other, newer)}
    for path, why in (
        (text, "is not a file of recordings"),
        (other, "is a database, but not one of Puzzlebox recordings"),
        (newer, r"was written by a newer Puzzlebox \(format 7; this one knows 3\)"),
        (tmp_path, "cannot be kept in"),
        (text / "below.sqlite", "cannot be kept in"),
    ):
        with pytest.raises(StoreError, match=why):
            Store(path)
    assert {path: path.read_bytes() for path in before} == before


def test_a_start_must_be_true() -> None:
    start = Start.of(TASK, rules="3.1")
    assert rules_name(json.loads(start.rules)) == "3.1"
    assert rules_name(Rules(drag=2.0).as_dict()) == "own"
    with pytest.raises(ValueError, match="not the SHA-256"):
        replace(start, task_hash="0" * 64)
    with pytest.raises(ValueError, match="player is 'cat'; it must be one of 'human', 'agent'"):
        replace(start, player="cat")


def test_the_file_is_where_the_platform_keeps_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PUZZLEBOX_DATA", str(tmp_path))
    assert default_store_path() == tmp_path / "recordings.sqlite"
    monkeypatch.delenv("PUZZLEBOX_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setattr(sys, "platform", "linux")
    assert default_store_path() == tmp_path / "share" / "puzzlebox" / "recordings.sqlite"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert default_store_path().parts[-4:] == ("Library", "Application Support", "Puzzlebox", "recordings.sqlite")
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert default_store_path() == tmp_path / "local" / "Puzzlebox" / "recordings.sqlite"


# Players that play for ever and say what the store has acknowledged; their deaths are told too.
_PLAYERS = """
import os, sys, time
sys.path.insert(0, {tests!r})
from test_store import TASK, Start, Store, some_step

def play():
    store, start = Store({path!r}), Start.of(TASK)
    store.listen(lambda done: os.write(1, b"%d %s %d\\n" % (os.getpid(), start.id.encode(), done[start.id])))
    store.begin(start)
    number = 0
    while True:
        number += 1
        event = dict(kind="pressed", step=number, thing=1, name="x", animal=0, details={{}})
        store.step(start.id, some_step(number, events=[event]))
        time.sleep(0.001)

for _ in range(20):
    if os.fork() == 0:
        play()
    if _ % 4 == 3:
        for _ in range(4):
            os.write(1, b"%d dead 0\\n" % os.wait()[0])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork and no kill -9")
def test_nothing_acknowledged_is_lost_when_killed(tmp_path: Path) -> None:
    """Twenty players killed at any moment, four at a time on one file."""
    path = tmp_path / "killed.sqlite"
    program = _PLAYERS.format(tests=str(Path(__file__).parent), path=str(path))
    moments = random.Random(5)
    acknowledged: dict[str, int] = {}
    living: set[int] = set()
    dead = 0
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as players:
        assert players.stdout is not None
        for line in players.stdout:
            player, id, step = line.split()
            if id == "dead":
                dead += 1
                continue
            acknowledged[id] = int(step)
            if int(player) not in living:
                living.add(int(player))
                threading.Timer(moments.uniform(0.0, 0.4), os.kill, (int(player), signal.SIGKILL)).start()
    assert dead == len(living) == len(acknowledged) == 20
    with Store(path) as store:
        for id, last in acknowledged.items():
            columns = store.steps(id)
            assert len(columns["step"]) >= last and columns["step"] == list(range(1, len(columns["step"]) + 1))
            assert len(store.events(id)) == len(columns["step"])
        assert max(acknowledged.values()) > 20
        store.begin(Start.of(TASK))
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
