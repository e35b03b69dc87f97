"""Watching in the studio: what is shown is what is scored, and requests can name nothing else."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from puzzlebox.cli.app import app as cli
from puzzlebox.intuitions.catalogue import TASKS
from puzzlebox.intuitions.episodes import make_pair
from puzzlebox.intuitions.files.sets import NO_FILMS, Options, write_set
from puzzlebox.intuitions.models.inverse_planner import InversePlanner
from puzzlebox.intuitions.pictures.painters import painter_named
from puzzlebox.intuitions.scoring.observer import Surprise
from puzzlebox.intuitions.scoring.pairs import judge
from puzzlebox.intuitions.studio import observers as observers_module
from puzzlebox.intuitions.studio.films import SIZES
from puzzlebox.intuitions.studio.pages import IntuitionsPages
from puzzlebox.studio.protocol import split_messages
from studio_page import Studio, running

API = "/api/intuitions"
PAIR = {"task": "multi_agent", "number": 2, "seed": 3}


class Painter:
    """An observer that predicts a grey picture, and judges frames 3 to 5 only."""

    name = "painter"

    def surprise(self, stimulus: Any) -> Surprise:
        values = np.full(stimulus.test.frames, np.nan)
        values[3:6] = (1.0, 5.0, 5.0)
        return Surprise(values)

    def predicted(self, stimulus: Any) -> Any:
        pictures = np.full((2, 8, 8, 3), 7, np.uint8)
        return [4, 5], pictures, pictures + 1


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    folder = tmp_path_factory.mktemp("watching")
    pages = IntuitionsPages()
    pages.observers._add("painter-0", "painter-run", "painter", "")
    write_set(folder / "films", [TASKS["preference"]], 2, Options(seed=5, films=NO_FILMS))
    assert pages.add_runs(["inverse-planner"], folder / "films") == []
    load = observers_module.observer_named
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(observers_module, "observer_named", lambda run: Painter() if run == "painter-run" else load(run))
        with running(folder / "r.sqlite", intuitions=pages) as studio:
            yield studio


def refused(studio: Studio, address: str) -> tuple[int, str]:
    status, _, data = studio.ask(API + address)
    return status, json.loads(data)["message"]


def test_tasks_observers_and_folders_are_listed(studio: Studio) -> None:
    about = studio.json(API)
    assert [task["name"] for task in about["tasks"]] == list(TASKS)
    assert [each["id"] for each in about["observers"]] == ["inverse-planner", "painter-0"]
    assert about["folders"] == [{"id": "films", "pairs": {"preference": [0, 1]}}]


def test_a_pair_is_described_by_what_its_films_show(studio: Studio) -> None:
    pair, info = make_pair(**PAIR), studio.json(f"{API}/pair?{urlencode(PAIR)}")
    assert info["kind"] == pair.kind
    assert [info["members"][member]["frames"] for member, _ in pair.members()] == [
        [trial.frames for trial in film.trials] for _, film in pair.members()
    ]
    assert info["same"] == [True] * 8 + [False] and "pair type" not in info["members"]["e"]["test"]
    single = studio.json(f"{API}/pair?{urlencode({'task': 'background/preference'})}")
    assert list(single["members"]) == ["e"] and single["same"] == [True] * 9


@pytest.mark.parametrize("view", ["flat", "three-d"])
def test_the_pictures_are_those_of_the_painter_of_films(studio: Studio, view: str) -> None:
    pair = make_pair(**PAIR)
    assert pair.unexpected is not None
    trial = pair.unexpected.test
    status, _, data = studio.ask(f"{API}/film?{urlencode({**PAIR, 'member': 'u', 'trial': 8, 'view': view})}")
    header, *files = split_messages(data)
    about, painter = json.loads(header), painter_named(view, SIZES[view])
    assert status == 200 and about["frames"] == trial.frames and about["starts"][0] == 0
    for place in (0, len(files) // 2, len(files) - 1):
        shown = np.asarray(Image.open(io.BytesIO(files[place])).convert("RGB"))
        assert np.array_equal(shown, painter.frame(trial, about["starts"][place]))
    # Each frame looks like the picture of its run.
    assert np.array_equal(painter.frame(trial, about["starts"][1] - 1), painter.frame(trial, 0))


def test_the_surprise_is_the_one_that_is_scored(studio: Studio) -> None:
    found = studio.json(f"{API}/surprise?{urlencode({**PAIR, 'observer': 'inverse-planner'})}")
    pair, planner = make_pair(**PAIR), InversePlanner()
    scored = judge(planner, pair)
    for member, film in pair.members():
        own, expected = found["members"][member], planner.surprise(film)
        assert own["frames"] == expected.frames.tolist() and set(own["parts"]) == {"target", "efficiency"}
        assert own["parts"]["target"] == expected.parts["target"].tolist()
    for read_out in ("maximum", "mean"):
        assert found["members"]["u"][read_out] == scored.unexpected[read_out]
        assert found["scores"][read_out] == scored.score(read_out)
    assert found["predicts"] is False
    single = studio.json(
        f"{API}/surprise?{urlencode({'task': 'background/preference', 'observer': 'inverse-planner'})}"
    )
    assert single["scores"] == {"maximum": None, "mean": None}


def test_frames_that_are_not_judged_are_gaps_and_the_peak_is_the_first_highest_frame(studio: Studio) -> None:
    found = studio.json(f"{API}/surprise?{urlencode({**PAIR, 'observer': 'painter-0'})}")
    own = found["members"]["e"]
    assert own["frames"][:7] == [None, None, None, 1.0, 5.0, 5.0, None] and own["peak"] == 4
    assert found["predicts"] is True and found["scores"]["maximum"] == 0.5


def test_predicted_pictures_are_sent_beside_the_actual_ones(studio: Studio) -> None:
    status, _, data = studio.ask(f"{API}/predictions?{urlencode({**PAIR, 'observer': 'painter-0'})}")
    header, *files = split_messages(data)
    assert status == 200 and json.loads(header) == {"frames": [4, 5]} and len(files) == 4
    shown = [np.asarray(Image.open(io.BytesIO(file)))[0, 0, 0] for file in files]
    assert shown == [7, 8, 7, 8]
    status, sentence = refused(studio, f"/predictions?{urlencode({**PAIR, 'observer': 'inverse-planner'})}")
    assert (status, sentence) == (400, "inverse planner predicts no pictures")


def test_pairs_of_a_folder_are_shown(studio: Studio) -> None:
    query = urlencode({"source": "films", "task": "preference", "number": 1})
    pair = make_pair("preference", 1, 5)
    assert studio.json(f"{API}/pair?{query}")["members"]["u"]["frames"][-1] == dict(pair.members())["u"].test.frames
    assert refused(studio, "/pair?source=films&task=preference&number=7") == (
        404,
        "films has no pair 7 of 'preference'",
    )


@pytest.mark.parametrize(
    ("address", "status", "sentence"),
    [
        ("/pair?task=preferense", 400, "there is no task 'preferense'"),
        ("/pair?number=-1", 400, "number is '-1'; it must be a whole number from 0 to 1000000"),
        ("/pair?number=9999999", 400, "number is '9999999'"),
        ("/pair?shapes=odd", 400, "there are no shapes 'odd'"),
        ("/pair?task=background/preference&shapes=new", 400, "has familiar shapes only"),
        ("/pair?source=/etc", 404, "there is no source '/etc'"),
        ("/film?view=side", 400, "there is no view 'side'"),
        ("/film?trial=9", 400, "trial is '9'"),
        ("/film?member=x", 400, "there is no member 'x'"),
        ("/film?task=background/preference&member=u", 400, "there is no member 'u'"),
        ("/surprise?observer=../../etc", 404, "there is no observer '../../etc'"),
        ("/surprise", 404, "there is no observer ''"),
    ],
)
def test_what_is_not_there_is_refused_with_a_sentence(studio: Studio, address: str, status: int, sentence: str) -> None:
    found, message = refused(studio, address)
    assert found == status and sentence in message


@pytest.mark.parametrize("verb", ["watch", "judge"])
def test_the_file_of_recordings_is_called_store_and_data_is_films(verb: str) -> None:
    shown = CliRunner().invoke(cli, ["intuitions", verb, "--help"], env={"COLUMNS": "200", "TERM": "dumb"}).stdout
    (store,) = [line for line in shown.splitlines() if "--store" in line]
    assert "FILE" in store and "file of recordings" in store
    data = [line for line in shown.splitlines() if "--data" in line and "folder" in line]
    assert len(data) == (verb == "watch")
    refused = CliRunner().invoke(cli, ["intuitions", "judge", "--no-browser", "--data", "x.sqlite"])
    assert refused.exit_code == 2


def test_the_command_names_what_is_wrong(tmp_path: Path) -> None:
    for words, sentence in (
        (["--task", "preferense"], "there is no task 'preferense'"),
        (["nowhere"], "there is no folder nowhere"),
        (["--data", str(tmp_path / "x")], "there is no folder"),
        (["--data", str(tmp_path)], "holds no stimuli"),
    ):
        done = CliRunner().invoke(cli, ["intuitions", "watch", "--no-browser", *words])
        assert done.exit_code == 1 and sentence in done.stderr, done.stderr
