"""Playing through a real WebSocket: the server keeps time, the page gets what it needs, everything is recorded."""

import asyncio
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from websockets.exceptions import ConnectionClosed

from puzzlebox.arena.rules import Rules
from puzzlebox.arena.schema import load_task
from puzzlebox.arena.studio.play import Play, Prepared
from puzzlebox.arena.studio.schedule import SessionSchedule
from puzzlebox.arena.studio.tab import Tab
from puzzlebox.arena.world import World
from puzzlebox.record import Store
from puzzlebox.studio.protocol import FrameFlag, Message
from studio_page import FOOD, FOOD_TWICE, Mirror, Page, Studio, run_async, running

NOOP, RIGHT, FORWARDS = 0, 1, 3


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with running(tmp_path_factory.mktemp("studio") / "recordings.sqlite") as studio:
        yield studio


def flags(page: Page) -> int:
    return int(page.mirror.head["flags"])


def test_an_episode_is_played_and_recorded_from_start_to_end(studio: Studio) -> None:
    with studio.page(task=studio.upload(FOOD_TWICE), seed=5) as page:
        page.until_step(1)
        began = page.episodes[0]
        assert (began["title"], began["seed"], began["rules"]) == ("Straight ahead", 5, "puzzlebox")
        assert (began["arena"], began["position"], began["arenas"], began["size"]) == (0, 0, 2, [40.0, 40.0])
        assert (began["time_limit"], began["pass_mark"], began["step"]) == (500, 0.5, 0)
        assert (began["can_change_perspective"], began["can_reset"], began["view"]) == (True, True, "first")
        assert (began["notification"], began["agent"], began["previous_return"], began["note"]) == (
            *(False, None, None, None),
        )
        assert page.mirror.at("GoodGoal")[2] == pytest.approx(18)
        assert 0 < page.mirror.head["left"] < 500
        key = page.keys(FORWARDS)
        page.until(lambda page: page.mirror.head["key"] == key)
        assert page.mirror.head["action"] == FORWARDS
        page.until(lambda page: page.received("ended"))
        ended = page.last("ended")
        assert (ended["cause"], ended["passed"], ended["episode"]) == ("completed", True, began["episode"])
        assert ended["return"] == pytest.approx(1, abs=0.2)
        kinds = [event["kind"] for event in page.events]
        assert kinds == ["started", "collected", "finished", "ended"]
        page.until(lambda page: page.acknowledged.get(began["episode"]) == ended["step"])
        page.until(lambda page: flags(page) & FrameFlag.OVER)
        # The next one is shown by itself, with the same seed, since a seed was given.
        page.until(lambda page: len(page.episodes) == 2)
        assert page.episodes[1]["previous_return"] == ended["return"]
        assert page.episodes[1]["seed"] == 5
        assert page.episodes[1]["episode"] != began["episode"]

    stored = studio.store.episode(began["episode"])
    assert (stored.steps, stored.total, stored.passed) == (ended["step"], ended["return"], True)
    assert (stored.player, stored.decision_period, stored.rules_fields["decision_period"]) == ("human", 1, 1)
    world = World.replay(studio.store.record(began["episode"]))
    assert (world.over, world.clock, world.animals[0].total) == (True, ended["step"], ended["return"])
    steps = studio.store.steps(began["episode"])
    assert steps["step"] == list(range(ended["step"] + 1))
    assert steps["view"][-1] == "first"
    actions = [int(text) for text in steps["actions"][1:]]
    assert FORWARDS in actions and actions[-1] == FORWARDS


def test_every_action_is_sent_and_stored_alike(studio: Studio) -> None:
    with studio.page(task="examples/food", seed=1) as page:
        page.until_step(2)
        for action in (3, 1, 5, 0, 8):
            page.keys(action)
            # Late frames show steps before the key.
            page.until(lambda page, action=action: page.mirror.actions.get(page.step) == action)
        last = page.step
        page.until(lambda page: page.acknowledged.get(page.episode, 0) >= last)
    actions = [int(text) for text in studio.store.steps(page.episode)["actions"][1 : last + 1]]
    assert [page.mirror.actions[step] for step in range(1, last + 1)] == actions
    assert {0, 1, 3, 5, 8} == set(actions)


def test_the_scene_of_the_page_equals_that_of_the_world(studio: Studio) -> None:
    """Also when things appear, ripen and fall."""
    with studio.page(task="foraging", seed=3) as page:
        page.keys(FORWARDS)
        page.until_step(150)
        page.send({"type": "pause", "on": True})
        page.until(lambda page: flags(page) & FrameFlag.PAUSED)
        scene, step = page.mirror.scene, page.step
        record = studio.sessions._players[page.episode].play.world.snapshot()  # type: ignore[union-attr]
    assert scene is not None
    world = World.replay(record)
    true = world.scene()
    assert world.clock == step
    assert scene.poses.tobytes() == true.poses.tobytes()
    assert scene.parts.tobytes() == true.parts.tobytes()
    assert scene.surroundings.tobytes() == true.surroundings.tobytes()


def test_pause_stops_time(studio: Studio) -> None:
    with studio.page(task=studio.upload(FOOD)) as page:
        page.until_step(3)
        page.send({"type": "pause", "on": True})
        page.until(lambda page: flags(page) & FrameFlag.PAUSED)
        step = page.step
        page.send({"type": "pause", "on": False})
        page.until_step(step + 2)
        steps = sorted(page.mirror.actions)
        assert steps == list(range(1, page.step + 1))


def test_restart_and_next_go_where_the_task_says(studio: Studio) -> None:
    arenas = "".join(
        f"  - {{id: {id}, items: [{{name: Agent, at: [20, 0, {z}], rotation: 0}}]}}\n"
        for id, z in ((0, 5), (4, 9), (7, 30))
    )
    with studio.page(task=studio.upload("arenas:\n" + arenas), arena=2) as page:  # the second, as people count
        page.until_step(2)
        first = page.episode
        page.send({"type": "restart"})
        page.until(lambda page: len(page.episodes) == 2).until_step(1)
        page.send({"type": "next"})
        page.until(lambda page: len(page.episodes) == 3)
        page.until_step(1)
        assert [each["arena"] for each in page.episodes] == [4, 4, 7]
        assert page.episodes[0]["seed"] != page.episodes[1]["seed"]
        assert page.mirror.at()[2] == pytest.approx(30, abs=0.1)
        page.until(lambda page: page.acknowledged.get(page.episode, -1) >= 0)
    assert studio.store.episode(first).ended_by == "restart"
    assert studio.store.episode(page.episodes[1]["episode"]).ended_by == "next"
    assert studio.store.episode(page.episode).ended_by is None


def test_a_task_may_forbid_restart_and_other_views(studio: Studio) -> None:
    strict = "can_reset_episode: false\ncan_change_perspective: false\ndefault_perspective: birdsEye\n" + FOOD
    with studio.page(task=studio.upload(strict)) as page:
        page.until_step(1)
        began = page.episodes[0]
        assert (began["can_reset"], began["can_change_perspective"], began["view"]) == (False, False, "top")
        page.send({"type": "restart"})
        page.send({"type": "next"})
        page.send({"type": "view", "view": "first"})
        page.until_step(page.step + 10)
        assert len(page.episodes) == 1
        page.until(lambda page: page.acknowledged.get(page.episode, 0) >= 10)
    assert set(studio.store.steps(page.episode)["view"]) == {"top"}


def test_the_view_is_recorded_and_kept(studio: Studio) -> None:
    with studio.page(task=studio.upload(FOOD)) as page:
        page.until_step(2)
        page.send({"type": "view", "view": "third"})
        page.until_step(page.step + 5)
        page.send({"type": "restart"})
        page.until(lambda page: len(page.episodes) == 2)
        assert page.episodes[1]["view"] == "third"
        page.until(lambda page: page.acknowledged.get(page.episode, -1) >= 0)
    views = studio.store.steps(page.episodes[0]["episode"])["view"]
    assert (views[0], views[-1]) == ("first", "third")


def test_frames_show_lights_freezing_and_the_notification(studio: Studio) -> None:
    text = """
show_notification: true
arenas:
  - blackouts: [1, 3]
    time_limit: 6
    items: [{name: Agent, at: [20, 0, 15], rotation: 0, frozen_delay: 0.2}]
"""
    with studio.page(task=studio.upload(text)) as page:
        frame_flags: dict[int, int] = {}
        while not page.received("ended") or not flags(page) & FrameFlag.OVER:
            page.receive()
            if page.frames:
                frame_flags[page.step] = flags(page)
    studio.store.flush()
    stored = studio.store.steps(page.episode)["flags"]
    assert all(stored[step] == bits for step, bits in frame_flags.items() if step)
    frozen = FrameFlag.CANNOT_MOVE | FrameFlag.HEALTH_STANDS
    assert stored[3] & frozen == frozen and not stored[12] & frozen
    assert stored[3] & FrameFlag.LIGHT_ON and not stored[7] & FrameFlag.LIGHT_ON and stored[16] & FrameFlag.LIGHT_ON
    assert sum(bool(bits & FrameFlag.NOTIFICATION) for bits in stored) == 125
    ended = page.last("ended")
    assert (ended["cause"], ended["passed"]) == ("time", False)
    notified = next(event for event in page.events if event["kind"] == "notified")
    assert notified["details"] == {"success": False}
    assert ended["step"] == notified["step"] + 125


def test_merged_arenas_are_one_episode(studio: Studio) -> None:
    text = FOOD.replace("    pass_mark: 0.5\n", "    pass_mark: 0.5\n    merge_next_arena: true\n") + (
        "  - {id: 1, time_limit: 50, size: [30, 20], items: [{name: Agent, at: [5, 0, 5], rotation: 90}]}\n"
    )
    with studio.page(task=studio.upload(text)) as page:
        page.keys(FORWARDS)
        page.until(lambda page: len(page.episodes) == 2)
        page.until(lambda page: len(page.mirror.names) == 1)
    first, second = page.episodes
    assert first["episode"] == second["episode"]
    assert (second["arena"], second["position"], second["size"], second["time_limit"]) == (1, 1, [30.0, 20.0], 250)
    assert second["step"] > 0
    assert "merged" in [event["kind"] for event in page.events]


def test_random_order_plays_every_arena(studio: Studio) -> None:
    arenas = "".join(f"  - {{id: {id}, items: [{{name: Agent}}]}}\n" for id in range(4))
    with studio.page(task=studio.upload("randomize_arenas: true\narenas:\n" + arenas)) as page:
        for count in range(1, 5):
            page.until(lambda page, count=count: len(page.episodes) == count)
            page.send({"type": "next"})
        assert sorted(each["arena"] for each in page.episodes[:4]) == [0, 1, 2, 3]


def test_without_a_task_the_arena_has_one_of_every_thing(studio: Studio) -> None:
    from puzzlebox.arena.things import CATALOGUE

    with studio.page() as page:
        page.until_step(1)
        assert page.episodes[0]["task"] == "everything"
        assert set(CATALOGUE) <= set(page.mirror.names)


def test_several_pages_play_at_once_each_in_its_own_world(studio: Studio) -> None:
    alone = "arenas: [{items: [{name: Agent, at: [20, 0, 15], rotation: 0}]}]"
    pages = [studio.page(task=studio.upload(alone)) for _ in range(4)]
    for page in pages:
        page.until_step(3)
    pages[0].keys(RIGHT)
    pages[1].keys(FORWARDS)
    pages[0].until(lambda page: page.mirror.head["heading"] > 10)
    pages[1].until(lambda page: page.mirror.at()[2] > 15.05)
    for page in pages:
        page.until_step(25)
    assert pages[2].mirror.at()[2] == pages[3].mirror.at()[2] == pytest.approx(15)
    assert len({page.episode for page in pages}) == 4
    for page in pages:
        page.close()


def test_several_agents_of_a_task_wait_for_the_one_that_plays(studio: Studio) -> None:
    agents = "[{name: Agent, at: [10, 0, 5], rotation: 0}, {name: Agent, at: [30, 0, 5], rotation: 0}]"
    with studio.page(task=studio.upload(f"arenas:\n  - items: {agents}\n")) as page:
        page.keys(FORWARDS)
        page.until_step(20)
        scene = page.mirror.scene
        assert scene is not None and len(scene.animals) == 2
        mine, other = (float(scene.poses["at"][row][2]) for row in scene.animals)
        assert mine > 5.05 and other == pytest.approx(5)


class SlowSocket:
    """A socket that accepts nothing until its gate opens."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.got: list[str | bytes] = []

    async def send_text(self, text: str) -> None:
        await self.gate.wait()
        self.got.append(text)

    async def send_bytes(self, data: bytes) -> None:
        await self.gate.wait()
        self.got.append(data)


def test_a_page_that_reads_nothing_misses_frames_and_no_action(tmp_path: Path) -> None:
    """When it reads again it gets the newest state, and the actions in between."""

    async def play() -> None:
        socket, schedule = SlowSocket(), SessionSchedule("foraging", load_task("foraging"), Rules(), seed=2)
        sessions = SimpleNamespace(set_player=lambda tab, episode: None)
        with Store(tmp_path / "r.sqlite") as store:
            tab = Tab(socket, sessions)  # type: ignore[arg-type]
            tab.attach(Play(schedule, store), None)
            tab.present(Prepared.new(schedule, schedule.repeat()))
            assert tab.play is not None
            tab.play.begin()
            store.flush()  # no time passes before the beginning is stored
            sender = asyncio.create_task(tab._send())

            async def steps(count: int) -> None:
                for number in range(count):
                    tab.play.keys.press(number, number % 9)  # type: ignore[union-attr]
                    assert tab.tick()
                    await asyncio.sleep(0)

            await steps(500)
            assert socket.got == []
            mirror = Mirror()
            for wanted in (500, 503):
                socket.gate.set()
                for _ in range(20):
                    await asyncio.sleep(0)
                for message in socket.got:
                    if isinstance(message, bytes):
                        mirror.take(message)
                assert mirror.head["step"] == wanted
                assert sorted(mirror.actions) == list(range(1, wanted + 1))
                assert [mirror.actions[step] for step in range(1, wanted + 1)] == [a[0] for a in tab.play.world.actions]
                assert mirror.scene is not None
                assert mirror.scene.poses.tobytes() == tab.play.world.scene().poses.tobytes()
                assert mirror.kinds.count(Message.FRAME) == (1 if wanted == 500 else 2)
                socket.gate.clear()
                socket.got.clear()
                await steps(3)
            sender.cancel()

    run_async(play)


def test_a_page_that_reads_nothing_for_long_is_disconnected(tmp_path: Path) -> None:
    async def play() -> None:
        tab = Tab(SlowSocket(), SimpleNamespace())  # type: ignore[arg-type]
        for _ in range(5000):
            tab.send_text("{}")
        assert len(tab._texts) <= 1000
        assert tab._failure == {"message": "the page reads its messages too slowly", "retry": True}

    run_async(play)


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("nonsense", "a message must be a JSON object with a `type`"),
        ('{"type": 3}', "a message must be a JSON object with a `type`"),
        ("[" * 30000, "a message must be a JSON object with a `type`"),
        ('{"type": "keys", "key": 1, "action": 9}', "action is '9'; it must be a whole number from 0 to 8"),
        ('{"type": "keys", "key": -1, "action": 0}', "key is '-1'; it must be a whole number from 0 to 4294967295"),
        ('{"type": "keys", "key": true, "action": 0}', "key is 'True'; it must be a whole number from 0 to 4294967295"),
        ('{"type": "keys", "key": 1, "action": 1.5}', "action is '1.5'; it must be a whole number from 0 to 8"),
        (
            '{"type": "view", "view": "thrid"}',
            "there is no view 'thrid'; allowed: first, third, top; did you mean `third`?",
        ),
        ('{"type": "speed", "times": 100}', "times is 100; it must be from 0.1 to 8"),
        (
            '{"type": "paus"}',
            "a page may not send 'paus' here; allowed: keys, begin, restart, next, again, pause, hidden, view, speed; "
            "did you mean `pause`?",
        ),
    ],
)
def test_nonsense_gets_one_sentence(studio: Studio, message: str, sentence: str) -> None:
    with studio.page(task="examples/food") as page:
        page.until_step(1)
        page.send(message)
        assert page.error() == sentence


@pytest.mark.parametrize(
    ("first", "sentence"),
    [
        ({"type": "keys"}, "a page begins with 'start' or 'resume', not with 'keys'"),
        ({"type": "start", "task": "forraging"}, "there is no task 'forraging'; did you mean `foraging`?"),
        ({"type": "start", "task": 7}, "task is '7'; it must be a text"),
        ({"type": "start", "seed": -1}, "seed is '-1'; it must be a whole number from 0 to 9223372036854775807"),
        ({"type": "start", "task": "foraging", "arena": 3}, "there is no arena 3; the task has 1 arena"),
        ({"type": "start", "task": "foraging", "arena": 0}, "there is no arena 0; the task has 1 arena"),
        ({"type": "start", "task": "../../../etc/passwd"}, None),
        ({"type": "start", "task": "file:/etc/passwd"}, None),
    ],
)
def test_a_wrong_beginning_gets_one_sentence(studio: Studio, first: dict[str, object], sentence: str | None) -> None:
    with studio.page(first) as page:
        error = page.error()
        assert error == sentence if sentence else error.startswith("there is no task ")


def test_too_many_messages_end_the_connection(studio: Studio) -> None:
    with studio.page(task="examples/food") as page:
        page.until_step(1)
        with suppress(ConnectionClosed):
            for _ in range(1000):
                page.send({"type": "pause", "on": False})
        assert page.error() == "the page sent more than 200 messages a second"


def test_too_large_a_message_ends_the_connection(studio: Studio) -> None:
    with studio.page(task="examples/food") as page:
        page.until_step(1)
        with pytest.raises(ConnectionClosed):
            page.send(json.dumps({"type": "keys", "padding": "x" * 70000}))
            while True:
                page.receive()


def test_a_tap_between_two_steps_counts() -> None:
    from puzzlebox.arena.studio.play import Keys

    keys = Keys()
    keys.press(1, FORWARDS)
    keys.press(2, NOOP)
    assert [keys.take(), keys.take(), keys.take()] == [(1, FORWARDS), (2, NOOP), (2, NOOP)]
    keys.press(3, FORWARDS)
    assert [keys.take(), keys.take()] == [(3, FORWARDS)] * 2
    keys.press(4, NOOP)
    assert keys.take() == (4, NOOP)
    keys.press(5, FORWARDS)
    keys.press(6, RIGHT)  # steering on: the newest counts
    assert keys.take() == (6, RIGHT)
    keys.release()
    assert keys.take() == (6, NOOP)


def test_messages_come_in_their_order(studio: Studio) -> None:
    with studio.page(task="foraging", agent="random") as page:
        page.until_step(30)
    letters = "".join(" SFPCRA"[kind] for kind in page.mirror.kinds)
    assert re.fullmatch("(A*S?P?F(CR)?)+(A*S?P?)", letters), letters
    assert "FCR" in letters


def test_the_path_of_recordings_is_where_it_was_asked(tmp_path: Path) -> None:
    with running(tmp_path / "here" / "r.sqlite") as studio, studio.page(task="examples/food") as page:
        page.until(lambda page: page.acknowledged)
    assert (tmp_path / "here" / "r.sqlite").exists()
