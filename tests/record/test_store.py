"""The store: entries are read as they were written, recording does not block, and nothing is lost."""

import json
import os
import random
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

from programs import program
from puzzlebox.arena.wing import rules_name
from puzzlebox.arena.world import Rules, World
from puzzlebox.record import writer
from puzzlebox.record.database import FORMAT
from puzzlebox.record.entries import hash_of
from puzzlebox.record.recorder import Recorder
from puzzlebox.record.store import (
    End,
    Start,
    Step,
    Store,
    StoreError,
    default_store_path,
)
from puzzlebox.wings.flags import CANNOT_MOVE, LIGHT_ON, NOTIFICATION, OVER
from worlds import AGENT, FORWARDS, GOAL, task_of

TASK = task_of(AGENT, GOAL, time_limit=50)


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with Store(tmp_path / "recordings.sqlite") as new_store:
        yield new_store


def some_step(number: int, **changes: Any) -> Step:
    where = {"x": 1.0, "y": 0.5, "z": 2.0, "vx": 0.0, "vy": 0.0, "vz": 9.0, "heading": 90.0, "health": 99.0}
    plain = Step(number, (3,), number * 20.0, -0.1, -0.1 * number, where)
    return replace(plain, **changes)


def played(store: Store, actions: int = 1000, **how: Any) -> tuple[str, World]:
    """Record an episode of moving forwards."""
    start = Start.of(TASK, name="ahead", **how)
    world = World(TASK, seed=start.seed, arena=start.arena, rules=Rules.named(json.loads(start.rules)))
    recording = Recorder(store, start, world, view="third")
    for _ in range(actions):
        if world.over:
            break
        recording.stepped(world.step([FORWARDS]), "first")
    return start.id, world


def test_a_recorded_episode_is_read_back_and_replays(store: Store) -> None:
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


def test_an_open_episode_reaches_to_its_last_step(store: Store) -> None:
    id, world = played(store, 4)
    store.flush()
    episode = store.episode(id)
    assert (episode.steps, episode.total) == (12, world.animals[0].total)
    assert not episode.finished and episode.passed is None
    shown = episode.summary()
    assert shown["return"] == episode.total and shown["rules"] == "puzzlebox" and shown["finished"] is False
    assert json.loads(json.dumps(shown)) == shown


def test_the_notification_is_among_the_flags(store: Store) -> None:
    task = TASK.model_copy(update={"show_notification": True})
    start, world = Start.of(task), World(task)
    recording = Recorder(store, start, world)
    while not world.over:
        recording.stepped(world.step([FORWARDS]))
    store.flush()
    flags = store.steps(start.id)["flags"]
    shown = [bool(each & NOTIFICATION) for each in flags]
    assert 40 <= sum(shown) <= 43 and not shown[0] and not shown[-1]
    assert all(each & CANNOT_MOVE for each in flags if each & NOTIFICATION)


def test_newest_first_and_by_the_beginning_of_the_name(store: Store) -> None:
    ids = ["abc1", "abc2", "b%_"]
    with pytest.raises(ValueError, match="not a name for an episode"):
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


def test_listeners_are_called_when_steps_are_in_the_file(store: Store) -> None:
    heard: list[tuple[dict[str, int], int, str]] = []

    def listener(done: dict[str, int]) -> None:
        heard.append((done, len(store.steps(start.id)["step"]), threading.current_thread().name))

    start = Start.of(TASK)
    stop = store.listen(listener)
    store.listen(lambda done: 1 / 0)  # a listener that fails
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
    monkeypatch.setattr(writer, "INTERVAL_SECONDS", 1e9)  # no second transaction before the store is closed
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


def test_steps_out_of_order_are_refused(store: Store) -> None:
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


def test_an_interrupted_recording_is_resumed_by_another_program(tmp_path: Path) -> None:
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


def test_several_stores_can_use_one_file(tmp_path: Path) -> None:
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
    for path, statement in ((other, "CREATE TABLE birds (name)"), (newer, f"PRAGMA user_version = {FORMAT + 1}")):
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
        (newer, rf"was written by a newer Puzzlebox \(format {FORMAT + 1}; this one knows {FORMAT}\)"),
        (tmp_path, "is a folder, not a file of recordings"),
        (text / "below.sqlite", "cannot be kept in"),
    ):
        with pytest.raises(StoreError, match=why):
            Store(path)
    assert {path: path.read_bytes() for path in before} == before


def test_a_start_with_contradictory_fields_is_refused() -> None:
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


# Processes that play until they are killed and print what the store has acknowledged.
_PLAYERS = """
import os, sys, time
sys.path[:] = {paths!r}
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
    text = _PLAYERS.format(paths=sys.path, path=str(path))
    moments = random.Random(5)
    acknowledged: dict[str, int] = {}
    living: set[int] = set()
    dead = 0
    with program([sys.executable, "-c", text], stdout=subprocess.PIPE) as players:
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
