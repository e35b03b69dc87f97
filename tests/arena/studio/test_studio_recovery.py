"""A lost connection, a killed server: the page resumes the episode, and nothing that was acknowledged is lost."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from puzzlebox.arena.rules import Rules
from puzzlebox.arena.schema import load_task
from puzzlebox.arena.studio import sessions
from puzzlebox.arena.studio.play import Play, Prepared
from puzzlebox.arena.studio.recovery import recover_episode
from puzzlebox.arena.studio.schedule import SessionSchedule
from puzzlebox.arena.world import World
from puzzlebox.record import Store
from puzzlebox.studio.protocol import FrameFlag, Message
from puzzlebox.studio.resuming import CannotResume, unstored_actions
from studio_page import FOOD, FOOD_TWICE, TIMEOUT_SECONDS, Mirror, Page, Studio, free_port, running, server, wait_for

FORWARDS, RIGHT = 3, 1


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with running(tmp_path_factory.mktemp("studio") / "recordings.sqlite") as studio:
        yield studio


def played(studio: Studio, task: str = "foraging", action: int = RIGHT) -> Page:
    """Play a few steps, and return the page after its connection is lost."""
    page = studio.page(task=task, seed=1)
    page.until_step(5).keys(action)
    page.until_step(20)
    page.close()
    return page


def test_the_world_waits_for_a_page_that_reconnects(studio: Studio) -> None:
    page = played(studio)
    with studio.page(page.resume()) as back:
        back.until_step(page.step + 5)
        again = back.episodes[0]
        assert (again["episode"], again["note"]) == (page.episode, None)
        assert again["step"] >= page.step
        # It gets the actions it has missed: together the two pages know every action.
        actions_of_both = page.mirror.actions | back.mirror.actions
        assert sorted(actions_of_both) == list(range(1, back.step + 1))
        # No key was held while no page was connected.
        assert back.mirror.actions[back.step] == 0
        heading = float(back.mirror.head["heading"])
    assert heading > 0


def test_reconnecting_before_the_server_has_noticed(studio: Studio) -> None:
    with studio.page(task="foraging") as page:
        page.until_step(5)
        with studio.page(page.resume()) as back:
            back.until_step(page.step + 3)
            assert back.episode == page.episode
            assert page.error() == "this task is open in another tab or window; go on there, or continue here"
            # It gets all messages, although the other page disconnected after this one connected.
            wait_for(lambda: len(studio.sessions._tabs) == 1)
            back.send({"type": "restart"})
            back.until(lambda back: len(back.episodes) == 2 and back.events)
            assert back.events[-1]["kind"] == "started"


def test_a_page_that_reconnects_takes_over_a_watched_episode(studio: Studio) -> None:
    with studio.page(task="foraging", agent="random", seed=2) as page:
        page.until_step(5)
        with studio.page(page.resume()) as back:
            back.until_step(page.step + 40)
            actions_of_both = page.mirror.actions | back.mirror.actions
            assert sorted(actions_of_both) == list(range(1, back.step + 1))
            actions = [actions_of_both[step] for step in range(1, back.step + 1)]
    # One agent plays, not two: every decision still lasts three steps.
    whole = len(actions) // 3 * 3
    assert actions[:whole:3] == actions[1:whole:3] == actions[2:whole:3]


def test_the_number_of_waiting_worlds_is_limited(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "MAX_DETACHED", 2)
    pages = []
    for _ in range(4):
        page = studio.page(task="examples/food").until_step(1)
        page.close()
        wait_for(lambda page=page: page.episode in studio.sessions._detached)
        pages.append(page)
    assert list(studio.sessions._detached) == [page.episode for page in pages[2:]]
    # Those that did not wait are rebuilt.
    with studio.page(pages[0].resume()) as back:
        back.until_step(pages[0].step + 1)
        assert back.episode == pages[0].episode


def test_the_number_of_players_is_limited(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    wait_for(lambda: not studio.sessions._tabs)
    monkeypatch.setattr(studio.sessions, "players", 1)
    with studio.page(task="examples/food") as page:
        page.until_step(1)
        with studio.page(task="examples/food") as other:
            assert other.error() == "the only place is taken; try again in a few minutes"
        page.until_step(page.step + 2)


def test_a_world_that_was_discarded_is_rebuilt_from_the_store(studio: Studio) -> None:
    page = played(studio)
    wait_for(lambda: page.episode in studio.sessions._detached)
    detached = studio.sessions._detached.pop(page.episode)[1]
    with studio.page(page.resume()) as back:
        back.until_step(page.step + 2)
        assert back.episodes[0]["step"] == detached.world.clock
    studio.store.flush()
    record = studio.store.record(page.episode)
    assert [actions[0] for actions in record.actions[: detached.world.clock]] == [a[0] for a in detached.world.actions]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda happened: {"step": 0, "actions": [8] * 3}, "what the page has seen is not what was stored"),
        (lambda happened: {"step": 10**6}, "the page knows 1000000 steps as stored, but there are "),
        (lambda happened: {"step": 0, "actions": [*happened, 0]}, "the page has seen more steps than were played"),
    ],
)
def test_a_page_that_remembers_something_else_gets_a_new_episode(studio: Studio, change: Any, reason: str) -> None:
    page = played(studio)
    wait_for(lambda: page.episode in studio.sessions._detached)
    # The world may have continued until the server noticed the lost connection.
    happened = [actions[0] for actions in studio.sessions._detached[page.episode][1].world.actions]
    with studio.page(page.resume() | change(happened)) as back:
        back.until_step(1)
        assert back.episode != page.episode
        assert back.episodes[0]["task"] == "foraging"
        assert back.episodes[0]["note"].startswith(f"the episode could not be resumed: {reason}")
        assert back.episodes[0]["note"].endswith("; this is a new one")


def test_an_episode_that_is_over_is_followed_by_a_new_one(studio: Studio) -> None:
    with studio.page(task=studio.upload(FOOD_TWICE)) as page:
        page.keys(FORWARDS)
        page.until(lambda page: page.received("ended"))
        over = page.last("ended")["episode"]
        page.until(lambda page: page.acknowledged.get(over, 0) == page.last("ended")["step"])
    with studio.page({"type": "resume", "episode": over, "step": 0, "actions": []}) as back:
        back.until_step(1)
        assert back.episode != over and back.episodes[0]["note"] is None


def test_resuming_an_unknown_episode_is_refused_or_starts_a_new_one(studio: Studio) -> None:
    lost = {"type": "resume", "episode": "0123456789ab", "step": 0, "actions": [1, 2]}
    with studio.page(lost) as page:
        assert page.error() == "there is no episode 0123456789ab to resume; start again"
    with studio.page({**lost, "task": "foraging"}) as page:
        page.until_step(1)
        assert page.episodes[0]["task"] == "foraging"
        assert "had not been stored yet" in page.episodes[0]["note"]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"episode": "../x", "step": 0, "actions": []}, "a page that resumes must name its episode"),
        ({"episode": None, "step": 0, "actions": []}, "a page that resumes must name its episode"),
        ({"episode": "a", "step": -1, "actions": []}, "step is '-1'; it must be a whole number from 0 to 2147483648"),
        ({"episode": "a", "step": 0, "actions": [9]}, "actions must be a list of numbers from 0 to 8"),
        ({"episode": "a", "step": 0, "actions": [True]}, "actions must be a list of numbers from 0 to 8"),
        ({"episode": "a", "step": 0, "actions": "12"}, "actions must be a list of numbers from 0 to 8"),
        ({"episode": "a", "step": 0, "actions": [0] * 3001}, "there are 3001 actions; a page keeps 3000 at most"),
    ],
)
def test_invalid_resume_messages_are_refused(studio: Studio, fields: dict[str, Any], sentence: str) -> None:
    with studio.page({"type": "resume", **fields}) as page:
        assert page.error() == sentence


def test_actions_that_only_the_page_has_are_found_by_comparison() -> None:
    assert unstored_actions([1, 2, 3], 1, [2, 3, 4, 5]) == (4, 5)
    assert unstored_actions([1, 2, 3], 1, [2]) == ()
    assert unstored_actions([1, 2, 3], 3, []) == ()
    assert unstored_actions([], 0, [7]) == (7,)
    with pytest.raises(CannotResume):
        unstored_actions([1, 2, 3], 1, [2, 4])
    with pytest.raises(CannotResume):
        unstored_actions([1], 2, [])


# --- the server is killed


def test_an_episode_is_resumed_after_a_kill(tmp_path: Path) -> None:
    """At any moment: what was acknowledged is stored, and with the steps the page has seen the episode is resumed."""
    port, data, task = free_port(), tmp_path / "r.sqlite", tmp_path / "my task.yml"
    task.write_text(FOOD.replace("at: [20, 0, 18]", "at: [20, 0, 38]"))
    with server(port, data, str(task)) as process:
        page = Page(port, {"type": "start", "task": "file:my task", "seed": 7})
        page.until_step(10).keys(FORWARDS)
        page.until_step(30).keys(4)
        page.until_step(47)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(TIMEOUT_SECONDS)
        page.close()
    request = page.resume()
    assert request["step"] + len(request["actions"]) == page.step
    acknowledged = page.acknowledged[page.episode]
    stored = [actions[0] for actions in Store(data).record(page.episode).actions]
    assert len(stored) >= acknowledged
    both = min(len(stored), page.step)
    assert stored[:both] == [page.mirror.actions[step] for step in range(1, both + 1)]
    at, head = page.mirror.at(), page.mirror.head
    with server(port, data) as process:
        with Page(port, request) as back:
            back.until(lambda back: back.frames)
            again = back.episodes[0]
            assert (again["episode"], again["task"], again["title"]) == (page.episode, "file:my task", "Straight ahead")
            assert again["step"] == max(page.step, len(stored))
            if back.step == page.step:  # the very moment it was killed in
                assert back.mirror.at() == at
                assert back.mirror.head["health"] == head["health"]
            back.keys(FORWARDS)
            back.until_step(page.step + 20)
            assert back.mirror.at()[2] > at[2]
            back.send({"type": "pause", "on": True})
            back.until(lambda back: back.mirror.head["flags"] & FrameFlag.PAUSED)
            back.until(lambda back: back.acknowledged.get(back.episode, 0) == back.step)
            last = back.step
        process.send_signal(signal.SIGINT)
        assert process.wait(TIMEOUT_SECONDS) == 0
    store = Store(data)
    steps = store.steps(page.episode)
    assert steps["step"] == list(range(last + 1))
    assert steps["time_ms"] == sorted(steps["time_ms"])
    world = World.replay(store.record(page.episode))
    assert (world.animals[0].total, world.animals[0].health) == (steps["total"][-1], steps["health"][-1])
    assert world.position_of(world.animals[0]) == (steps["x"][-1], steps["y"][-1], steps["z"][-1])
    assert [event["kind"] for event in store.events(page.episode)] == ["started"]
    assert store.count() == 1


# --- rebuilding, without a server


def _half_played(path: Path, task: str, actions: list[int]) -> tuple[Store, str, World]:
    store = Store(path)
    schedule = SessionSchedule("t", load_task(task), Rules(), seed=3)
    play = Play(schedule, store)
    play.present(Prepared.new(schedule, schedule.repeat()))
    play.begin()
    for action in actions:
        play.step(0, action)
    store.flush()
    return store, play.episode, play.world


def test_rebuilding_gives_the_same_world_and_stores_the_missing_steps(tmp_path: Path) -> None:
    actions, later = [4] * 12 + [7] * 8, [5] * 15
    uninterrupted = _half_played(tmp_path / "a.sqlite", FOOD, actions)[2]
    store, episode, _ = _half_played(tmp_path / "b.sqlite", FOOD, actions[:12])
    prepared, stored, record = recover_episode(store, episode, 10, actions[10:])
    assert len(record.actions) == 12 and stored.steps == 12
    assert prepared.world.scene().poses.tobytes() == uninterrupted.scene().poses.tobytes()
    assert [step.step for step in prepared.unstored] == list(range(13, 21))
    with pytest.raises(CannotResume, match="is not what was stored"):
        recover_episode(store, episode, 10, later)


def _first_messages(play: Play) -> tuple[dict[int, int], list[int]]:
    """The actions that the first messages of an episode name, by their steps, and the steps of its frames."""
    mirror, steps = Mirror(), list[int]()
    for message in play.take_messages():
        mirror.take(message)
        if message[0] == Message.FRAME:
            steps.append(int(mirror.head["step"]))
    return mirror.actions, steps


def test_the_first_frame_after_a_rebuild_names_the_action_that_was_done(tmp_path: Path) -> None:
    store, episode, _ = _half_played(tmp_path / "a.sqlite", FOOD, [4] * 12)
    for step, page_actions in [(10, [4, 4, 7, 8]), (14, list[int]())]:
        prepared, *_ = recover_episode(store, episode, step, page_actions)
        play = Play(SessionSchedule("t", load_task(FOOD), Rules(), seed=3), store)
        play.present(prepared, waits=False)
        assert _first_messages(play) == ({14: 8}, [14])
        store.flush()


def test_a_page_gets_the_stored_actions_it_has_not_seen(tmp_path: Path) -> None:
    """Killed between a commit and the messages about it, and then killed again: the page can still name every step."""
    store, episode, _ = _half_played(tmp_path / "a.sqlite", FOOD, [4] * 8 + [7, 5, 8, 4])
    prepared, *_ = recover_episode(store, episode, 6, [4, 4])
    play = Play(SessionSchedule("t", load_task(FOOD), Rules(), seed=3), store)
    play.present(prepared, waits=False, page_step=8)
    assert _first_messages(play) == ({9: 7, 10: 5, 11: 8, 12: 4}, [12])


def test_an_end_only_the_page_has_seen_is_stored(tmp_path: Path) -> None:
    """Killed between the last step and its storing."""
    text = "show_notification: true\n" + FOOD
    store, episode, world = _half_played(tmp_path / "a.sqlite", text, [3] * 100)
    assert not world.over
    prepared, *_ = recover_episode(store, episode, 50, [3] * 200)
    assert prepared.notified and prepared.cause == "completed"
    schedule = SessionSchedule("t", load_task(text), Rules(), seed=3)
    messages: list[dict[str, Any]] = []
    play = Play(schedule, store)
    play.send_text = lambda message: messages.append(json.loads(message))
    play.present(prepared, waits=False)
    store.flush()
    finished = store.episode(episode)
    assert (finished.ended_by, finished.steps, finished.passed) == ("completed", prepared.world.clock, True)
    assert [message["type"] for message in messages] == ["episode", "ended"]
    with pytest.raises(CannotResume, match="the episode is over"):
        recover_episode(store, episode, 0, [])


def test_an_episode_whose_start_was_not_stored_is_resumed_with_it(tmp_path: Path) -> None:
    from puzzlebox.record import Start

    store, task = Store(tmp_path / "a.sqlite"), load_task(FOOD)
    start = Start.of(task, rules=Rules(decision_period=1))
    store.begin(start)
    store.flush()
    prepared, *_ = recover_episode(store, start.id, 0, [3, 3])
    assert [step.step for step in prepared.unstored] == [0, 1, 2]
    assert [event.kind for event in prepared.unstored[0].events] == ["started"]  # type: ignore[union-attr]
    play = Play(SessionSchedule("t", task, Rules()), store)
    play.present(prepared, waits=False)
    play.step(0, 3)
    store.flush()
    assert store.steps(start.id)["step"] == [0, 1, 2, 3]
    assert [event["kind"] for event in store.events(start.id)] == ["started"]


def test_an_episode_of_an_agent_is_not_resumed(tmp_path: Path) -> None:
    from puzzlebox.record import Start

    store = Store(tmp_path / "a.sqlite")
    start = Start.of(load_task(FOOD), rules=Rules(decision_period=1), player="agent", agent="random")
    store.begin(start)
    store.flush()
    with pytest.raises(CannotResume, match="only what a participant plays"):
        recover_episode(store, start.id, 0, [])
