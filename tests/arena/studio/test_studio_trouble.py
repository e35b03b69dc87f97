"""Nothing can be written for a while: pages show it, no steps are lost, and playing continues without a restart."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from puzzlebox.arena.studio import play, sessions
from puzzlebox.record import Store, writer
from puzzlebox.studio.protocol import FrameFlag
from studio_page import FOOD, FOOD_TWICE, TIMEOUT_SECONDS, Page, Studio, running, wait_for

FORWARDS, RIGHT = 3, 1
WHY = "another program keeps the recordings locked; end that program"
LONG = FOOD.replace("at: [20, 0, 18]", "at: [20, 0, 38]").replace("time_limit: 100", "time_limit: 0")


@pytest.fixture
def studio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Studio]:
    monkeypatch.setattr(writer, "LOCK_TIMEOUT_SECONDS", 0.02)
    monkeypatch.setattr(writer, "LONGEST_PAUSE", 0.1)
    monkeypatch.setattr(writer, "RECENT_SECONDS", -1.0)  # whether the file can be written is tried for every page
    with running(tmp_path / "r.sqlite") as studio:
        yield studio


@contextmanager
def locked(studio: Studio, *, noticed: bool = True) -> Iterator[None]:
    """Another program writes to the recordings, and does not finish."""
    other = sqlite3.connect(studio.store.path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    try:
        if noticed:
            with pytest.raises(writer.CannotWrite):
                studio.store.check_writable()
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


def test_an_episode_that_cannot_be_recorded_does_not_begin(studio: Studio) -> None:
    sentence = f"nothing can be recorded at the moment: {WHY}"
    with locked(studio):
        for settings in ({"task": "foraging"}, {"task": "foraging", "participant": "P1"}, {"agent": "random"}):
            with studio.page(**settings) as page:
                assert page.error() == sentence
                assert page.last("error")["retry"] is True
    wait_for(lambda: studio.store.error is None)
    with studio.page(task="foraging") as page:
        page.until_step(3)


def test_an_episode_that_waits_does_not_begin(studio: Studio) -> None:
    with studio.page(task="foraging", manual_start=True) as page:
        page.until(lambda page: page.frames)
        with locked(studio):
            page.until(lambda page: page.received("recording"))
            assert page.last("recording") == {"type": "recording", "trouble": WHY}
            page.send({"type": "begin"})
            page.keys(FORWARDS)
            page.keys(0)
            page.send({"type": "pause", "on": True})
            page.until(lambda page: page.mirror.head["flags"] & FrameFlag.PAUSED)
            assert page.mirror.head["flags"] & FrameFlag.WAITING and page.step == 0
            page.send({"type": "pause", "on": False})
        page.until(lambda page: page.last("recording")["trouble"] is None)
        assert studio.store.count() == 0
        page.send({"type": "begin"})
        page.until_step(5)
        page.until(lambda page: page.acknowledged.get(page.episode, 0) > 0)


def test_time_stands_still_until_all_steps_are_saved(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "MAX_UNSAVED", 40)
    with studio.page(task=studio.upload(LONG)) as page:
        page.keys(RIGHT)
        page.until_step(10)
        with locked(studio):
            page.until(lambda page: page.mirror.head["flags"] & FrameFlag.PAUSED)
            assert page.last("recording")["trouble"] == WHY
            stopped = page.step
            assert page.acknowledged[page.episode] < stopped - 30
            # A page that reconnects now gets the error, too, and keeps its steps.
            with studio.page(page.resume()) as other:
                assert other.error() == f"nothing can be recorded at the moment: {WHY}"
            assert studio.store.waiting(page.episode) < 60
        page.until(lambda page: page.acknowledged[page.episode] >= stopped)
        page.until_step(stopped + 10)
        assert page.last("recording")["trouble"] is None
        assert sorted(page.mirror.actions) == list(range(1, page.step + 1))
    studio.store.flush()
    steps = studio.store.steps(page.episode)
    assert steps["step"] == list(range(len(steps["step"])))
    played = [int(action) for action in steps["actions"][1:]]
    assert played[: page.step] == [page.mirror.actions[step] for step in range(1, page.step + 1)]
    assert (studio.store.episode(page.episode).hidden_ms or 0) > 0


def test_the_next_episode_waits_until_the_last_one_is_saved(studio: Studio) -> None:
    for how in ("ended", "restart"):
        with studio.page(task=studio.upload(FOOD_TWICE), seed=1) as page:
            page.until_step(1)
            first = page.episode
            with locked(studio):
                if how == "ended":
                    page.keys(FORWARDS)
                    page.until(lambda page: page.received("ended"))
                else:
                    page.send({"type": "restart"})
                time.sleep(0.6)  # longer than the end is shown
                page.send({"type": "view", "view": "top"})
                assert page.episode == first and len(studio.sessions._tabs) == 1
            page.until(lambda page, first=first: page.episode != first)
            # All of it is stored by now, including its end.
            assert studio.store.episode(first).finished


def test_no_time_passes_before_the_beginning_is_stored(studio: Studio) -> None:
    with studio.page(task="foraging", manual_start=True) as page:
        page.until(lambda page: page.frames)
        assert studio.store.error is None
        with locked(studio, noticed=False):
            page.send({"type": "begin"})
            page.until(lambda page: page.received("recording"))
            play = next(iter(studio.sessions._tabs)).play
            assert play is not None and not play.moving and play.world.clock == 0
        page.until_step(3)
    studio.store.flush()
    assert studio.store.steps(page.episode)["time_ms"][1] < 1000 * TIMEOUT_SECONDS


def test_an_episode_that_cannot_be_recorded_is_given_up_and_the_others_go_on(studio: Studio) -> None:
    with studio.page(task="foraging") as good, studio.page(task="foraging", participant="P9") as bad:
        good.until_step(2)
        bad.until_step(5)
        # As if another program recorded the same episode.
        with closing(sqlite3.connect(studio.store.path, timeout=TIMEOUT_SECONDS, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            number, last = other.execute(
                "SELECT number, max(step) FROM episodes JOIN steps ON episode = number WHERE id = ?", (bad.episode,)
            ).fetchone()
            row = other.execute("SELECT * FROM steps WHERE episode = ? AND step = ?", (number, last)).fetchone()
            for later in range(last + 1, last + 200):
                other.execute(f"INSERT INTO steps VALUES ({', '.join('?' * len(row))})", (number, later, *row[2:]))
            other.execute("COMMIT")
        assert "cannot be recorded any further (UNIQUE" in bad.error()
        assert bad.last("error")["gone"] is True
        # Its player is not led back to it.
        for comes in (bad.resume() | {"participant": "P9"}, {"type": "start", "task": "foraging", "participant": "P9"}):
            with studio.page(comes) as again:
                again.until_step(3)
                assert again.episode != bad.episode
        before = good.acknowledged.get(good.episode, 0)
        good.until(lambda page: page.acknowledged.get(page.episode, 0) > before + 20)
    assert studio.store.path.with_name("r.sqlite.aside.jsonl").read_text().count(bad.episode) > 0
    with pytest.raises(writer.EpisodeFault):
        studio.store.close()


def test_an_episode_is_played_at_one_server(studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "LOCK_TIMEOUT_SECONDS", 30.0)  # two servers write, and neither is a fault of the other
    elsewhere = "this episode is being played at another Puzzlebox server; continue there, or stop that server first"
    with running(tmp_path / "r.sqlite") as second:
        requests: list[dict[str, Any]] = [
            {"task": "foraging", "seed": 1},
            {"task": "foraging", "seed": 1, "participant": "P1"},
        ]
        for start in requests:
            with studio.page(**start) as page:
                page.until_step(10)
                page.until(lambda page: page.acknowledged.get(page.episode, 0) > 5)
                comes = [page.resume() | start]
                comes += [{"type": "start", **start}] if "participant" in start else []
                for message in comes:
                    with second.page(message) as other:
                        assert other.error() == elsewhere
                        assert other.last("error")["retry"] is True
                page.until_step(page.step + 5)
            # Its page has disconnected and the first server has discarded it, so the second one may resume it.
            wait_for(lambda page=page: page.episode in studio.sessions._detached)
            studio.store.flush()
            studio.sessions._discard(page.episode)
            with second.page(page.resume() | start) as other:
                other.until_step(page.step + 5)
                assert other.episode == page.episode
                with studio.page(page.resume() | start) as back:
                    assert back.error() == elsewhere
    with Store(tmp_path / "r.sqlite") as store:
        for episode in store.episodes():
            assert store.steps(episode.id)["step"] == list(range(episode.steps + 1))
        assert store.count() == 2


def test_a_world_that_waited_long_is_let_go(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "DETACHED_SECONDS", 0.2)
    with studio.page(task="foraging") as page:
        page.until_step(3)
    with Store(studio.store.path) as other:
        wait_for(lambda: _can_claim(other, page.episode))


def _can_claim(store: Store, episode: str) -> bool:
    try:
        store.claim(episode)
    except writer.StoreError:
        return False
    return True


def test_a_page_that_was_refused_keeps_its_unstored_steps(studio: Studio) -> None:
    """The flag `gone` is set only if the episode can never be resumed."""
    lost = {"type": "resume", "episode": "0123456789ab", "step": 0, "actions": [1, 2]}
    with Page(studio.port, lost) as page:
        page.error()
        assert page.last("error")["gone"] is True
    with Page(studio.port, lost | {"actions": [9]}) as page:
        page.error()
        assert "gone" not in page.last("error")
