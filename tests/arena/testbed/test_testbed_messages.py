"""What is said about names of the testbed that mean no task, or more than one."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest
from typer.testing import CliRunner

from puzzlebox.arena.schema import load_task
from puzzlebox.arena.testbed import reading, training
from puzzlebox.arena.testbed.demands import read_demands
from puzzlebox.arena.testbed.manifest import read_manifest, read_solutions
from puzzlebox.batteries import testbed
from puzzlebox.cli.app import app


def said(*words: str) -> str:
    """Run a command that must fail, and return its words on one line."""
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == 1, result.output
    return " ".join(result.output.split())


@pytest.mark.parametrize("level", ["0", "11", "x", "-1"])
def test_a_level_that_is_not_there_gets_the_levels_that_are(level: str) -> None:
    words = said("tasks", "--battery", "testbed", f"--level={level}")
    assert f"there are no tasks in level {level} of testbed" in words
    assert "allowed: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10" in words and "did you mean `testbed`" not in words


def test_lists_can_be_of_tests_or_of_controls() -> None:
    shown = {
        condition: CliRunner().invoke(
            app, ["tasks", "--battery", "testbed", "--level", "8", "--condition", condition, "--json"]
        )
        for condition in ("test", "control")
    }
    for condition, result in shown.items():
        rows = json.loads(result.stdout)
        assert len(rows) == 45 and all(("control" in row["tags"]) == (condition == "control") for row in rows)
    assert "did you mean `control`?" in said("tasks", "--battery", "testbed", "--condition", "controls")
    words = said("tasks", "--condition", "test")
    assert "these tasks have no conditions" in words and "add --battery testbed" in words


def test_the_training_space_is_no_list_of_tasks() -> None:
    words = said("tasks", "--battery", "testbed-train")
    assert "testbed-train" in words and "puzzlebox vary testbed-train/01" in words
    words = said("tasks", "--battery", "testbed-train", "--level", "3")
    assert "no list of tasks but of templates" in words and "did you mean" not in words
    assert "there are no tasks in level 99 of memory" in said("tasks", "--battery", "memory", "--level", "99")


@pytest.mark.parametrize("pattern", ["testbed/3-*", "testbed/11-*", "testbed-heldout/*"])
def test_a_pattern_that_fits_nothing_gets_the_command_that_lists_the_testbed(pattern: str, tmp_path: Path) -> None:
    words = said("run", pattern, "--agent", "random", "-o", str(tmp_path / "out"))
    assert f"no bundled task and no file fits {pattern}" in words
    assert "`puzzlebox tasks --battery testbed`" in words
    with pytest.raises(FileNotFoundError, match=r"`puzzlebox tasks --battery testbed`"):
        load_task(pattern)


def test_a_part_of_the_training_space_is_not_one_task() -> None:
    with pytest.raises(FileNotFoundError, match=r"testbed-train/03 means many tasks.*vary testbed-train/03 --sample"):
        load_task("testbed-train/03")
    with pytest.raises(FileNotFoundError, match=r"no training space testbed-train/03/bx.*`testbed-train/03/box`"):
        load_task("testbed-train/03/bx")


def test_capitals_get_the_name_without_them() -> None:
    for name in ("Testbed/08-13-2", "TESTBED-HELD-OUT/08-1-1", "Testbed-Train/08"):
        with pytest.raises(FileNotFoundError) as raised:
            load_task(name)
        assert name in str(raised.value) and f"did you mean `{name.lower()}`?" in str(raised.value)


def test_numbers_without_their_zeros_get_the_name_with_them() -> None:
    for name, meant in (("testbed/8-1-1", "testbed/08-01-1"), ("testbed-held-out/8-1-1", "testbed-held-out/08-1-1")):
        with pytest.raises(FileNotFoundError) as raised:
            load_task(name)
        assert str(raised.value).endswith(f"; did you mean `{meant}`?")


def test_the_training_space_without_a_level_is_not_one_task() -> None:
    with pytest.raises(FileNotFoundError, match=r"^testbed-train means 10 training spaces; name one, such as "):
        load_task("testbed-train")


def test_solve_says_like_run_that_nothing_fits_a_pattern() -> None:
    listed_by = {"testbed/99-*": "puzzlebox tasks --battery testbed", "nothing/*.yml": "puzzlebox tasks"}
    for pattern, command in listed_by.items():
        words = said("solve", pattern)
        assert words.startswith(f"error: no bundled task and no file fits {pattern}; `{command}` lists ")


def test_a_pattern_is_not_one_task() -> None:
    with pytest.raises(FileNotFoundError, match=r"^testbed/08-\* means 90 tasks; name one, such as `testbed/08-01-1`$"):
        load_task("testbed/08-*")
    with pytest.raises(FileNotFoundError, match=r"^no bundled task and no file fits testbed/11-\*"):
        load_task("testbed/11-*")


def test_a_pattern_of_training_spaces_is_not_one_of_them() -> None:
    fitting = [name for name in testbed.training_names() if name.startswith("testbed-train/08/")]
    words = said("show", "testbed-train/08/*", "-o", "a.png")
    assert f"testbed-train/08/* means several training spaces; name one, such as `{fitting[0]}`" in words
    assert "many tasks" not in words


def test_a_level_or_a_task_without_its_variant_gets_the_pattern_that_means_all_of_it() -> None:
    for name, count, pattern in (
        ("testbed", 900, "testbed/*"),
        ("testbed/", 900, "testbed/*"),
        ("testbed/03", 90, "testbed/03-*"),
        ("testbed/03-17", 3, "testbed/03-17-*"),
        ("testbed-held-out/03", 9, "testbed-held-out/03-*"),
    ):
        with pytest.raises(FileNotFoundError) as raised:
            load_task(name)
        assert str(raised.value) == f"{name.rstrip('/')} means {count} tasks; did you mean `{pattern}`?"


def test_vary_says_that_a_task_is_no_template_and_that_a_pattern_means_several() -> None:
    assert "testbed/03-01-1 is one task, not a template" in said("vary", "testbed/03-01-1", "--count")
    words = said("vary", "testbed-train/*", "--count")
    assert "training spaces; name one, such as `testbed-train/01" in words


def test_check_reads_the_templates_of_a_pattern_of_training_spaces() -> None:
    result = CliRunner().invoke(app, ["check", "testbed-train/0[12]"])
    assert result.exit_code == 0, result.output
    assert "01/approach.yml" in result.output.replace("\\", "/")


def test_solve_says_that_a_training_space_is_a_template() -> None:
    for name in ("testbed-train/03", "testbed-train/03/box", "testbed-train/*"):
        words = said("solve", name)
        assert " is a template, not a task" in words and "puzzlebox vary testbed-train/0" in words
        assert ".yml" not in words


@pytest.fixture
def level_3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of level 3 in place of the testbed."""
    folder = copytree(testbed.TESTBED / "03", tmp_path / "03")
    testbed.training_names()  # of all levels, for the tests after this one
    for module in (testbed, reading):
        monkeypatch.setattr(module, "TESTBED", tmp_path)
    for name in ("_bundled_level", "_placements"):
        monkeypatch.setattr(training, name, getattr(training, name).__wrapped__)
    testbed.forget_archives()
    yield folder
    testbed.forget_archives()


@pytest.mark.parametrize("file", ["tasks.zip", "manifest.csv", "level.yml"])
def test_a_missing_file_is_named_instead_of_its_level_left_out(level_3: Path, file: str) -> None:
    (level_3 / file).unlink()
    with pytest.raises(OSError, match=rf"03.{file} is missing; install Puzzlebox again"):
        load_task("testbed/03-01-1")


@pytest.mark.parametrize("damage", [b"", b"\xff\xfe", b"id,template,number,values\ntestbed/03-01-1,detour", b"id\nx\n"])
def test_a_damaged_table_is_named(level_3: Path, damage: bytes) -> None:
    for name, read in (
        ("manifest.csv", read_manifest),
        ("solutions.csv", read_solutions),
        ("demands.csv", read_demands),
    ):
        (level_3 / name).write_bytes(damage)
        with pytest.raises(OSError, match=rf"03.{name} is damaged; install Puzzlebox again"):
            read(level_3)


@pytest.mark.parametrize(
    ("column", "value", "sentence"),
    [
        ("actions", "F2 X3", "`X3` is no run of actions"),
        ("actions", "F2", "testbed/03-01-1 has 2 actions, and should have"),
        ("return", "nan", "the return of testbed/03-01-1 is nan"),
        ("seed", "x", "invalid literal"),
    ],
)
def test_a_damaged_solution_is_named_with_its_line(level_3: Path, column: str, value: str, sentence: str) -> None:
    path = level_3 / "solutions.csv"
    lines = list(csv.DictReader(path.read_text().splitlines()))
    place = next(number for number, line in enumerate(lines) if line["id"] == "testbed/03-01-1")
    lines[place][column] = value
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, lines[0])
        writer.writeheader()
        writer.writerows(lines)
    words = said("replay", "testbed/03-01-1")
    assert f"solutions.csv is damaged: line {place + 2}: {sentence}" in words


def test_a_missing_table_of_solutions_is_named(level_3: Path) -> None:
    (level_3 / "solutions.csv").unlink()
    assert "solutions.csv has no solution of testbed/03-01-1; install Puzzlebox again" in said(
        "replay", "testbed/03-01-1"
    )


def test_damage_of_the_testbed_is_not_blamed_on_the_folder_to_write_to(level_3: Path, tmp_path: Path) -> None:
    (level_3 / "tasks.zip").write_bytes(b"x")
    words = said("run", "testbed/*", "--agent", "random", "-o", str(tmp_path / "out"))
    assert "error: " in words and "tasks.zip is damaged" in words and f"{tmp_path / 'out'}:" not in words
    result = CliRunner().invoke(app, ["tasks"])
    assert "warning: " in result.stderr and "tasks.zip is damaged" in result.stderr and "foraging" in result.stdout
    words = said("tasks", "--battery", "testbed", "--level", "3")  # nothing else is printed
    assert words.startswith("error: ") and "tasks.zip is damaged" in words and "warning" not in words
    words = said("show", "testbed-train/03/detour", "-o", str(tmp_path / "a.png"))
    assert words.startswith("error: ") and "tasks.zip is damaged" in words


@pytest.mark.parametrize("damage", [b"garbage: [", b"level: 3\n", b"title: \xff\n"])
def test_a_damaged_level_is_named(level_3: Path, tmp_path: Path, damage: bytes) -> None:
    (level_3 / "level.yml").write_bytes(damage)
    for command in (
        ("show", "testbed-train/03/box", "-o", str(tmp_path / "a.png")),
        ("vary", "testbed-train/03", "--count"),
        ("run", "testbed-train/03", "--agent", "random", "-o", str(tmp_path / "out")),
    ):
        assert "level.yml:" in said(*command)
    with pytest.raises(ValueError, match=r"level\.yml:\d"):
        training.open_template("testbed-train/03/box")


def test_replay_names_the_nearest_task() -> None:
    assert "did you mean" in said("replay", "testbed/08-13-9")


def test_replay_of_more_than_one_task_names_one() -> None:
    for name, what, example in (
        ("testbed", "means 900 tasks", "testbed/01-01-1"),
        ("testbed/08-*", "means 90 tasks", "testbed/08-01-1"),
        ("testbed-train/08", "is a template, not a task", "testbed/08-01-1"),
        ("testbed-train", "means 10 templates", "testbed/08-01-1"),
    ):
        words = said("replay", name)
        assert words.startswith(f"error: {name} {what}; replay takes the name of one")
        assert words.endswith(f", such as `{example}`") and "puzzlebox solve" not in words


def test_the_name_of_the_whole_training_space_gets_its_parts() -> None:
    for command in (("show", "testbed-train", "-o", "a.png"), ("vary", "testbed-train"), ("check", "testbed-train")):
        words = said(*command)
        assert "testbed-train means 10 training spaces; name one, such as `testbed-train/01`" in words


def test_replay_of_an_empty_name_says_so() -> None:
    assert "the name of the episode is empty" in said("replay", "")


def test_slashes_too_many_change_no_name() -> None:
    results = [CliRunner().invoke(app, ["replay", name]) for name in ("testbed/03-17-2", "testbed//03-17-2/")]
    assert results[0].stdout == results[1].stdout != "" and results[1].exit_code == 0
