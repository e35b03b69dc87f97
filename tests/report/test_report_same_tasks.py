"""Tables that have only names of tasks, beside a run: the task, its level, and arenas that are unknown."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from made_up_runs import made_up_rows, write_run
from puzzlebox.report import gather
from puzzlebox.report.abilities import scale_of
from puzzlebox.report.build import make_report
from puzzlebox.report.contents import contents
from puzzlebox.report.contrasts import contrasts
from puzzlebox.report.data_warnings import data_warnings
from puzzlebox.report.tables import by_arena, by_level, by_task

pytestmark = pytest.mark.usefixtures("unpainted_figures")

TASKS = [f"task {number}" for number in range(6)]


def run_of(folder: Path, arenas: int = 1, **more: Any) -> Path:
    """Write a run of two agents; in tasks with two arenas, the first is a control."""
    rows = made_up_rows(TASKS, {"random": -1.0, "heuristic": 1.0}, episodes=6)
    for number, row in enumerate(rows):
        row["arena"] = number % arenas
        row["arena_title"] = ("One pillar (control)", "Two pillars")[number % arenas] if arenas > 1 else ""
        row |= {"level": TASKS.index(row["task"]) // 2 + 1} | more
    return write_run(folder / "out", rows)


def table_of(path: Path, tasks: Sequence[str] = TASKS, more: Mapping[str, str] | None = None) -> Path:
    """Write a table of eight children with nothing but task, agent, participant and return."""
    rows = [
        {"task": task, "agent": "children", "participant": f"p{child}", "return": 1 - 2 * (child % 2)}
        | {"passed": child % 2 == 0}
        | (more or {})
        for task in tasks
        for child in range(8)
    ]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_task_without_a_hash_is_that_of_the_same_name(tmp_path: Path) -> None:
    places = [run_of(tmp_path), table_of(tmp_path / "children.csv")]
    for order in (places, places[::-1]):
        results = gather(order)
        assert results.tasks == TASKS
        assert len({(row.task, row.task_hash, row.level) for row in results.rows}) == 6
        lines = by_level(results.rows).rows
        assert [line["level"] for line in lines if line["agent"] == "children"] == ["1", "2", "3"]
        assert ", 6 tasks, 3 agents" in contents(results).headline[0]
        assert "6 tasks of tables have no hash and are taken for the tasks of the same name" in results.remarks[0]


def test_a_name_of_two_tasks_is_taken_for_neither(tmp_path: Path) -> None:
    other = [row | {"task_hash": "f" * 64} for row in made_up_rows(TASKS[:1])]
    places = (run_of(tmp_path), write_run(tmp_path / "other", other), table_of(tmp_path / "children.csv", TASKS[:1]))
    results = gather(places)
    assert {row.task_hash for row in results.rows if row.agent == "children"} == {""}
    assert results.tasks == TASKS


def test_an_arena_that_a_table_does_not_name_is_unknown(tmp_path: Path) -> None:
    results = gather([run_of(tmp_path, arenas=2), table_of(tmp_path / "children.csv")])
    own = [row for row in results.rows if row.agent == "children"]
    assert not any(row.arena_known for row in own)
    notes = [each for each in results.remarks if "In which arena they were played is unknown" in each]
    assert len(notes) == 1
    assert notes[0].startswith("48 episodes of tables are without a number in the column `arena` on these tasks")
    assert "task 0, task 1" in notes[0]
    assert {line["agent"] for line in by_arena(results.rows).rows} == {"random", "heuristic"}
    assert {line["agent"] for line in by_task(results.rows).rows} == {"random", "heuristic", "children"}
    assert {player.name for player in scale_of(results.rows).players} == {"random", "heuristic"}
    assert {each.agent for each in contrasts(results.rows)} <= {"random", "heuristic"}
    found = contents(results)
    assert not any("arenas" in warning for warning in data_warnings(results, found.comparisons))


def test_the_table_of_a_report_leaves_an_unknown_arena_empty(tmp_path: Path) -> None:
    report = make_report([run_of(tmp_path, arenas=2), table_of(tmp_path / "children.csv")], tmp_path / "report")
    written = tmp_path / "report" / "tables" / "episodes.csv"
    with written.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["arena"] for row in rows if row["agent"] == "children"} == {""}
    again = gather([written])
    assert [row.arena for row in again.rows] == [row.arena for row in report.results.rows]


@pytest.mark.parametrize(("arenas", "more"), [(1, None), (2, {"arena": "1"}), (1, {"arena": "NA"})])
def test_an_arena_is_the_first_if_there_is_one_or_the_table_says_so(
    tmp_path: Path, arenas: int, more: dict[str, str] | None
) -> None:
    results = gather([run_of(tmp_path, arenas), table_of(tmp_path / "children.csv", more=more)])
    assert {row.arena for row in results.rows if row.agent == "children"} == {0}
