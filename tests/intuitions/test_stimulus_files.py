"""Files of stimuli: both versions, the quirks of published files, and a clear sentence for every mistake."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from puzzlebox.intuitions.audit.report import audit_folder
from puzzlebox.intuitions.catalogue import TASKS
from puzzlebox.intuitions.episodes import Pair, Stimulus, make_pair
from puzzlebox.intuitions.files.folder import list_folder, nearly_named, read_entry, read_pairs
from puzzlebox.intuitions.files.reading import StimulusError, parse_stimulus, read_stimulus
from puzzlebox.intuitions.files.sets import NO_FILMS, Options, write_pair, write_set
from puzzlebox.intuitions.files.writing import stimulus_json
from puzzlebox.intuitions.pictures.flat import FlatPainter


@pytest.fixture(scope="module")
def locked() -> Stimulus:
    return make_pair("instrumental_no_barrier", 0, 3).expected


@pytest.fixture(scope="module")
def choice() -> Pair:
    return make_pair("preference", 0, 3)


@pytest.mark.parametrize("version", ["1.1", "old"])
@pytest.mark.parametrize("nested", [False, True])
def test_what_is_written_is_read_back(locked: Stimulus, version: str, nested: bool) -> None:
    text = stimulus_json(locked, version, nested=nested)
    assert parse_stimulus(text).same(locked)


def test_a_text_on_one_line_is_read_as_well(choice: Pair) -> None:
    text = stimulus_json(choice.expected).replace("\n", "")
    assert parse_stimulus(text).same(choice.expected)


def test_fields_have_the_published_names_and_forms(locked: Stimulus) -> None:
    one_trial = Stimulus(locked.trials[:1])
    new, old = (json.loads(stimulus_json(one_trial, version)) for version in ("1.1", "old"))
    frame = new[0][0]
    assert list(frame) == ["size", "walls", "fuse_walls", "pin", "key", "objects", "blocking", "home", "agent"]
    assert frame["size"] == [200, 200] and frame["blocking"] == []
    assert frame["walls"][0] == [[0, 0], [20, 20]]
    listed = [tuple(map(tuple, wall)) for wall in frame["walls"]]
    assert len(listed) == len(set(listed)) + 4, "the corners of the border are listed twice"
    (key,), (lock,) = frame["pin"], frame["key"]
    assert key[2].startswith("./shapes/keys/triangle") and "slot" in lock[2]
    assert key[1] == lock[1] == 10
    (x, y), half, icon, color = frame["agent"]
    assert half == 6 and icon.endswith(".png") and len(color) == 3
    assert frame["home"][0] == [x, y] and frame["home"][3] == [255, 105, 180]
    assert frame["objects"][0][1] == 9
    assert any(piece[0][0] % 20 or piece[0][1] % 20 for piece in frame["fuse_walls"])
    assert old[0][0]["key"] == frame["pin"] and old[0][0]["lock"] == frame["key"] and "pin" not in old[0][0]
    assert new[0][-1]["pin"] == new[0][-1]["key"] == new[0][-1]["fuse_walls"] == []


def test_icons_are_in_the_published_folders(choice: Pair) -> None:
    frame = json.loads(stimulus_json(choice.expected))[0][0]
    assert all(each[2].startswith("./shapes/train/objects/") for each in frame["objects"])


@pytest.fixture(scope="module")
def short(choice: Pair) -> str:
    """A stimulus of twenty frames a trial, which is quick to change."""
    return json.dumps([trial[:20] for trial in json.loads(stimulus_json(choice.expected))])


def changed(text: str, *path: Any, value: Any) -> str:
    data = json.loads(text)
    *way, last = path
    place = data
    for each in way:
        place = place[each]
    if value is KeyError:
        del place[last]
    else:
        place[last] = value
    return json.dumps(data)


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ((2,), KeyError, "f.json has 8 trials; a stimulus has 9"),
        ((4,), [], "f.json: trial 4 has no frames"),
        ((4,), {}, "f.json is not a stimulus: it must be a list of 9 trials, each a list of frames"),
        (
            (3, 17),
            None,
            "f.json: trial 3, frame 17: the frame is missing: null is no object with the fields of a frame",
        ),
        ((3, 17), {}, "f.json: trial 3, frame 17: the frame is missing: {} is no object with the fields of a frame"),
        ((0, 5, "agent"), KeyError, "f.json: trial 0, frame 5: the field `agent` is missing"),
        ((0, 5, "agnet"), [], "f.json: trial 0, frame 5: `agnet` is not a field of a frame; did you mean `agent`?"),
        (
            (1, 2, "agent"),
            "left",
            'f.json: trial 1, frame 2: `agent` is "left"; it must be [[x, y], half, icon, [red, green, blue]]',
        ),
        (
            (1, 2, "agent", 1),
            "6",
            'f.json: trial 1, frame 2: `agent` is [[164, 84], "6", "./shapes/train/agents',
        ),
        (
            (1, 2, "agent", 0, 0),
            900,
            "f.json: trial 1, frame 2: `agent` has the coordinate 900; the picture goes from 0",
        ),
        (
            (1, 2, "agent", 0, 0),
            250,
            "f.json: trial 1, frame 2: `agent` is at [250, 84]; agents are inside the picture",
        ),
        ((1, 2, "agent", 3, 0), 300, "f.json: trial 1, frame 2: `agent` has half side 6 and colour [300, "),
        ((1, 2, "agent", 3), [1, 2, 3], "f.json: trial 1, frame 2: `agent` changes its size, icon or colour"),
        ((1, 2, "agent"), [], "f.json: trial 1, frame 2: `agent` holds 0 entities; it must hold 1"),
        ((1, 2, "objects"), [], "f.json: trial 1, frame 2: the number of objects changes: 0, but 2 at the start"),
        ((1, 2, "walls", 0), 3, "f.json: trial 1, frame 2: `walls` holds 3; it must hold [[x, y], [width, height]]"),
        (
            (1, 2, "walls", 0, 0),
            [60, 60],
            "f.json: trial 1, frame 2: `walls` has a piece at [60, 60] that was not there",
        ),
        ((1, 2, "size"), [64, 64], "f.json: trial 1, frame 2: `size` is [64, 64]; it must be [200, 200]"),
    ],
)
def test_a_mistake_gets_one_sentence_with_its_place(
    short: str, path: tuple[Any, ...], value: Any, sentence: str
) -> None:
    with pytest.raises(StimulusError) as caught:
        parse_stimulus(changed(short, *path, value=value), "f.json")
    assert str(caught.value).startswith(sentence)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "f.json is not JSON, or only a part of it"),
        ("[[\n{", "f.json is not JSON, or only a part of it"),
        ("{}", "f.json is not a stimulus: it must be a list of 9 trials"),
        ("[" * 5000, "f.json is not a stimulus: its lists are nested too deeply"),
        ("3", "f.json is not a stimulus"),
        ("[[]]", "f.json has 1 trial; a stimulus has 9"),
        ('["a', "f.json is not JSON, or only a part of it: Unterminated string starting at line 1, column 2"),
        ("9" * 5000, "f.json is not a stimulus: a number in it has thousands of digits"),
    ],
)
def test_a_text_that_is_no_stimulus_gets_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(StimulusError) as caught:
        parse_stimulus(text, "f.json")
    assert str(caught.value).startswith(sentence)


def test_a_cut_off_file_gets_a_sentence(choice: Pair, tmp_path: Path) -> None:
    file = tmp_path / "000000loe.json"
    file.write_text(stimulus_json(choice.expected)[:-500])
    with pytest.raises(StimulusError, match=r"is not JSON, or only a part of it: .* at line 1"):
        read_stimulus(file)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(StimulusError, match="is not a text file"):
        read_stimulus(file)
    with pytest.raises(StimulusError, match="cannot be read: No such file"):
        read_stimulus(tmp_path / "other.json")


def test_a_frame_that_is_missing_in_the_motion_gets_a_sentence(choice: Pair) -> None:
    data = json.loads(stimulus_json(choice.expected))
    del data[4][40]
    with pytest.raises(StimulusError, match=r"f.json: trial 4, frame 40: the agent jumps by .* a frame is missing"):
        parse_stimulus(json.dumps(data), "f.json")


def test_decimals_and_duplicate_walls_are_accepted(short: str) -> None:
    data = json.loads(short)
    for trial in data:
        for frame in trial:
            frame["walls"] += frame["walls"][:3]
            frame["agent"][0] = [float(each) for each in frame["agent"][0]]
            frame["objects"] = [frame["objects"]]
    read, plain = parse_stimulus(json.dumps(data)), parse_stimulus(short)
    assert read.same(plain)
    assert len(read.trials[0].walls.boxes) == len(plain.trials[0].walls.boxes) + 3


_JUNK = (None, True, -1, 10**400, 1e308, float("nan"), float("inf"), "", "x" * 200, [], {}, [[]], [[[[]]]], [1, 2])


def nodes(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to all parts of some data."""
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path, *(each for key, value in inner for each in nodes(value, (*path, key)))]


@pytest.mark.parametrize("seed", range(2))
def test_whatever_is_wrong_the_message_is_one_sentence(locked: Stimulus, seed: int) -> None:
    rng = Random(seed)
    trial = json.loads(stimulus_json(Stimulus(locked.trials[:1])))[0]
    text = json.dumps([trial[::30]] * 9)
    paths = [path for path in nodes(json.loads(text)) if path and (len(path) < 4 or path[2] != "walls")]
    refused = 0
    for _ in range(40):
        mutant = changed(text, *rng.choice(paths), value=rng.choice(_JUNK))
        try:
            stimulus = parse_stimulus(mutant, "f.json")
        except StimulusError as problem:
            refused += 1
            assert str(problem).startswith("f.json") and "\n" not in str(problem) and len(str(problem)) < 400
        else:
            FlatPainter(32).frame(stimulus.test, 0)
            stimulus.states()
    assert refused > 20


def test_the_names_of_the_paper_are_read_as_well(short: str) -> None:
    other = short.replace('"agent":', '"agents":').replace('"fuse_walls":', '"fuse":')
    assert other != short and parse_stimulus(other).same(parse_stimulus(short))


def test_a_piece_between_cells_may_appear_later(locked: Stimulus) -> None:
    trial = json.loads(stimulus_json(Stimulus(locked.trials[:1])))[0]
    for frame in trial[60:70]:
        frame["fuse_walls"].append([[47, 63], [20, 20]])
    assert parse_stimulus(json.dumps([trial] * 9)).trials[0].same(locked.trials[0])


# --- folders


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tasks = [TASKS["preference"], TASKS["background/preference"]]
    assert write_set(tmp_path / "set", tasks, 2, Options(seed=5, films=NO_FILMS)) == (4, 0)
    return tmp_path / "set"


def test_a_set_is_written_in_the_published_layout_and_read_back(folder: Path) -> None:
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.json"))
    assert names == [
        *("background/preference/000000npe.json", "background/preference/000001npe.json"),
        "background/preference/puzzlebox-index.json",
        *("preference/000000loe.json", "preference/000000lou.json"),
        *("preference/000001loe.json", "preference/000001lou.json"),
        "preference/puzzlebox-index.json",
    ]
    pairs = list(read_pairs(folder))
    assert [(pair.task, pair.number) for pair in pairs] == [
        *(("preference", 0), ("preference", 1)),
        *(("background/preference", 0), ("background/preference", 1)),
    ]
    assert pairs[1].expected.same(make_pair("preference", 1, 5).expected)
    assert [pair.task for pair in read_pairs(folder / "preference")] == ["preference"] * 2


def test_a_training_folder_without_pairs_is_a_background_task(folder: Path) -> None:
    (folder / "background" / "preference").rename(folder.parent / "preference")
    assert {entry.task for entry in list_folder(folder.parent / "preference").entries} == {"background/preference"}


def test_half_a_pair_is_named_and_the_rest_is_read(folder: Path) -> None:
    (folder / "preference" / "000000lou.json").unlink()
    sentence = f"{folder / 'preference'}: 000000lou.json is missing, though 000000loe is there"
    with pytest.raises(StimulusError) as caught:
        list(read_pairs(folder))
    assert str(caught.value) == sentence
    problems: list[str] = []
    assert len(list(read_pairs(folder, problems))) == 3
    assert problems == [sentence]


def test_a_damaged_file_is_named_and_the_rest_is_read(folder: Path) -> None:
    (folder / "preference" / "000001loe.json").write_text("[]")
    problems: list[str] = []
    assert len(list(read_pairs(folder, problems))) == 3
    assert problems == [f"{folder / 'preference' / '000001loe.json'} has 0 trials; a stimulus has 9"]


def test_a_folder_without_stimuli_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StimulusError, match="holds no stimuli; their files are called like 000010loe"):
        list_folder(tmp_path)
    with pytest.raises(StimulusError, match="there is no folder"):
        list_folder(tmp_path / "other")
    (tmp_path / "prefrence").mkdir()
    (tmp_path / "prefrence" / "000000loe.json").write_text("[]")
    with pytest.raises(StimulusError, match="'prefrence' is not the name of a task; did you mean `preference`"):
        list_folder(tmp_path)


@pytest.mark.parametrize("text", ["[]", "5", "null", '"x"', "{}"])
def test_settings_of_a_set_that_are_damaged_get_a_sentence(folder: Path, text: str) -> None:
    (folder / "preference" / "puzzlebox-index.json").write_text(text)
    with pytest.raises(ValueError, match=r"puzzlebox-index\.json is damaged; delete it, or name another folder"):
        write_set(folder, [TASKS["preference"]], 1, Options(seed=5, films=NO_FILMS))


def test_letters_of_two_tasks_under_one_number_are_refused(folder: Path) -> None:
    inside = folder / "preference"
    (inside / "000001lou.json").rename(inside / "000001mau.json")
    with pytest.raises(StimulusError, match=r"episode 1 have the letters `lo` and `ma` \(000001loe, 000001mau\)"):
        list(read_pairs(folder))
    (inside / "000000mae.json").write_text("[]")
    problems: list[str] = []
    assert len(list(read_pairs(folder, problems))) == 2
    assert [problem.partition(" have")[0][-9:] for problem in problems] == ["episode 0", "episode 1"]


def test_names_that_nearly_fit_are_mentioned(folder: Path) -> None:
    assert nearly_named(folder) == []
    for name in ("00002loe.json", "000003LOE.json", "000004loe.JSON", "notes.json"):
        (folder / "preference" / name).write_text("[]")
    (sentence,) = nearly_named(folder)
    assert sentence.startswith(f"{folder / 'preference'}: 000003LOE.json and 2 more are left out; names of stimuli are")
    assert len(list(read_pairs(folder))) == 4


def test_an_unknown_folder_is_named_and_the_rest_is_read(folder: Path) -> None:
    (folder / "prefrence").mkdir()
    (folder / "prefrence" / "000000loe.json").write_text("[]")
    with pytest.raises(StimulusError, match="'prefrence' is not the name of a task"):
        list(read_pairs(folder))
    problems: list[str] = []
    assert len(list(read_pairs(folder, problems))) == 4
    assert len(problems) == 1


def test_a_set_without_any_unexpected_film_is_no_background_set(folder: Path) -> None:
    for path in (folder / "preference").glob("*u.json"):
        path.unlink()
    listing = list_folder(folder / "preference")
    assert listing.entries == []
    assert [problem.partition(": ")[2][:26] for problem in listing.problems] == [
        "000000lou.json is missing,",
        "000001lou.json is missing,",
    ]


def test_a_test_without_objects_is_named(folder: Path) -> None:
    path = folder / "preference" / "000001loe.json"
    data = json.loads(path.read_text())
    for frame in data[8]:
        frame["objects"] = []
    path.write_text(json.dumps(data))
    with pytest.raises(StimulusError, match=r"000001loe\.json: trial 8 has no objects"):
        list(read_pairs(folder))
    report = audit_folder(folder, keep_going=True)
    assert len(report.episodes) == 3
    assert len(report.problems) == 1


def test_writing_resumes_and_refuses_other_settings(folder: Path) -> None:
    tasks = [TASKS["preference"]]
    (folder / "preference" / "000001lou.json").unlink()
    assert write_set(folder, tasks, 3, Options(seed=5, films=NO_FILMS)) == (2, 1)
    with pytest.raises(ValueError, match="holds a set with seed 5, not 6; name another folder"):
        write_set(folder, tasks, 3, Options(seed=6, films=NO_FILMS))
    (folder / "multi_agent").mkdir()
    (folder / "multi_agent" / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match="is not empty and no set of this program"):
        write_set(folder, [TASKS["multi_agent"]], 1, Options(films=NO_FILMS))
    with pytest.raises(ValueError, match="0 episodes; there can be 1 to 1,000,000"):
        write_set(folder, tasks, 0, Options(films=NO_FILMS))


# --- films


@pytest.fixture
def filmed(tmp_path: Path, choice: Pair) -> Path:
    (tmp_path / "preference").mkdir()
    write_pair(choice, tmp_path, Options(seed=3))
    return tmp_path / "preference"


def test_films_are_aligned_with_the_json(filmed: Path, choice: Pair) -> None:
    from puzzlebox.intuitions.files.video import read_film

    (entry,) = list_folder(filmed).entries
    assert entry.films == "eu"
    assert read_entry(entry).expected.same(choice.expected)
    painter, frames = FlatPainter(), list(read_film(filmed / "000000loe.mp4"))
    assert len(frames) == choice.expected.frames
    start = 0
    for trial in choice.expected.trials:
        for frame in (0, 31, trial.frames - 84, trial.frames - 1):
            painted = painter.frame(trial, frame)
            assert frames[start + frame].shape == (200, 200, 3)
            assert abs(frames[start + frame].astype(int) - painted).mean() < 1.5
        start += trial.frames


def test_a_cut_off_film_gets_a_sentence(filmed: Path) -> None:
    film = filmed / "000000lou.mp4"
    whole = film.read_bytes()
    (entry,) = list_folder(filmed).entries
    film.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StimulusError, match=r"000000lou\.mp4 is cut off: it holds \d+ of its \d+ frames"):
        read_entry(entry)
    film.write_bytes(whole[:100])
    with pytest.raises(StimulusError, match=r"000000lou\.mp4 is not a film, or only the beginning of one"):
        read_entry(entry)
    film.unlink()
    assert "000000lou.mp4 is missing, though the other film" in list_folder(filmed).problems[0]


def test_a_film_with_another_number_of_frames_gets_a_sentence(filmed: Path, choice: Pair) -> None:
    lines = stimulus_json(choice.expected).split("\n")
    del lines[10]  # before the motion, so that the agent does not jump
    (filmed / "000000loe.json").write_text("\n".join(lines))
    (entry,) = list_folder(filmed).entries
    frames = choice.expected.frames
    with pytest.raises(
        StimulusError, match=rf"000000loe\.json has {frames - 1} frames, but 000000loe\.mp4 has {frames}"
    ):
        read_entry(entry)
