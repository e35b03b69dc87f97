"""`puzzlebox intuitions train` and `score`, as a person uses them."""

import json
from pathlib import Path

import pytest

from command import puzzlebox


@pytest.fixture(scope="module")
def stimuli(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scoring") / "stimuli"
    arguments = ("--task", "multi_agent", "--episodes", "3", "--json-only", "--workers", "1")
    assert puzzlebox("intuitions", "generate", *arguments, "-o", str(folder)).returncode == 0
    return folder


def test_the_planner_is_scored_on_generated_pairs() -> None:
    done = puzzlebox(
        "intuitions", "score", "inverse-planner", "--task", "preference", "--episodes", "2", "--workers", "1"
    )
    assert done.returncode == 0, done.stderr
    assert "| Preference | 100.0 (34.2 to 100.0) | 26.3 |" in done.stdout


def test_a_folder_is_scored_and_written(stimuli: Path, tmp_path: Path) -> None:
    arguments = ("score", "inverse-planner", str(stimuli), "--workers", "1", "--json", "-o", str(tmp_path / "scores"))
    done = puzzlebox("intuitions", *arguments)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert {(row["kind"], row["read_out"]) for row in rows} >= {("i", "mean"), ("", "maximum")}
    names = {path.name for path in (tmp_path / "scores").iterdir()} - {"episodes.parquet"}  # if pyarrow is installed
    assert names == {"judgements.csv", "episodes.csv", "scores.json", "scores.txt"}
    text = (tmp_path / "scores" / "scores.txt").read_text()
    assert f"measured on the films in {stimuli}, " in text and "our own generator" not in text
    assert "Pairs of each task: 3." in text


def test_half_of_a_pair_is_named_and_the_rest_is_scored_when_asked_to(stimuli: Path, tmp_path: Path) -> None:
    import shutil

    folder = tmp_path / "multi_agent"
    shutil.copytree(stimuli / "multi_agent", folder)
    (folder / "000001mau.json").unlink()
    (folder / "000002mae.json").write_text((folder / "000002mae.json").read_text()[:5000])
    refused = puzzlebox("intuitions", "score", "inverse-planner", str(folder), "--workers", "1")
    assert refused.returncode == 1
    assert "000001mau.json is missing" in refused.stderr
    assert "--keep-going scores the rest" in refused.stderr
    done = puzzlebox("intuitions", "score", "inverse-planner", str(folder), "--workers", "1", "--keep-going")
    assert done.returncode == 1
    assert "| Multi-agent | 100.0 (20.7 to 100.0) |" in done.stdout
    assert done.stderr.count("warning:") == 2


def test_a_test_without_motion_is_named_and_left_out(stimuli: Path, tmp_path: Path) -> None:
    import shutil

    folder = tmp_path / "multi_agent"
    shutil.copytree(stimuli / "multi_agent", folder)
    still = folder / "000001mau.json"
    film = json.loads(still.read_text())
    film[-1] = [film[-1][0]] * len(film[-1])
    still.write_text(json.dumps(film))
    sentence = f"{still}: the agent does not move in the test, so there is nothing to judge"
    refused = puzzlebox("intuitions", "score", "inverse-planner", str(folder), "--workers", "1")
    assert refused.returncode == 1 and refused.stdout == ""
    assert f"error: {sentence}" in refused.stderr
    done = puzzlebox("intuitions", "score", "inverse-planner", str(folder), "--workers", "1", "--keep-going", "--json")
    assert done.returncode == 1 and f"warning: {sentence}" in done.stderr
    assert {row["pairs"] for row in json.loads(done.stdout) if row["kind"] == ""} == {2}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("score", "nowhere"), "there is no folder nowhere; name a run of training, or `inverse-planner`"),
        (("score", "inverse-planner", "--task", "background/preference"), "is a background task, which has no pairs"),
        (("score", "inverse-planner", "inverse-planner"), "inverse-planner is named twice; each run can be"),
        (("train", "--model", "parts"), "there is no folder to write to"),
        (("train", "--model", "prats", "-o", "run"), "did you mean `parts`?"),
        (("train", "--model", "parts", "-o", "run", "--set", "epochs"), "--set epochs is not NAME=VALUE"),
        (("score", "inverse-planner", "--device", "tpu"), "there is no device 'tpu'; it must be cpu or cuda"),
    ],
)
def test_mistakes_are_named(arguments: tuple[str, ...], sentence: str) -> None:
    done = puzzlebox("intuitions", *arguments)
    assert done.returncode == 1
    assert sentence in done.stderr


def test_a_set_without_pairs_gets_one_sentence(tmp_path: Path) -> None:
    arguments = ("--task", "background/single_object", "--episodes", "1", "--json-only", "--workers", "1")
    assert puzzlebox("intuitions", "generate", *arguments, "-o", str(tmp_path)).returncode == 0
    done = puzzlebox("intuitions", "score", "inverse-planner", str(tmp_path), "--workers", "1")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [f"error: {tmp_path} has no pair to score"]


def test_keep_going_is_recommended_only_where_it_helps(stimuli: Path, tmp_path: Path) -> None:
    for verb in (("audit",), ("score", "inverse-planner")):
        assert "--keep-going" not in puzzlebox("intuitions", *verb, str(tmp_path)).stderr


def test_options_of_generated_pairs_are_refused_with_a_folder(stimuli: Path) -> None:
    for option in ("--episodes", "--seed"):
        done = puzzlebox("intuitions", "score", "inverse-planner", str(stimuli), option, "2")
        assert done.returncode == 1
        assert f"{option} is for pairs to generate, but {stimuli} has pairs already" in done.stderr
    done = puzzlebox("intuitions", "score", "inverse-planner", str(stimuli), "--task", "preference", "--workers", "1")
    assert done.returncode == 1 and f"{stimuli} has no pair of preference to score" in done.stderr


def test_train_lists_the_models() -> None:
    done = puzzlebox("intuitions", "train")
    assert done.returncode == 0
    assert "bc-rnn" in done.stdout


@pytest.mark.slow
def test_training_stops_resumes_and_is_scored(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    run = str(tmp_path / "run")
    settings = ("--set", "epochs=2", "--set", "batch=8", "--set", "affordance_steps=2")
    arguments = (
        "train",
        "--model",
        "parts",
        "--scale",
        "0.0002",
        *settings,
        "--device",
        "cpu",
        "--workers",
        "1",
        "-o",
        run,
    )
    stopped = puzzlebox("intuitions", *arguments, "--minutes", "0")
    assert stopped.returncode == 0, stopped.stderr
    assert "stopped after 0 steps" in stopped.stderr
    done = puzzlebox("intuitions", *arguments)
    assert "finished after" in done.stderr
    scored = puzzlebox("intuitions", "score", run, "--task", "preference", "--episodes", "2", "--workers", "2")
    assert scored.returncode == 0, scored.stderr
    assert "| Preference |" in scored.stdout
