"""Films and pictures of recorded episodes, and the command that writes them."""

import re
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from puzzlebox.arena.pictures.camera import FollowingCamera
from puzzlebox.arena.pictures.paths import pixels
from puzzlebox.arena.world import Record, Rules, World
from puzzlebox.arena.world.moments import moments
from puzzlebox.cli.replay import replay as replay_verb
from puzzlebox.record import Start, Store
from puzzlebox.record.film import film, film_name, path_picture, picture
from puzzlebox.record.gif import GifFile, compress, quantize
from puzzlebox.record.recorder import Recorder
from puzzlebox.render import Painter, View
from worlds import AGENT, FINE, FORWARDS, GOAL, parsed, task_of, world_at

SMALL = (96, 64)
TASK = task_of(AGENT, GOAL, "name: Wall, at: [22, 0, 6], size: [1, 3, 3]", time_limit=50)
app = typer.Typer()
app.command()(replay_verb)


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(app, [str(each) for each in arguments])


def played(actions: list[int], task: Any = TASK, rules: Rules | str = "puzzlebox") -> Record:
    world = World(task, seed=1, rules=rules)
    for action in actions:
        if not world.over:
            world.step([action] * len(world.animals))
    return world.snapshot()


RECORD = played([3, 3, 4, 4, 3, 1, 1, 3, 3, 5])


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Record one finished episode in the default store; return its id."""
    monkeypatch.setenv("PUZZLEBOX_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    with Store() as store:
        start, world = Start.of(TASK, name="ahead", rules=FINE), World(TASK, rules=FINE)
        recording = Recorder(store, start, world, view="third")
        while not world.over:
            recording.stepped(world.step([FORWARDS]))
    return start.id


# --- reading the files again


def unpacked(data: bytes) -> bytes:
    """Decompress LZW codes as a GIF reader does: an independent implementation."""
    bits, table, out = 9, [bytes((n,)) for n in range(256)] + [b"", b""], bytearray()
    number, length, last, position = 0, 0, b"", 0
    while True:
        while length < bits:
            number |= data[position] << length
            position, length = position + 1, length + 8
        code, number, length = number & ((1 << bits) - 1), number >> bits, length - bits
        if code == 256:
            bits, table, last = 9, table[:258], b""
            continue
        if code == 257:
            assert position == len(data) and number == 0
            return bytes(out)
        word = table[code] if code < len(table) else last + last[:1]
        if last and len(table) < 4096:
            table.append(last + word[:1])
        out += word
        last = word
        if len(table) == 1 << bits and bits < 12:
            bits += 1


@pytest.mark.parametrize("kind", ["noise", "flat", "stripes", "one"])
@pytest.mark.parametrize("length", [1, 2, 255, 256, 511, 3800, 4100, 60_000])
def test_packed_bytes_can_be_unpacked(kind: str, length: int) -> None:
    random = np.random.default_rng(length)
    data = {
        "noise": random.integers(0, 256, length),
        "flat": np.zeros(length),
        "stripes": np.arange(length) // 7 % 250,
        "one": random.integers(0, 2, length) * 255,
    }[kind]
    raw = data.astype(np.uint8).tobytes()
    assert unpacked(compress(raw)) == raw


def test_a_palette_keeps_colours_nearly_exact() -> None:
    image = picture(RECORD, 9, "third", SMALL)
    palette, indices = quantize(image)
    assert palette.shape == (256, 3) and indices.max() < 255
    off = np.abs(palette[indices].astype(int) - image.astype(int))
    assert off.mean() < 2.5 and off.max() < 40
    few = np.zeros((8, 8, 3), np.uint8)
    few[:4], few[4:, :2] = (200, 10, 10), (0, 0, 255)
    palette, indices = quantize(few)
    assert np.array_equal(palette[indices], few)


def test_pictures_of_a_gif_come_back(tmp_path: Path) -> None:
    images = pytest.importorskip("PIL.Image")
    shown = [FollowingCamera("third", SMALL).paint(world_at(RECORD, step)) for step in (0, 9, 9, 30)]
    file = GifFile(tmp_path / "a.gif", SMALL, 10)
    for image in shown:
        file.add(image)
    file.close()
    with images.open(tmp_path / "a.gif") as opened:
        assert opened.n_frames == len(shown) and opened.size == SMALL
        for number, image in enumerate(shown):
            opened.seek(number)
            assert opened.info["duration"] == 100
            assert np.abs(np.asarray(opened.convert("RGB")).astype(int) - image).mean() < 3


def frames_of(path: Path) -> tuple[list[Any], float]:
    av = pytest.importorskip("av")
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(stream)], float(stream.average_rate)


@pytest.mark.parametrize("view", ["first", "third", "top"])
def test_a_film_shows_the_episode(view: str, tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    progress: list[tuple[int, int]] = []
    film(RECORD, path, view, SMALL, lambda done, total: progress.append((done, total)))
    frames, rate = frames_of(path)
    # 30 physics steps are 0.6 s, and the end is held for 0.6 s more.
    assert rate == 25 and len(frames) == 16 + 15 and frames[0].shape == (64, 96, 3)
    assert progress[-1] == (31, 31) and [done for done, _ in progress] == sorted(done for done, _ in progress)
    camera = FollowingCamera(view, SMALL)
    expected = [camera.paint(moment.world) for moment in moments(RECORD) if moment.world.clock % 2 == 0]
    for frame, image in zip(frames, expected, strict=False):
        assert np.abs(frame.astype(int) - image).mean() < 6
    assert np.abs(frames[0].astype(int) - frames[15]).mean() > (0.05 if view == "top" else 3)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("speed", "fps", "count"), [(1.0, 50, 31 + 30), (0.5, 50, 61 + 30), (3.0, 25, 6 + 15), (7.0, 25, 4 + 15)]
)
def test_speed_and_frame_rate_set_the_number_of_frames(speed: float, fps: float, count: int, tmp_path: Path) -> None:
    film(RECORD, tmp_path / "a.mp4", "top", (32, 32), speed=speed, fps=fps)
    frames, rate = frames_of(tmp_path / "a.mp4")
    assert (len(frames), rate) == (count, fps)


def test_a_film_is_painted_the_same_each_time(tmp_path: Path) -> None:
    for name in ("a.gif", "b.gif"):
        film(RECORD, tmp_path / name, size=(64, 48))
    assert (tmp_path / "a.gif").read_bytes() == (tmp_path / "b.gif").read_bytes()


def test_odd_sizes_of_an_mp4_are_made_even(tmp_path: Path) -> None:
    film(RECORD, tmp_path / "a.mp4", size=(65, 49), speed=10)
    assert frames_of(tmp_path / "a.mp4")[0][0].shape == (48, 64, 3)


def test_a_film_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.gif").write_bytes(b"GIF89a, an older one")

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    for name in ("a.gif", "b.mp4"):
        with pytest.raises(KeyboardInterrupt):
            film(RECORD, tmp_path / name, size=SMALL, progress=stop)
    assert [path.name for path in tmp_path.iterdir()] == ["a.gif"]
    assert (tmp_path / "a.gif").read_bytes() == b"GIF89a, an older one"


def test_without_the_video_extra_one_sentence_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(ModuleNotFoundError, match=r"MP4 needs PyAV; `pip install puzzlebox\[video\]` brings it"):
        film(RECORD, tmp_path / "a.mp4")
    film(RECORD, tmp_path / "a.gif", size=(32, 32), speed=5)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: film(RECORD, "a.avi"), r"a.avi is not a film; its name must end in .mp4 or .gif"),
        (
            lambda: film(RECORD, "a.gif", view="thrid"),
            "no view 'thrid'; allowed: first, third, top; did you mean `third`",
        ),
        (lambda: film(RECORD, "a.gif", fps=0), "fps is 0; it must be from 1 to 60"),
        (lambda: film(RECORD, "a.gif", speed=0), "speed is 0; it must be from 0.1 to 100"),
        (lambda: film(RECORD, "a.gif", size=(5, 5)), "5x5 is not a picture size"),
        (lambda: picture(RECORD, 31), "there is no step 31; the episode has 30"),
        (lambda: picture(RECORD, -1), "there is no step -1"),
    ],
)
def test_invalid_arguments_of_films_and_pictures_are_refused(call: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        call()


# --- the camera


def test_a_picture_is_what_the_painter_shows_of_that_moment() -> None:
    world = world_at(RECORD, 12)
    assert world.clock == 12
    scene = world.scene()
    assert np.array_equal(picture(RECORD, 12, "top", SMALL), Painter(scene).picture(View.top(scene, 1.5), *SMALL))
    end = picture(RECORD, view="top", size=SMALL)
    assert np.array_equal(end, picture(RECORD, 30, "top", SMALL)) and not np.array_equal(
        end, picture(RECORD, 0, "top", SMALL)
    )


def test_in_the_dark_only_the_view_from_above_shows_anything() -> None:
    record = played([0] * 5, task_of(AGENT, GOAL, blackouts="[0, 100]"))
    assert not picture(record, view="first", size=SMALL).any() and not picture(record, view="third", size=SMALL).any()
    assert picture(record, view="top", size=SMALL).any()


def test_the_eye_behind_the_animal_does_not_leap() -> None:
    """The camera of pictures jumps upwards before a pillar; that of a film moves smoothly."""
    task = task_of("name: Agent, at: [20, 0, 10], rotation: 300", "name: Wall, at: [20, 0, 8.2], size: [1, 4, 1]")
    camera, eyes, wanted = FollowingCamera("third", SMALL), [], []
    for moment in moments(played([1] * 60 + [0] * 30, task, FINE)):
        eyes.append(np.array(camera.look(moment.world).eye))
        wanted.append(np.array(View.third(moment.world.scene()).eye))
    leap, step = (max(np.linalg.norm(b - a) for a, b in pairwise(way)) for way in (wanted, eyes))
    assert leap > 0.8 and step < leap / 2
    assert np.linalg.norm(eyes[-1] - wanted[-1]) < 0.05  # and it arrives


def test_the_eye_is_never_within_a_wall() -> None:
    task = task_of("name: Agent, at: [20, 0, 10], rotation: 300", "name: Wall, at: [20, 0, 8.2], size: [1, 4, 1]")
    camera = FollowingCamera("third", SMALL)
    for moment in moments(played([1] * 60 + [0] * 30, task, FINE)):
        x, y, z = camera.look(moment.world).eye
        assert not (abs(x - 20) < 0.5 and abs(z - 8.2) < 0.5 and y < 4) and y > 0.1


def test_a_new_arena_is_a_new_scene(tmp_path: Path) -> None:
    text = "arenas:\n" + "".join(
        f"  - id: {n}\n    time_limit: 40\n    merge_next_arena: {str(n == 0).lower()}\n    items:\n"
        f"      - {{name: Agent, at: [{5 + 20 * n}, 0, 5], rotation: 0}}\n"
        f"      - {{name: GoodGoal, at: [{5 + 20 * n}, 0, 8], size: 1}}\n"
        for n in (0, 1)
    )
    record = played([FORWARDS] * 60, parsed(text))
    assert World.replay(record).position == 1
    assert path_picture(record, SMALL).shape == (64, 192, 3)
    film(record, tmp_path / "a.gif", size=SMALL)


# --- the path from above


def test_the_path_is_drawn_where_the_animal_was() -> None:
    size = (240, 160)
    record = played([FORWARDS] * 25, task_of(AGENT), FINE)
    plain = picture(record, 0, "top", size)
    drawn = path_picture(record, size)
    changed = np.argwhere(np.any(plain != drawn, axis=2))
    view = View.top(world_at(record, 0).scene(), 1.5)
    way = np.array([world.position_of(world.animals[0]) for world, *_ in moments(record)])
    columns, rows = pixels(way, view, *size).T
    assert np.ptp(columns) < 1 and rows[0] > rows[-1]  # along +z is upwards
    reach = 4
    assert changed[:, 0].min() >= rows.min() - reach and changed[:, 0].max() <= rows.max() + reach
    assert changed[:, 1].min() >= columns.min() - reach and changed[:, 1].max() <= columns.max() + reach
    start, end = (drawn[int(rows[place]), int(columns[place])].astype(int) for place in (0, -1))
    assert start[2] > start[0] + 100 and end[0] > end[2] + 100  # blue, then orange


def test_pixels_are_where_the_painter_paints() -> None:
    world = World(task_of("name: Agent, at: [7, 0, 31], rotation: 0"))
    scene = world.scene()
    view = View.top(scene, 2.0)
    ids, image = np.empty((200, 400), np.int32), np.empty((200, 400, 3), np.uint8)
    Painter(scene).paint(image, view.eye, view.heading, view.pitch, view.fov_degrees, ids=ids)
    rows, columns = np.nonzero(ids == scene.animals[0])
    ((column, row),) = pixels(np.array([world.position_of(world.animals[0])]), view, 400, 200)
    assert (columns.mean() + 0.5, rows.mean() + 0.5) == pytest.approx((column, row), abs=1.0)


# --- the command


def test_show_prints_an_episode_as_text(recorded: str, tmp_path: Path) -> None:
    for name in (recorded, recorded[:4], "last"):
        result = run(name)
        assert result.exit_code == 0 and not result.stdout.count("Traceback")
        assert recorded in result.stdout and "ahead" in result.stdout and "passed, ended by completed" in result.stdout
        assert "collected GoodGoal (value 0.999)" in result.stdout and "hint:" in result.stderr
        assert "arena     1, seed 0" in result.stdout and "started (arena 1)" in result.stdout
        assert re.search(r"decided \d+\.\d\d s after the animal could first move", result.stdout)
    with Store() as store:
        record = store.record(recorded)
    (tmp_path / "one.json").write_text(record.to_json())
    result = run("one.json")
    assert result.exit_code == 0 and "collected GoodGoal" in result.stdout and "passed" in result.stdout
    (tmp_path / "open.json").write_text(replace(record, actions=record.actions[:3]).to_json())
    assert "not over" in run("./open.json").stdout


def test_films_and_pictures_by_command(recorded: str, tmp_path: Path) -> None:
    for name, begins, more in (
        ("a.mp4", b"ftyp", ("--view", "first", "--speed", 4)),
        ("a.gif", b"GIF89a", ("--fps", 5, "--shadows")),
        ("a.png", b"\x89PNG", ("--step", 3, "--view", "top")),
        ("b.png", b"\x89PNG", ("--path",)),
    ):
        for _ in range(2):  # an older one is replaced
            made = run(recorded[:5], "-o", tmp_path / name, "--size", "48x32", *more)
            assert made.exit_code == 0, made.output
            assert f"wrote {tmp_path / name}" in made.stderr and not made.stdout
        assert begins in (tmp_path / name).read_bytes()[:12]
    with Store() as store:
        record = store.record(recorded)
    (tmp_path / "one.json").write_text(record.to_json())
    assert run("one.json", "-o", "c.png", "--size", "48x32", "--step", 3, "--view", "top").exit_code == 0
    assert (tmp_path / "c.png").read_bytes() == (tmp_path / "a.png").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("zz",), "there is no episode 'zz'"),
        (("last", "-o", "a.avi"), "a.avi is neither a film nor a picture"),
        (("last", "-o", "a.mp4", "--step", 3), "--step is for pictures, and a.mp4 is a film"),
        (("last", "-o", "a.mp4", "--path"), "--path is for pictures"),
        (("last", "-o", "a.png", "--path", "--view", "top"), "--path is always seen from above"),
        (("last", "-o", "a.png", "--view", "frist"), "there is no view 'frist'; allowed: third, first, top; did you"),
        (("last", "-o", "a.png", "--size", "9x9999"), "--size 9x9999 is not a picture size"),
        (("last", "-o", "a.png", "--step", 9999), "there is no step 9999; the episode has"),
        (("last", "--step", 3), "there is nothing to paint without a file to write"),
        (("last", "-o", "mine.png"), "mine.png is already there and is neither a film nor a picture"),
        (("last", "-o", "no/a.png"), "no/a.png cannot be written: No such file or directory"),
        (("last", "-o", "no/a.gif"), "no/a.gif cannot be written: No such file or directory"),
        (("nothing.json",), "nothing.json cannot be read: No such file or directory"),
        (("testbed/nothing",), "there is no file testbed/nothing and no bundled task of that name"),
        (("mine.json",), "mine.json is not the JSON file of a Record"),
        (("old.json",), "old.json: this record has format 0; this version reads format 1"),
        (("list.json",), "list.json is not the JSON file of a Record"),
        (("last", "--store", "none.sqlite"), "there is no file none.sqlite"),
    ],
)
def test_each_mistake_in_a_command_gets_one_sentence(
    arguments: tuple[Any, ...], sentence: str, recorded: str, tmp_path: Path
) -> None:
    for name, text in (("mine.png", "x"), ("mine.json", "{"), ("old.json", '{"format": 0}'), ("list.json", "[1]")):
        (tmp_path / name).write_text(text)
    before = sorted(tmp_path.iterdir())
    result = run(*arguments)
    assert result.exit_code == 1 and sentence in result.stderr, result.output
    assert sum(line.startswith("error:") for line in result.stderr.splitlines()) == 1
    assert sorted(tmp_path.iterdir()) == before


# --- the names of films


def test_a_film_is_named_after_task_participant_and_id(recorded: str) -> None:
    with Store() as store:
        episode = replace(store.find(recorded), id="3f2a91c0b7d4", task="file:Müsli & Co", participant="p-07")
    assert film_name(episode, ".mp4") == "Musli-Co-p-07-3f2a91c0b7d4.mp4"
    watched = replace(episode, task="operant/press twice", player="agent", agent="random(0.5)", participant=None)
    assert film_name(watched, "-step-12.png") == "operant-press-twice-random-0.5-3f2a91c0b7d4-step-12.png"
    dropped = replace(episode, task="upload:0a1b", title="Two/rooms", participant=None)
    assert film_name(dropped, ".gif") == "Two-rooms-human-3f2a91c0b7d4.gif"
    assert film_name(replace(dropped, title="迷路"), ".gif") == "human-3f2a91c0b7d4.gif"


def test_films_and_pictures_written_into_a_folder_are_named_after_the_episode(recorded: str, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for folder, more, name in (
        ("films/", (), f"ahead-human-{recorded}.mp4"),
        ("there", ("--step", 3), f"ahead-human-{recorded}-step-3.png"),
        ("there", ("--path",), f"ahead-human-{recorded}-path.png"),
    ):
        made = run("last", "-o", folder, "--size", "48x32", *more)
        assert made.exit_code == 0, made.output
        assert (tmp_path / folder / name).stat().st_size > 0
    with Store() as store:
        (tmp_path / "one.json").write_text(store.record(recorded).to_json())
    assert run("one.json", "-o", "there", "--size", "48x32", "--step", 3).exit_code == 0
    assert (tmp_path / "there" / "one-step-3.png").exists()
    assert run("zz", "-o", "other/").exit_code == 1
    assert not (tmp_path / "other").exists()
