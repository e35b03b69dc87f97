"""Recordings through the page's addresses: replayed, they equal the episodes as played."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from puzzlebox.agents import agent_named
from puzzlebox.arena.schema import load_task, read
from puzzlebox.arena.studio.replay import KEY_STEPS
from puzzlebox.arena.world import World
from puzzlebox.record import Episode, Start, writer
from puzzlebox.record.film import film_name
from puzzlebox.run.play import play
from puzzlebox.studio import protocol
from puzzlebox.studio.protocol import FrameFlag, Message
from puzzlebox.studio.recordings import FIELDS
from studio_page import FOOD, FOOD_TWICE, Mirror, Page, Studio, running


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with running(tmp_path_factory.mktemp("studio") / "recordings.sqlite") as studio:
        yield studio


@pytest.fixture(scope="module")
def page(studio: Studio) -> Page:
    """Play until the food is eaten and the end is reported; return the page."""
    with studio.page(task=studio.upload("show_notification: true\n" + FOOD), seed=8) as page:
        page.until_step(3).keys(4)
        page.until_step(8).keys(5)
        page.until_step(13).keys(3)
        page.until(lambda page: page.received("ended"))
        ended = page.last("ended")
        page.until(lambda page: page.acknowledged.get(page.episode) == ended["step"])
    return page


def test_the_list_is_newest_first(studio: Studio, page: Page) -> None:
    with studio.page(task="foraging") as other:
        other.until(lambda page: page.acknowledged.get(page.episode, 0) > 2)
    listed = studio.json("/api/recordings?limit=2")
    assert listed["total"] == studio.store.count() >= 2
    newest, older = listed["recordings"]
    assert (newest["id"], older["id"]) == (other.episode, page.episode)
    assert tuple(newest) == FIELDS
    assert (newest["finished"], newest["passed"], newest["ended_by"]) == (False, None, None)
    ended = page.last("ended")
    assert (older["finished"], older["passed"], older["ended_by"]) == (True, True, "completed")
    assert (older["steps"], older["return"], older["title"]) == (ended["step"], ended["return"], "Straight ahead")
    assert (older["player"], older["agent"], older["rules"], older["seed"]) == ("human", None, "puzzlebox", 8)
    assert studio.json("/api/recordings?limit=1&offset=1")["recordings"] == [older]
    assert (older["arena"], older["arenas"]) == (0, 1)


def test_a_recording_names_its_arena_and_their_number(studio: Studio) -> None:
    with studio.page(task=studio.upload(FOOD_TWICE), arena=2) as page:
        page.until(lambda page: page.acknowledged.get(page.episode, 0) > 2)
    for description in (
        studio.json("/api/recordings?limit=1")["recordings"][0],
        studio.json(f"/api/recordings/{page.episode}"),
    ):
        assert (description["id"], description["arena"], description["arenas"]) == (page.episode, 1, 2)


def test_an_episode_that_is_being_played_is_in_the_list(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if it is written a second later."""
    monkeypatch.setattr(writer, "INTERVAL_SECONDS", 1.0)
    for _ in range(2):
        with studio.page(task="foraging") as page:
            page.until_step(1)
            assert studio.json("/api/recordings?limit=1")["recordings"][0]["id"] == page.episode


def test_recordings_are_read_while_nothing_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "LOCK_TIMEOUT_SECONDS", 0.02)
    with running(tmp_path / "recordings.sqlite") as studio:
        with studio.page(task="foraging") as page:
            page.until(lambda page: page.acknowledged.get(page.episode, 0) > 2)
        with closing(sqlite3.connect(studio.store.path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            studio.store.begin(Start.of(load_task("foraging")))
            assert studio.json("/api/recordings")["recordings"][0]["id"] == page.episode
            assert studio.store.error is not None


def test_a_recording_has_its_events(studio: Studio, page: Page) -> None:
    description = studio.json(f"/api/recordings/{page.episode}")
    kinds = [event["kind"] for event in description["events"]]
    assert kinds == ["started", "collected", "finished", "notified", "ended"]
    assert description["events"] == [{**event} for event in page.events]


def test_a_recording_has_its_steps(studio: Studio, page: Page) -> None:
    steps = studio.json(f"/api/recordings/{page.episode}/steps")
    last = page.last("ended")["step"]
    assert steps["step"] == list(range(last + 1))
    assert sum(steps["reward"]) == pytest.approx(page.last("ended")["return"])
    assert steps["z"][0] == pytest.approx(15) and steps["z"][-1] > 16.5
    assert {len(column) for column in steps.values()} == {last + 1}


def test_the_frames_of_a_recording_show_the_episode_as_played(studio: Studio, page: Page) -> None:
    status, headers, block = studio.ask(f"/api/recordings/{page.episode}/frames")
    assert (status, headers["content-type"]) == (200, "application/octet-stream")
    record = studio.store.record(page.episode)
    world = World(record.task, arena=record.arena, seed=record.seed, rules=record.rules)
    mirror, texts, frames = Mirror(), [], 0
    for message in protocol.split_messages(block):
        if message[:1] == b"{":
            texts.append(json.loads(message))
            continue
        mirror.take(message)
        if message[0] != Message.FRAME:
            continue
        if frames:
            world.step(record.actions[frames - 1])
        assert mirror.head["step"] == world.clock == frames
        scene = world.scene()
        assert mirror.scene is not None
        assert mirror.scene.poses.tobytes() == scene.poses.tobytes()
        assert mirror.scene.parts.tobytes() == scene.parts.tobytes()
        assert mirror.head["health"] == np.float32(world.animals[0].health)
        assert mirror.head["return"] == np.float32(world.animals[0].total)
        frames += 1
    assert world.over and frames == len(record.actions) + 1
    assert texts[0]["type"] == "episode" and texts[-1]["type"] == "ended"
    message = page.episodes[0]
    assert {key: value for key, value in texts[0].items() if key != "view"} == {
        key: value for key, value in message.items() if key != "view"
    }
    ended = page.last("ended")
    assert texts[-1] == {**ended, "pause": 0, "last": False}
    events = [event for text in texts if text["type"] == "events" for event in text["events"]]
    assert events == page.events
    # The messages of the recording are those sent to the page while it was played, frame by frame.
    assert mirror.actions == page.mirror.actions
    assert mirror.head["flags"] == studio.store.steps(page.episode)["flags"][-1]


def test_frames_of_a_recording_can_be_read_from_key_steps(studio: Studio) -> None:
    with studio.page(task="foraging", agent="random", seed=1) as page:
        page.send({"type": "speed", "times": 8})
        page.until(lambda page: page.acknowledged.get(page.episode, 0) > KEY_STEPS + 50)
    messages = protocol.split_messages(studio.ask(f"/api/recordings/{page.episode}/frames")[2])
    starts = [
        place
        for place, message in enumerate(messages)
        if message[0] == Message.SCENE
        and json.loads(message[8 : 8 + message[4] + 256 * message[5]])["step"] == KEY_STEPS
    ]
    assert starts
    whole, part = Mirror(), Mirror()
    for place, message in enumerate(messages):
        if message[:1] != b"{":
            whole.take(message)
            if place >= starts[0]:
                part.take(message)
    assert whole.scene is not None and part.scene is not None
    assert part.scene.poses.tobytes() == whole.scene.poses.tobytes()
    assert part.scene.parts.tobytes() == whole.scene.parts.tobytes()


def test_an_episode_of_a_run_is_shown_step_by_step(studio: Studio) -> None:
    """Its decisions last three physics steps; frames are still one each."""
    record = play(load_task(FOOD), agent_named("random"), seed=3, store=studio.store, name="food", agent_name="random")
    studio.store.flush()
    newest = studio.json("/api/recordings?limit=1")["recordings"][0]
    mirror = Mirror()
    steps = []
    for message in protocol.split_messages(studio.ask(f"/api/recordings/{newest['id']}/frames")[2]):
        if message[:1] != b"{":
            mirror.take(message)
            if message[0] == Message.FRAME:
                steps.append(int(mirror.head["step"]))
    world = World.replay(record)
    assert steps == list(range(world.clock + 1)) and newest["steps"] == world.clock
    assert mirror.head["flags"] & FrameFlag.OVER
    assert mirror.head["return"] == np.float32(world.animals[0].total)


def test_a_picture_of_any_moment_can_be_downloaded(studio: Studio, page: Page) -> None:
    address = f"/api/recordings/{page.episode}/picture.png?width=96&height=64&view=top"
    status, headers, start = studio.ask(address + "&step=0")
    assert (status, headers["content-type"], start[:4]) == (200, "image/png", b"\x89PNG")
    assert studio.ask(address)[2] != start


@pytest.mark.parametrize(
    ("task", "player", "name"),
    [
        ("foraging", {"participant": "P07"}, "foraging-P07"),
        ("food/picnic", {"participant": "a.b_c-1"}, "food-picnic-a.b_c-1"),
        ("file:Mein erster Tést", {}, "Mein-erster-Test-human"),
        ("foraging", {"player": "agent", "agent": "my_lab.agents:Clever"}, "foraging-my_lab.agents-Clever"),
        ("upload:0a1b2c3d", {"participant": "P07"}, "A-wall-P07"),
        ('file:../"x"\r\n', {"participant": ".."}, "x"),
        ("file:" + "long " * 60, {"participant": "P07"}, "-".join(["long"] * 12) + "-P07"),
    ],
)
def test_files_are_named_after_task_and_participant(task: str, player: Any, name: str) -> None:
    task_of_food = read(FOOD).task
    assert task_of_food is not None
    start = replace(Start.of(task_of_food, name=task, **player), id="3fa2b1c4d5e6", title="A wall")
    episode = Episode(**{each.name: getattr(start, each.name, None) for each in fields(Episode)})
    assert film_name(episode, ".mp4") == f"{name}-3fa2b1c4d5e6.mp4"


def test_downloads_are_named_after_task_player_and_episode(studio: Studio, page: Page) -> None:
    about = studio.json(f"/api/recordings/{page.episode}")
    assert about["file"] == f"Straight-ahead-human-{page.episode}"
    for address, ending in (("film.gif?width=48&height=32", "gif"), ("picture.png?width=48&height=32&step=3", "png")):
        _, headers, _ = studio.ask(f"/api/recordings/{page.episode}/{address}")
        step = "-step-3" if ending == "png" else ""
        assert headers["content-disposition"] == f'inline; filename="{about["file"]}{step}.{ending}"'


def test_a_film_of_a_recording_can_be_downloaded(studio: Studio, page: Page) -> None:
    status, headers, film = studio.ask(f"/api/recordings/{page.episode}/film.gif?width=48&height=32&view=top")
    assert (status, headers["content-type"], film[:4]) == (200, "image/gif", b"GIF8")
    status, headers, film = studio.ask(f"/api/recordings/{page.episode}/film.mp4?width=48&height=32")
    assert (status, headers["content-type"], film[4:8]) == (200, "video/mp4", b"ftyp")


@pytest.mark.parametrize(
    ("path", "status", "sentence"),
    [
        ("/api/recordings/nothing", 404, "there is no episode nothing"),
        ("/api/recordings/nothing/frames", 404, "there is no episode nothing"),
        ("/api/recordings/nothing/steps", 404, "there is no episode nothing"),
        ("/api/recordings/nothing/film.mp4", 404, "there is no episode nothing"),
        ("/api/recordings/ID/film.exe", 404, "films end in .mp4 or .gif"),
        ("/api/recordings/ID/picture.png?view=back", 400, "there is no view 'back'; allowed: third, first, top"),
        ("/api/recordings/ID/picture.png?step=999999", 400, "there is no step 999999; the episode has "),
        (
            "/api/recordings/ID/picture.png?width=9999",
            400,
            "width is '9999'; it must be a whole number from 16 to 1600",
        ),
        ("/api/recordings?limit=0", 400, "limit is '0'; it must be a whole number from 1 to 500"),
        ("/api/recordings?offset=-1", 400, "offset is '-1'; it must be a whole number from 0 to 2147483648"),
        ("/api/recordings?limit=" + "9" * 5000, 400, "limit is '99999"),
    ],
)
def test_what_does_not_exist_is_refused_in_one_sentence(
    studio: Studio, page: Page, path: str, status: int, sentence: str
) -> None:
    answered, headers, body = studio.ask(path.replace("ID", page.episode))
    assert (answered, headers["content-type"]) == (status, "application/json")
    assert json.loads(body)["message"].startswith(sentence)
