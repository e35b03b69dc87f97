"""The tasks the studio offers: bundled ones, uploads, files, and the arena with one of every thing."""

import gc
import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from puzzlebox.arena.rules import Rules
from puzzlebox.arena.schema import TaskError, read
from puzzlebox.arena.studio import catalogue
from puzzlebox.arena.studio.cache import BoundedCache
from puzzlebox.arena.studio.catalogue import Catalogue, UnknownTask
from puzzlebox.arena.studio.one_of_each import load_task as load_everything
from puzzlebox.arena.studio.one_of_each import task_text
from puzzlebox.arena.studio.schedule import SessionSchedule
from puzzlebox.arena.things import CATALOGUE
from puzzlebox.arena.world import World
from puzzlebox.batteries import battery_names, bundled_names
from puzzlebox.cli.app import app
from studio_page import FOOD, Studio, running


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with running(tmp_path_factory.mktemp("studio") / "recordings.sqlite") as studio:
        yield studio


def test_the_gallery_has_every_bundled_task(studio: Studio) -> None:
    tasks = {task["name"]: task for task in studio.json("/api/tasks")["tasks"]}
    assert list(tasks) == list(bundled_names())
    foraging = tasks["foraging"]
    assert foraging["title"] == "Foraging under a tree"
    assert (foraging["arenas"], foraging["agents"]) == (1, 1)
    assert foraging["thumbnail"] == "/api/thumbnails/foraging.png"
    keys = {"name", "title", "level", "tags", "description", "condition", "arenas", "agents", "thumbnail"}
    assert set(foraging) == keys


def test_the_tasks_of_a_battery_are_listed_on_request(studio: Studio) -> None:
    counts = {each["name"]: each["tasks"] for each in studio.json("/api/batteries")["batteries"]}
    assert counts == {"testbed": 900, "testbed-held-out": 90}
    tasks = {task["name"]: task for task in studio.json("/api/tasks?battery=testbed-held-out")["tasks"]}
    assert list(tasks) == list(battery_names("testbed-held-out"))
    assert {task["condition"] for task in tasks.values()} == {"control", "test"}
    status, _, answer = studio.ask("/api/tasks?battery=testbedd")
    assert status == 404 and b"did you mean `testbed`?" in answer


def test_thumbnails_are_painted_once(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    address = "/api/thumbnails/examples/ramp.png?width=96&height=64"
    status, headers, first = studio.ask(address)
    assert (status, headers["content-type"], first[:4]) == (200, "image/png", b"\x89PNG")
    assert int.from_bytes(first[16:20], "big") == 96 and int.from_bytes(first[20:24], "big") == 64
    monkeypatch.setattr(catalogue, "paint", lambda *_: pytest.fail("painted again"))
    assert studio.ask(address)[2] == first


def test_thumbnails_of_uploads_and_of_everything(studio: Studio) -> None:
    name = studio.upload(FOOD)
    for task in (name, "everything"):
        for view in ("whole", "first", "third", "top"):
            status, _, picture = studio.ask(f"/api/thumbnails/{task}.png?view={view}&width=64&height=48")
            assert (status, picture[:4]) == (200, b"\x89PNG")


@pytest.mark.parametrize(
    ("path", "status", "sentence"),
    [
        ("foragin.png", 404, "there is no task 'foragin'; did you mean `foraging`?"),
        ("foraging.jpg", 404, "pictures of tasks end in .png"),
        ("foraging.png?width=3", 400, "width is '3'; it must be a whole number from 16 to 1600"),
        ("foraging.png?view=side", 400, "there is no view 'side'; allowed: whole, first, third, top"),
        ("upload:00.png", 404, "there is no task 'upload:00'"),
    ],
)
def test_missing_thumbnails_are_refused_with_a_sentence(studio: Studio, path: str, status: int, sentence: str) -> None:
    answered, _, body = studio.ask("/api/thumbnails/" + path)
    assert answered == status
    assert json.loads(body)["message"].startswith(sentence)


def test_a_valid_file_is_accepted_and_named(studio: Studio) -> None:
    checked = studio.json("/api/check", method="POST", body=FOOD.encode())
    assert checked["ok"] and checked["task"].startswith("upload:")
    assert (checked["title"], checked["messages"]) == ("Straight ahead", [])
    assert studio.json("/api/check", method="POST", body=FOOD.encode())["task"] == checked["task"]


def test_a_mistake_is_reported_at_its_line(studio: Studio) -> None:
    text = FOOD.replace("GoodGoal", "GoodGaol")
    checked = studio.json("/api/check", method="POST", body=text.encode())
    assert (checked["ok"], checked["task"]) == (False, None)
    (message,) = checked["messages"]
    assert (message["severity"], message["line"], message["column"]) == ("error", 8, 16)
    assert "did you mean `GoodGoal`?" in message["text"]
    assert message["excerpt"].splitlines()[0].endswith("{name: GoodGaol, at: [20, 0, 18], size: 1}")
    assert "^^^^" in message["excerpt"]


@pytest.mark.parametrize("body", [b"", b"\xff\xfe\x00", b"[" * 5000, b"arenas: {", b"a: &a [*a]", b"\x00" * 100])
def test_arbitrary_bytes_are_checked_and_refused(studio: Studio, body: bytes) -> None:
    checked = studio.json("/api/check", method="POST", body=body)
    assert not checked["ok"] and checked["messages"]


def test_a_picture_is_called_a_picture(studio: Studio) -> None:
    """In one sentence, about the whole file."""
    picture = studio.ask("/api/thumbnails/examples/ramp.png?width=96&height=64")[2]
    checked = studio.json("/api/check", method="POST", body=picture)
    (message,) = checked["messages"]
    assert message["text"] == "this is a picture (PNG), not a task file; a task file is a text, in YAML"
    assert (message["line"], message["excerpt"]) == (0, "")


TEMPLATE = """
metadata: {title: "A wall at ${x}"}
vary:
  x: {range: [8, 32, 4]}
arenas:
  - items:
      - {name: Agent, at: [20, 0, 5], rotation: 0}
      - {name: Wall, at: [$x, 0, 20], rotation: 0, size: [1, 1, 1]}
"""


def test_of_a_template_one_variation_is_drawn(studio: Studio) -> None:
    drawn = [studio.json("/api/check", method="POST", body=TEMPLATE.encode()) for _ in range(10)]
    assert {each["ok"] for each in drawn} == {True} and drawn[0]["messages"] == []
    assert 1 < len({each["task"] for each in drawn}) <= 7
    for each in drawn:
        variation = each["variation"]
        x = 4 + 4 * variation["number"]
        assert (variation["count"], variation["values"], each["title"]) == (7, f"x = {x}", f"A wall at {x}")
    with studio.page(task=drawn[0]["task"]) as page:
        page.until(lambda page: page.episodes)
        assert page.episodes[0]["title"] == drawn[0]["title"]
    assert studio.json("/api/check", method="POST", body=FOOD.encode())["variation"] is None


@pytest.mark.parametrize(
    "text",
    [
        TEMPLATE.replace("$x, 0, 20", "$y, 0, 20"),
        TEMPLATE.replace("$x, 0, 20", "$x, 0, 50"),
        TEMPLATE.replace("size: [1, 1, 1]", "colour: red"),
        TEMPLATE.replace("vary:", "require: x > 90\nvary:"),
    ],
)
def test_a_template_is_explained_as_check_explains_it(studio: Studio, tmp_path: Path, text: str) -> None:
    (tmp_path / "mine.yml").write_text(text)
    done = CliRunner().invoke(app, ["check", "--json", str(tmp_path / "mine.yml")])
    (answer,) = json.loads(done.stdout)
    checked = studio.json("/api/check", method="POST", body=text.encode())
    assert answer["findings"] and checked["ok"] == answer["ok"]
    assert [(each["text"], each["line"]) for each in checked["messages"]] == [
        (each["message"], each["line"]) for each in answer["findings"]
    ]


def test_a_dropped_template_reads_no_file_of_this_machine(studio: Studio, tmp_path: Path) -> None:
    (tmp_path / "other.yml").write_text(TEMPLATE)
    both = "vary: {x: [1, 2]}\narenas: "
    for text in (f"templates: {{a: {tmp_path}/other.yml}}", f"{both}[{{template: {tmp_path}/other.yml}}]"):
        for named in (text, text.replace("other.yml", "none.yml")):
            checked = studio.json("/api/check", method="POST", body=named.encode())
            (message,) = checked["messages"]
            assert not checked["ok"]
            assert "is a file of its own, which the studio does not read" in message["text"]


def test_the_total_size_of_uploaded_texts_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "MAX_UPLOAD_BYTES", 3 * (len(FOOD) + 1010))
    monkeypatch.setattr(catalogue, "MAX_TASK_BYTES", 0)
    tasks = Catalogue()
    names = [tasks.check(FOOD.encode() + b"#" * number)["task"] for number in range(3)]
    tasks.find(names[0])  # it was used last, so another one has to go
    names.append(tasks.check(FOOD.encode() + b"#" * 9)["task"])
    assert [tasks._texts.get(name) is not None for name in names] == [True, False, True, True]
    with pytest.raises(UnknownTask):
        tasks.find(names[1])


def test_the_memory_of_uploads_is_limited_by_their_content(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line of text can hold thousands of things: 200 such lines once took up 2.1 GB."""
    most = 1_500_000
    monkeypatch.setattr(catalogue, "MAX_TASK_BYTES", most)
    tasks = Catalogue()
    tasks.check(FOOD.encode())  # allocations that happen only once are not counted
    gc.collect()
    tracemalloc.start()
    try:
        texts = [f"arenas: [{{items: [{{name: Wall, count: {500 + each}}}]}}]" for each in range(12)]
        names = [tasks.check(text.encode())["task"] for text in texts]
        gc.collect()
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert len(tasks._uploads) < len(names)
    assert tasks._uploads.total_bytes <= most
    # The estimate is close to the memory that is really used.
    assert most / 3 < held < 1.5 * most
    # Tasks that are no longer cached are read again.
    assert [len(tasks.find(name).task.arenas[0].items) for name in names] == [500 + each for each in range(12)]


def test_a_value_that_is_too_large_is_not_kept() -> None:
    cache: BoundedCache[str, str] = BoundedCache(10)
    cache.put("a", "small", 4)
    cache.put("a", "larger", 6)
    assert (cache.get("a"), cache.total_bytes, len(cache)) == ("larger", 6, 1)
    cache.put("b", "too large", 11)
    assert (cache.get("a"), cache.get("b"), cache.total_bytes) == ("larger", None, 6)


def test_pictures_are_kept_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = Catalogue()
    size = len(tasks.thumbnail("examples/food", "top", 64, 64))
    monkeypatch.setattr(catalogue, "_MAX_PICTURE_BYTES", 3 * (size + 1500))
    tasks = Catalogue()
    for side in range(60, 72):
        tasks.thumbnail("examples/food", "top", side, side)
    assert 1 <= len(tasks._pictures) < 6


def test_files_of_one_name_in_two_folders_are_two_tasks(tmp_path: Path) -> None:
    tasks = Catalogue()
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.yml").write_text(FOOD.replace("Straight ahead", folder))
    (tmp_path / "two" / "mine.yaml").write_text(FOOD)
    files = [str(tmp_path / each) for each in ("one/mine.yml", "two/mine.yml", "one/mine.yml")]
    assert [tasks.add_file(each) for each in files] == ["file:mine", "file:two/mine", "file:mine"]
    assert [tasks.find(each).task.metadata.title for each in ("file:mine", "file:two/mine")] == ["one", "two"]
    third = tasks.add_file(str(tmp_path / "two" / "mine.yaml"))
    assert third not in ("file:mine", "file:two/mine") and third.endswith("/two/mine")


def test_a_file_of_the_command_line_is_in_the_catalogue(tmp_path: Path) -> None:
    path = tmp_path / "mine.yml"
    path.write_text(FOOD)
    tasks = Catalogue()
    assert tasks.add_file(str(path)) == "file:mine"
    assert tasks.find("file:mine").task.metadata.title == "Straight ahead"
    assert tasks.list_tasks()[0]["name"] == "file:mine"
    assert tasks.add_file("foraging") == "foraging"
    path.write_text("arenas: 3")
    with pytest.raises(TaskError):
        tasks.add_file(str(path))
    with pytest.raises(FileNotFoundError):
        tasks.add_file("nothing.yml")
    with pytest.raises(UnknownTask):
        tasks.find("file:other")


# --- one of every thing


def test_the_arena_of_every_thing_has_each_thing_in_its_place() -> None:
    assert read(task_text()).findings == []
    for seed in range(5):
        world = World(load_everything(), seed=seed)
        assert world.unplaced == []
        assert set(CATALOGUE) <= {type(thing).__name__ for thing in world.things}


def test_the_arena_of_every_thing_does_not_harm_an_idle_animal() -> None:
    """Things that bounce about do not end the episode."""
    for seed in range(3):
        world = World(load_everything(), seed=seed)
        for _ in range(500):
            world.step([0])
        assert not world.over and world.animals[0].health == 100


# --- which arena comes next


def test_the_course_goes_through_all_arenas() -> None:
    arenas = [{"id": id, "items": []} for id in (2, 5, 9)]
    task = read(json.dumps({"arenas": arenas})).task
    assert task is not None

    def following(schedule: SessionSchedule, count: int) -> list[int | None]:
        records = [schedule.next() for _ in range(count)]
        return [None if record is None else record.arena for record in records]

    schedule = SessionSchedule("t", task, Rules(), arena=5)
    assert [schedule.repeat().arena, schedule.repeat().arena] == [1, 1]
    assert following(schedule, 2) == [2, None], "a person plays each arena once"
    first = SessionSchedule("t", task, Rules())
    assert [first.repeat().arena, *following(first, 3)] == [0, 1, 2, None]
    watched = SessionSchedule("t", task, Rules(), agent="random")
    assert [watched.repeat().arena, *following(watched, 3)] == [0, 1, 2, 0]
    with pytest.raises(ValueError, match="there is no arena 4; the task has arenas 2, 5, 9"):
        SessionSchedule("t", task, Rules(), arena=4)


def test_seeds_are_new_unless_given() -> None:
    task = load_everything()
    schedule = SessionSchedule("t", task, Rules.named("4.3"))
    assert len({schedule.repeat().seed for _ in range(20)}) > 15
    assert schedule.rules == Rules.named("4.3", decision_period=1) and schedule.decision_period == 3
    seeded = SessionSchedule("t", task, Rules(), seed=11)
    assert [seeded.repeat().seed, seeded.restart().seed] == [11, 11]


def test_thumbnails_do_not_depend_on_who_asked_first() -> None:
    one, two = Catalogue(), Catalogue()
    two.thumbnail("foraging", "top", 64, 64)
    first = one.thumbnail("examples/food", "third", 64, 48)
    assert two.thumbnail("examples/food", "third", 64, 48) == first
    assert np.frombuffer(first, np.uint8).size > 500
