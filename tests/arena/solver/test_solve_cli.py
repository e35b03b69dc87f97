"""The verb `puzzlebox solve`: plans, tables, records, and sentences."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

import puzzlebox.arena.solver
from puzzlebox.arena.cli.solve import solve
from puzzlebox.arena.world import Record, World
from puzzlebox.cli.replay import replay

FOOD = """arenas:
  - size: [20, 20]
    time_limit: 100
    items:
      - {name: Agent, at: [10, 0, 5], rotation: 0}
      - {name: GoodGoal, at: [10, 0, 15], size: 1}
"""
NO_FOOD = FOOD.replace("GoodGoal", "BadGoal")
app = typer.Typer()
for verb in (solve, replay):
    app.command()(verb)


def call(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def food(tmp_path: Path) -> Path:
    path = tmp_path / "food.yml"
    path.write_text(FOOD)
    return path


def test_a_plan_is_printed_and_can_be_replayed(food: Path, tmp_path: Path) -> None:
    output = tmp_path / "plan.json"
    result = call("solve", food, "-o", output)
    assert result.exit_code == 0
    assert result.stdout == "go to (10.0, 15.0)\n"
    assert "found a plan" in result.stderr and "return 0." in result.stderr
    assert World.replay(Record.from_json(output.read_text())).passed() is True
    assert call("replay", output).exit_code == 0
    assert call("solve", food, "-o", output).exit_code == 0, "a record may be replaced"


def test_no_plan_is_one_sentence_and_exit_code_1(tmp_path: Path) -> None:
    path = tmp_path / "bad.yml"
    path.write_text(NO_FOOD)
    result = call("solve", path, "--seconds", "0.3")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "no plan was found" in result.stderr
    assert "there may still be one" in result.stderr


@pytest.mark.parametrize("seconds", ["0.1", "0.2"])
def test_a_search_whose_time_was_used_up_says_so(seconds: str, tmp_path: Path) -> None:
    path = tmp_path / "high.yml"
    path.write_text(FOOD.replace("time_limit: 100", "time_limit: 100\n    pass_mark: 5"))
    result = call("solve", path, "--seconds", seconds)
    assert result.exit_code == 1
    assert "its time was used up; give it more with --seconds" in result.stderr
    path.write_text(FOOD.replace("{name: GoodGoal", "{name: Wall"))
    result = call("solve", path, "--seconds", "60")
    assert "the search had nothing more to try" in result.stderr and "--seconds" not in result.stderr


def test_several_tasks_give_a_table(food: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.yml").write_text(NO_FOOD)
    result = call("solve", tmp_path, "--seconds", "20", "--csv", "-o", tmp_path / "plans")
    assert result.exit_code == 1
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [(Path(row["task"]).stem, row["solved"]) for row in rows] == [("bad", "no"), ("food", "yes")]
    assert rows[1]["steps"] == "go to (10.0, 15.0)"
    assert "1 of 2 tasks" in result.stderr
    assert [path.name for path in (tmp_path / "plans").iterdir()] == ["food.json"]
    assert "there may still be one" in result.stderr
    both = call("solve", tmp_path / "f*.yml", food)
    assert "food.yml" in both.stdout
    assert "2 of 2 tasks" in both.stderr and "there may still be one" not in both.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nothing.yml"], "nothing.yml"),
        (["examples/food", "--rules", "5"], "there are no rules named '5'"),
        (["examples/food", "--arena", "2"], "there is no arena 2"),
        (["examples/food", "-o", "plan.txt"], "must end in .json"),
        (["object-permanence"], "is a template, not a task"),
        (["nothing/*.yml"], "no bundled task and no file fits"),
    ],
)
def test_bad_input_gives_a_sentence(words: list[str], sentence: str) -> None:
    result = call("solve", *words)
    assert result.exit_code == 1
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr


def test_other_files_are_not_replaced(food: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text("[1, 2]")
    assert "already there" in call("solve", food, "-o", other).stderr
    assert other.read_text() == "[1, 2]"


def test_plans_in_a_folder_replace_neither_other_files_nor_one_another(food: Path, tmp_path: Path) -> None:
    (tmp_path / "deeper").mkdir()
    twin = tmp_path / "deeper" / "food.yml"
    twin.write_text(FOOD)
    result = call("solve", food, twin, "-o", tmp_path / "plans")
    assert result.exit_code == 1 and "food.yml" in result.stderr and "would both be" in result.stderr
    assert not (tmp_path / "plans").exists()

    third = tmp_path / "third.yml"
    third.write_text(FOOD)
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans" / "third.json").write_text("[1, 2]")
    assert "already there and no record" in call("solve", food, third, "-o", tmp_path / "plans").stderr
    assert [path.read_text() for path in (tmp_path / "plans").iterdir()] == ["[1, 2]"]


def test_a_place_that_cannot_be_written_to_is_refused_before_the_search(food: Path, tmp_path: Path) -> None:
    (tmp_path / "plans").write_text("a file")
    for place in (tmp_path / "plans" / "plan.json", tmp_path / "plans" / "deeper" / "plan.json"):
        result = call("solve", food, "-o", place)
        assert result.exit_code == 1 and result.stdout == ""
        assert f"{place.parent} cannot be written to" in result.stderr
    assert (tmp_path / "plans").read_text() == "a file"


def test_plans_that_cannot_be_written_are_still_printed(
    food: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if the disk filled up during the search.
    monkeypatch.setitem(solve.__globals__, "_require_room", lambda files: None)
    (tmp_path / "plans").write_text("a file")
    other = tmp_path / "other.yml"
    other.write_text(FOOD)
    one = call("solve", food, "-o", tmp_path / "plans" / "plan.json")
    assert one.exit_code == 1 and one.stdout == "go to (10.0, 15.0)\n"
    assert "plan.json cannot be written" in one.stderr
    several = call("solve", food, other, "-o", tmp_path / "plans" / "deeper", "--csv")
    assert several.exit_code == 1 and "cannot be written" in several.stderr
    assert [row["solved"] for row in csv.DictReader(io.StringIO(several.stdout))] == ["yes", "yes"]


def test_a_folder_without_tasks_is_named(tmp_path: Path) -> None:
    result = call("solve", tmp_path)
    assert result.exit_code == 1
    assert f"there are no task files (.yml or .yaml) in {tmp_path}" in "".join(result.stderr.splitlines())


def test_an_interrupted_search_keeps_what_was_found(
    food: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.yml"
    other.write_text(FOOD)
    search = puzzlebox.arena.solver.solve

    def until_the_second(*arguments: Any, **options: Any) -> Any:
        monkeypatch.setattr("puzzlebox.arena.solver.solve", interrupted)
        return search(*arguments, **options)

    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("puzzlebox.arena.solver.solve", until_the_second)
    result = call("solve", food, other, "--csv")
    assert result.exit_code == 130
    assert [row["solved"] for row in csv.DictReader(io.StringIO(result.stdout))] == ["yes"]
    assert "interrupted after 1 of 2 tasks" in result.stderr
    assert "interrupted after 0 of 1 tasks" in call("solve", food, "-o", tmp_path / "plans" / "food.json").stderr
    assert not (tmp_path / "plans").exists()
