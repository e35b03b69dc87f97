"""`puzzlebox power`: the answer from a pilot, its files, and what it refuses."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import puzzlebox
from puzzlebox.report.power import plan
from puzzlebox.report.sources import gather


@pytest.fixture(scope="module")
def pilot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of two agents on twelve tasks."""
    path = tmp_path_factory.mktemp("pilot") / "pilot.csv"
    rng = np.random.default_rng(1)
    ease = rng.normal(0, 1, 12)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["task", "agent", "passed", "return", "seed"])
        for agent, centre in (("weak", -0.5), ("strong", 0.7)):
            for task, odds in enumerate(ease + rng.normal(0, 0.5, 12)):
                for seed in range(6):
                    passed = rng.random() < 1 / (1 + np.exp(-centre - odds))
                    writer.writerow([f"task {task}", agent, passed, rng.random(), seed])
    return path


def test_the_answer_and_its_files(pilot: Path) -> None:
    done = puzzlebox("power", str(pilot), "--repetitions", "60", "--tasks", "6,20,40", "--episodes", "1,10,60")
    assert done.returncode == 0
    assert "tasks for 80 % power" in done.stdout and "10 episodes" in done.stdout
    assert "More episodes of the same tasks do not help beyond 60 of each" in done.stderr
    folder = pilot.with_name("pilot-power")
    assert sorted(each.name for each in folder.iterdir()) == ["power.csv", "power.pdf", "power.png", "power.txt"]
    rows = list(csv.DictReader((folder / "power.csv").read_text().splitlines()))
    assert [(row["tasks"], row["episodes_per_task"]) for row in rows][:4] == [
        ("6", "1"),
        ("20", "1"),
        ("40", "1"),
        ("6", "10"),
    ]
    powers = [float(row["power"]) for row in rows]
    assert powers[0] < powers[2] and powers[3] < powers[5]
    text = (folder / "power.txt").read_text()
    assert text.startswith("To find a difference of") and "Standard deviations in log odds" in text


def test_a_seed_gives_the_same_answer(pilot: Path, tmp_path: Path) -> None:
    arguments = ("power", str(pilot), "--repetitions", "50", "--tasks", "10,20", "--episodes", "3", "--seed", "4")
    for name in ("a", "b"):
        assert puzzlebox(*arguments, "-o", str(tmp_path / name)).returncode == 0
    assert (tmp_path / "a/power.csv").read_bytes() == (tmp_path / "b/power.csv").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--agent", "strnog", "--agent", "weak"], "the pilot has no agent 'strnog'"),
        (["--agent", "strong"], "name the two agents"),
        (["--tasks", "4,10"], "4 is not a whole number from 5 to 10,000"),
        (["--episodes", "1,,3"], "an empty part is not a whole number"),
        (["--participant-episodes", "2"], "no participants; leave out --participant-episodes"),
        (["--participants", "10"], "neither participants nor several runs"),
        (["--difference", "0"], "0.1"),
    ],
)
def test_bad_input_gets_one_sentence(pilot: Path, tmp_path: Path, arguments: list[str], why: str) -> None:
    done = puzzlebox("power", str(pilot), "-o", str(tmp_path / "out"), *arguments)
    assert done.returncode != 0 and why in done.stderr
    assert not (tmp_path / "out").exists()


def test_pilots_that_cannot_answer(tmp_path: Path) -> None:
    alone = tmp_path / "alone.csv"
    alone.write_text("task,agent,passed,return\n" + "".join(f"t{n},a,{n % 2},1\n" for n in range(12)))
    done = puzzlebox("power", str(alone))
    assert done.returncode != 0 and "only one agent; give the difference" in done.stderr
    single = tmp_path / "single.csv"
    single.write_text("task,agent,passed,return\nt,a,1,1\nt,b,0,0\n")
    done = puzzlebox("power", str(single))
    assert done.returncode != 0 and "fewer than two tasks" in done.stderr
    done = puzzlebox("power", str(tmp_path / "nothing.csv"))
    assert done.returncode != 0 and "there is no" in done.stderr


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A table of eight people once on each of twelve tasks, and of a robot three times."""
    rng = np.random.default_rng(2)
    people = tmp_path / "people.csv"
    lines = ["task,agent,participant,passed,return"]
    for person in range(8):
        skill = rng.normal(0, 1)
        lines += [f"t{task},human,p{person},{int(rng.random() < 1 / (1 + np.exp(-1 - skill)))},1" for task in range(12)]
    lines += [f"t{task},robot,,{int(rng.random() < 0.3)},0" for task in range(12) for _ in range(3)]
    people.write_text("\n".join(lines) + "\n")
    return people


def test_participants_are_a_question_of_their_own(people: Path) -> None:
    done = puzzlebox(
        "power",
        str(people),
        "--agent",
        "human",
        "--agent",
        "robot",
        "--tasks",
        "10,40",
        "--participants",
        "5,20",
        "--repetitions",
        "50",
    )
    assert done.returncode == 0, done.stderr
    assert "20 participants in all, each once; robot 3 times" in " ".join(done.stdout.split())
    assert "only 8 participants or runs" in done.stderr
    # The advice has the numbers of the table.
    rows = list(csv.DictReader((people.with_name("people-power") / "power.csv").read_text().splitlines()))
    few, many = (f"{100 * float(row['power']):.0f}" for row in rows if row["tasks"] == "40")
    assert f"With 40 tasks, 5 participants have {few} % power, and 20 have {many} %." in " ".join(done.stderr.split())
    assert "More episodes" not in done.stderr
    assert {(row["episodes_per_task"], row["participant_episodes"]) for row in rows} == {("3", "1")}


def test_participants_and_agents_have_their_own_episodes(people: Path) -> None:
    results = gather([people], "human")
    small: dict[str, Any] = {"tasks": [20], "participants": [10], "repetitions": 60, "difference": 0.2}
    answer = plan(results, episodes=[1, 20], participant_episodes=2, **small)
    assert [answer.label(line) for line in answer.lines] == [
        "10 participants in all, each twice; robot once",
        "10 participants in all, each twice; robot 20 times",
    ]
    assert not answer.advice
    assert answer.lines[0].powers < answer.lines[1].powers


def test_a_pilot_of_more_than_two_agents_says_which_were_compared(tmp_path: Path) -> None:
    table = tmp_path / "three.csv"
    lines = [
        f"t{task},{agent},{(task * 7 + n + len(agent)) % 2},1"
        for task in range(12)
        for agent in ("a", "bb", "c")
        for n in range(3)
    ]
    table.write_text("task,agent,passed,return\n" + "\n".join(lines) + "\n")
    few: dict[str, Any] = {"tasks": [10], "episodes": [3], "repetitions": 50, "difference": 0.2}
    results = gather([table], "human")
    assert "Compared were a and bb, the first two of the pilot's 3" in plan(results, **few).sentences[-1]
    assert plan(results, agents=["a", "c"], **few).remarks == ()


def test_a_tiny_difference_is_questioned(pilot: Path, tmp_path: Path) -> None:
    arguments = ("--repetitions", "50", "--tasks", "10", "--episodes", "3", "-o", str(tmp_path / "out"))
    done = puzzlebox("power", str(pilot), "--difference", "0.15", *arguments)
    assert done.returncode == 0
    assert done.stderr.startswith("0.15 percentage points is very small; 15 means 15 percentage points")
