"""The names of the testbed work wherever a task name does."""

import csv
import pickle
from pathlib import Path

import pytest
from typer.testing import CliRunner

import puzzlebox
from puzzlebox.arena.envs.sources import places_of, tasks_of
from puzzlebox.arena.schema import load_task
from puzzlebox.arena.studio.catalogue import Catalogue
from puzzlebox.arena.testbed.training import TrainingSpace, is_template, open_template
from puzzlebox.arena.variations import Template
from puzzlebox.batteries import battery_names, bundled_names
from puzzlebox.cli.app import app
from puzzlebox.run.tasks import find_tasks

NAME, HELD_OUT = "testbed/03-17-2", "testbed-held-out/03-1-1"


def test_patterns_mean_the_battery_the_held_out_set_and_parts_of_them() -> None:
    assert [name for name, _ in places_of("testbed/*")] == list(battery_names())
    assert places_of("testbed") == places_of("testbed/*")
    assert [name for name, _ in places_of("testbed-held-out/*")] == list(battery_names("testbed-held-out"))
    assert len(places_of("testbed/03-*")) == 90
    assert places_of(NAME) == [(NAME, NAME)]
    assert not any(name.startswith("testbed") for name, _ in places_of("*"))
    assert [name for name, _ in places_of("testbed-train/*")] == [
        name for name, _ in places_of("testbed-train") if name.count("/") == 1
    ]
    assert ("testbed-train/03/box", "testbed-train/03/box") in places_of("testbed-train/03/*")


def test_a_name_that_is_not_there_gets_the_nearest_one() -> None:
    with pytest.raises(FileNotFoundError, match=r"did you mean `testbed/03-17-\d`"):
        load_task("testbed/03-17-9")
    with pytest.raises(FileNotFoundError, match=r"no training space testbed-train/3.*did you mean `testbed-train/03`"):
        places_of("testbed-train/3")


def test_environments_play_them() -> None:
    with puzzlebox.make(NAME, camera=None) as env:
        _, info = env.reset(seed=1)
        assert info["task"] == NAME
    envs = puzzlebox.make_vec(["testbed/03-1*-1", HELD_OUT], num_envs=2, camera=None)
    envs.reset(seed=1)
    envs.close()


def test_the_training_space_is_another_task_every_episode() -> None:
    with puzzlebox.make("testbed-train/03", camera=None) as env:
        seen = set()
        for seed in (1, 2, 3, 1):
            _, info = env.reset(seed=seed)
            seen.add(str(info["variation"]))
        assert len(seen) == 3
    envs = puzzlebox.make_vec("testbed-train/*", num_envs=2, camera=None)
    envs.reset(seed=1)
    envs.close()


def test_the_training_space_is_a_template() -> None:
    space = open_template("testbed-train/03/box", seed=4)
    assert isinstance(space, TrainingSpace) and isinstance(space, Template)
    assert is_template("testbed-train/03") and not is_template("testbed-train/3")
    twin = pickle.loads(pickle.dumps(space))
    first, again = space.sample(3, seed=2), twin.sample(3, seed=2)
    assert [each.text for each in first] == [each.text for each in again]
    assert space.at(first[1].number).text == first[1].text
    assert first[0].task.metadata.level == 3 and first[0].values["template"] == "box"
    assert len(tasks_of("testbed-train/*")) == len({name.split("-")[1] for name in places("testbed/*")})


def places(pattern: str) -> list[str]:
    return [name.replace("/", "-") for name, _ in places_of(pattern)]


def test_level_variant_task_and_condition_are_columns(tmp_path: Path) -> None:
    sources = [NAME, HELD_OUT, "testbed-train/03"]
    result = CliRunner().invoke(
        app, ["run", *sources, "--agent", "random", "--variations", "2", "-o", str(tmp_path / "out"), "--workers", "1"]
    )
    assert result.exit_code == 0, result.output
    with (tmp_path / "out" / "episodes.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["level"], row["variant"]) for row in rows[:2]] == [("3", "2"), ("3", "")]
    assert (rows[0]["factor_condition"], float(rows[0]["factor_task"]), rows[0]["factor_template"]) == (
        "test",
        17,
        "box",
    )
    assert [row["level"] for row in rows[2:]] == ["3", "3"]
    assert rows[2]["task"].startswith("testbed-train/03@")


def test_find_tasks_has_level_and_variant() -> None:
    task = find_tasks([NAME])[0]
    assert (task.name, task.level, task.variant) == (NAME, "3", "2")


@pytest.mark.parametrize(
    "command",
    [
        ["check", NAME],
        ["check", "testbed/03-17-*"],
        ["convert", NAME, "--to", "animalai"],
        ["vary", "testbed-train/03", "--count"],
    ],
)
def test_verbs_of_the_arena_take_them(command: list[str]) -> None:
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output


def test_pictures_and_samples_are_written(tmp_path: Path) -> None:
    for number, command in enumerate((["show", NAME], ["show", "testbed-train/03", "--samples", "2"])):
        path = tmp_path / f"{number}.png"
        assert CliRunner().invoke(app, [*command, "--size", "64", "-o", str(path)]).exit_code == 0
        assert path.is_file()
    result = CliRunner().invoke(app, ["vary", "testbed-train/03", "--sample", "3", "-o", str(tmp_path / "tasks")])
    assert result.exit_code == 0, result.output
    assert len(list((tmp_path / "tasks").glob("*.yaml"))) == 3


def test_tasks_has_one_line_for_the_battery_and_lists_it_on_request() -> None:
    listing = CliRunner().invoke(app, ["tasks"]).output
    assert "testbed/*" in listing and "testbed/03-17-2" not in listing
    level = CliRunner().invoke(app, ["tasks", "--battery", "testbed", "--level", "3"]).output
    assert level.count("testbed/03-") == 90 and "testbed/01-" not in level
    assert "condition" in level and "difficulty" in level and "control" in level
    assert "condition" not in listing
    unknown = CliRunner().invoke(app, ["tasks", "--battery", "testbedd"])
    assert unknown.exit_code == 1 and "did you mean `testbed`?" in unknown.output


def test_the_studio_plays_them_and_does_not_list_them() -> None:
    catalogue = Catalogue()
    assert catalogue.find(NAME).task == load_task(NAME)
    assert catalogue.add_file(NAME) == NAME
    assert catalogue.names() == list(bundled_names())
