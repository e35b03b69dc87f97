import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

torch = pytest.importorskip("torch")

from puzzlebox.cli.app import app as cli  # noqa: E402
from puzzlebox.intuitions.episodes import make_pair  # noqa: E402
from puzzlebox.intuitions.grid import TRIALS  # noqa: E402
from puzzlebox.intuitions.models import training  # noqa: E402
from puzzlebox.intuitions.models.background import background  # noqa: E402
from puzzlebox.intuitions.models.films import Films  # noqa: E402
from puzzlebox.intuitions.models.painted import PaintedFilms  # noqa: E402
from puzzlebox.intuitions.models.registry import MODELS, model_class  # noqa: E402
from puzzlebox.intuitions.models.training import Plan, load, settings_from, train  # noqa: E402
from puzzlebox.intuitions.pictures.painters import painter_named  # noqa: E402
from puzzlebox.intuitions.scoring import judge  # noqa: E402
from puzzlebox.intuitions.scoring.pairs import judge_together  # noqa: E402

# A set of five episodes a task, and networks as small as they can be.
TINY = 1e-5
SMALL = {
    "parts": {"batch": 8, "epochs": 3, "affordance_steps": 2, "hidden": 8},
    "video": {"batch": 8, "epochs": 1, "size": 16, "width": 2, "maps": 4, "every": 20},
    "atc": {"batch": 8, "pairs": 2, "epochs": 1, "size": 32, "filters": 4},
    "bc-mlp": {"batch": 8, "epochs": 1, "steps": 3, "steps_when_judging": 4},
    "bc-rnn": {"batch": 8, "epochs": 1, "steps": 3},
    "offline-rl": {"batch": 8, "epochs": 1, "steps": 3, "samples": 3},
    "graph": {"batch": 8, "epochs": 1, "layers": 1, "hidden": 8, "heads": 2, "every": 40},
}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("background")


@pytest.fixture(scope="module")
def encoder(tmp_path_factory, data):
    run = tmp_path_factory.mktemp("encoder") / "run"
    train(Plan("atc", scale=TINY, settings=SMALL["atc"]), run, device="cpu", data=data)
    return str(run)


def plan_for(name, encoder, **more):
    return Plan(name, scale=TINY, settings={**SMALL[name], **more}, encoder=encoder if name[:2] in ("bc", "of") else "")


@pytest.mark.parametrize("name", [name for name in MODELS if name != "atc"])
def test_every_model_trains_is_loaded_and_judges(name, encoder, data, tmp_path):
    outcome = train(plan_for(name, encoder), tmp_path / "run", device="cpu", data=data)
    assert outcome.finished
    assert all(np.isfinite(error) for error in outcome.log["validation"].values())
    pair = make_pair("instrumental_no_barrier", 0)
    judgement = judge(load(tmp_path / "run"), pair)
    assert np.isfinite(judgement.expected["maximum"])
    # The same model judges other films first, and both together: shapes, colours and draws of one film are its own.
    other, model = make_pair("preference", 1), load(tmp_path / "run")
    together = judge_together(model, [other, pair])
    for found, alone in zip(together, (judge(model, other), judge(model, pair)), strict=True):
        assert found.expected == pytest.approx(alone.expected, rel=1e-4)
        assert found.unexpected == pytest.approx(alone.unexpected, rel=1e-4)
    assert together[1].expected == pytest.approx(judgement.expected, rel=1e-4)


def test_embeddings_are_remembered_as_they_would_be_computed(encoder, data):
    training_films, _ = background(TINY, 0, data)
    model, films = load(Path(encoder)), Films.of(training_films.films())
    trials = torch.arange(0, len(films.frames), 7)
    first, last = films.motion(trials)
    wanted = [model.embed(films, trials, each) for each in (first, last, last + 3)]
    model.remember(films, beyond=3)
    for each, embeddings in zip((first, last, last + 3), wanted, strict=True):
        assert torch.allclose(model.embed(films, trials, each), embeddings, atol=1e-6)


def test_the_video_model_reads_films_in_three_dimensions(data, tmp_path):
    settings = {**SMALL["video"], "view": "three-d", "every": 40}
    assert train(Plan("video", scale=TINY, settings=settings), tmp_path / "run", device="cpu", data=data).finished
    assert np.isfinite(judge(load(tmp_path / "run"), make_pair("preference", 0)).unexpected["mean"])


def test_pictures_in_three_dimensions_are_those_of_their_frames(data):
    _, validation = background(TINY, 0, data)
    films = PaintedFilms.of_split(validation, "three-d", 32, 10, 1)
    trial = torch.tensor([TRIALS * 3 + 5])
    stimulus = list(validation.films())[3]
    wanted = painter_named("three-d", 32).frame(stimulus.trials[5], 50)
    assert np.array_equal((films.paint(trial, torch.tensor([50]))[0] * 255).permute(1, 2, 0).round().numpy(), wanted)


# One model is enough to check the loop; the others check averaged weights and training in two stages.
@pytest.mark.parametrize("name", ["atc", *(pytest.param(name, marks=pytest.mark.slow) for name in ("bc-mlp", "parts"))])
def test_a_stopped_run_resumes_as_if_it_had_not_stopped(name, encoder, data, tmp_path, monkeypatch):
    plan = plan_for(name, encoder, epochs=4)
    train(plan, tmp_path / "whole", device="cpu", data=data)
    stops = 0
    while not (outcome := train(plan, tmp_path / "parts", minutes=0.0, device="cpu", data=data)).finished:
        # No time is left at once, so each call does nothing; a clock that stands still for one step lets it do one.
        monkeypatch.setattr(training.time, "monotonic", iter([0.0, 0.0, 0.0, 0.0, 0.0, *[9e9] * 20]).__next__)
        train(plan, tmp_path / "parts", minutes=1.0, device="cpu", data=data)
        monkeypatch.undo()
        stops += 1
        assert stops < 50
    assert stops > 1
    assert outcome.finished
    one, two = (load(tmp_path / folder).state_dict() for folder in ("whole", "parts"))
    assert all(torch.equal(one[key], two[key]) for key in one)
    assert len((tmp_path / "parts" / "log.jsonl").read_text().splitlines()) >= 1


def test_a_folder_with_another_run_is_refused(data, tmp_path):
    plan = Plan("atc", scale=TINY, settings=SMALL["atc"])
    train(plan, tmp_path / "run", device="cpu", data=data)
    with pytest.raises(ValueError, match="is a run with seed 0, not 5"):
        train(plan._replace(seed=5), tmp_path / "run", device="cpu", data=data)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("")
    with pytest.raises(ValueError, match="no run of this program"):
        train(plan, tmp_path / "other", device="cpu", data=data)


def test_a_finished_run_goes_on_with_more_epochs(data, tmp_path):
    first = train(Plan("atc", scale=TINY, settings=SMALL["atc"]), tmp_path / "run", device="cpu", data=data)
    longer = {**SMALL["atc"], "epochs": 3}
    second = train(Plan("atc", scale=TINY, settings=longer), tmp_path / "run", device="cpu", data=data)
    assert second.steps == 3 * first.steps
    assert json.loads((tmp_path / "run" / "run.json").read_text())["settings"]["epochs"] == 3


def test_an_interrupted_checkpoint_leaves_the_old_one(data, tmp_path, monkeypatch):
    plan = Plan("atc", scale=TINY, settings=SMALL["atc"])
    train(plan, tmp_path / "run", device="cpu", data=data)
    before = (tmp_path / "run" / "checkpoint.pt").read_bytes()

    def fails(state, file):
        file.write(b"half")
        raise OSError("the disk is full")

    monkeypatch.setattr(torch, "save", fails)
    longer = plan._replace(settings={**plan.settings, "epochs": 2})
    with pytest.raises(OSError, match="full"):
        train(longer, tmp_path / "run", device="cpu", data=data)
    assert (tmp_path / "run" / "checkpoint.pt").read_bytes() == before


@pytest.mark.parametrize(
    ("given", "sentence"), [({"batsh": 3}, "did you mean `batch`"), ({"epochs": "many"}, "must be like")]
)
def test_wrong_settings_are_named(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        settings_from(model_class("video").settings_class, given)


def test_what_is_missing_is_named(tmp_path, data):
    with pytest.raises(ValueError, match="needs a trained state encoder"):
        train(Plan("bc-mlp", scale=TINY), tmp_path / "run", data=data)
    with pytest.raises(ValueError, match="is not a run of training"):
        load(tmp_path)
    with pytest.raises(ValueError, match="there is no model 'vidio'"):
        model_class("vidio")
    (tmp_path / "run").mkdir()
    what = {"model": "atc", "settings": {}, "encoder_settings": None}
    (tmp_path / "run" / "run.json").write_text(json.dumps(what))
    with pytest.raises(ValueError, match="train it first"):
        load(tmp_path / "run")
    (tmp_path / "run" / "checkpoint.pt").write_text("no checkpoint")
    with pytest.raises(ValueError, match="cannot be read"):
        load(tmp_path / "run")


def test_the_video_model_shows_what_it_predicted() -> None:
    from puzzlebox.intuitions.models.video import VideoModel, VideoSettings

    model = VideoModel(VideoSettings(size=16, maps=2, width=2))
    film = make_pair("preference", 0, 1).expected
    frames, predicted, actual = model.predicted(film)
    assert predicted.shape == actual.shape == (len(frames), 16, 16, 3) and predicted.dtype == np.uint8
    # The surprise at the frame before is the error of the prediction, up to the rounding of pictures to bytes.
    surprise = model.surprise(film).frames
    assert not np.isnan(surprise[[frame - model.settings.every for frame in frames]]).any()
    assert max(frames) < film.test.frames and actual.max() > predicted.min()


@pytest.mark.parametrize(
    ("model", "name", "value", "allowed"),
    [
        ("parts", "batch", "0", "a whole number, 1 or more"),
        ("parts", "epochs", "-1", "a whole number, 1 or more"),
        ("parts", "hidden", "0", "a whole number, 1 or more"),
        ("parts", "slip", "1.5", "a share from 0 to 1"),
        ("parts", "other_agents", "nan", "a share from 0 to 1"),
        ("parts", "learning_rate", "inf", "above 0 and at most 1"),
        ("parts", "learning_rate", "2", "above 0 and at most 1"),
        ("bc-mlp", "gradient_clip", "-1", "a number, 0 or more"),
    ],
)
def test_settings_outside_what_is_allowed_are_refused(model, name, value, allowed):
    with pytest.raises(ValueError, match=f"the setting {name} is .*; it must be {allowed}"):
        settings_from(model_class(model).settings_class, {name: value})


def test_devices_and_encoders_that_cannot_be_used_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError, match="the device is cuda, but torch finds no such devices here"):
        train(Plan("parts", scale=TINY), tmp_path / "run", device="cuda")
    with pytest.raises(ValueError, match="there is no device 'tpu'; it must be cpu or cuda"):
        train(Plan("parts", scale=TINY), tmp_path / "run", device="tpu")
    with pytest.raises(ValueError, match="parts needs no state encoder; leave --encoder out"):
        train(Plan("parts", scale=TINY, encoder="atc"), tmp_path / "run", device="cpu")
    assert not (tmp_path / "run").exists()


def test_a_loss_that_is_no_number_stops_training(data, tmp_path, monkeypatch):
    kind = model_class("parts")
    loss = kind.loss
    monkeypatch.setattr(kind, "loss", lambda *arguments: loss(*arguments) * float("nan"))
    with pytest.raises(ValueError, match="the loss is no longer a number by step"):
        train(Plan("parts", scale=TINY, settings=SMALL["parts"]), tmp_path / "run", device="cpu", data=data)
    assert not (tmp_path / "run" / "checkpoint.pt").exists()


def test_another_run_in_the_folder_is_named_by_what_differs(data, tmp_path):
    plan = Plan("parts", scale=TINY, settings=SMALL["parts"])
    train(plan, tmp_path / "run", minutes=0, device="cpu", data=data)
    with pytest.raises(ValueError, match="run is a run with hidden 8, not 16; name another folder"):
        train(plan._replace(settings={**SMALL["parts"], "hidden": 16}), tmp_path / "run", device="cpu", data=data)
    (tmp_path / "run" / "run.json").write_text("[]")
    with pytest.raises(ValueError, match=r"run\.json is damaged; name another folder"):
        train(plan, tmp_path / "run", device="cpu", data=data)


def test_a_finished_run_is_not_prepared_again(data, tmp_path, monkeypatch):
    plan = Plan("atc", scale=TINY, settings=SMALL["atc"])
    first = train(plan, tmp_path / "run", device="cpu", data=data)
    monkeypatch.setattr(training, "background", None)
    assert train(plan, tmp_path / "run", device="cpu", data=data) == first


def test_an_interruption_promises_a_checkpoint_only_where_there_is_one(tmp_path, monkeypatch):
    words = [
        "intuitions",
        "train",
        "--model",
        "atc",
        "--scale",
        "0.0001",
        "--data",
        str(tmp_path / "films"),
        "--workers",
        "1",
    ]
    words += [word for name, value in SMALL["atc"].items() for word in ("--set", f"{name}={value}")]
    run = tmp_path / "run"

    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(training._Loop, "_step", interrupt)
    early = CliRunner().invoke(cli, [*words, "-o", str(run)])
    assert early.exit_code == 130 and not (run / training.CHECKPOINT).exists()
    assert "interrupted before the first checkpoint" in early.stderr and "starts anew" in early.stderr
    monkeypatch.undo()
    assert CliRunner().invoke(cli, [*words, "-o", str(run)]).exit_code == 0
    monkeypatch.setattr(training._Loop, "go", interrupt)
    late = CliRunner().invoke(cli, [*words, "--set", "epochs=50", "-o", str(run)])
    assert late.exit_code == 130 and "resumes from the last checkpoint" in late.stderr
