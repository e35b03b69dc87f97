"""Published results beside those of a report: only for tasks of the testbed, with the right counts."""

from pathlib import Path

import pytest

from made_up_runs import made_up_rows, write_run
from puzzlebox.report import gather, published
from puzzlebox.report.contents import Contents, contents

pytestmark = pytest.mark.usefixtures("unpainted_figures")

LEVELS = [str(level) for level in range(1, 11)]


def on_levels(folder: Path, tasks: list[str]) -> Contents:
    """Analyse a made-up run in which each task has a level from 1 to 10."""
    rows = made_up_rows(tasks, {"random": 0.0, "heuristic": 1.0}, episodes=2)
    rows = [row | {"level": LEVELS[tasks.index(row["task"]) % 10]} for row in rows]
    return contents(gather([write_run(folder / "out", rows)]), published=True)


def words_of(found: Contents) -> str:
    return " ".join(block for section in found.sections for block in section.blocks if isinstance(block, str))


def test_other_tasks_with_level_numbers_are_not_compared_with_the_testbed(tmp_path: Path) -> None:
    found = on_levels(tmp_path, [f"own {number}" for number in range(10)])
    assert not {"published_levels", "published_places"} & {table.name for table in found.tables}
    assert "they are other tasks than those of the testbed and only share its level numbers." in words_of(found)
    (figure,) = [each for each in found.drawings if each.name == "passed_by_level"]
    assert "published" not in figure.caption
    assert not any("published" in each.get_text() for each in figure.figure.legends[0].get_texts())


def test_tasks_of_the_testbed_are_compared_without_others(tmp_path: Path) -> None:
    found = on_levels(tmp_path, [f"{int(level):02}-01-01" for level in LEVELS] + ["own"])
    tables = {table.name: table for table in found.tables}
    assert {row["tasks"] for row in tables["published_places"].rows} == {10}
    assert "1 other task is not included, as it only shares" in words_of(found)
    (figure,) = [each for each in found.drawings if each.name == "passed_by_level"]
    assert "published" not in figure.caption


def test_the_proportion_of_ppo_stands_beside_its_own_counts(tmp_path: Path) -> None:
    found = on_levels(tmp_path, [f"{int(level):02}-01-01" for level in LEVELS])
    (table,) = [each for each in found.tables if each.name == "published_levels"]
    (ppo,) = [row for row in table.rows if row["agent"] == "PPO (published)"]
    assert (ppo["overall"], ppo["episodes"], ppo["tasks"]) == (0.0144, 900, 609)
    assert published.level_rates()["ppo-as-published"].tasks == 900
    assert "these 900 episodes are on 609 tasks" in words_of(found)
    assert "published results" in next(each for each in found.drawings if each.name == "passed_by_level").caption
