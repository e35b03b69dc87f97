"""`puzzlebox bench` reports every figure; no test checks how fast they are."""

import json
from math import isfinite
from pathlib import Path
from typing import Any

import pytest

from command import puzzlebox
from puzzlebox.arena.envs.speed import CROWDS, arena, crowd, figures, machine
from puzzlebox.arena.world import World

QUICK = ("--steps", "4", "--rounds", "1")
NAMES = [
    "env steps a second, camera 64x64",
    "env steps a second, camera 64x64 and vitals",
    "env steps a second, 5 rays",
    "env steps a second, 5 rays and vitals",
    "env steps a second, vitals",
    "actions a second, world alone",
    "pictures a second, 64x64, camera alone",
    "start an episode (median)",
]


def sound(data: dict[str, Any]) -> bool:
    """Return whether all figures are positive numbers; fail where one is missing."""
    assert data["machine"]["vector_instructions"]
    assert [figure["what"] for figure in data["figures"]] == NAMES
    return all(isfinite(figure["measured"]) and figure["measured"] > 0 for figure in data["figures"])


def test_bench_prints_a_table_and_its_progress(tmp_path: Path) -> None:
    """Runs outside of the source tree, without the folder of benchmarks."""
    done = puzzlebox("bench", *QUICK, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
    assert lines[0].split() == ["what", "measured", "unit", "goal"]
    assert all(line.startswith(name) for name, line in zip(NAMES, lines[2:], strict=True))
    assert [f"measuring: {name} ..." for name in NAMES] == [
        line for line in done.stderr.splitlines() if line.startswith("measuring")
    ]
    assert "quickest of 1 rounds of 4 actions" in done.stderr


def test_bench_has_a_help_page(tmp_path: Path) -> None:
    done = puzzlebox("bench", "--help", cwd=tmp_path)
    assert done.returncode == 0
    assert "puzzlebox bench" in done.stdout


def test_bench_writes_json_to_stdout_and_to_a_file(tmp_path: Path) -> None:
    done = puzzlebox("bench", *QUICK, "--json", "-o", "speed.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sound(json.loads(done.stdout))
    assert (tmp_path / "speed.json").read_text() == done.stdout


def test_a_file_that_is_there_is_kept(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    done = puzzlebox("bench", *QUICK, "-o", "notes.txt", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: notes.txt is already there\n")
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert puzzlebox("bench", *QUICK, "-o", "notes.txt", "--force", cwd=tmp_path).returncode == 0
    assert sound(json.loads((tmp_path / "notes.txt").read_text()))


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    done = puzzlebox("bench", *QUICK, "-o", "nowhere/speed.json", cwd=tmp_path)
    assert done.returncode == 1
    assert "error: nowhere/speed.json cannot be written: No such file or directory\n" in done.stderr


@pytest.mark.parametrize("things", CROWDS)
def test_benchmark_arenas_hold_the_stated_number_of_things(things: int) -> None:
    world = World(arena(things))
    assert not world.unplaced
    assert len(world.things) == things + 1  # and the animal


def test_a_crowd_holds_the_given_number_of_each_thing() -> None:
    names = [item.name for item in crowd(2, 1, 0, 1, 0).arenas[0].items]
    assert names == ["Agent", "Wall", "Wall", "GoodGoalMulti", "UBlock"]


def test_a_benchmark_round_continues_in_the_next_episode() -> None:
    """With more actions than an episode has, the next one starts, and all actions are played."""
    measured = figures(steps=900, rounds=1)["env steps a second, vitals"]()
    assert measured.measured > 0
    assert measured.unit == "/s"


def test_the_machine_is_named() -> None:
    about = machine()
    assert about["processor"]
    assert about["cores"] >= 1
    assert about["busy"] == (about["load"] is not None and about["load"] > 1)
