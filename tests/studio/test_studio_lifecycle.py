"""The course of a participant's episode: it waits for an act, stands still while the page is hidden, and tasks end."""

import csv
import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from puzzlebox.arena.rules import Rules
from puzzlebox.arena.schema import load_task
from puzzlebox.arena.studio.play import Keys, Play, Prepared
from puzzlebox.arena.studio.schedule import SessionSchedule
from puzzlebox.record import Store
from puzzlebox.record.export import export
from puzzlebox.studio.break_timer import BreakTimer
from puzzlebox.studio.protocol import FrameFlag
from studio_page import FOOD, Page, Studio, running, wait_for

NOOP, RIGHT, FORWARDS = 0, 1, 3
# Three arenas of half a second each; without an action all are failed.
SHORT = "metadata: {title: Three rooms}\narenas:\n" + "".join(
    f"  - {{id: {id}, time_limit: 5, items: [{{name: Agent, at: [20, 0, 15], rotation: 0}}]}}\n" for id in range(3)
)


@pytest.fixture
def studio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Studio]:
    monkeypatch.setattr("puzzlebox.arena.studio.play.PAUSE_SECONDS", 0.05)
    with running(tmp_path / "recordings.sqlite") as studio:
        yield studio


def flags(page: Page) -> int:
    return int(page.mirror.head["flags"])


def until_waiting(page: Page) -> Page:
    """Wait until the page shows an episode that has not begun."""
    return page.until(lambda page: page.frames and flags(page) & FrameFlag.WAITING)


def until_ended(page: Page, count: int) -> Page:
    """Wait until `count` episodes of the page have ended."""
    return page.until(lambda page: sum(text["type"] == "ended" for text in page.texts) == count)


# --- an episode begins when the participant acts


def test_an_episode_that_never_begins_is_not_stored(studio: Studio) -> None:
    with studio.page(task=studio.upload(SHORT), manual_start=True) as page:
        until_waiting(page)
        page.send({"type": "view", "view": "top"})
        page.send({"type": "pause", "on": True})
        page.until(lambda page: flags(page) & FrameFlag.PAUSED)
        assert flags(page) & FrameFlag.WAITING and page.step == 0
        play = studio.sessions._players[page.episode].play
        assert play is not None and play.world.clock == 0
    studio.store.flush()
    assert studio.store.count() == 0


def test_the_first_act_is_the_action_of_the_first_step(studio: Studio) -> None:
    text = FOOD.replace("skin: pig", "skin: pig, frozen_delay: 0.2")
    with studio.page(task=studio.upload(text), manual_start=True) as page:
        until_waiting(page)
        assert not page.events
        page.keys(NOOP)
        page.keys(FORWARDS)
        page.until_step(20)
        assert not flags(page) & FrameFlag.WAITING
        assert [event["kind"] for event in page.events] == ["started"]
        assert page.mirror.actions[1] == FORWARDS
        page.until(lambda page: page.acknowledged.get(page.episode, 0) >= 20)
    steps = studio.store.steps(page.episode)
    assert steps["actions"][1] == str(FORWARDS)
    # The delay began with the act; later the animal may reach the end, where it cannot move either.
    held = [step for step, bits in zip(steps["step"], steps["flags"], strict=True) if bits & FrameFlag.CANNOT_MOVE]
    assert [step for step in held if step <= 20] == list(range(10))


def test_start_begins_without_an_action(studio: Studio) -> None:
    with studio.page(task=studio.upload(FOOD), manual_start=True) as page:
        until_waiting(page)
        page.send({"type": "begin"})
        page.until_step(3)
        assert set(page.mirror.actions.values()) == {NOOP}
        page.until(lambda page: page.acknowledged.get(page.episode, 0) > 0)
    (stored,) = studio.store.episodes()
    assert stored.id == page.episode


def test_a_recording_starts_when_it_was_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    schedule = SessionSchedule("t", load_task(FOOD), Rules(), seed=1)
    with Store(tmp_path / "r.sqlite") as store:
        play = Play(schedule, store)
        play.present(Prepared.new(schedule, schedule.repeat()))
        monkeypatch.setattr("puzzlebox.arena.studio.play.now", lambda: "2030-01-01T00:00:00.000Z")
        play.begin()
        store.flush()
        assert store.episode(play.episode).started == "2030-01-01T00:00:00.000Z"


def test_a_key_held_since_the_last_episode_does_not_begin_the_next(studio: Studio) -> None:
    with studio.page(task=studio.upload(SHORT), manual_start=True) as page:
        until_waiting(page).keys(FORWARDS)
        until_ended(page, 1)
        until_waiting(page.until(lambda page: len(page.episodes) == 2))
        # Still held, and steered with: no new press.
        page.keys(FORWARDS + RIGHT)
        page.keys(RIGHT)
        page.send({"type": "view", "view": "top"})
        until_waiting(page)
        play = studio.sessions._players[page.episode].play
        assert play is not None and play.waiting
        page.keys(NOOP)
        page.keys(RIGHT)
        page.until_step(1)
        assert page.mirror.actions[1] == RIGHT
    studio.store.flush()
    assert studio.store.count() == 2


def test_a_key_pressed_after_the_reset_begins_an_episode() -> None:
    keys = Keys()
    keys.reset()
    assert not keys.pressed
    keys.press(1, FORWARDS)
    assert keys.pressed
    keys.reset()
    assert not keys.pressed
    keys.press(2, RIGHT)
    assert not keys.pressed
    keys.press(3, NOOP)
    keys.press(4, RIGHT)
    assert keys.pressed and keys.take() == (4, RIGHT)
    # A tap that came too late for the last episode does not count in the next.
    keys.press(5, NOOP)
    keys.press(6, FORWARDS)
    keys.press(7, NOOP)
    keys.reset()
    assert keys.take() == (7, NOOP)


def test_a_watched_agent_begins_by_itself_and_plays_round_after_round(studio: Studio) -> None:
    with studio.page(task=studio.upload(SHORT), agent="random", manual_start=True) as page:
        page.send({"type": "speed", "times": 8})
        page.until(lambda page: len(page.episodes) == 5)
    assert not page.received("finished")
    assert [each["position"] for each in page.episodes] == [0, 1, 2, 0, 1]


# --- a task ends after its last arena


def test_a_page_left_open_after_the_end_records_nothing_more(studio: Studio) -> None:
    with studio.page(task=studio.upload(SHORT)) as page:
        page.until(lambda page: page.received("finished"))
        assert page.last("finished") == {"type": "finished", "title": "Three rooms", "again": True, "recorded": True}
        ends = [text for text in page.texts if text["type"] == "ended"]
        assert [end["last"] for end in ends] == [False, False, True]
        assert [each["position"] for each in page.episodes] == [0, 1, 2]
        page.keys(FORWARDS)
        page.send({"type": "begin"})
        page.send({"type": "restart"})
        page.send({"type": "next"})
        page.manual_start = True
        page.send({"type": "again"})
        until_waiting(page.until(lambda page: len(page.episodes) == 4))
        assert page.episodes[3]["position"] == 0
    studio.store.flush()
    assert studio.store.count() == 3


def test_another_round_begins_only_on_request(studio: Studio) -> None:
    with studio.page(task=studio.upload(SHORT)) as page:
        page.until(lambda page: page.received("finished"))
        tab = studio.sessions._players[page.episode]
        assert not tab.tick()
        studio.store.flush()
        assert studio.store.count() == 3
        # A page that reconnects after the end shows the end.
        with studio.page(page.resume()) as back:
            back.until(lambda back: back.received("finished"))
            assert not back.episodes
    assert studio.store.count() == 3


def test_the_last_arena_can_be_left_early(studio: Studio) -> None:
    with studio.page(task=studio.upload(SHORT), arena=3) as page:
        page.until_step(1)
        page.send({"type": "next"})
        page.until(lambda page: page.received("finished"))
    studio.store.flush()
    (stored,) = studio.store.episodes()
    assert (stored.arena, stored.ended_by) == (2, "next")


@pytest.mark.parametrize("random", [False, True])
def test_each_arena_once_and_then_the_end(random: bool) -> None:
    task = load_task(f"randomize_arenas: {str(random).lower()}\n{SHORT}")
    schedule = SessionSchedule("t", task, Rules(), seed=4)
    order = [schedule.repeat().arena]
    while record := schedule.next():
        order.append(record.arena)
    assert sorted(order) == [0, 1, 2] and schedule.finished
    assert order == [0, 1, 2] or random
    again = schedule.restart()
    assert again.arena in order and not schedule.finished
    # One that begins with a certain arena has only those after it before it, or at random all others.
    schedule = SessionSchedule("t", task, Rules(), seed=4, arena=1)
    assert schedule.repeat().arena == 1
    rest = []
    while record := schedule.next():
        rest.append(record.arena)
    assert sorted(rest) == ([0, 2] if random else [2])
    # Arenas that are done are skipped.
    assert SessionSchedule("t", task, Rules(), seed=4, done={0, 1, 2}).finished
    schedule = SessionSchedule("t", task, Rules(), seed=4, done={0, 2})
    assert schedule.repeat().arena == 1 and schedule.next() is None


def test_arenas_that_merge_are_one_of_the_round() -> None:
    merging = SHORT.replace("{id: 0, time_limit", "{id: 0, merge_next_arena: true, time_limit")
    schedule = SessionSchedule("t", load_task(merging), Rules())
    assert schedule.repeat().arena == 0
    assert schedule.last is False
    second = schedule.next()
    assert second is not None and second.arena == 2 and schedule.last
    assert schedule.next() is None


# --- a participant opens the link again


def test_a_participant_resumes_where_they_left_and_sees_the_end(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = studio.upload(SHORT)
    with studio.page(task=task, participant="P07") as page:
        until_ended(page, 1)
        page.until(lambda page: len(page.episodes) == 2).until_step(5)
        left = page.episode
    # The tab was closed: another one resumes from the recordings. It waits until P07 acts.
    with studio.page(task=task, participant="P07", manual_start=True) as back:
        until_waiting(back)
        assert (back.episode, back.episodes[0]["position"]) == (left, 1)
        assert back.episodes[0]["step"] >= 5
        stood = back.step
        back.keys(RIGHT)
        back.until_step(stood + 1)
        assert back.mirror.actions[stood + 1] == RIGHT
        until_ended(back, 1)
        until_waiting(back.until(lambda back: len(back.episodes) == 2))
    studio.sessions._detached.clear()
    # Two are done, the third was not touched.
    with studio.page(task=task, participant="P07") as third:
        third.until(lambda page: page.received("finished"))
        assert [each["position"] for each in third.episodes] == [2]
        assert third.last("finished")["again"] is False
        third.send({"type": "again"})
        third.send({"type": "view", "view": "top"})
    with studio.page(task=task, participant="P07") as fourth:
        fourth.until(lambda page: page.received("finished"))
        assert not fourth.episodes
        assert fourth.last("finished") == {"type": "finished", "title": "Three rooms", "again": False, "recorded": True}
        fourth.send({"type": "keys", "key": 1, "action": 3})
        fourth.send({"type": "next"})
    # Another participant, another seed, other rules, and no participant: each has its own round.
    for other in ({"participant": "P08"}, {"participant": "P07", "seed": 9}, {}):
        with studio.page(task=task, manual_start=True, **other) as page:
            assert until_waiting(page).episodes[0]["position"] == 0
    monkeypatch.setattr(studio.sessions, "rules", Rules.named("3.1"))
    with studio.page(task=task, participant="P07", manual_start=True) as page:
        assert until_waiting(page).episodes[0]["position"] == 0
    studio.store.flush()
    assert [(each.arena, each.ended_by) for each in reversed(studio.store.episodes())] == [
        *((0, "time"), (1, "time"), (2, "time")),
    ]


def test_a_restart_is_not_the_end_of_an_arena(studio: Studio) -> None:
    task = studio.upload(SHORT)
    with studio.page(task=task, participant="P07") as page:
        page.until_step(2).send({"type": "restart"})
        page.until(lambda page: len(page.episodes) == 2)
        page.until(lambda page: page.acknowledged.get(page.episode, 0) > 1)
    studio.sessions._detached.clear()
    with studio.page(task=task, participant="P07", manual_start=True) as back:
        assert until_waiting(back).episode == page.episode
        assert back.episodes[0]["position"] == 0


@pytest.mark.parametrize("detached", [True, False])
@pytest.mark.parametrize("command", ["next", "restart"])
def test_a_resumed_episode_can_be_left_while_it_waits(studio: Studio, detached: bool, command: str) -> None:
    task = studio.upload(SHORT)
    with studio.page(task=task, participant="P07") as page:
        page.until_step(3).send({"type": "hidden", "on": True})
        page.until(lambda page: flags(page) & FrameFlag.PAUSED)
        time.sleep(0.05)
    wait_for(lambda: studio.sessions._detached)
    if not detached:
        studio.sessions._detached.clear()
    with studio.page(task=task, participant="P07", manual_start=True) as back:
        assert until_waiting(back).episode == page.episode
        back.send({"type": command})
        until_waiting(back.until(lambda back: len(back.episodes) == 2))
        assert back.episodes[1]["position"] == (1 if command == "next" else 0)
    studio.store.flush()
    (stored,) = studio.store.episodes()
    assert stored.ended_by == command
    assert stored.hidden_ms is not None and stored.hidden_ms >= 40


def test_a_participant_with_two_tabs_plays_in_the_newer_one(studio: Studio) -> None:
    task = studio.upload(SHORT)
    with studio.page(task=task, participant="P07", manual_start=True) as page:
        until_waiting(page)
        with studio.page(task=task, participant="P07", manual_start=True) as other:
            assert until_waiting(other).episode == page.episode
            assert page.error() == "this task is open in another tab or window; go on there, or continue here"
            other.keys(FORWARDS)
            other.until_step(1)


@pytest.mark.parametrize("rules", ["puzzlebox", "3.1"])
def test_after_a_restart_of_the_studio_a_participant_resumes(tmp_path: Path, rules: str) -> None:
    with running(tmp_path / "r.sqlite") as studio:
        studio.sessions.rules = Rules.named(rules)
        with studio.page(task="examples/food", participant="P07") as page:
            page.until_step(10)
        studio.store.flush()
    with running(tmp_path / "r.sqlite") as studio:
        studio.sessions.rules = Rules.named(rules)
        with studio.page(task="examples/food", participant="P07", manual_start=True) as back:
            assert until_waiting(back).episode == page.episode
            back.keys(FORWARDS)
            back.until_step(page.step + 5)
            back.until(lambda back: back.acknowledged.get(back.episode, 0) >= page.step + 5)
        steps = studio.store.steps(page.episode)
        assert steps["step"] == list(range(len(steps["step"])))
        assert steps["time_ms"] == sorted(steps["time_ms"])


def test_a_page_that_waited_in_a_later_arena_waits_there_again(studio: Studio) -> None:
    with studio.page(task=studio.upload(SHORT)) as page:
        until_ended(page, 1)
        page.manual_start = True
        page.until(lambda page: len(page.episodes) == 2)
        until_waiting(page)
    wait_for(lambda: studio.sessions._detached)
    studio.sessions._detached.clear()
    request = page.resume() | {"task": page.episodes[0]["task"], "arena": page.episodes[1]["position"] + 1}
    with studio.page(request, manual_start=True) as back:
        until_waiting(back)
        assert (back.episodes[0]["position"], back.episodes[0]["note"]) == (1, None)


# --- a hidden page does not play


class Time:
    """A clock that the test sets."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_hidden_and_paused_time_are_counted_apart() -> None:
    clock = Time()
    timer = BreakTimer(clock)
    timer.set_paused(True)
    clock.now += 7
    timer.start()
    assert (timer.hidden_ms, timer.paused_ms) == (0, 0)
    clock.now += 2
    timer.set_hidden(True)  # a hidden menu is hidden
    clock.now += 3
    assert timer.stopped
    timer.set_hidden(False)
    clock.now += 1
    timer.set_paused(False)
    assert not timer.stopped
    clock.now += 10
    assert (timer.hidden_ms, timer.paused_ms) == (3000, 3000)
    timer.start(hidden_ms=500, paused_ms=20)
    assert (timer.hidden_ms, timer.paused_ms) == (500, 20)


def test_a_hidden_page_stands_still_and_is_recorded(studio: Studio) -> None:
    with studio.page(task=studio.upload(FOOD)) as page:
        page.until_step(3).send({"type": "hidden", "on": True})
        page.until(lambda page: flags(page) & FrameFlag.PAUSED)
        step = page.step
        time.sleep(0.05)
        page.send({"type": "pause", "on": True})
        page.send({"type": "hidden", "on": False})
        page.send({"type": "view", "view": "top"})
        time.sleep(0.05)
        page.send({"type": "pause", "on": False})
        page.until_step(step + 2)
        assert sorted(page.mirror.actions) == list(range(1, page.step + 1))
        page.until(lambda page: page.acknowledged.get(page.episode, 0) >= step + 2)
    studio.store.flush()
    (stored,) = studio.store.episodes()
    assert stored.hidden_ms is not None and stored.hidden_ms >= 40
    assert stored.paused_ms is not None and stored.paused_ms >= 40


def test_time_without_a_connection_is_time_away(studio: Studio) -> None:
    with studio.page(task=studio.upload(FOOD)) as page:
        page.until_step(5)
    wait_for(lambda: studio.sessions._detached)
    time.sleep(0.05)
    with studio.page(page.resume()) as back:
        back.until_step(page.step + 3)
    studio.store.flush()
    stored = studio.store.episode(page.episode)
    assert stored.hidden_ms is not None and stored.hidden_ms >= 40


def test_breaks_outlive_a_server_that_is_killed(tmp_path: Path) -> None:
    from puzzlebox.arena.studio.recovery import recover_episode

    clock = Time()
    schedule = SessionSchedule("t", load_task(FOOD), Rules(), seed=1)
    with Store(tmp_path / "r.sqlite") as store:
        play = Play(schedule, store, clock)
        play.present(Prepared.new(schedule, schedule.repeat()))
        play.begin()
        play.step(0, FORWARDS)
        play.hide(True)
        clock.now += 4
        play.hide(False)
        play.step(0, FORWARDS)
        store.flush()
        prepared, *_ = recover_episode(store, play.episode, 0, [])
        again = Play(schedule, store, clock)
        again.present(prepared, waits=False)
        again.pause(True)
        clock.now += 1
        again.abandon("next")
        store.flush()
        stored = store.episode(play.episode)
        assert (stored.hidden_ms, stored.paused_ms, stored.ended_by) == (4000, 1000, "next")


# --- the table


def test_the_export_has_idle_hidden_and_paused_time(tmp_path: Path) -> None:
    clock = Time()
    text = FOOD.replace("time_limit: 100", "time_limit: 0").replace("skin: pig", "skin: pig, frozen_delay: 6")
    schedule = SessionSchedule("t", load_task(text), Rules(), seed=1)
    with Store(tmp_path / "r.sqlite") as store:
        play = Play(schedule, store, clock)
        play.present(Prepared.new(schedule, schedule.repeat()))
        play.begin()
        for action, steps in (
            *((NOOP, 300),),  # it cannot move
            *((RIGHT, 5), (NOOP, 249), (RIGHT, 5)),  # a pause to think
            *((NOOP, 250), (RIGHT, 1), (NOOP, 400)),  # no participant
        ):
            for _ in range(steps):
                play.step(0, action)
        play.pause(True)
        clock.now += 2
        play.pause(False)
        play.abandon("next")
        store.flush()
        export(store, store.episodes(), tmp_path / "data")
    with (tmp_path / "data" / "episodes.csv").open() as lines:
        (row,) = csv.DictReader(lines)
    assert (row["idle_ms"], row["hidden_ms"], row["paused_ms"]) == ("13000.0", "0.0", "2000.0")


def test_an_agent_is_never_idle(tmp_path: Path) -> None:
    from puzzlebox.agents import agent_named
    from puzzlebox.run.play import play

    with Store(tmp_path / "r.sqlite") as store:
        play(load_task(SHORT), agent_named("random"), seed=1, store=store, name="t", agent_name="random")
        store.flush()
        export(store, store.episodes(), tmp_path / "data")
    with (tmp_path / "data" / "episodes.csv").open() as lines:
        (row,) = csv.DictReader(lines)
    assert (row["idle_ms"], row["hidden_ms"], row["paused_ms"]) == ("", "", "")


def test_a_file_of_format_2_gets_the_columns_with_nothing_in_them(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    schedule = SessionSchedule("t", load_task(FOOD), Rules(), seed=1)
    with Store(path) as store:
        play = Play(schedule, store)
        play.present(Prepared.new(schedule, schedule.repeat()))
        play.begin()
        play.abandon("next")
    with closing(sqlite3.connect(path)) as connection:
        for column in ("hidden_ms", "paused_ms", "wing", "step_seconds", "checksum", "error"):
            connection.execute(f"ALTER TABLE episodes DROP COLUMN {column}")
        connection.execute("ALTER TABLE steps DROP COLUMN more")
        connection.execute("PRAGMA user_version = 2")
        connection.commit()
    with Store(path) as store:
        (stored,) = store.episodes()
        assert (stored.hidden_ms, stored.paused_ms) == (None, None)
        assert (stored.wing, stored.step_seconds) == ("arena", 0.02)


# --- the notification at the end


def test_a_page_that_reconnects_gets_the_notification_again(tmp_path: Path) -> None:
    messages: list[dict[str, Any]] = []
    schedule = SessionSchedule("t", load_task("show_notification: true\n" + FOOD), Rules(), seed=1)
    with Store(tmp_path / "r.sqlite") as store:
        play = Play(schedule, store)
        play.send_text = lambda text: messages.append(json.loads(text))
        play.present(Prepared.new(schedule, schedule.repeat()))
        assert messages[-1]["notified"] is None
        play.begin()
        while not any(event["kind"] == "notified" for text in messages for event in text.get("events", ())):
            play.step(0, FORWARDS)
        play.send_description()
        assert messages[-1]["type"] == "episode" and messages[-1]["notified"] is True
        while play.running:
            play.step(0, FORWARDS)
        assert messages[-1]["type"] == "ended" and messages[-1]["passed"] is True
        store.flush()
        assert store.episode(play.episode).passed is True
