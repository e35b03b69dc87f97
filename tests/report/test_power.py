"""`puzzlebox power`: the answer from a pilot, its files, and what it refuses."""

import csv
from pathlib import Path

import numpy as np
import pytest

from command import puzzlebox


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
    done = puzzlebox("power", str(pilot), "--repetitions", "60", "--tasks", "6,20,40", "--episodes", "1,10")
    assert done.returncode == 0
    assert "tasks for 80 % power" in done.stdout and "10 episodes" in done.stdout
    assert "More episodes of the same tasks do not help beyond" in done.stderr
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


def test_participants_are_a_question_of_their_own(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    people = tmp_path / "people.csv"
    lines = ["task,agent,participant,passed,return"]
    for person in range(8):
        skill = rng.normal(0, 1)
        lines += [f"t{task},human,p{person},{int(rng.random() < 1 / (1 + np.exp(-1 - skill)))},1" for task in range(12)]
    lines += [f"t{task},robot,,{int(rng.random() < 0.3)},0" for task in range(12) for _ in range(3)]
    people.write_text("\n".join(lines) + "\n")
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
    assert "20 participants, 1 episode" in done.stdout
    assert "only 8 participants or runs" in done.stderr
