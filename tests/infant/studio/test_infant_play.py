"""A person plays infant tasks over the socket of the studio, without a browser: recorded, replayed, resumed."""

import csv
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from infant_page import InfantPage
from puzzlebox.cli.app import app as cli
from puzzlebox.infant.catalogue import CATALOGUE
from puzzlebox.infant.studio import pages as infant_pages
from puzzlebox.infant.studio.episode import MAX_UNSAVED
from puzzlebox.infant.studio.frames import FrameFlag
from puzzlebox.infant.studio.pages import InfantPages
from puzzlebox.record import Store
from puzzlebox.report import gather
from puzzlebox.studio.links import Link, Links
from puzzlebox.studio.safety import Policy
from puzzlebox.wings import wing_named
from studio_page import Studio, running

Open = Callable[..., InfantPage]


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the clock of pages run as fast as the computer can."""
    monkeypatch.setattr("puzzlebox.infant.studio.tab.CONTROL_STEP", 0.002)


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    with running(tmp_path / "episodes.sqlite", infant=InfantPages()) as studio:
        yield studio


@pytest.fixture
def opened(studio: Studio) -> Iterator[Open]:
    pages: list[InfantPage] = []

    def open_page(task: str = "infant/kick-the-ball", **more: Any) -> InfantPage:
        seed = {} if "shown" in more else {"seed": 3}
        page = InfantPage(studio.port, {"type": "start", "task": task, **seed, **more})
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.__exit__()


def replayed(store: Store, id: str) -> tuple[float, bool | None, list[Any]]:
    """Play an episode again from its record; return its return, its result and its events."""
    *_, (session, _) = played = list(wing_named("infant").replay(store.record(id)))
    events = [(each.kind, each.step) for _, outcome in played if outcome is not None for each in outcome.events]
    return session.total, session.passed(), events


def test_an_episode_of_a_person_is_an_ordinary_recording(studio: Studio, opened: Open, tmp_path: Path) -> None:
    page = opened(participant="P07").shown()
    first = page.frames[0]
    assert first.head["step"] == 0 and [each[1:4] for each in first.pictures] == [b"PNG"] * 5
    assert first.sound.shape == (2, 2940)
    assert (page.episode["participant"], page.episode["seed"], page.episode["agent"]) == ("P07", 3, None)
    assert [each["name"] for each in page.episode["controls"]] == ["walk", "turn"]
    assert studio.store.count() == 0, "nothing is recorded before the first key"
    page.hold(walk=1.0, turn=0.25)
    page.until(lambda: page.ended)
    assert any(frame.sound.any() for frame in page.frames), "the ball hisses"
    assert bool(page.ended["reason"]) == (not page.ended["passed"]), "the page says why it was not passed"
    page.until(lambda: page.stored == page.ended["step"] if page.ended else False)

    studio.store.flush()
    episode = studio.store.episode(page.episode["episode"])
    assert (episode.wing, episode.task, episode.participant, episode.seed) == (
        "infant",
        "infant/kick-the-ball",
        "P07",
        3,
    )
    assert episode.finished and episode.steps == page.ended["step"] == len(page.actions)
    recorded = [tuple(actions[0]) for actions in studio.store.record(episode.id).actions]
    assert recorded == [page.actions[step] for step in sorted(page.actions)]
    assert (1.0, 0.25) in recorded
    total, passed, events = replayed(studio.store, episode.id)
    assert (total, passed) == (episode.total, episode.passed) == (page.ended["return"], page.ended["passed"])
    assert events == [(each["kind"], each["step"]) for each in studio.store.events(episode.id)]


def test_a_recording_is_exported_replayed_reported_and_forgotten(studio: Studio, opened: Open, tmp_path: Path) -> None:
    with opened(participant="P07").shown() as page:
        page.hold(walk=1.0)
        page.until(lambda: page.ended)
    studio.store.flush()
    run, data = CliRunner().invoke, ["--data", str(studio.store.path)]
    assert run(cli, ["export", "-o", str(tmp_path / "tables"), *data]).exit_code == 0
    with (tmp_path / "tables" / "episodes.csv").open(encoding="utf-8") as table:
        assert [(row["task"], row["participant"]) for row in csv.DictReader(table)] == [("infant/kick-the-ball", "P07")]
    (row,) = gather([studio.store.path]).rows
    assert (row.person, row.participant, row.passed) == (True, "P07", page.ended["passed"])
    assert run(cli, ["replay", "last", "-o", str(tmp_path / "end.png"), *data]).exit_code == 0
    assert run(cli, ["forget", "P07", "--yes", *data]).exit_code == 0
    assert Store(studio.store.path).count() == 0


# One of each kind of control; the others take another ten seconds.
QUICK = ("baby-run", "disk-tower", "multi-agent-nav")


@pytest.mark.parametrize(
    "task", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in CATALOGUE]
)
def test_every_task_is_played_with_its_controls(opened: Open, studio: Studio, task: str) -> None:
    page = opened(f"infant/{task}").shown()
    for control in page.episode["controls"]:
        assert control["more_keys"] and control["more"]
    page.hold(**{each["name"]: 0.5 for each in page.episode["controls"]})
    page.until(lambda: len(page.actions) >= 8)
    assert all(frame.pictures for frame in page.frames[:1]) and page.episode["about"] and page.episode["hint"]
    size = int(np.prod(np.shape(page.actions[1])))
    assert size == (4 if task == "multi-agent-nav" else len(page.actions[8]))


def test_the_goal_of_a_task_is_told_in_words(opened: Open) -> None:
    goal = opened("infant/cog-sci-nav").shown().episode["goal"]
    colour, toy = goal.split()
    assert colour in ("red", "green", "blue") and toy


def test_again_is_the_same_episode_and_next_another(opened: Open, studio: Studio) -> None:
    page = opened().shown()
    page.hold(walk=1.0)
    page.until(lambda: len(page.actions) >= 5)
    first = page.episode["episode"]
    page.send({"type": "again"})
    page.until(lambda: page.episode["episode"] != first)
    assert page.episode["seed"] == 3
    second = page.episode["episode"]
    page.send({"type": "next"})
    page.until(lambda: page.episode["episode"] != second)
    assert page.episode["seed"] == 4
    studio.store.flush()
    # The second one had not begun.
    assert [(each.id, each.ended_by, each.finished) for each in studio.store.episodes()] == [(first, "restart", True)]


def test_time_stands_still_while_the_page_is_paused_or_hidden(opened: Open, studio: Studio) -> None:
    page = opened("infant/maze-nav").shown()
    page.hold(walk=1.0)
    page.until(lambda: len(page.actions) >= 3)
    page.send({"type": "pause", "on": True})
    page.until(lambda: page.frames[-1].head["flags"] & FrameFlag.PAUSED)
    step = page.frames[-1].head["step"]
    page.send({"type": "view", "view": "room"})
    page.receive()
    assert page.frames[-1].head["step"] == step
    page.send({"type": "pause", "on": False})
    page.until(lambda: page.frames[-1].head["step"] > step)
    studio.store.flush()
    assert (studio.store.episode(page.episode["episode"]).paused_ms or 0) > 0


def resume(page: InfantPage, since: int) -> dict[str, Any]:
    """Return the first message of a page that goes on with an episode."""
    later = [page.actions[step] for step in sorted(page.actions) if step > since]
    names = ("task", "seed", "participant")
    return {"type": "resume", "episode": page.episode["episode"], "step": since, "actions": later} | {
        name: page.episode[name] for name in names
    }


def test_an_episode_is_resumed_with_the_steps_that_only_the_page_has_seen(studio: Studio, tmp_path: Path) -> None:
    with InfantPage(studio.port, {"type": "start", "task": "infant/maze-nav", "seed": 5}).shown() as page:
        page.hold(walk=1.0, turn=0.5)
        page.until(lambda: len(page.actions) >= 30)
        seen = dict(page.actions)
    # A server that was killed has stored the first steps alone.
    studio.store.flush()
    with InfantPage(studio.port, resume(page, 10)).shown() as again:
        assert again.episode["episode"] == page.episode["episode"] and again.episode["note"] is None
        assert again.episode["step"] >= 30
        again.hold(turn=-1.0)
        again.until(lambda: len(again.actions) >= 5)
    studio.store.flush()
    recorded = [tuple(actions[0]) for actions in studio.store.record(page.episode["episode"]).actions]
    assert recorded[: len(seen)] == [seen[step] for step in sorted(seen)]
    assert studio.store.steps(page.episode["episode"])["step"] == list(range(len(recorded) + 1))


def test_steps_that_were_not_stored_come_from_the_page(tmp_path: Path) -> None:
    path, other = tmp_path / "episodes.sqlite", tmp_path / "copy.sqlite"
    with running(path, infant=InfantPages()) as studio:
        page = InfantPage(studio.port, {"type": "start", "task": "infant/maze-nav", "seed": 5}).shown()
        page.hold(walk=1.0)
        page.until(lambda: page.stored >= 5)
        # What was in the file at this moment is all that a killed server leaves.
        assert CliRunner().invoke(cli, ["backup", str(other), "--data", str(path)]).exit_code == 0
        stored = Store(other).episode(page.episode["episode"]).steps
        page.until(lambda: max(page.actions) >= stored + 5)
        seen = max(page.actions)
        page.__exit__()
    with running(other, infant=InfantPages()) as studio:
        since = max(0, stored - 2)
        with InfantPage(studio.port, resume(page, since)).shown() as again:
            assert again.episode["step"] == seen
            again.hold(walk=-1.0)
            again.until(lambda: len(again.actions) >= 2)
        studio.store.flush()
        recorded = [tuple(actions[0]) for actions in studio.store.record(page.episode["episode"]).actions]
        assert recorded[:seen] == [page.actions[step] for step in range(1, seen + 1)]
        columns = studio.store.steps(page.episode["episode"])
        assert columns["total"][-1] == replayed(studio.store, page.episode["episode"])[0]


def test_a_second_tab_of_a_participant_takes_over(opened: Open) -> None:
    page = opened(participant="P07").shown()
    page.hold(walk=0.5)
    page.until(lambda: len(page.actions) >= 5)
    other = opened(participant="P07").shown()
    refusal = page.refusal()
    assert (
        refusal["elsewhere"]
        and refusal["message"] == "this task is open in another tab or window; go on there, or continue here"
    )
    assert other.episode["episode"] == page.episode["episode"] and other.episode["step"] >= 5


def test_a_participants_link_opens_its_task_alone(tmp_path: Path) -> None:
    path = tmp_path / "episodes.sqlite"
    links = Links.for_store(path)
    assert links is not None
    with running(path, Policy.for_host("127.0.0.1", links=links), infant=InfantPages()) as studio:
        address = links.address(Link("P07", "infant/object-nav", 11), "/ws/infant")
        query = "?" + address.partition("?")[2]
        asked = {"type": "start", "task": "infant/maze-nav", "participant": "P08", "agent": "random"}
        with InfantPage(studio.port, asked, query).shown() as page:
            about = page.episode
            assert (about["task"], about["participant"], about["agent"]) == ("infant/object-nav", "P07", None)
            assert about["seed"] == 11
        assert studio.ask(f"/infant/play{query}")[0] == 200
        assert studio.ask(f"/api/galleries{query}")[0] == 403
        assert studio.ask(f"/play{query}")[0] == 403


@pytest.mark.slow
def test_the_seeds_of_a_participants_episodes_follow_each_other(opened: Open) -> None:
    page = opened(participant="P07").shown()
    for seed in (3, 4):
        assert page.episode["seed"] == seed
        before = page.episode["episode"]
        page.hold(walk=1.0)
        page.until(lambda: page.ended)
        page.send({"type": "next"})
        page.until(lambda before=before: page.episode["episode"] != before)
    assert opened(participant="P07").shown().episode["seed"] == 5


def test_an_agent_is_watched_recorded_and_its_recording_shown(opened: Open, studio: Studio) -> None:
    with opened("infant/kicks-squeaky-ball", agent="infant-script").shown() as page:
        page.until(lambda: page.ended)
        assert page.ended is not None and page.ended["passed"]
    studio.store.flush()
    episode = studio.store.episode(page.episode["episode"])
    assert (episode.player, episode.agent, episode.passed) == ("agent", "infant-script", True)
    described = studio.json(f"/api/recordings/{episode.id}")
    assert described["page"]["address"] == f"/infant/play?task=infant%2Fkicks-squeaky-ball&shown={episode.id}"
    with opened("infant/kicks-squeaky-ball", shown=episode.id).shown() as film:
        film.until(lambda: film.ended)
        assert film.actions == page.actions and film.ended["return"] == episode.total
    studio.store.flush()
    assert studio.store.count() == 1


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"task": "infant/kick-teh-ball"}, "there is no infant task 'kick-teh-ball'; there are baby-run"),
        ({"agent": "navigator"}, "there is no agent 'navigator' for infant tasks"),
        ({"agent": "os:getcwd"}, "there is no agent 'os:getcwd' for infant tasks"),
        ({"seed": -1}, "seed is '-1'; it must be a whole number from 0"),
        ({"seed": "two"}, "seed is 'two'; it must be a whole number from 0 to 9223372036854775807"),
        ({"seed": "9223372036854775808"}, "seed is '9223372036854775808'; it must be a whole number from 0"),
        ({"participant": "a b"}, "'a b' is not a participant id"),
        ({"participant": "P07", "agent": "random"}, "an agent plays, so there is no participant"),
        ({"shown": "nothing"}, "there is no episode nothing"),
        ({"shown": "nothing", "agent": "random"}, "a recording is shown, which has its own agent; leave out `agent`"),
        ({"type": "hello"}, "a page begins with 'start' or 'resume', not with 'hello'"),
        ({"type": "resume"}, "a page that resumes must name its episode"),
        (
            {"type": "resume", "episode": "a1", "step": 0, "actions": [[2]]},
            "actions must be rows of numbers from -1 to 1",
        ),
    ],
)
def test_bad_first_messages_get_one_sentence(opened: Open, asked: dict[str, Any], sentence: str) -> None:
    assert opened(**asked).refusal()["message"].startswith(sentence)


def test_a_seed_that_pages_cannot_hold_as_a_number_is_played(opened: Open) -> None:
    assert opened(seed="9223372036854775807").shown().episode["seed"] == 2**63 - 1


def test_bad_controls_get_one_sentence(opened: Open) -> None:
    page = opened().shown()
    page.send({"type": "keys", "key": 1, "values": [2.0, 0.0]})
    assert page.refusal()["message"] == "the controls are [2.0, 0.0]; they must be 2 numbers from -1 to 1"


def test_a_page_too_many_is_told_so(tmp_path: Path) -> None:
    pages = InfantPages()
    with running(tmp_path / "episodes.sqlite", infant=pages) as studio:
        assert pages.sessions is not None
        pages.sessions.players = 1
        first = {"type": "start", "task": "infant/kick-the-ball"}
        with InfantPage(studio.port, first).shown(), InfantPage(studio.port, first) as other:
            refusal = other.refusal()
    assert refusal["full"] and refusal["message"] == "the only place is taken; try again in a few minutes"


def test_without_mujoco_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(infant_pages, "find_spec", lambda name: None if name == "mujoco" else object())
    sentence = "infant tasks need mujoco; pip install 'puzzlebox[infant]' brings it"
    with running(tmp_path / "episodes.sqlite", infant=InfantPages()) as studio:
        page = InfantPage(studio.port, {"type": "start", "task": "infant/kick-the-ball"})
        assert page.refusal()["message"] == sentence
        assert studio.json("/api/galleries")["galleries"][0]["trouble"] == sentence
        assert studio.ask("/api/infant/pictures/maze-nav.png")[0] == 400
    with pytest.raises(ValueError, match="pip install"):
        InfantPages().add_task("kick-the-ball")


def test_the_start_page_lists_every_infant_task(studio: Studio) -> None:
    (gallery,) = studio.json("/api/galleries")["galleries"]
    assert [each["name"] for each in gallery["tasks"]] == [f"infant/{name}" for name in CATALOGUE]
    status, headers, body = studio.ask(gallery["tasks"][0]["picture"])
    assert (status, headers["content-type"], body[1:4]) == (200, "image/png", b"PNG")
    assert studio.ask("/api/infant/pictures/nothing.png")[0] == 404
    assert [each["name"] for each in studio.json("/api/infant/agents")["agents"]] == ["infant-script", "random"]
    assert studio.ask(gallery["tasks"][0]["play"])[0] == 200


def test_pages_name_their_addresses() -> None:
    pages = InfantPages()
    assert pages.add_task("kick-the-ball") == "infant/kick-the-ball"
    assert pages.address_of("infant/maze-nav", seed=2) == "/infant/play?task=infant%2Fmaze-nav&seed=2"
    with pytest.raises(ValueError, match="name one infant task"):
        pages.add_task("*")
    with pytest.raises(ValueError, match="does not play infant tasks"):
        pages.address_of("infant/maze-nav", agent="navigator")


@pytest.mark.slow
def test_an_episode_waits_for_a_disk_that_cannot_be_written(opened: Open, studio: Studio) -> None:
    page = opened("infant/maze-nav").shown()
    page.hold(walk=0.2)
    page.until(lambda: page.stored >= 3)
    other = sqlite3.connect(studio.store.path, isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        page.until(lambda: page.frames[-1].head["flags"] & FrameFlag.PAUSED)
        step = page.frames[-1].head["step"]
        assert step - page.stored <= 2 * MAX_UNSAVED
        page.until(lambda: any(each["type"] == "recording" and each["trouble"] for each in page.texts))
    finally:
        other.close()
    page.until(lambda: page.frames[-1].head["step"] > step and page.stored > step)
    assert page.texts[-1]["type"] != "error"
