"""What is said about names of the testbed that mean no task, or more than one."""

import pytest
from typer.testing import CliRunner

from puzzlebox.arena.schema import load_task
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


def test_the_training_space_is_no_list_of_tasks() -> None:
    words = said("tasks", "--battery", "testbed-train")
    assert "testbed-train" in words and "puzzlebox vary testbed-train/01" in words


def test_a_part_of_the_training_space_is_not_one_task() -> None:
    with pytest.raises(FileNotFoundError, match=r"testbed-train/03 means many tasks.*vary testbed-train/03 --sample"):
        load_task("testbed-train/03")
    with pytest.raises(FileNotFoundError, match=r"no training space testbed-train/03/bx.*`testbed-train/03/box`"):
        load_task("testbed-train/03/bx")


def test_a_pattern_is_not_one_task() -> None:
    with pytest.raises(FileNotFoundError, match=r"^testbed/08-\* means 90 tasks; name one, such as `testbed/08-01-1`$"):
        load_task("testbed/08-*")
    with pytest.raises(FileNotFoundError, match=r"^no bundled task and no file fits testbed/11-\*"):
        load_task("testbed/11-*")


def test_check_reads_the_templates_of_a_pattern_of_training_spaces() -> None:
    result = CliRunner().invoke(app, ["check", "testbed-train/0[12]"])
    assert result.exit_code == 0, result.output
    assert "01/approach.yml" in result.output.replace("\\", "/")


def test_solve_says_that_a_training_space_is_a_template() -> None:
    for name in ("testbed-train/03", "testbed-train/03/box", "testbed-train/*"):
        words = said("solve", name)
        assert " is a template, not a task" in words and "puzzlebox vary testbed-train/0" in words
        assert ".yml" not in words
